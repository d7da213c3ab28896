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

package io.holdfast.lock.internal.protocol;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class LockKeysTests {

	private final LockKeys keys = new LockKeys("app:");

	@Test
	void keyHoldsTheNameAsItIs() {
		assertThat(this.keys.lock("{a} b\n😀")).isEqualTo("app:lock:{a} b\n😀");
	}

	@Test
	void keyTellsItsName() {
		for (String name : new String[] { "a", "lock:a", "app:lock:a", " a " }) {
			assertThat(this.keys.nameOf(this.keys.lock(name))).isEqualTo(name);
		}
	}

	@Test
	void channelsAreNoLocks() {
		assertThat(this.keys.channelPrefix()).isEqualTo("app:client:").doesNotStartWith(this.keys.lockPrefix());
	}

	@Test
	void patternQuotesGlobCharactersOfThePrefix() {
		LockKeys keys = new LockKeys("a*b?[c]\\:");

		assertThat(keys.lockPattern("")).isEqualTo("a\\*b\\?\\[c\\]\\\\:lock:*");
		assertThat(keys.lockPattern("x*")).isEqualTo("a\\*b\\?\\[c\\]\\\\:lock:x\\**");
	}

	@Test
	void lengthCountsInBytesOfUtf8() {
		assertThat(this.keys.lock("é".repeat(512))).endsWith("é");

		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.lock("é".repeat(513)))
			.withMessageContaining("1026");
	}

	@Test
	void refusalOfHugeNameShowsOnlyItsBeginning() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.lock("x".repeat(100_000)))
			.satisfies((ex) -> assertThat(ex.getMessage()).hasSizeLessThan(200));
	}

	@Test
	void namesThatNoLockCanHaveAreRefused() {
		assertThatNullPointerException().isThrownBy(() -> this.keys.lock(null));
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.lock(""));
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.lock(" \t"));
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.lock("a\ud83d"))
			.withMessageContaining("surrogate");
	}

	@Test
	void prefixOutOfBoundsIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> new LockKeys(" "));
		assertThatIllegalArgumentException().isThrownBy(() -> new LockKeys("x".repeat(201)));
	}

	@Test
	void prefixesThatCouldShareALockAreRefused() {
		for (String prefix : List.of("plock:", "p:lock:", "p:lock:q", "\nlock:")) {
			String shorter = prefix.substring(0, prefix.indexOf("lock:"));
			assertThatIllegalArgumentException().as("shares locks of %s", shorter)
				.isThrownBy(() -> new LockKeys(prefix))
				.withMessageContaining("'lock:'");
		}
		assertThat(new LockKeys("lock:").lock("a")).isEqualTo("lock:lock:a");
	}

}
