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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

import org.opentest4j.TestAbortedException;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * A Redis on which everything must work, and how an application connects to it. The
 * system property {@code redis.setup} names the one of this run: {@code standalone},
 * {@code sentinel}, {@code cluster}, {@code acl} for a user who may do what docs/redis.md
 * says and nothing else, or {@code tls}. Tests share it; each uses its own key prefix.
 */
public final class RedisSetup {

	/**
	 * What docs/redis.md says that a user needs, for keys with any prefix.
	 */
	public static final String RIGHTS = "on >secret ~*lock:* ~*client:* resetchannels &*client:* -@all +eval +evalsha +time"
			+ " +hmget +hgetall +hset +hget +hdel +hlen +pexpire +scan +publish +subscribe +pubsub|numsub +info +ping";

	/**
	 * What the drivers need beside it in a cluster.
	 */
	public static final String RIGHTS_IN_CLUSTER = "+cluster|nodes +cluster|slots";

	private static final List<String> MANY_CLIENTS = List.of("--maxclients", "2000");

	private static RedisSetup chosen;

	private final RedisTopology redis;

	private final RedisConfiguration configuration;

	private final RedisCertificate certificate;

	private RedisSetup(RedisTopology redis, RedisConfiguration configuration, RedisCertificate certificate) {
		this.redis = redis;
		this.configuration = configuration;
		this.certificate = certificate;
	}

	/**
	 * The one of this run, started at the first call.
	 */
	public static synchronized RedisSetup chosen() {
		if (chosen == null) {
			chosen = start(System.getProperty("redis.setup", "standalone"));
		}
		return chosen;
	}

	private static RedisSetup start(String name) {
		return switch (name) {
			case "standalone" -> startPlain(RedisProcess.shared());
			case "sentinel" -> startPlain(RedisSentinels.start(MANY_CLIENTS.toArray(String[]::new)));
			case "cluster" -> startPlain(RedisCluster.start(MANY_CLIENTS.toArray(String[]::new)));
			case "acl" -> startWithUser();
			case "tls" -> startWithTls();
			default -> throw new IllegalArgumentException("Unknown redis.setup: " + name);
		};
	}

	private static RedisSetup startPlain(RedisTopology redis) {
		return new RedisSetup(redis, redis.configuration(), null);
	}

	private static RedisSetup startWithUser() {
		RedisProcess redis = start((port) -> List.of(("--user locks " + RIGHTS).split(" ", -1)));
		RedisStandaloneConfiguration configuration = redis.configuration();
		configuration.setUsername("locks");
		configuration.setPassword("secret");
		return new RedisSetup(redis, configuration, null);
	}

	private static RedisSetup startWithTls() {
		RedisCertificate certificate = RedisCertificate.create();
		RedisProcess redis;
		try {
			redis = start((port) -> certificate.arguments(RedisProcess.secondPort(port)));
		}
		catch (IllegalStateException ex) {
			throw new TestAbortedException("This redis-server was built without TLS", ex);
		}
		return new RedisSetup(redis,
				new RedisStandaloneConfiguration(redis.host(), RedisProcess.secondPort(redis.port())), certificate);
	}

	private static RedisProcess start(IntFunction<List<String>> arguments) {
		return RedisProcess.start(Map.of(), (port) -> {
			List<String> all = new ArrayList<>(MANY_CLIENTS);
			all.addAll(arguments.apply(port));
			return all;
		});
	}

	/**
	 * Makes a connection factory as an application does, which has connected once: in a
	 * cluster, or with TLS, the first connection may take longer on a busy machine than
	 * locks wait for one.
	 */
	public RedisConnectionFactory connect(RedisDriver driver) {
		RedisConnectionFactory factory = driver.connect(this.configuration, Duration.ofSeconds(20), this.certificate);
		factory.getConnection().close();
		return factory;
	}

	/**
	 * Makes a connection factory with which a test may do anything.
	 */
	public RedisConnectionFactory connectAdmin(RedisDriver driver) {
		return driver.connect(this.redis);
	}

}
