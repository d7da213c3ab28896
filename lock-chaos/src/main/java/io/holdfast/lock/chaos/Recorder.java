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

import java.io.IOException;
import java.nio.file.Path;

import io.holdfast.lock.chaos.Attempt.Anomaly;

/**
 * Writes what one process sees. {@link History} reads it; both know the layout.
 */
final class Recorder {

	static final int ATTEMPT = 1;

	static final int LOSS = 2;

	static final int WRITE = 3;

	static final int FAULT = 4;

	static final int LIFE = 5;

	static final int REMAINS = 6;

	static final int LAST_GRANT = 7;

	static final int FAIR = 1;

	static final int WATCHED = 2;

	private static final int CAPACITY = 8_000_000;

	private final HistoryFile file;

	private Recorder(HistoryFile file) {
		this.file = file;
	}

	/**
	 * The recorder of a process.
	 * @param process its number; 0 is the conductor and the resource is {@code -1}
	 */
	static Recorder create(Path directory, int process) throws IOException {
		return new Recorder(HistoryFile.create(directory.resolve(process + ".history"), CAPACITY));
	}

	Trace attempt(long lock, Mode mode, boolean fair, boolean watched, long waitNanos, long invoked) {
		Trace trace = new Trace(
				this.file.add(ATTEMPT, lock, (fair ? FAIR : 0) | (watched ? WATCHED : 0), waitNanos, invoked));
		this.file.put(trace.record, 14, mode.number());
		return trace;
	}

	/**
	 * An observer was told that a hold was lost.
	 */
	void loss(long lock, long token, long at) {
		this.file.add(LOSS, lock, token, at);
	}

	/**
	 * The resource took or refused a write.
	 */
	void write(long lock, long token, long process, long record, boolean accepted, long at) {
		this.file.add(WRITE, lock, token, process, record, accepted ? 1 : 0, at);
	}

	/**
	 * Something begins to be broken.
	 * @return its record, for its end
	 */
	int fault(Fault fault, int process, long at) {
		return this.file.add(FAULT, fault.number(), process, at);
	}

	void faultEnded(int fault, long at) {
		this.file.put(fault, 4, at);
	}

	int life(int process, long at) {
		return this.file.add(LIFE, process, at);
	}

	void lifeEnded(int life, long at) {
		this.file.put(life, 3, at);
	}

	/**
	 * How a lock is when all have gone.
	 * @param acquireNanos how long it took to acquire it, or -1 if that was impossible
	 * @param residue what is left that should not be, as a number of things
	 */
	void remains(long lock, long acquireNanos, long residue, long at) {
		this.file.add(REMAINS, lock, acquireNanos, residue, at);
	}

	/**
	 * What the server knows of a lock that was wanted once.
	 * @param token of its last grant
	 * @param grantedAt when that was
	 * @param held whether it is still held
	 */
	void lastGrant(long lock, long token, long grantedAt, boolean held, long at) {
		this.file.add(LAST_GRANT, lock, token, grantedAt, held ? 1 : 0, at);
	}

	/**
	 * One attempt.
	 */
	final class Trace {

		private final int record;

		private Trace(int record) {
			this.record = record;
		}

		int record() {
			return this.record;
		}

		void ended(Outcome outcome, long token, long at) {
			Recorder.this.file.put(this.record, 5, at);
			Recorder.this.file.put(this.record, 7, token);
			Recorder.this.file.put(this.record, 8, at);
			Recorder.this.file.put(this.record, 6, outcome.number());
		}

		/**
		 * The lock is said to be held.
		 * @param at a moment before that was said
		 * @param validNanos for how much longer it is said to be
		 */
		void claimed(long at, long validNanos) {
			if (Recorder.this.file.get(this.record, 9) != 0) {
				anomaly(Anomaly.HELD_AGAIN);
			}
			Recorder.this.file.put(this.record, 8, Math.max(Recorder.this.file.get(this.record, 8), at + validNanos));
		}

		/**
		 * The lock is said not to be held any more.
		 */
		void denied(long at) {
			if (Recorder.this.file.get(this.record, 9) == 0) {
				Recorder.this.file.put(this.record, 9, at);
			}
		}

		void anomaly(Anomaly anomaly) {
			Recorder.this.file.put(this.record, 10, Recorder.this.file.get(this.record, 10) | anomaly.bit());
		}

		void releasing(long at) {
			Recorder.this.file.put(this.record, 11, at);
		}

		void released(Outcome outcome, long at) {
			Recorder.this.file.put(this.record, 12, at);
			Recorder.this.file.put(this.record, 13, outcome.number());
		}

	}

}
