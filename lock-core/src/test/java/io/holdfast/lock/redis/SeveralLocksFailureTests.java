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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.client.ClientState;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A server that fails in the middle of acquiring several locks, or of releasing them,
 * leaves nothing held.
 */
@ParameterizedClass(name = "{0} with {1}")
@MethodSource("io.holdfast.lock.redis.LockContract#kinds")
class SeveralLocksFailureTests extends FaultFixture {

	private static final List<String> NAMES = List.of("a", "b", "c");

	@Parameter(0)
	private boolean fair;

	@Parameter(1)
	private RedisDriver driver;

	private FaultyConnections connections;

	private RedisLockClient client;

	SeveralLocksFailureTests() {
		super(RedisProcess.shared());
	}

	@BeforeEach
	void connect() throws Exception {
		this.connections = new FaultyConnections(this.clients.connect(this.driver, this.server, FaultClients.PATIENCE));
		this.client = this.clients.open(this.connections, FaultClients::patient);
		FaultClients.awaitHears(this.client);
		// Redis knows the scripts from now on.
		this.client.acquire(List.of("warm", "up"), options()).close();
	}

	@Test
	void scriptThatFailsLeavesNothingHeldWhicheverItIs() throws Exception {
		// The same is released in the background.
		this.connections.onlyOf(Thread.currentThread());
		int failures = 0;
		for (int script = 1; script <= 2 * NAMES.size(); script++) {
			failures += acquireAndRelease(script);
		}
		assertThat(failures).isEqualTo(2 * 2 * NAMES.size());
	}

	/**
	 * Acquires and releases several locks twice, while a script fails.
	 * @param script which one
	 * @return how often that failed
	 */
	private int acquireAndRelease(int script) throws Exception {
		int failures = 0;
		for (boolean runs : new boolean[] { false, true }) {
			failAt(script, runs);
			try {
				this.client.acquire(NAMES, options().waitTime(Duration.ZERO)).close();
			}
			catch (LockServerException ex) {
				failures++;
			}
			NAMES.forEach(this.clients::awaitFree);
			FaultClients.awaitForgotten(this.client);
		}
		return failures;
	}

	@Test
	void whoWaitsGoesOnAfterALostAnswer() throws Exception {
		afterNext(() -> {
			throw new QueryTimeoutException("thrown on purpose");
		});

		Lease lease = this.client.acquire(NAMES, options().waitTime(FaultClients.PATIENCE));

		assertThat(lease.isValid()).isTrue();
		lease.close();
		NAMES.forEach(this.clients::awaitFree);
		FaultClients.awaitForgotten(this.client);
	}

	@Test
	void whoWaitsGoesOnWhileThereIsNoConnection() throws Exception {
		Thread caller = Thread.currentThread();
		AtomicInteger failures = new AtomicInteger();
		RedisLockClient away = this.clients.open(
				new FaultyConnections(this.clients.connect(this.driver, this.server, FaultClients.PATIENCE), (call) -> {
					if (Thread.currentThread() == caller && failures.get() > 0) {
						failures.decrementAndGet();
						throw new RedisConnectionFailureException("Unable to connect: thrown on purpose");
					}
					return call.run();
				}), FaultClients::patient);
		failures.set(2);

		away.acquire(NAMES, options().waitTime(FaultClients.PATIENCE)).close();

		assertThat(failures).hasValue(0);
		away.close();
		failures.set(Integer.MAX_VALUE);
		assertThatExceptionOfType(LockClientClosedException.class)
			.isThrownBy(() -> away.acquire(NAMES, options().waitTime(FaultClients.PATIENCE)));
	}

	@Test
	void keyThatIsNoLockIsNamedAndTheOthersAreFree() {
		this.clients.redis().opsForValue().set(this.clients.key("c"), "text", FaultClients.PATIENCE);

		assertThatExceptionOfType(LockServerException.class)
			.isThrownBy(() -> this.client.tryAcquire(NAMES, options().waitTime(Duration.ZERO)))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(LockServerException.Reason.REFUSED))
			.satisfies((ex) -> assertThat(ex.lockName()).isEqualTo("c"));

		this.clients.awaitFree("a");
		this.clients.awaitFree("b");
		FaultClients.awaitForgotten(this.client);
	}

	@Test
	void clientThatIsClosedMeanwhileHoldsNothing() {
		AtomicReference<TestThreads.Running<Void>> closing = new AtomicReference<>();
		afterNext(() -> {
			closing.set(this.threads.run(this.client::close));
			FaultClients.await("the end", () -> ClientState.isClosed(this.client));
		});

		assertThatExceptionOfType(LockClientClosedException.class)
			.isThrownBy(() -> this.client.acquire(NAMES, options()));

		closing.get().result();
		NAMES.forEach(this.clients::awaitFree);
	}

	private LockOptions options() {
		return LockOptions.defaults().fair(this.fair);
	}

	/**
	 * Does something when the next script has run, before its answer is there.
	 */
	private void afterNext(Then then) {
		this.connections.onNext((call) -> {
			Object answer = call.run();
			then.run();
			return answer;
		});
	}

	/**
	 * Has a script fail that is still to come.
	 * @param runs whether it runs, and only its answer is lost
	 */
	private void failAt(int script, boolean runs) {
		this.connections.onNext((call) -> {
			if (script > 1) {
				failAt(script - 1, runs);
				return call.run();
			}
			if (runs) {
				call.run();
			}
			throw new QueryTimeoutException("thrown on purpose");
		});
	}

	/**
	 * What happens after a call.
	 */
	private interface Then {

		void run() throws Throwable;

	}

}
