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

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockClientHealth;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockType;
import io.holdfast.lock.LockedTask;
import io.holdfast.lock.internal.client.DefaultLockClient;
import io.holdfast.lock.internal.client.LockRuntime;
import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.MessageChannel;
import io.holdfast.lock.internal.single.RedisLockServer;
import io.holdfast.lock.internal.single.ServerUnion;
import io.holdfast.lock.internal.single.Subscription;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A {@link LockClient} on Redis through Spring Data Redis, with Jedis or Lettuce.
 * <p>
 * Has three threads of its own, to renew, to listen and for actions of
 * {@link Lease#onLost}, one for each observer, and a few while it works, to send renewals
 * and late releases. All clients of a process log on one more. With Lettuce it uses the
 * connection that the application's factory shares; with Jedis it opens a few beside the
 * application's pool, as many as it needs at a time. The subscription has one for as long
 * as the client lives. Waiting threads use none. Does not need Redis to be there when it
 * is built.
 * <p>
 * A call waits for an answer of Redis for at most the
 * {@linkplain RedisLockClientBuilder#commandTimeout command timeout}, by default a
 * second, or for that of the connection factory if that is shorter. A wait whose time is
 * over goes on until the command that is under way is answered, or its time is over;
 * where a connection has to be opened first, it may take a second more, and in a cluster
 * Jedis may try three nodes.
 */
public final class RedisLockClient implements LockClient {

	private final Settings settings;

	private final DefaultLockClient client;

	/**
	 * Shown in {@code toString()}.
	 */
	private final String servers;

	RedisLockClient(List<RedisConnectionFactory> connectionFactories, Settings settings, @Nullable ServerUnion union) {
		this.settings = settings;
		this.servers = describe(connectionFactories);
		List<RedisDriver> drivers = connectionFactories.stream()
			.map((each) -> RedisDriver.of(each, settings.commandTimeout()))
			.toList();
		LockRuntime runtime = new LockRuntime(settings.client(), (created) -> server(created, drivers, settings, union),
				(created) -> channels(created, drivers, settings));
		this.client = new DefaultLockClient(runtime);
		runtime.start();
	}

	private static String describe(List<RedisConnectionFactory> servers) {
		String driver = servers.get(0).getClass().getSimpleName().replace("ConnectionFactory", "");
		return ((servers.size() == 1) ? "one Redis" : servers.size() + " Redis servers") + " through " + driver;
	}

	private static LockServer server(LockRuntime runtime, List<RedisDriver> drivers, Settings settings,
			@Nullable ServerUnion union) {
		LongSupplier nanoTime = settings.client().nanoTime();
		List<RedisLockServer> servers = drivers.stream()
			.map((each) -> new RedisLockServer(each, settings.server(), nanoTime))
			.toList();
		return (union != null) ? union.join(servers, settings.server(), nanoTime, runtime.pendingReleases(),
				runtime.engine().view()::holds) : servers.get(0);
	}

	private static List<MessageChannel> channels(LockRuntime runtime, List<RedisDriver> drivers, Settings settings) {
		return drivers.stream()
			.<MessageChannel>map(
					(each) -> new Subscription(each, runtime.server(), settings.server(), runtime.messages()))
			.toList();
	}

	/**
	 * Starts to describe a client.
	 * @param connectionFactory where its connections come from; stays the caller's to
	 * close, after the client
	 * @return the builder
	 */
	public static RedisLockClientBuilder builder(RedisConnectionFactory connectionFactory) {
		Objects.requireNonNull(connectionFactory, "Connection factory must not be null");
		return new RedisLockClientBuilder(connectionFactory);
	}

	@Override
	public LeaseLock getLock(String name, LockType type) {
		return this.client.getLock(name, type);
	}

	@Override
	public LeaseLock getLock(Collection<String> names, LockType type) {
		return this.client.getLock(names, type);
	}

	@Override
	public Lease acquire(String name, LockOptions options) throws InterruptedException {
		return this.client.acquire(name, options);
	}

	@Override
	public Optional<Lease> tryAcquire(String name, LockOptions options) throws InterruptedException {
		return this.client.tryAcquire(name, options);
	}

	@Override
	public Lease acquire(Collection<String> names, LockOptions options) throws InterruptedException {
		return this.client.acquire(names, options);
	}

	@Override
	public Optional<Lease> tryAcquire(Collection<String> names, LockOptions options) throws InterruptedException {
		return this.client.tryAcquire(names, options);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(String name, LockOptions options,
			LockedTask<T, E> task) throws E, InterruptedException {
		return this.client.execute(name, options, task);
	}

	@Override
	public LockDirectory directory() {
		return this.client.directory();
	}

	@Override
	public LockClientHealth health() {
		return this.client.health();
	}

	@Override
	public String id() {
		return this.client.id();
	}

	/**
	 * Returns what all keys and channels of this client begin with.
	 * @return the prefix; clients with the same one share their locks
	 */
	public String keyPrefix() {
		return this.settings.server().keys().prefix();
	}

	@Override
	public void close() {
		this.client.close();
	}

	@Override
	public String toString() {
		return "RedisLockClient[" + id() + ", keys " + this.settings.server().keys().lockPrefix() + "*, on "
				+ this.servers + "]";
	}

}
