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

package io.holdfast.lock.testing;

import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That what the tests start is what it says.
 */
class RedisTopologiesIT {

	@Test
	void sentinelsReplaceAMasterThatWasKilledAndOneThatWasAsked() {
		try (RedisSentinels redis = RedisSentinels.start()) {
			RedisProcess first = redis.master();
			assertUsable(redis);

			first.kill();
			redis.awaitOtherMaster(first);
			first.startAgain();
			redis.awaitReady();
			RedisProcess second = redis.master();
			redis.failOver();

			assertThat(redis.master()).isNotSameAs(second);
			assertThat(redis.replicas()).hasSize(2);
			assertUsable(redis);
		}
	}

	@Test
	void clusterReplacesAMasterThatWasStoppedAndOneThatWasAsked() {
		try (RedisCluster redis = RedisCluster.start()) {
			RedisProcess first = redis.masterOf("key");
			RedisProcess replica = redis.replicaOf(first);
			assertThat(redis.masters()).hasSize(3).contains(first).doesNotContain(replica);
			assertUsable(redis);

			first.pause();
			redis.awaitOtherMaster("key", first);
			assertThat(redis.masterOf("key")).isSameAs(replica);
			first.resume();
			redis.awaitReady();
			redis.failOver(first);

			assertThat(redis.masterOf("key")).isSameAs(first);
			assertUsable(redis);
		}
	}

	@Test
	void clusterMovesASlotAndAKilledServerComesBackAsReplica() {
		try (RedisCluster redis = RedisCluster.start()) {
			RedisProcess source = redis.masterOf("key");
			RedisProcess target = redis.masters().stream().filter((each) -> each != source).findFirst().orElseThrow();
			source.command("SET", "key", "value");

			redis.move("key", target);

			assertThat(redis.masterOf("key")).isSameAs(target);
			assertThat(target.command("GET", "key")).isEqualTo("value");

			RedisProcess killed = redis.masterOf("other");
			killed.kill();
			redis.awaitOtherMaster("other", killed);
			killed.startAgain();
			redis.awaitReady();
			assertThat(redis.replicaOf(redis.masterOf("other"))).isSameAs(killed);
		}
	}

	private static void assertUsable(RedisTopology redis) {
		for (RedisDriver driver : RedisDriver.values()) {
			RedisConnectionFactory connections = driver.connect(redis);
			try {
				StringRedisTemplate template = new StringRedisTemplate(connections);
				for (String key : List.of("one", "two", "three", "four")) {
					template.opsForValue().set(key, driver.name());
					assertThat(redis.masterOf(key).command("GET", key)).isEqualTo(driver.name());
				}
			}
			finally {
				RedisDriver.disconnect(connections);
			}
		}
	}

}
