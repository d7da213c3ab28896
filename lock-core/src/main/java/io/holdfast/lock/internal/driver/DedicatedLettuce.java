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
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TimeoutOptions;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A connection of Lettuce to one server: that of a factory that does not connect again by
 * itself, and does not read from replicas.
 */
final class DedicatedLettuce {

	private DedicatedLettuce() {
	}

	static DedicatedConnection to(RedisConfiguration server, LettuceClientConfiguration original, Duration longest) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(server, client(original, longest));
		factory.afterPropertiesSet();
		factory.start();
		DedicatedConnection.Wait wait = (connection, replicas, timeout) -> waitForReplicas(connection, replicas,
				timeout, longest);
		return new DedicatedConnection(factory, factory::destroy, wait, original.getCommandTimeout());
	}

	private static LettuceClientConfiguration client(LettuceClientConfiguration original, Duration longest) {
		LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder()
			.clientOptions(options(original.getClientOptions().orElseGet(ClientOptions::create), longest))
			.commandTimeout(Connections.shorter(longest, original.getCommandTimeout()))
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

	/**
	 * The application's options without what is bad for {@code WAIT}: to connect again,
	 * and to end a command that takes longer than others.
	 */
	private static ClientOptions options(ClientOptions original, Duration longest) {
		Duration connect = original.getSocketOptions().getConnectTimeout();
		return original.mutate()
			.autoReconnect(false)
			.timeoutOptions(TimeoutOptions.create())
			.socketOptions(
					original.getSocketOptions().mutate().connectTimeout(Connections.shorter(longest, connect)).build())
			.build();
	}

	private static long waitForReplicas(RedisConnection connection, int replicas, Duration timeout, Duration extra) {
		RedisFuture<Long> acknowledged = ((LettuceConnection) connection).getNativeConnection()
			.waitForReplication(replicas, timeout.toMillis());
		return LettuceFutures.awaitOrCancel(acknowledged, timeout.plus(extra).toMillis(), TimeUnit.MILLISECONDS);
	}

}
