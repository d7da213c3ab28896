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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.engine.EngineSettings;
import io.holdfast.lock.internal.memory.LockMemory;
import io.holdfast.lock.internal.memory.MemoryLockServer;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.ServerSettings;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * That a release by force under a fencing token ends no hold of a later owner of the own
 * client, whatever happens between the look and the end.
 */
class ForcedReleaseTests {

	private static final LockOptions OPTIONS = LockOptions.defaults();

	private volatile Consumer<String> before = (method) -> {
	};

	private final LockMemory memory = new LockMemory(
			() -> TimeUnit.MILLISECONDS.toMicros(1_700_000_000_000L) + System.nanoTime() / 1000);

	private final DefaultLockClient client = client("test@host/1");

	@AfterEach
	void close() {
		this.client.close();
	}

	@Test
	void nextOwnerOfThisClientKeepsALockThatWasSeenBefore() throws Exception {
		Lease seen = this.client.acquire("order", OPTIONS);
		CompletableFuture<Lease> next = acquireLater();
		this.before = (method) -> {
			if (method.equals("evict")) {
				seen.close();
				next.orTimeout(10, TimeUnit.SECONDS).join();
			}
		};

		assertThat(this.client.directory().forceUnlock("order", seen.token())).isEmpty();

		assertThat(next.join().isValid()).isTrue();
		assertThat(this.client.directory().find("order")).get()
			.extracting((lock) -> lock.token())
			.isEqualTo(next.join().token());
	}

	@Test
	void nextOwnerKeepsALockThatItIsAboutToGet() throws Exception {
		Lease seen = this.client.acquire("order", OPTIONS);
		CompletableFuture<Lease> next = acquireLater();
		CountDownLatch confirming = new CountDownLatch(1);
		CountDownLatch confirm = new CountDownLatch(1);
		this.before = (method) -> {
			if (method.equals("renew")) {
				confirming.countDown();
				await(confirm);
			}
			if (method.equals("evict")) {
				confirm.countDown();
				next.orTimeout(10, TimeUnit.SECONDS).join();
			}
		};
		seen.close();
		await(confirming);

		assertThat(this.client.directory().forceUnlock("order", seen.token())).isEmpty();

		confirm.countDown();
		assertThat(next.get(10, TimeUnit.SECONDS).isValid()).isTrue();
	}

	@Test
	void holdThatHasNoOwnerYetEndsUnderItsToken() throws Exception {
		CountDownLatch confirming = new CountDownLatch(1);
		CountDownLatch confirm = new CountDownLatch(1);
		this.before = (method) -> {
			if (method.equals("renew")) {
				confirming.countDown();
				await(confirm);
			}
		};
		try (DefaultLockClient other = client("test@host/2")) {
			Lease held = other.acquire("order", OPTIONS);
			// Longer than the lease with which a hold is handed over.
			CompletableFuture<Lease> next = acquireLater(OPTIONS.leaseTime(Duration.ofSeconds(60)));
			held.close();
			await(confirming);
			HeldLock seen = other.directory().find("order").orElseThrow();

			assertThat(this.client.directory().forceUnlock("order", seen.token())).isPresent();

			confirm.countDown();
			assertThat(next.get(10, TimeUnit.SECONDS).token()).as("it asks again").isGreaterThan(seen.token());
		}
	}

	@Test
	void ownerThatWasSeenLosesTheLock() throws Exception {
		Lease seen = this.client.acquire("order", OPTIONS);
		CompletableFuture<Lease> next = acquireLater();

		assertThat(this.client.directory().forceUnlock("order", seen.token())).isPresent();

		assertThat(seen.isValid()).isFalse();
		assertThat(next.get(10, TimeUnit.SECONDS).isValid()).isTrue();
	}

	@Test
	void lockIsPassedOnAgainAfterAReleaseThatFailed() throws Exception {
		Lease seen = this.client.acquire("order", OPTIONS);
		CompletableFuture<Lease> next = acquireLater();
		this.before = (method) -> {
			if (method.equals("evict")) {
				throw new LockServerException("order", Reason.TIMED_OUT, "no answer", null);
			}
		};
		assertThatExceptionOfType(LockServerException.class)
			.isThrownBy(() -> this.client.directory().forceUnlock("order", seen.token()));

		seen.close();

		assertThat(next.get(10, TimeUnit.SECONDS).token()).as("passed on within the block of tokens")
			.isEqualTo(seen.token() + 1);
	}

	private CompletableFuture<Lease> acquireLater() {
		return acquireLater(OPTIONS);
	}

	private CompletableFuture<Lease> acquireLater(LockOptions options) {
		CompletableFuture<Lease> acquired = CompletableFuture.supplyAsync(() -> {
			try {
				return this.client.acquire("order", options);
			}
			catch (InterruptedException ex) {
				throw new AssertionError(ex);
			}
		});
		Awaitility.await("a waiter").until(() -> !this.client.directory().queue("order", 10).isEmpty());
		return acquired;
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	private DefaultLockClient client(String clientId) {
		EngineSettings engine = new EngineSettings(Duration.ofSeconds(30), Duration.ofSeconds(10), 16, true);
		ClientSettings settings = new ClientSettings(new LockKeys("forced:"), clientId, Duration.ofSeconds(10),
				LockOptions.WATCHDOG, (lease) -> {
				}, UnaryOperator.identity(), engine, List.of(), System::nanoTime);
		LockRuntime runtime = new LockRuntime(settings, this::server, (created) -> List.of());
		runtime.start();
		return new DefaultLockClient(runtime);
	}

	private LockServer server(LockRuntime created) {
		ServerSettings settings = new ServerSettings(created.keys(), created.settings().clientId(),
				Duration.ofSeconds(10), Duration.ofMinutes(5));
		LockServer server = new MemoryLockServer(this.memory, settings, System::nanoTime, created.engine().messages());
		return (LockServer) Proxy.newProxyInstance(LockServer.class.getClassLoader(),
				new Class<?>[] { LockServer.class }, (proxy, method, args) -> {
					this.before.accept(method.getName());
					try {
						return method.invoke(server, args);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

}
