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

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisFuture;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.StaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

/**
 * A twin of a Lettuce factory. It does not connect again by itself: on a new connection,
 * which has written nothing, replicas would have all of it at once. Nor does it read from
 * replicas.
 */
final class LettuceTwin implements Twin {

	private final LettuceConnectionFactory factory;

	private LettuceTwin(RedisConfiguration server, LettuceClientConfiguration client) {
		this.factory = new LettuceConnectionFactory(server, client);
		this.factory.afterPropertiesSet();
		this.factory.start();
	}

	/**
	 * Makes the twin of a factory that leads to a master.
	 * @param node which one of a cluster
	 */
	static LettuceTwin to(LettuceConnectionFactory original, String node) {
		return new LettuceTwin(server(original, node), client(original.getClientConfiguration()));
	}

	/**
	 * Whether the factory was given a list of servers. No method of it tells.
	 */
	static boolean isOfListedServers(LettuceConnectionFactory original) {
		Field configuration = ReflectionUtils.findField(LettuceConnectionFactory.class, "configuration");
		if (configuration == null) {
			return false;
		}
		ReflectionUtils.makeAccessible(configuration);
		return ReflectionUtils.getField(configuration, original) instanceof StaticMasterReplicaConfiguration;
	}

	private static RedisConfiguration server(LettuceConnectionFactory lettuce, String node) {
		RedisClusterConfiguration cluster = lettuce.getClusterConfiguration();
		if (cluster != null) {
			return Twin.server(node, cluster);
		}
		RedisSentinelConfiguration sentinel = lettuce.getSentinelConfiguration();
		if (sentinel != null) {
			return Twin.master(lettuce, sentinel);
		}
		RedisSocketConfiguration socket = lettuce.getSocketConfiguration();
		return (socket != null) ? socket : standalone(lettuce);
	}

	private static RedisStandaloneConfiguration standalone(LettuceConnectionFactory lettuce) {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(lettuce.getHostName(),
				lettuce.getPort());
		server.setDatabase(lettuce.getDatabase());
		server.setPassword(lettuce.getPassword());
		// This alone is not known of a factory that was made with a RedisConfiguration.
		server.setUsername(lettuce.getStandaloneConfiguration().getUsername());
		return server;
	}

	private static LettuceClientConfiguration client(LettuceClientConfiguration original) {
		LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder()
			.clientOptions(original.getClientOptions()
				.map(ClientOptions::mutate)
				.orElseGet(ClientOptions::builder)
				.autoReconnect(false)
				.build())
			.commandTimeout(original.getCommandTimeout())
			.shutdownTimeout(original.getShutdownTimeout())
			.shutdownQuietPeriod(original.getShutdownQuietPeriod());
		original.getClientResources().ifPresent(client::clientResources);
		original.getClientName().ifPresent(client::clientName);
		original.getRedisCredentialsProviderFactory().ifPresent(client::redisCredentialsProviderFactory);
		if (original.isUseSsl()) {
			client.useSsl().verifyPeer(original.getVerifyMode());
			if (original.isStartTls()) {
				client.useSsl().startTls();
			}
		}
		return client.build();
	}

	@Override
	public RedisConnectionFactory factory() {
		return this.factory;
	}

	@Override
	public long waitForReplicas(RedisConnection connection, int replicas, Duration timeout) {
		long patience = this.factory.getClientConfiguration().getCommandTimeout().toMillis();
		long millis = Twin.waitMillis(timeout, patience);
		RedisFuture<Long> acknowledged = ((LettuceConnection) connection).getNativeConnection()
			.waitForReplication(replicas, millis);
		try {
			return acknowledged.get(millis + Math.max(patience, 1000), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			throw new RedisSystemException(String.valueOf(ex.getCause()), ex);
		}
		catch (TimeoutException ex) {
			throw new QueryTimeoutException("No answer to WAIT", ex);
		}
		catch (InterruptedException ex) {
			throw new RedisCommandInterruptedException(ex);
		}
	}

	@Override
	public void destroy() {
		this.factory.destroy();
	}

}
