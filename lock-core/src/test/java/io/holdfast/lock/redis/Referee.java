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

package io.holdfast.lock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.holdfast.lock.LockType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sees who believes to hold a lock.
 */
final class Referee {

	final String name;

	final LockType type;

	private final List<Hold> holds = new ArrayList<>();

	private long lastToken;

	Referee(String name) {
		this.name = name;
		this.type = (name.hashCode() % 2 == 0) ? LockType.FAIR : LockType.REENTRANT;
	}

	/**
	 * Takes in a grant, unless it is over already.
	 */
	synchronized void granted(Hold hold, BooleanSupplier stillHeld) {
		if (stillHeld.getAsBoolean()) {
			this.holds.removeIf(Hold::isOver);
			assertThat(this.holds).as("others, when %s begins", hold).isEmpty();
			assertThat(hold.token()).isGreaterThan(this.lastToken);
			this.holds.add(hold);
			this.lastToken = hold.token();
		}
	}

	/**
	 * Takes in that an owner is about to release.
	 */
	synchronized void releases(Hold hold) {
		this.holds.remove(hold);
	}

	synchronized long lastToken() {
		return this.lastToken;
	}

	/**
	 * What an owner believes.
	 *
	 * @param token its fencing token
	 * @param endNanos until when it believes so, by the clock of the machine
	 */
	record Hold(long token, long endNanos) {

		boolean isOver() {
			return System.nanoTime() - this.endNanos >= 0;
		}

	}

}
