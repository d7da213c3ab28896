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

package io.holdfast.lock.internal.engine;

import java.time.Duration;
import java.time.Instant;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockType;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Which losses a client remembers. */
class LostGrantsTests {

	private static final int MAX_LOSSES = 1000;

	private final Thread owner = Thread.currentThread();

	private final LostGrants lost = new LostGrants();

	@Test
	void lossThatIsAddedToAnEarlierOneIsAmongTheLatest() {
		loseAndWantAgain("again");
		for (int i = 1; i < MAX_LOSSES; i++) {
			loseAndWantAgain("other-" + i);
		}
		loseAndWantAgain("again");

		loseAndWantAgain("one more");

		assertThat(this.lost.giveBack(this.owner, "other-1")).isNull();
		assertThat(this.lost.giveBack(this.owner, "again")).isNotNull();
		assertThat(this.lost.giveBack(this.owner, "again")).isNotNull();
		assertThat(this.lost.giveBack(this.owner, "again")).isNull();
	}

	private void lose(String name) {
		this.lost.add(this.owner,
				new LockLoss(name, LockType.REENTRANT, 1, Instant.EPOCH, LockLoss.Cause.EXPIRED, Duration.ZERO), 1,
				"id");
	}

	/**
	 * Loses an explicit lease and acquires the lock again.
	 */
	private void loseAndWantAgain(String name) {
		lose(name);
		assertThat(this.lost.enter(this.owner, name)).isNull();
	}

}
