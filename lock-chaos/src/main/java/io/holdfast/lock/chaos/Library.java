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

import java.time.Duration;
import java.util.Locale;
import java.util.function.BiConsumer;

/**
 * The lock libraries that the same faults strike.
 */
enum Library {

	/** Ours. */
	HOLDFAST {

		@Override
		Session open(ClientSetup setup, BiConsumer<String, Long> losses) {
			return new HoldfastSession(setup, losses);
		}

	},

	/** Redisson. */
	REDISSON {

		@Override
		Session open(ClientSetup setup, BiConsumer<String, Long> losses) {
			return new RedissonSession(setup.address());
		}

	},

	/** Spring Integration. */
	SPRING {

		@Override
		Session open(ClientSetup setup, BiConsumer<String, Long> losses) {
			return new SpringIntegrationSession(setup.connect().get(0));
		}

	};

	abstract Session open(ClientSetup setup, BiConsumer<String, Long> losses);

	Promises promises(Topology topology) {
		return new Promises(Workload.LONGEST_LEASE, HoldfastSession.WAITER_TIMEOUT, ClientSetup.COMMAND_TIMEOUT,
				validity(topology), Duration.ofSeconds(1), this == HOLDFAST, topology);
	}

	private Duration validity(Topology topology) {
		if (this != HOLDFAST) {
			// They promise none.
			return Duration.ofSeconds(5);
		}
		// A server of a quorum may join a hold for longer.
		return topology.votes() ? Duration.ofMillis(5500) : Duration.ofSeconds(2);
	}

	String word() {
		return name().toLowerCase(Locale.ROOT);
	}

}
