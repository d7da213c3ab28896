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

package io.holdfast.lock.internal.driver;

import java.time.Duration;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Spring's template as it is used here.
 */
final class Templates {

	private Templates() {
	}

	static StringRedisTemplate of(RedisConnectionFactory connectionFactory) {
		StringRedisTemplate template = new StringRedisTemplate(connectionFactory) {

			/*
			 * Some lines of Spring Data Redis wrap the connection here, which hides of
			 * what kind it is.
			 */
			@Override
			protected RedisConnection preProcessConnection(RedisConnection connection, boolean existing) {
				return connection;
			}

		};
		// Nothing here closes a connection, so none needs a proxy against that.
		template.setExposeConnection(true);
		return template;
	}

	/**
	 * The shorter of two times, of which the second may be 0 for none.
	 */
	static Duration shorter(Duration one, Duration other) {
		return (other.isZero() || other.isNegative() || one.compareTo(other) < 0) ? one : other;
	}

	/**
	 * How long to have a server wait for replicas, so that a driver which waits as long
	 * as the application's does not give up before.
	 * @param patience how long the application waits for an answer, or 0 without limit
	 */
	static Duration waitFor(Duration timeout, Duration patience) {
		return shorter(timeout, patience.multipliedBy(3).dividedBy(4));
	}

}
