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

import java.util.List;
import java.util.Objects;

import io.holdfast.lock.LeaseView;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.internal.client.AbstractLockClient;
import io.holdfast.lock.internal.client.LockRuntime;
import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.protocol.MessageChannel;
import io.holdfast.lock.internal.redis.RedisLockServer;
import io.holdfast.lock.internal.redis.ServerUnion;
import io.holdfast.lock.internal.redis.Subscription;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A {@link LockClient} on Redis through Spring Data Redis, with Jedis or Lettuce.
 * <p>
 * Has three threads of its own, to renew, to listen and for actions of
 * {@link LeaseView#onLost}, one for each observer, and a few while it works, to send
 * renewals and late releases. All clients of a process log on one more. With Lettuce it
 * opens one connection beside those of the application, in a cluster one to each node;
 * with Jedis a few beside the application's pool, as many as it needs at a time. The
 * subscription has one for as long as the client lives. Waiting threads use none. Does
 * not need Redis to be there when it is built.
 * <p>
 * A call waits for an answer of Redis for at most the
 * {@linkplain RedisLockClientBuilder#commandTimeout command timeout}, by default a
 * second, or for that of the connection factory if that is shorter. A wait whose time is
 * over goes on until the command that is under way is answered, or its time is over;
 * where a connection has to be opened first, it may take a second more, and in a cluster
 * Jedis may try three nodes.
 */
public final class RedisLockClient extends AbstractLockClient {

	private final Settings settings;

	/**
	 * Shown in {@code toString()}.
	 */
	private final String servers;

	RedisLockClient(List<RedisConnectionFactory> connectionFactories, Settings settings, @Nullable ServerUnion union) {
		super(runtime(connectionFactories, settings, union));
		this.settings = settings;
		this.servers = describe(connectionFactories);
	}

	private static LockRuntime runtime(List<RedisConnectionFactory> connectionFactories, Settings settings,
			@Nullable ServerUnion union) {
		List<RedisLockServer> servers = connectionFactories.stream()
			.map((each) -> new RedisLockServer(RedisDriver.of(each, settings.commandTimeout()), settings.server()))
			.toList();
		return new LockRuntime(settings.client(),
				(created) -> (union != null) ? union.join(servers, settings.server()) : servers.get(0),
				(created) -> servers.stream()
					.<MessageChannel>map((each) -> new Subscription(each, settings.server(),
							settings.client().watchdogTimeout(), settings.client().takeoverAfter(), created))
					.toList());
	}

	private static String describe(List<RedisConnectionFactory> servers) {
		String driver = servers.get(0).getClass().getSimpleName().replace("ConnectionFactory", "");
		return ((servers.size() == 1) ? "one Redis" : servers.size() + " Redis servers") + " through " + driver;
	}

	/**
	 * Starts to describe a client.
	 * @param connectionFactory where its connections come from; stays the caller's to
	 * close, after the client
	 * @return the builder
	 */
	public static RedisLockClientBuilder builder(RedisConnectionFactory connectionFactory) {
		Objects.requireNonNull(connectionFactory, "Connection factory must not be null");
		return new RedisLockClientBuilder(List.of(connectionFactory), null);
	}

	/**
	 * Returns what all keys and channels of this client begin with.
	 * @return the prefix; clients with the same one share their locks
	 */
	public String keyPrefix() {
		return this.settings.server().keys().prefix();
	}

	@Override
	public String toString() {
		return "RedisLockClient[" + id() + ", keys " + this.settings.server().keys().lockPrefix() + "*, on "
				+ this.servers + "]";
	}

}
