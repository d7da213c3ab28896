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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.TooManyWaitersException;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * What does not become more or longer than it may: callers that wait, and the time for
 * which an owner has a lock.
 */
class LockBoundTests extends LockContract {

	private static final Duration MAX_HOLD = Duration.ofSeconds(20);

	private LockOptions bounded(int maxWaiters) {
		return options().waitTime(LONG).maxWaiters(maxWaiters);
	}

	private CompletableFuture<Lease> ask(LockClient client, LockOptions options) {
		return client.acquireAsync(this.name, options).toCompletableFuture();
	}

	private static Lease get(CompletableFuture<Lease> future) throws Exception {
		return future.get(LONG.toMillis(), TimeUnit.MILLISECONDS);
	}

	private void awaitQueue(int length) {
		eventually().until(() -> queueLength() == length);
	}

	// How many wait

	static Stream<LockOptions> modes() {
		return Stream.of(LockOptions.defaults(), LockOptions.defaults().shared(), LockOptions.defaults().permits(2, 3));
	}

	@ParameterizedTest
	@MethodSource("modes")
	void whoWouldBeOneTooManyIsToldAtOnceWhateverItsClient(LockOptions mode) throws Exception {
		LockOptions options = bounded(2).mode(mode.mode());
		Lease holder = this.elsewhere.acquire(this.name, options());
		List<CompletableFuture<Lease>> waiting = List.of(ask(this.here, options), ask(this.elsewhere, options));
		awaitQueue(2);

		for (LockClient client : List.of(this.here, this.elsewhere, client())) {
			TooManyWaitersException told = catchThrowableOfType(TooManyWaitersException.class,
					() -> client.acquire(this.name, options));
			assertThat(told.waiting()).isEqualTo(2);
			assertThat(told.forecast()).isEmpty();
			assertThat(told).hasMessageContaining(this.name).hasMessageContaining("has 2 callers that wait");
			assertThat(client.tryAcquire(this.name, options)).isEmpty();
			assertThat(client.tryAcquire(List.of(this.name + "a", this.name), options)).isEmpty();
			LeaseLock lock = client.getLock(List.of(this.name), options);
			assertThat(lock.tryLock(LONG)).isFalse();
			assertThatExceptionOfType(TooManyWaitersException.class).isThrownBy(lock::lock);
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(ask(client, options)))
				.withCauseInstanceOf(TooManyWaitersException.class);
		}
		assertThat(queueLength()).isEqualTo(2);

		holder.close();
		List<CompletableFuture<Lease>> done = waiting.stream()
			.map((each) -> each.whenComplete((lease, thrown) -> lease.close()))
			.toList();
		for (CompletableFuture<Lease> each : done) {
			get(each);
		}
		assertThat(isFreeFor(this.here)).isTrue();
		assertThat(this.here.getLock(this.name + "a", options()).tryLock()).isTrue();
	}

	@Test
	void singleAttemptIsRefusedAsEver() {
		lock(this.elsewhere).lock();
		CompletableFuture<Lease> waiting = ask(this.here, bounded(1));
		awaitQueue(1);

		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.here.acquire(this.name, bounded(1).waitTime(Duration.ZERO)))
			.isExactlyInstanceOf(LockNotAcquiredException.class);

		waiting.cancel(false);
		lock(this.elsewhere).unlock();
	}

	@Test
	void callersOfTheOwnClientCountWhoStandBehindItsOwnerOrShareAPlace() {
		lock().lock();
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			waiting.add(ask(this.here, options().waitTime(LONG)));
		}
		eventually().untilAsserted(() -> assertThat(catchThrowableOfType(TooManyWaitersException.class,
				() -> this.here.acquire(this.name, bounded(3).waitTime(SOON)))
			.waiting()).isEqualTo(3));

		waiting.forEach((each) -> each.cancel(false));
		lock().unlock();
	}

	@Test
	void whoFindsALockFreeIsNotRefusedHoweverManyCome() throws Exception {
		LockOptions permit = bounded(1).permits(1, 20);
		List<CompletableFuture<Lease>> all = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			all.add(ask((i % 2 == 0) ? this.here : this.elsewhere, permit));
		}

		for (CompletableFuture<Lease> each : all) {
			assertThat(get(each).isValid()).isTrue();
		}
		all.forEach((each) -> each.join().close());
	}

	@Test
	void whoseCallerIsGoneIsSkippedAndNotCounted() throws Exception {
		lock(this.elsewhere).lock();
		CompletableFuture<Lease> cancelled = ask(this.here, bounded(4));
		CompletableFuture<Lease> late = ask(this.here, bounded(4)).orTimeout(SOON.toMillis(), TimeUnit.MILLISECONDS);
		TestThreads.Running<Void> interrupted = this.threads
			.run(() -> this.here.getLock(List.of(this.name), bounded(4)).lockInterruptibly());
		TestThreads.Running<Boolean> impatient = this.threads
			.start(() -> this.here.getLock(List.of(this.name), bounded(10)).tryLock(SOON));
		assertThat(impatient.result()).isFalse();
		awaitQueue(2);
		CompletableFuture<Lease> last = ask(client(), bounded(4));
		awaitQueue(3);

		cancelled.cancel(false);
		interrupted.interrupt();
		assertThat(interrupted.failure()).isInstanceOf(InterruptedException.class);
		assertThat(late.handle((lease, thrown) -> thrown).join()).isNotNull();
		awaitQueue(1);
		CompletableFuture<Lease> second = ask(this.here, bounded(2));
		awaitQueue(2);
		lock(this.elsewhere).unlock();

		get(last).close();
		get(second).close();
		assertThat(isFreeFor(this.elsewhere)).isTrue();
		awaitForgotten(this.here);
	}

	@Test
	void forecastIsThatOfRecentOwners() throws Exception {
		LockClient client = patientClient();
		LockOptions options = bounded(2).named("forecast");
		Lease first = client.acquire(this.name, options);
		this.setForward.addAndGet(Duration.ofSeconds(10).toNanos());
		first.close();
		lock(this.elsewhere).lock();
		List<CompletableFuture<Lease>> waiting = List.of(ask(client, options), ask(this.here, options));
		awaitQueue(2);

		TooManyWaitersException told = catchThrowableOfType(TooManyWaitersException.class,
				() -> client.acquire(this.name, options));

		assertThat(told.forecast()).hasValueSatisfying(
				(forecast) -> assertThat(forecast).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(60)));
		waiting.forEach((each) -> each.cancel(false));
		lock(this.elsewhere).unlock();
	}

	// For how long

	@Test
	void ownerIsToldAndOthersWaitUntilItGivesTheLockBack() {
		LockClient client = patientClient();
		LeaseLock lock = client.getLock(List.of(this.name), options().maxHold(MAX_HOLD));
		lock.lock();
		lock.lock();
		List<Cause> told = new CopyOnWriteArrayList<>();
		lock.lease().onLost((loss) -> told.add(loss.cause()));

		this.setForward.addAndGet(MAX_HOLD.toNanos());

		eventually().untilAsserted(() -> assertThat(told).containsExactly(Cause.MAX_HOLD));

		assertThat(lock.isHeldByCurrentThread()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);
		assertThat(isFreeFor(this.elsewhere)).isFalse();
		assertThat(isFreeFor(client)).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThat(isFreeFor(this.elsewhere)).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock).withMessageContaining("max-hold");
		assertThat(isFreeFor(this.elsewhere)).isTrue();
		awaitForgotten(client);
	}

	@Test
	void stuckOwnerKeepsNobodyWaitingForLongerThanItsLease() throws Exception {
		LockClient client = client((builder) -> builder.watchdogTimeout(Duration.ofSeconds(1)));
		Lease stuck = client.acquire(this.name, options().maxHold(SOON));
		CompletableFuture<Lease> same = ask(client, options().waitTime(LONG).leaseTime(LONG));

		get(same).close();

		assertThat(lock(this.elsewhere).tryLock(LONG)).isTrue();
		assertThat(stuck.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(stuck::close);
		assertThat(lock(this.elsewhere).isHeldByCurrentThread()).isTrue();
		lock(this.elsewhere).unlock();
	}

	@Test
	void eachOwnerHasATimeOfItsOwn() throws Exception {
		LockClient client = patientClient();
		LockOptions options = options().waitTime(LONG).maxHold(MAX_HOLD);
		Lease first = client.acquire(this.name, options);
		CompletableFuture<Lease> next = ask(client, options);
		// A question that is on its way would take the clock back to when it was sent.
		eventually().until(() -> client.directory().queue(this.name, 1).size() == 1);
		this.setForward.addAndGet(MAX_HOLD.multipliedBy(3).dividedBy(4).toNanos());
		first.close();
		Lease second = get(next);

		this.setForward.addAndGet(MAX_HOLD.dividedBy(2).toNanos());
		assertThat(second.isValid()).isTrue();
		this.setForward.addAndGet(MAX_HOLD.toNanos());

		eventually().until(() -> !second.isValid());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(second::close)
			.satisfies((ex) -> assertThat(ex.loss().cause()).isEqualTo(Cause.MAX_HOLD));
		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void readersOfOneClientEndEachByItself() throws Exception {
		LockClient client = patientClient();
		LockOptions read = options().waitTime(LONG).shared();
		Lease bounded = client.acquire(this.name, read.maxHold(MAX_HOLD));
		Lease other = client.acquire(this.name, read);

		this.setForward.addAndGet(MAX_HOLD.toNanos());

		eventually().until(() -> !bounded.isValid());
		assertThat(other.isValid()).isTrue();
		assertThat(isFreeFor(this.elsewhere)).isFalse();
		other.close();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(bounded::close);
		eventually().until(() -> isFreeFor(this.elsewhere));
		awaitForgotten(client);
	}

	@Test
	void writerThatReadsOnHasItNoLonger() {
		LockClient client = patientClient();
		LockOptions options = options().maxHold(MAX_HOLD);
		LeaseLock write = client.getLock(List.of(this.name), options);
		LeaseLock read = client.getLock(List.of(this.name), options.shared());
		write.lock();
		read.lock();
		write.unlock();
		assertThat(read.isHeldByCurrentThread()).isTrue();

		this.setForward.addAndGet(MAX_HOLD.toNanos());

		eventually().pollInSameThread().until(() -> !read.isHeldByCurrentThread());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(read::unlock)
			.satisfies((ex) -> assertThat(ex.loss().cause()).isEqualTo(Cause.MAX_HOLD));
		eventually().until(() -> isFreeFor(this.elsewhere));
	}

	@Test
	void timeOfAnOwnerThatGaveTheLockBackConcernsNobody() throws Exception {
		LockClient client = patientClient();
		client.acquire(this.name, options().maxHold(MAX_HOLD)).close();
		Lease later = client.acquire(this.name, options());

		this.setForward.addAndGet(MAX_HOLD.multipliedBy(2).toNanos());
		// Later timers were looked at as well.
		Lease bounded = client.acquire(this.name + "b", options().maxHold(SOON));
		eventually().until(() -> !bounded.isValid());

		assertThat(later.isValid()).isTrue();
		later.close();
	}

	/**
	 * One whose clock is set forward, and that renews nothing meanwhile.
	 */
	private LockClient patientClient() {
		return client((builder) -> builder.watchdogTimeout(Duration.ofMinutes(10))
			.nanoTime(() -> System.nanoTime() + this.setForward.get()));
	}

}
