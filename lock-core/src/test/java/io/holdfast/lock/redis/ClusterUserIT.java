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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockDirectory.Filter;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.RedisCluster;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisSetup;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That the rights which the documentation names are enough in a cluster, and that its
 * locks are listed page by page.
 */
class ClusterUserIT {

	private static final int LOCKS = 60;

	@ParameterizedTest
	@EnumSource
	void rightsThatAreDocumentedAreEnough(RedisDriver driver) throws Exception {
		String user = "--user locks " + RedisSetup.RIGHTS + " " + RedisSetup.RIGHTS_IN_CLUSTER;
		try (RedisCluster cluster = RedisCluster.start(user.split(" ", -1)); Crew crew = new Crew()) {
			RedisClusterConfiguration configuration = cluster.configuration();
			configuration.setUsername("locks");
			configuration.setPassword("secret");
			RedisConnectionFactory connections = driver.connect(configuration, Duration.ofSeconds(2));
			try (RedisLockClient client = RedisLockClient.builder(connections).build();
					RedisLockClient other = RedisLockClient.builder(connections).build()) {
				FaultClients.awaitHears(client, other);
				List<Lease> leases = new ArrayList<>();
				for (int i = 0; i < LOCKS; i++) {
					leases.add(client.acquire("lock-" + i, LockOptions.defaults()));
				}
				assertThat(LockContract.listed(other.directory(), 10, Filter.ALL))
					.containsExactlyInAnyOrderElementsOf(leases.stream().map(Lease::name).toList());

				Crew.Member waiter = crew.start("waiter", () -> {
					LeaseLock lock = other.getLock("lock-0");
					lock.lock();
					lock.unlock();
				});
				FaultClients.await("other waits", () -> client.directory().queue("lock-0", 1).size() == 1);
				leases.forEach(Lease::close);
				waiter.join(FaultClients.PATIENCE);
				assertThat(LockContract.listed(other.directory(), 10, Filter.ALL)).isEmpty();
			}
			finally {
				RedisDriver.disconnect(connections);
			}
		}
	}

}
