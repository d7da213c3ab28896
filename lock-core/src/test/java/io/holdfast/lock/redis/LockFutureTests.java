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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.internal.client.ClientState;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A future of a lease does not block its caller, and promises the same.
 */
@Tag("topology")
class LockFutureTests extends LockContract {

	private CompletableFuture<Lease> ask(LockClient client, LockOptions options) {
		return client.acquireAsync(this.name, options).toCompletableFuture();
	}

	private CompletableFuture<Lease> ask(LockClient client) {
		return ask(client, options().waitTime(LONG));
	}

	private static Lease get(CompletableFuture<Lease> future) throws Exception {
		return future.get(LONG.toMillis(), TimeUnit.MILLISECONDS);
	}

	@Test
	void freeLockIsHadAndGivenBack() throws Exception {
		try (Lease lease = get(ask(this.here))) {
			assertThat(lease.isValid()).isTrue();
			assertThat(lease.name()).isEqualTo(this.name);
			assertThat(isFreeFor(this.elsewhere)).isFalse();
			assertThat(isFreeFor(this.here)).isFalse();
		}
		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void heldLockIsHadWhenItIsGivenBack() throws Exception {
		lock(this.elsewhere).lock();
		CompletableFuture<Lease> waiting = ask(this.here);
		eventually().until(() -> queueLength() == 1);
		assertThat(waiting).isNotDone();

		lock(this.elsewhere).unlock();

		get(waiting).close();
	}

	@Test
	void futuresOfOneClientPassTheLockOn() throws Exception {
		List<CompletableFuture<Lease>> all = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			all.add(ask(this.here).thenApply((lease) -> {
				assertThat(lease.isValid()).isTrue();
				lease.close();
				return lease;
			}));
		}

		for (CompletableFuture<Lease> each : all) {
			assertThat(get(each).isValid()).isFalse();
		}
		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void waitThatTimesOutCompletesExceptionally() {
		lock(this.elsewhere).lock();

		CompletableFuture<Lease> future = ask(this.here, options().waitTime(SOON));

		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(future))
			.withCauseInstanceOf(LockNotAcquiredException.class)
			.withMessageContaining("200ms");
		eventually().untilAsserted(this::assertNobodyIsInTheQueue);
		lock(this.elsewhere).unlock();
	}

	@Test
	void singleAttemptCompletesAtOnce() {
		lock(this.elsewhere).lock();

		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> get(ask(this.here, options().waitTime(Duration.ZERO))))
			.withCauseInstanceOf(LockNotAcquiredException.class);
		lock(this.elsewhere).unlock();
	}

	@Test
	void cancelledFutureLeavesTheQueue() {
		lock(this.elsewhere).lock();
		CompletableFuture<Lease> waiting = ask(this.here);
		eventually().until(() -> queueLength() == 1);

		assertThat(waiting.cancel(true)).isTrue();

		eventually().untilAsserted(this::assertNobodyIsInTheQueue);
		lock(this.elsewhere).unlock();
		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void grantThatCrossesACancelIsGivenBack() {
		for (int i = 0; i < 50; i++) {
			CompletableFuture<Lease> future = ask(this.here);
			if (!future.cancel(false)) {
				future.join().close();
			}
		}

		eventually().until(() -> isFreeFor(this.elsewhere));
		awaitForgotten(this.here);
	}

	@Test
	void futureThatTimesOutByItselfLeavesTheQueue() {
		lock(this.elsewhere).lock();

		CompletableFuture<Lease> future = ask(this.here).orTimeout(50, TimeUnit.MILLISECONDS);

		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(future));
		eventually().untilAsserted(this::assertNobodyIsInTheQueue);
		lock(this.elsewhere).unlock();
	}

	@Test
	void closedClientEndsFutures() {
		lock(this.elsewhere).lock();
		CompletableFuture<Lease> waiting = ask(this.here);
		eventually().until(() -> queueLength() == 1);

		this.here.close();

		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(waiting))
			.withCauseInstanceOf(LockClientClosedException.class);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> ask(this.here).join())
			.withCauseInstanceOf(LockClientClosedException.class);
		lock(this.elsewhere).unlock();
	}

	@Test
	void leaseIsClosedWithoutBlocking() throws Exception {
		Lease lease = get(ask(this.here));

		lease.closeAsync().toCompletableFuture().get(LONG.toMillis(), TimeUnit.MILLISECONDS);

		assertThat(lease.isValid()).isFalse();
		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void lossIsToldByTheFutureThatClosesTheLease() throws Exception {
		Lease lease = get(ask(this.here));
		lock(this.elsewhere).forceUnlock();

		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> lease.closeAsync().toCompletableFuture().get(LONG.toMillis(), TimeUnit.MILLISECONDS))
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void severalLocksAreHadTogether() throws Exception {
		CompletableFuture<Lease> future = askForThree(options().waitTime(LONG));

		try (Lease lease = get(future)) {
			assertThat(lease.names()).containsExactly(this.name, this.name + "b", this.name + "c");
			assertThat(isFreeFor(this.elsewhere)).isFalse();
		}
		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void noneOfSeveralLocksIsHeldIfAnotherHoldsOne() throws Exception {
		LeaseLock last = this.elsewhere.getLock(this.name + "c", options());
		last.lock();

		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(askForThree(options().waitTime(SOON))))
			.withCauseInstanceOf(LockNotAcquiredException.class)
			.withMessageContaining(this.name + "c");

		assertThat(isFreeFor(this.elsewhere)).isTrue();
		last.unlock();
	}

	@Test
	void cancelledFutureOfSeveralLocksHoldsNone() throws Exception {
		LeaseLock last = this.elsewhere.getLock(this.name + "c", options());
		last.lock();
		CompletableFuture<Lease> waiting = askForThree(options().waitTime(LONG));
		eventually().until(() -> !this.elsewhere.directory().queue(last.name(), 1).isEmpty());

		waiting.cancel(false);

		eventually().until(() -> isFreeFor(this.elsewhere));
		eventually().until(() -> this.elsewhere.directory().queue(last.name(), 1).isEmpty());
		last.unlock();
	}

	@Test
	void lockThatIsLostBeforeTheLastOneIsThereEndsTheFuture() throws Exception {
		LeaseLock last = this.elsewhere.getLock(this.name + "c", options());
		last.lock();
		LockClient client = client((builder) -> builder.nanoTime(() -> System.nanoTime() + this.setForward.get()));
		// Or a question about what it may have missed is under way when time passes.
		awaitSubscription(client);
		CompletableFuture<Lease> waiting = askForThree(client,
				options().waitTime(Duration.ofHours(1)).leaseTime(Duration.ofSeconds(60)));
		eventually().until(() -> ClientState.stands(client, last.name()));
		this.setForward.addAndGet(Duration.ofSeconds(100).toNanos());

		last.unlock();

		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(waiting))
			.withCauseInstanceOf(LockLostException.class);
		eventually().pollInSameThread().until(last::tryLock);
		last.unlock();
	}

	private CompletableFuture<Lease> askForThree(LockOptions options) {
		return askForThree(this.here, options);
	}

	private CompletableFuture<Lease> askForThree(LockClient client, LockOptions options) {
		return client.acquireAsync(List.of(this.name + "c", this.name, this.name + "b"), options).toCompletableFuture();
	}

	@Test
	void whatDependsOnAFutureMayBlock() throws Exception {
		CompletableFuture<Boolean> nested = ask(this.here).thenApply((lease) -> {
			boolean free = lock(this.elsewhere).tryLock();
			lease.close();
			lock(this.elsewhere).lock();
			lock(this.elsewhere).unlock();
			return free;
		});

		assertThat(nested.get(LONG.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
	}

	@Test
	void futuresOfReadersReadTogether() throws Exception {
		Lease first = get(ask(this.here, options().shared().waitTime(LONG)));
		Lease second = get(ask(this.elsewhere, options().shared().waitTime(LONG)));

		assertThat(first.isValid() && second.isValid()).isTrue();
		first.close();
		assertThat(isFreeFor(this.here)).isFalse();
		second.close();
		assertThat(isFreeFor(this.here)).isTrue();
	}

	@Test
	void futureOfPermitsWaitsUntilThereAreEnough() throws Exception {
		LockOptions options = options().waitTime(LONG);
		Lease one = get(ask(this.here, options.permits(1, 3)));
		Lease other = get(ask(this.elsewhere, options.permits(1, 3)));
		CompletableFuture<Lease> two = ask(this.here, options.permits(2, 3));
		eventually().until(() -> queueLength() == 1);
		assertThat(two).isNotDone();

		other.close();

		Lease both = get(two);
		assertThat(one.isValid() && both.isValid()).isTrue();
		both.close();
		one.close();
		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

}
