/*
 * Copyright 2026 the Holdfast authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.holdfast.lock.autoconfigure;

import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.interceptor.LockStartUpException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Settings of jars that are not on the starter's class path. */
class QuorumJarTests {

	@ParameterizedTest
	@ValueSource(strings = { "quorum.nodes=redis://:secret@a,redis://b,redis://c", "quorum.nodes[0]=redis://a",
			"quorum.timeout=1s" })
	void quorumWithoutItsJarNamesTheJar(String property) {
		LockRunner.create()
			.withPropertyValues("holdfast.lock." + property)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockStartUpException.class)
				.hasMessageContaining("io.holdfast:lock-quorum")
				.hasMessageNotContaining("secret"));
	}

	@Test
	void fenceWithoutItsJarNamesTheJar() {
		LockRunner.create()
			.withPropertyValues("holdfast.lock.fence.enabled=true")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockStartUpException.class)
				.hasMessageContaining("io.holdfast:lock-jdbc"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "mode=local", "enabled=false" })
	void quorumIsNoMatterToLocksElsewhere(String property) {
		LockRunner.create()
			.withPropertyValues("holdfast.lock.quorum.nodes=redis://a", "holdfast.lock." + property)
			.run((context) -> assertThat(context).hasNotFailed());
	}

}
