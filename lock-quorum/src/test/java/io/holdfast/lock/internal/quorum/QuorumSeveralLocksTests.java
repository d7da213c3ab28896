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

package io.holdfast.lock.internal.quorum;

import java.util.ArrayList;
import java.util.List;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockType;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Several locks at once, each on a majority. */
class QuorumSeveralLocksTests extends QuorumFixture {

	private static final LockOptions PATIENT = LockOptions.defaults().waitTime(TestThreads.LONG);

	private int counter;

	@Test
	void overlappingLocksExcludeEachOtherAndNobodyWaitsForEver() {
		List<TestThreads.Running<Void>> running = new ArrayList<>();
		for (RedisLockClient client : this.clients) {
			for (List<String> names : List.of(List.of("a", "b"), List.of("c", "b"))) {
				running.add(this.threads.run(() -> {
					for (int i = 0; i < 10; i++) {
						try (Lease lease = client.acquire(names, PATIENT)) {
							assertThat(lease.token("b")).isPositive();
							this.counter++;
						}
					}
				}));
			}
		}

		running.forEach(TestThreads.Running::result);

		assertThat(this.counter).isEqualTo(40);
		assertThat(List.of("a", "b", "c")).allMatch((name) -> this.clients.get(0).directory().find(name).isEmpty());
	}

	@Test
	void fairOrderIsRefused() {
		RedisLockClient client = this.clients.get(0);

		assertThatThrownBy(() -> client.getLock(List.of("a", "b"), LockType.FAIR))
			.isInstanceOf(UnsupportedOperationException.class);
		assertThatThrownBy(() -> client.acquire(List.of("a", "b"), PATIENT.fair()))
			.isInstanceOf(UnsupportedOperationException.class);
	}

}
