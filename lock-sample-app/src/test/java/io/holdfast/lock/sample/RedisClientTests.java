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

package io.holdfast.lock.sample;

import io.holdfast.lock.LockClient;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an application gets that has nothing but the starter, and what it says of its
 * client.
 */
class RedisClientTests {

	@Test
	void jedisIsTheClientUnlessTheApplicationBringsAnother() {
		assertThat(TwoShops.FIRST.bean(RedisConnectionFactory.class)).isInstanceOf(JedisConnectionFactory.class);
	}

	@Test
	void healthOfTheLocksIsShownWithItsDetails() {
		Shop shop = TwoShops.FIRST;

		JsonNode health = Shop.json(shop.http().get().uri("/actuator/health/holdfastLock"));

		assertThat(health.get("status").asString()).isEqualTo("UP");
		assertThat(health.at("/details/client").asString()).isEqualTo(shop.bean(LockClient.class).id());
	}

}
