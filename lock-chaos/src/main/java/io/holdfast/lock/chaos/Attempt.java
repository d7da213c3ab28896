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

package io.holdfast.lock.chaos;

/**
 * What a thread saw of one acquisition, from the call to the release. Times are
 * {@link System#nanoTime()}; zero means that it did not come to that.
 *
 * @param process whose it was
 * @param record its place in the history of the process
 * @param lock number of the lock
 * @param mode beside whom it wanted to hold it
 * @param fair whether it asked to wait in order
 * @param watched whether the hold is to be renewed
 * @param waitNanos how long it was ready to wait
 * @param invoked just before the call
 * @param ended just after the call
 * @param outcome how the call ended
 * @param token fencing token, or zero if the library has none
 * @param claimedUntil until when the lock was said to be held, at the latest
 * @param denied when it was first said that the lock is not held any more
 * @param anomalies what no history should have, as bits of {@link Anomaly}
 * @param releaseInvoked just before the release
 * @param releaseEnded just after the release
 * @param release how the release ended
 */
record Attempt(int process, int record, long lock, Mode mode, boolean fair, boolean watched, long waitNanos,
		long invoked, long ended, Outcome outcome, long token, long claimedUntil, long denied, long anomalies,
		long releaseInvoked, long releaseEnded, Outcome release) {

	boolean granted() {
		return this.outcome == Outcome.DONE;
	}

	boolean has(Anomaly anomaly) {
		return (this.anomalies & anomaly.bit()) != 0;
	}

	/**
	 * Until when its owner believed to hold the lock: a release that worked says that it
	 * did until then.
	 */
	long heldUntil() {
		if (this.release == Outcome.DONE) {
			return this.releaseInvoked;
		}
		long until = this.claimedUntil;
		if (this.denied != 0) {
			until = Math.min(until, this.denied);
		}
		if (this.releaseInvoked != 0) {
			until = Math.min(until, this.releaseInvoked);
		}
		return Math.max(until, this.ended);
	}

	@Override
	public String toString() {
		return "process " + this.process + " record " + this.record + " " + this.mode + " token " + this.token
				+ (this.fair ? " fair" : "") + " [invoked " + this.invoked + ", " + this.outcome + " " + this.ended
				+ ", claimed until " + this.claimedUntil + ", denied " + this.denied + ", release "
				+ this.releaseInvoked + " " + this.release + " " + this.releaseEnded + "]";
	}

	/**
	 * What a thread can see by itself to be wrong.
	 */
	enum Anomaly {

		/** Held again after it was said not to be held. */
		HELD_AGAIN,

		/**
		 * Said to be held after the resource had seen the token of a later grant.
		 */
		HELD_AFTER_REFUSAL,

		/** Not held as often as it was acquired. */
		WRONG_HOLD_COUNT,

		/** Held after the last release, or released once too often without an error. */
		HELD_AFTER_RELEASE;

		@SuppressWarnings("EnumOrdinal") // Histories do not outlive a build
		long bit() {
			return 1L << ordinal();
		}

	}

}
