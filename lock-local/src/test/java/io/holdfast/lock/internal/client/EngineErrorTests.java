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
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockClientHealth.Status;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.engine.EngineSettings;
import io.holdfast.lock.internal.memory.LockMemory;
import io.holdfast.lock.internal.memory.MemoryLockServer;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.ServerSettings;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.TestThreads;
import io.holdfast.lock.testing.TestThreads.Running;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An {@code Error} that nobody expects, at each call of the port and on each thread of a
 * client: it ends the lock or the call that it hit. Nothing hangs, nobody has a lock
 * beside its owner, and the health tells it.
 */
class EngineErrorTests {

	private static final LockKeys KEYS = new LockKeys("e:");

	private static final Duration WATCHDOG = Duration.ofMillis(1500);

	private static final Duration WAITER = Duration.ofSeconds(2);

	private final LockMemory memory = new LockMemory(
			() -> TimeUnit.MILLISECONDS.toMicros(1_700_000_000_000L) + System.nanoTime() / 1000);

	private final Clock clock = new Clock();

	private final Port port = new Port();

	private final List<LockLoss> losses = new CopyOnWriteArrayList<>();

	private final AtomicInteger owners = new AtomicInteger();

	private final TestThreads threads = new TestThreads();

	private final DefaultLockClient here = client("here", this.clock, this.port);

	private final DefaultLockClient elsewhere = client("elsewhere", System::nanoTime, new Port());

	private DefaultLockClient client(String id, LongSupplier nanoTime, Port failing) {
		EngineSettings engine = new EngineSettings(WATCHDOG, WAITER, 10, true);
		ClientSettings settings = new ClientSettings(KEYS, id, Duration.ofSeconds(10), LockOptions.WATCHDOG,
				(lease) -> {
				}, UnaryOperator.identity(), engine, List.of(new LossObserver(this.losses::add)), nanoTime);
		ServerSettings server = new ServerSettings(KEYS, id, WAITER, Duration.ofMinutes(5));
		LockRuntime runtime = new LockRuntime(settings,
				(self) -> failing.before(new MemoryLockServer(this.memory, server, System::nanoTime, self.messages())),
				(self) -> List.of());
		runtime.start();
		return new DefaultLockClient(runtime);
	}

	@AfterEach
	void close() {
		this.clock.fails(null, 0);
		this.port.fails(null, false);
		this.threads.close();
		this.here.close();
		this.elsewhere.close();
	}

	// The port

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void errorOfAQuestionIsNoAnswer(boolean runs) {
		this.port.fails("acquire", runs);

		assertThatExceptionOfType(LockServerException.class).isThrownBy(this.here.getLock("a")::tryLock)
			.withRootCauseInstanceOf(OnPurpose.class);

		assertThat(this.here.health().status()).isEqualTo(Status.OUT_OF_SERVICE);
		assertThat(this.here.health().failure()).contains(OnPurpose.class.getSimpleName());
		this.port.fails(null, false);
		assertIsFree("a");
		use(this.here, "a");
		assertThat(this.here.health().status()).isEqualTo(Status.UP);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void errorOfAReleaseIsNoAnswerAndTheNextOneGetsTheLock(boolean runs) {
		LeaseLock lock = this.here.getLock("a");
		lock.lock();
		Running<Void> next = this.threads.run(() -> use(this.elsewhere, "a")).awaitParked();
		this.port.fails("release", runs);

		assertThatExceptionOfType(LockServerException.class).isThrownBy(lock::unlock)
			.withRootCauseInstanceOf(OnPurpose.class);

		assertThat(this.here.health().status()).isEqualTo(Status.OUT_OF_SERVICE);
		this.port.fails(null, false);
		next.result();
		assertIsFree("a");
		use(this.here, "a");
		assertThat(this.here.health().status()).isEqualTo(Status.UP);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void errorOfARenewalIsNoAnswerAndTheLockIsRenewedAfterIt(boolean runs) {
		LeaseLock lock = this.here.getLock("a");
		lock.lock();
		this.port.fails("renewEach", runs);
		await("an error", () -> this.here.health().status() == Status.OUT_OF_SERVICE);

		this.port.fails(null, false);

		await("a renewal", () -> this.here.health().status() == Status.UP);
		assertThat(lock.isHeldByCurrentThread()).isTrue();
		lock.unlock();
		assertThat(this.losses).isEmpty();
		assertIsFree("a");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void errorOfAConfirmationIsNoAnswer(boolean runs) {
		Duration lease = Duration.ofSeconds(1);
		LeaseLock lock = this.elsewhere.getLock("a");
		lock.lock();
		Running<Boolean> next = this.threads.start(() -> {
			LeaseLock own = this.here.getLock("a");
			boolean had = own.tryLock(TestThreads.LONG, lease);
			own.unlock();
			return had;
		}).awaitParked();
		this.port.fails("renew", runs);
		// So that too little of the lease is left when the message comes.
		Awaitility.await().pollDelay(lease.dividedBy(4)).until(() -> true);
		lock.unlock();
		await("an error", () -> this.here.health().status() == Status.OUT_OF_SERVICE);

		this.port.fails(null, false);

		assertThat(next.result()).isTrue();
		assertIsFree("a");
	}

	@Test
	void errorOfAReleaseInTheBackgroundIsTriedAgain() {
		this.port.fails("", true);
		assertThatExceptionOfType(LockServerException.class).isThrownBy(this.here.getLock("a")::tryLock);
		await("an error", () -> this.port.failed("releaseEach"));

		this.port.fails(null, false);

		assertIsFree("a");
	}

	// The threads

	@Test
	void errorAnywhereInLockEndsTheCall() {
		boolean failed = true;
		for (int readings = 0; failed; readings++) {
			String name = "a" + readings;
			LeaseLock lock = this.here.getLock(name);
			this.clock.fails(Thread.currentThread()::equals, readings);
			try {
				lock.lock();
			}
			catch (LockServerException | OnPurpose ex) {
				// Then it does not have it.
			}
			failed = this.clock.hasFailed();
			this.clock.fails(null, 0);
			unlockIfHeld(lock);

			assertIsFree(name);
			use(this.here, name);
		}
	}

	@Test
	void errorAnywhereInUnlockEndsTheCall() {
		boolean failed = true;
		for (int readings = 0; failed; readings++) {
			String name = "a" + readings;
			LeaseLock lock = this.here.getLock(name);
			lock.lock();
			Running<Void> behind = this.threads.run(() -> useOrFail(this.here, name)).awaitParked();
			Running<Void> next = this.threads.run(() -> use(this.elsewhere, name)).awaitParked();
			this.clock.fails(Thread.currentThread()::equals, readings);
			try {
				lock.unlock();
			}
			catch (LockServerException | OnPurpose ex) {
				// It counts as given back.
			}
			failed = this.clock.hasFailed();
			this.clock.fails(null, 0);
			unlockIfHeld(lock);

			behind.result();
			next.result();
			assertIsFree(name);
			use(this.here, name);
		}
	}

	@Test
	void errorInAnInnerUnlockEndsTheHoldAndTheOuterOneIsTold() {
		LeaseLock lock = this.here.getLock("a");
		lock.lock();
		lock.lock();
		this.clock.fails(Thread.currentThread()::equals, 0);
		assertThatExceptionOfType(OnPurpose.class).isThrownBy(lock::unlock);
		this.clock.fails(null, 0);
		await("the loss", () -> !this.losses.isEmpty());

		assertThat(lock.isHeldByCurrentThread()).isFalse();
		assertThat(this.elsewhere.getLock("a").tryLock()).as("its owner may be at work").isFalse();
		assertThatExceptionOfType(LockException.class).isThrownBy(lock::unlock)
			.withMessageContaining(LockLoss.Cause.ERROR.name());

		assertIsFree("a");
	}

	@Test
	void errorAnywhereInAWaitEndsTheCallAndThoseBehindItGoOn() {
		boolean failed = true;
		for (int round = 0; failed; round++) {
			int readings = round;
			String name = "a" + round;
			LeaseLock lock = this.elsewhere.getLock(name);
			lock.lock();
			AtomicBoolean met = new AtomicBoolean();
			Running<Void> first = this.threads.run(() -> {
				this.clock.fails(Thread.currentThread()::equals, readings);
				useOrFail(this.here, name);
				met.set(this.clock.hasFailed());
			}).awaitParkedOrDone();
			Running<Void> second = this.threads.run(() -> useOrFail(this.here, name)).awaitParkedOrDone();

			lock.unlock();

			first.result();
			second.result();
			failed = met.get();
			this.clock.fails(null, 0);
			assertIsFree(name);
		}
	}

	/**
	 * In memory, who gives back tells the next one.
	 */
	@Test
	void errorInAMessageEndsTheWaitAndTheLockIsFree() {
		LeaseLock lock = this.elsewhere.getLock("a");
		lock.lock();
		Running<Void> waiting = this.threads.run(() -> useOrFail(this.here, "a")).awaitParked();
		this.clock.fails(Thread.currentThread()::equals, 0);

		try {
			lock.unlock();
		}
		catch (LockServerException ex) {
			// The message is a part of the call here.
		}

		assertThat(this.clock.hasFailed()).isTrue();
		this.clock.fails(null, 0);
		waiting.result();
		assertIsFree("a");
	}

	@ParameterizedTest
	@CsvSource({ "holdfast-watchdog, 0", "holdfast-watchdog, 1", "holdfast-watchdog, 2", "holdfast-watchdog, 3",
			"holdfast-watchdog, 4", "holdfast-watchdog, 5", "holdfast-renewal-, 0", "holdfast-renewal-, 1",
			"holdfast-errand-, 0", "holdfast-errand-, 1" })
	void errorOnAThreadOfTheClientLetsNothingHang(String thread, int readings) {
		LeaseLock lock = this.here.getLock("a");
		lock.lock();
		this.owners.incrementAndGet();
		Running<Void> behind = this.threads.run(() -> useOrFail(this.here, "a")).awaitParked();
		Running<Void> next = this.threads.run(() -> use(this.elsewhere, "a")).awaitParked();
		this.port.fails("acquire", true);
		assertThatExceptionOfType(LockServerException.class).isThrownBy(this.here.getLock("owed")::tryLock);
		this.port.fails(null, false);

		this.clock.fails((each) -> each.getName().startsWith(thread), readings);

		await("an error", this.clock::hasFailed);
		this.clock.fails(null, 0);
		this.owners.decrementAndGet();
		try {
			lock.unlock();
		}
		catch (LockException ex) {
			// Lost, and told.
		}
		behind.result();
		next.result();
		assertIsFree("a");
		assertIsFree("owed");
		if (!isBroken()) {
			use(this.here, "a");
			assertThat(this.here.health().status()).isEqualTo(Status.UP);
		}
	}

	@Test
	void clientThatNoLongerKnowsWhatIsDueClosesItself() {
		LeaseLock torn = this.here.getLock("torn");
		torn.lock();
		LeaseLock lock = this.here.getLock("a");
		lock.lock();
		Running<Void> waiting = this.threads.run(() -> use(this.here, "a")).awaitParked();
		Thread owner = Thread.currentThread();
		// What the first error leaves cannot be discarded either.
		this.clock.failsAlways((each) -> each == owner || isDiscarding());
		assertThatExceptionOfType(OnPurpose.class).isThrownBy(torn::unlock);
		this.clock.failsAlways((each) -> isDiscarding());
		await("the end", this::isBroken);
		this.clock.fails(null, 0);

		assertThat(waiting.failure()).isInstanceOf(LockClientClosedException.class).hasCauseInstanceOf(OnPurpose.class);
		await("the loss", () -> this.losses.stream().anyMatch((loss) -> loss.name().equals("a")));
		// That of the other lock, too, if the end came before its owner knew of the
		// error.
		assertThat(this.losses).extracting(LockLoss::cause).containsOnly(LockLoss.Cause.CLOSED);
		assertThat(lock.isHeldByCurrentThread()).isFalse();
		assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(lock::lock)
			.withCauseInstanceOf(OnPurpose.class);
		assertThat(this.here.health().status()).isEqualTo(Status.OUT_OF_SERVICE);
		assertThat(this.here.health().failure()).contains(OnPurpose.class.getSimpleName());
		use(this.elsewhere, "a");
	}

	// What is seen

	private boolean isBroken() {
		try {
			this.here.getLock("broken").tryLock();
			this.here.getLock("broken").unlock();
			return false;
		}
		catch (LockClientClosedException ex) {
			return true;
		}
		catch (LockException ex) {
			return false;
		}
	}

	private static boolean isDiscarding() {
		return StackWalker.getInstance()
			.walk((frames) -> frames.anyMatch((each) -> each.getMethodName().equals("discardIfTorn")));
	}

	private static void unlockIfHeld(LeaseLock lock) {
		if (lock.isHeldByCurrentThread()) {
			lock.unlock();
		}
	}

	/**
	 * Takes a lock and gives it back, and fails if another owner is at work.
	 */
	private void use(DefaultLockClient client, String name) {
		LeaseLock lock = client.getLock(name);
		lock.lock();
		assertThat(this.owners.incrementAndGet()).as("owners at work").isOne();
		this.owners.decrementAndGet();
		lock.unlock();
	}

	private void useOrFail(DefaultLockClient client, String name) {
		try {
			use(client, name);
		}
		catch (LockException | OnPurpose ex) {
			// It was hit, too.
		}
	}

	private void assertIsFree(String name) {
		this.threads.run(() -> use(this.elsewhere, name)).result();
	}

	private static void await(String what, Callable<Boolean> condition) {
		Awaitility.await(what)
			.atMost(TestThreads.LONG)
			.pollInSameThread()
			.pollInterval(Duration.ofMillis(2))
			.until(condition);
	}

	private static final class OnPurpose extends Error {

	}

	/**
	 * The monotonic clock, which everything reads: fails threads once, after some
	 * readings.
	 */
	private static final class Clock implements LongSupplier {

		private @Nullable Predicate<Thread> who;

		private int readings;

		private boolean always;

		private boolean failed;

		synchronized void fails(@Nullable Predicate<Thread> threads, int after) {
			this.who = threads;
			this.readings = after;
			this.always = false;
			this.failed = false;
		}

		synchronized void failsAlways(Predicate<Thread> threads) {
			fails(threads, 0);
			this.always = true;
		}

		synchronized boolean hasFailed() {
			return this.failed;
		}

		@Override
		public long getAsLong() {
			if (fails()) {
				throw new OnPurpose();
			}
			return System.nanoTime();
		}

		private synchronized boolean fails() {
			boolean over = this.failed && !this.always;
			if (over || this.who == null || !this.who.test(Thread.currentThread())) {
				return false;
			}
			this.failed = this.always || this.readings-- == 0;
			return this.failed;
		}

	}

	/**
	 * The calls of the port, of which one fails, before or after it was carried out.
	 */
	private static final class Port {

		private final List<String> failures = new CopyOnWriteArrayList<>();

		private volatile @Nullable String call;

		private volatile boolean runs;

		/**
		 * Lets a call fail from now on; all of them if its name is empty.
		 */
		void fails(@Nullable String name, boolean after) {
			this.runs = after;
			this.call = name;
		}

		boolean failed(String name) {
			return this.failures.contains(name);
		}

		LockServer before(LockServer server) {
			return (LockServer) Proxy.newProxyInstance(LockServer.class.getClassLoader(),
					new Class<?>[] { LockServer.class }, (proxy, method, args) -> call(server, method, args));
		}

		private @Nullable Object call(LockServer server, Method method, @Nullable Object @Nullable [] args)
				throws Throwable {
			String failing = this.call;
			boolean fails = failing != null
					&& (failing.isEmpty() ? List.of("acquire", "release", "releaseEach").contains(method.getName())
							: failing.equals(method.getName()));
			if (fails && !this.runs) {
				throw failure(method);
			}
			try {
				Object result = method.invoke(server, args);
				if (fails) {
					throw failure(method);
				}
				return result;
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
		}

		private Error failure(Method method) {
			this.failures.add(method.getName());
			return new OnPurpose();
		}

	}

}
