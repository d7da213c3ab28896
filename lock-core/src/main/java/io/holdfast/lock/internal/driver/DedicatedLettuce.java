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
import java.util.function.Function;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TimeoutOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A connection of Lettuce to one server: a factory that does not connect again by itself,
 * and does not read from replicas.
 */
final class DedicatedLettuce implements DedicatedConnection {

	private final LettuceConnectionFactory factory;

	/**
	 * How long the application waits for an answer.
	 */
	private final Duration patience;

	DedicatedLettuce(RedisConfiguration server, LettuceClientConfiguration original) {
		this.factory = new LettuceConnectionFactory(server, client(original));
		this.factory.afterPropertiesSet();
		this.factory.start();
		this.patience = original.getCommandTimeout();
	}

	private static LettuceClientConfiguration client(LettuceClientConfiguration original) {
		LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder()
			.clientOptions(options(original.getClientOptions().orElseGet(ClientOptions::create)))
			.commandTimeout(Connections.shorter(RedisDriver.LONGEST_REQUEST, original.getCommandTimeout()))
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
	private static ClientOptions options(ClientOptions original) {
		Duration connect = original.getSocketOptions().getConnectTimeout();
		return original.mutate()
			.autoReconnect(false)
			.timeoutOptions(TimeoutOptions.create())
			.socketOptions(original.getSocketOptions()
				.mutate()
				.connectTimeout(Connections.shorter(RedisDriver.LONGEST_REQUEST, connect))
				.build())
			.build();
	}

	@Override
	public <T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command) {
		return Connections.use(this.factory.getConnection(), command);
	}

	@Override
	public long waitForReplicas(RedisConnection connection, int replicas, Duration timeout) {
		Duration longest = Connections.waitFor(timeout, this.patience);
		RedisFuture<Long> acknowledged = ((LettuceConnection) connection).getNativeConnection()
			.waitForReplication(replicas, longest.toMillis());
		return LettuceFutures.awaitOrCancel(acknowledged, longest.plus(RedisDriver.LONGEST_REQUEST).toMillis(),
				TimeUnit.MILLISECONDS);
	}

	@Override
	public void close() {
		this.factory.destroy();
	}

}
