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

import java.util.List;

import io.holdfast.lock.testing.RedisProcess;

/**
 * Notices that other servers are masters than before. A busy machine is enough for that:
 * a master that gets no processor for a second is replaced.
 */
final class FailoverDetector {

	private final Servers servers;

	private final Recorder recorder;

	private List<RedisProcess> masters;

	private long lookedAt = System.nanoTime();

	FailoverDetector(Servers servers, Recorder recorder) {
		this.servers = servers;
		this.recorder = recorder;
		this.masters = servers.masters();
	}

	/**
	 * Records a change since the last look.
	 */
	void look() {
		long now = System.nanoTime();
		List<RedisProcess> current = this.servers.masters();
		if (!current.equals(this.masters)) {
			this.recorder.faultEnded(this.recorder.fault(Fault.MASTER_CHANGED, 0, this.lookedAt), System.nanoTime());
		}
		this.masters = current;
		this.lookedAt = now;
	}

}
