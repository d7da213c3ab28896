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

import io.holdfast.lock.testing.RedisDriver;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * What kind of Redis the locks are on.
 */
enum Topology {

	/** One server. */
	STANDALONE {

		@Override
		Servers start() {
			return new SingleServer();
		}

	};

	abstract Servers start();

	static RedisConnectionFactory connect(RedisDriver driver, String address, Duration timeout) {
		String[] parts = address.split(":", -1);
		return driver.connect(parts[0], Integer.parseInt(parts[1]), timeout);
	}

	String word() {
		return name().toLowerCase(Locale.ROOT);
	}

}
