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

package io.holdfast.lock.internal.single;

import java.util.concurrent.TimeUnit;

/**
 * Estimates the server's clock from the times in its answers, so that a request can carry
 * a deadline in the server's time. The estimate lags by the way of the answer, never
 * leads by more than the clocks' drift since. A server whose clock was set, or another
 * node of a cluster, makes it wrong once: the script refuses as late, and that answer
 * corrects it.
 */
final class ServerClock {

	/*
	 * One value, so that readers never see half of an update: server milliseconds minus
	 * local monotonic milliseconds.
	 */
	private volatile long offsetMillis;

	private volatile boolean known;

	boolean isKnown() {
		return this.known;
	}

	void learn(long serverMillis, long receivedNanos) {
		this.offsetMillis = serverMillis - TimeUnit.NANOSECONDS.toMillis(receivedNanos);
		this.known = true;
	}

	long millisAt(long nanos) {
		return TimeUnit.NANOSECONDS.toMillis(nanos) + this.offsetMillis;
	}

}
