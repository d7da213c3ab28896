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

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.driver.RedisSubscription;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.util.ClassUtils;

/**
 * The connections of a factory, with something of the test's own around the next script,
 * or around every call.
 */
final class FaultyConnections implements RedisConnectionFactory, RedisDriver {

	private final RedisConnectionFactory target;

	private final RedisDriver driver;

	private final AtomicReference<@Nullable Around> next = new AtomicReference<>();

	private final Around always;

	private volatile @Nullable Thread only;

	FaultyConnections(RedisConnectionFactory target) {
		this(target, Call::run);
	}

	/**
	 * Connect.
	 * @param always what happens around every call, script or not
	 */
	FaultyConnections(RedisConnectionFactory target, Around always) {
		this.target = target;
		this.driver = RedisDriver.of(target, LONGEST_REQUEST);
		this.always = always;
	}

	/**
	 * Leaves the scripts of all other threads alone.
	 */
	void onlyOf(Thread thread) {
		this.only = thread;
	}

	/**
	 * Does something else with the next script.
	 */
	void onNext(Around around) {
		this.next.set(around);
	}

	/**
	 * Whether a script has come since.
	 */
	boolean hasCome() {
		return this.next.get() == null;
	}

	@Override
	public Duration longestRequest() {
		return this.driver.longestRequest();
	}

	@Override
	public <T extends @Nullable Object> T call(boolean reserved, Function<RedisConnection, T> command) {
		try (RedisConnection connection = getConnection()) {
			return command.apply(connection);
		}
	}

	@Override
	public RedisSubscription subscription(List<String> channels, RedisSubscription.Listener listener) {
		return this.driver.subscription(channels, listener);
	}

	@Override
	public RedisConnection getConnection() {
		try {
			return wrap((RedisConnection) Objects.requireNonNull(this.always.around(this.target::getConnection)));
		}
		catch (RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new IllegalStateException(ex);
		}
	}

	@SuppressWarnings("unchecked")
	private <T> T wrap(T object) {
		Class<?>[] interfaces = ClassUtils.getAllInterfacesForClass(object.getClass());
		return (T) Proxy.newProxyInstance(getClass().getClassLoader(), interfaces,
				(proxy, method, args) -> invoke(object, method, args));
	}

	private @Nullable Object invoke(Object object, Method method, Object @Nullable [] args) throws Throwable {
		Call call = () -> call(object, method, args);
		if (!method.getName().startsWith("eval")) {
			Object result = this.always.around(call);
			boolean runsScripts = result != null && method.getName().equals("scriptingCommands");
			return runsScripts ? wrap(result) : result;
		}
		boolean concerned = this.only == null || this.only == Thread.currentThread();
		Around around = concerned ? this.next.getAndSet(null) : null;
		return this.always.around((around != null) ? () -> around.around(call) : call);
	}

	private static @Nullable Object call(Object object, Method method, Object @Nullable [] args) throws Throwable {
		try {
			return method.invoke(object, args);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

	@Override
	public RedisClusterConnection getClusterConnection() {
		return this.target.getClusterConnection();
	}

	@Override
	public RedisSentinelConnection getSentinelConnection() {
		return this.target.getSentinelConnection();
	}

	@Override
	public boolean getConvertPipelineAndTxResults() {
		return this.target.getConvertPipelineAndTxResults();
	}

	@Override
	public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException ex) {
		return this.target.translateExceptionIfPossible(ex);
	}

	/**
	 * A call that is about to be made.
	 */
	interface Call {

		@Nullable Object run() throws Throwable;

	}

	/**
	 * What happens instead of a call.
	 */
	interface Around {

		@Nullable Object around(Call call) throws Throwable;

	}

}
