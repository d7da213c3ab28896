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

package io.holdfast.lock.internal.client;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockDirectory.QueuedWaiter;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.memory.LockMemory;
import io.holdfast.lock.internal.memory.MemoryLockServer;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.LockServer;
import io.holdfast.lock.internal.protocol.ServerDirectory;
import io.holdfast.lock.internal.protocol.ServerSettings;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * That a release by force under a fencing token ends no hold of a later owner of the own
 * client, whatever happens between the look and the end.
 */
class ForcedReleaseTests {

	private static final LockOptions OPTIONS = LockOptions.defaults();

	/** Gets the method that is called on the server, and what calls it. */
	private volatile BiConsumer<String, Callable<?>> before = (method, call) -> {
	};

	private final LockMemory memory = new LockMemory(
			() -> TimeUnit.MILLISECONDS.toMicros(1_700_000_000_000L) + System.nanoTime() / 1000);

	private final AbstractLockClient client = client("test@host/1");

	private Lease seen;

	private CompletableFuture<Lease> next;

	/**
	 * Has the lock held by one for whom another waits. That one waited already when it
	 * was asked for, so there are tokens for both.
	 */
	@BeforeEach
	void hold() throws Exception {
		Lease earlier = this.client.acquire("order", OPTIONS);
		CompletableFuture<Lease> first = acquireLater(1);
		this.next = acquireLater(2);
		earlier.close();
		this.seen = first.get(30, TimeUnit.SECONDS);
	}

	@AfterEach
	void close() {
		this.client.close();
	}

	@Test
	void nextOwnerOfThisClientKeepsALockThatWasSeenBefore() throws Exception {
		this.before = (method, call) -> {
			if (method.equals("evict")) {
				this.seen.close();
				this.next.orTimeout(30, TimeUnit.SECONDS).join();
			}
		};

		assertThat(this.client.directory().forceUnlock("order", this.seen.token())).isEmpty();

		assertThat(this.next.join().isValid()).isTrue();
		assertThat(this.client.directory().find("order")).get()
			.extracting((lock) -> lock.token())
			.isEqualTo(this.next.join().token());
	}

	@Test
	void ownerThatWasSeenLosesTheLock() throws Exception {
		assertThat(this.client.directory().forceUnlock("order", this.seen.token())).isPresent();

		assertThat(this.seen.isValid()).isFalse();
		assertThat(this.next.get(30, TimeUnit.SECONDS).isValid()).isTrue();
	}

	@Test
	void nextOwnerKeepsTheLockAlthoughTheReleaseIsDoneLate() throws Exception {
		AtomicReference<Callable<?>> late = new AtomicReference<>();
		this.before = (method, call) -> {
			if (method.equals("evict")) {
				late.set(call);
				throw new LockServerException("order", Reason.TIMED_OUT, "no answer", null);
			}
		};
		assertThatExceptionOfType(LockServerException.class)
			.isThrownBy(() -> this.client.directory().forceUnlock("order", this.seen.token()));

		// The question of an operator who saw an earlier owner changes nothing.
		assertThat(this.client.directory().forceUnlock("order", this.seen.token() - 1)).isEmpty();
		this.seen.close();
		long token = this.next.get(30, TimeUnit.SECONDS).token();

		late.get().call();

		assertThat(this.client.directory().find("order")).get().extracting((lock) -> lock.token()).isEqualTo(token);
	}

	private CompletableFuture<Lease> acquireLater(int waiting) {
		CompletableFuture<Lease> acquired = this.client.acquireAsync("order", OPTIONS).toCompletableFuture();
		Awaitility.await("a waiter")
			.atMost(TestThreads.LONG)
			.until(() -> this.client.directory()
				.queue("order", 10)
				.stream()
				.mapToInt(QueuedWaiter::count)
				.sum() == waiting);
		return acquired;
	}

	private AbstractLockClient client(String clientId) {
		LockKeys keys = new LockKeys("forced:");
		ClientSettings settings = new ClientSettings(keys, clientId, Duration.ofSeconds(10), LockOptions.WATCHDOG,
				(lease) -> {
				}, UnaryOperator.identity(), Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ZERO, 16, 0,
				LockOptions.FOREVER, Duration.ZERO, Duration.ZERO, List.of(), System::nanoTime);
		ServerSettings server = new ServerSettings(keys, clientId, Duration.ofSeconds(10), Duration.ofMinutes(5));
		return new AbstractLockClient(new LockRuntime(settings,
				(created) -> spied(LockServer.class,
						new MemoryLockServer(this.memory, server, System::nanoTime, created)),
				(created) -> List.of())) {
		};
	}

	private <T> T spied(Class<T> type, T server) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, args) -> {
				this.before.accept(method.getName(), () -> method.invoke(server, args));
				try {
					Object answer = method.invoke(server, args);
					return (answer instanceof ServerDirectory directory) ? spied(ServerDirectory.class, directory)
							: answer;
				}
				catch (InvocationTargetException ex) {
					throw ex.getTargetException();
				}
			}));
	}

}
