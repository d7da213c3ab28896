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
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LeaseSemaphore;
import io.holdfast.lock.LeaseView;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * No more permits are in use than there are.
 */
@Tag("topology")
class LockSemaphoreTests extends LockContract {

	private LeaseSemaphore permits(LockClient client) {
		return client.semaphore(this.name, 3);
	}

	@Test
	void thereAreAsManyPermitsAsTheLimitSays() throws Exception {
		List<Lease> held = new ArrayList<>();
		held.add(permits(this.here).acquire());
		held.add(permits(this.here).acquire());
		held.add(permits(this.elsewhere).acquire());

		assertThat(permits(this.here).tryAcquire()).isEmpty();
		assertThat(permits(this.elsewhere).tryAcquire(1, SOON)).isEmpty();
		held.remove(0).close();
		assertThat(permits(this.elsewhere).tryAcquire(1, LONG)).hasValueSatisfying(held::add);

		held.forEach(Lease::close);
		// Until it hears messages a client asks often: what such a question brings after
		// the wait is given back in the background.
		eventually().until(() -> isFreeFor(this.elsewhere));
	}

	private LeaseLock ofThread(LockClient client, int units, int limit) {
		return client.getLock(List.of(this.name), options().permits(units, limit));
	}

	@Test
	void threadGoesOnWithThePermitThatItHas() throws Exception {
		LeaseLock one = ofThread(this.here, 1, 1);
		one.lock();
		long token = one.token();

		assertThat(one.tryLock()).isTrue();
		assertThat(ofThread(this.here, 1, 4).tryLock()).isTrue();
		assertThat(one.token()).isEqualTo(token);
		one.unlock();
		one.unlock();
		assertThat(permits(this.elsewhere).tryAcquire(3, Duration.ZERO)).isEmpty();
		one.unlock();

		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void threadsOfOneClientHaveAPermitEach() {
		ofThread(this.here, 1, 3).lock();

		boolean second = this.threads.start(() -> {
			boolean had = ofThread(this.here, 1, 3).tryLock();
			ofThread(this.here, 1, 3).unlock();
			return had;
		}).result();
		boolean four = this.threads.start(() -> ofThread(this.here, 3, 3).tryLock()).result();

		assertThat(second).isTrue();
		assertThat(four).isFalse();
		ofThread(this.here, 1, 3).unlock();
	}

	@Test
	void threadWithAPermitGetsNothingThatThisIsNot() {
		LeaseLock one = ofThread(this.here, 1, 3);
		one.lock();

		for (LeaseLock other : List.of(lock(), this.here.readWrite(this.name, options()).readLock(),
				ofThread(this.here, 2, 3), ofThread(this.here, 1, 2))) {
			assertThatIllegalStateException().isThrownBy(other::tryLock)
				.withMessageContaining("holds 1 of 3 permits of '" + this.name + "' and cannot also get it as ");
			assertThat(other.isHeldByCurrentThread()).isFalse();
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(other::unlock);
		}

		assertThat(one.holdCount()).isEqualTo(1);
		one.unlock();
		assertThat(lock().tryLock()).isTrue();
		lock().unlock();
	}

	@Test
	void threadThatHasTheLockAloneNeedsNoPermit() throws Exception {
		lock().lock();

		assertThat(ofThread(this.here, 3, 3).tryLock()).isTrue();
		ofThread(this.here, 3, 3).unlock();

		assertThat(permits(this.elsewhere).tryAcquire()).isEmpty();
		lock().unlock();
		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void permitsOfAThreadMayBeOfSeveralNames() {
		LeaseLock both = this.here.getLock(List.of(this.name, this.name + "-b"), options().permits(1, 2));
		both.lock();

		assertThat(both.lease().names()).containsExactly(this.name, this.name + "-b");
		assertThat(ofThread(this.elsewhere, 2, 2).tryLock()).isFalse();
		both.unlock();

		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void severalPermitsAreHadAndGivenBackAtOnce() throws Exception {
		Lease two = permits(this.here).acquire(2);
		assertThat(permits(this.elsewhere).tryAcquire(2, Duration.ZERO)).isEmpty();
		Lease one = permits(this.elsewhere).acquire();
		assertThat(permits(this.here).tryAcquire()).isEmpty();

		two.close();
		two.close();

		try (Lease again = permits(this.elsewhere).acquire(2)) {
			assertThat(again.isValid()).isTrue();
			assertThat(permits(this.here).tryAcquire()).isEmpty();
		}
		one.close();
	}

	@Test
	void smallRequestWaitsBehindALargeOne() throws Exception {
		Lease first = permits(this.here).acquire();
		TestThreads.Running<Lease> all = this.threads.start(() -> permits(this.elsewhere).tryAcquire(3, LONG).get())
			.awaitParked();
		eventually().until(() -> queueLength() == 1);

		assertThat(permits(client()).tryAcquire()).isEmpty();
		first.close();

		all.result().close();
		permits(this.here).acquire().close();
	}

	@Test
	void waitingCallersGetPermitsThatAreGivenBack() throws Exception {
		AtomicInteger used = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		List<TestThreads.Running<Void>> all = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			LockClient client = (i % 2 == 0) ? this.here : this.elsewhere;
			all.add(this.threads.run(() -> {
				for (int round = 0; round < 10; round++) {
					try (Lease permit = client.acquire(this.name, options().permits(1, 3).waitTime(LONG))) {
						most.accumulateAndGet(used.incrementAndGet(), Math::max);
						assertThat(permit.isValid()).isTrue();
						used.decrementAndGet();
					}
				}
			}));
		}

		all.forEach(TestThreads.Running::result);

		assertThat(most).hasValueBetween(1, 3);
		// A permit that came when nobody wanted it any more is given back in the
		// background.
		eventually().until(() -> isFreeFor(this.elsewhere));
	}

	@Test
	void lockOfTheNameWaitsUntilAllPermitsAreBack() throws Exception {
		Lease permit = permits(this.here).acquire();
		assertThat(isFreeFor(this.here)).isFalse();
		TestThreads.Running<Void> drain = this.threads.run(() -> {
			lock(this.elsewhere).lock();
			assertThat(permits(this.here).tryAcquire()).isEmpty();
			lock(this.elsewhere).unlock();
		}).awaitParked();
		eventually().until(() -> queueLength() == 1);
		assertThat(permits(this.elsewhere).tryAcquire()).isEmpty();

		permit.close();

		drain.result();
		permits(this.here).acquire().close();
	}

	@Test
	void timeOutNamesTheSemaphoreAndItsLimit() throws Exception {
		try (Lease all = permits(this.here).acquire(3)) {
			assertThat(all.name()).isEqualTo(this.name);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.elsewhere.acquire(this.name, options().permits(2, 3).waitTime(SOON)))
				.withMessageContaining(this.name)
				.withMessageContaining("2 of 3 permits");
		}
	}

	@Test
	void morePermitsThanThereAreCannotBeHad() {
		assertThatIllegalArgumentException().isThrownBy(() -> permits(this.here).acquire(4));
		assertThatIllegalArgumentException().isThrownBy(() -> permits(this.here).tryAcquire(0, SOON));
		assertThatIllegalArgumentException().isThrownBy(() -> permits(this.here).tryAcquire(1, SOON.negated()));
		assertThatIllegalArgumentException().isThrownBy(() -> this.here.semaphore(this.name, 0));
	}

	@Test
	void tasksRunUnderPermits() throws Exception {
		LockOptions all = options().permits(3, 3);
		int result = this.here.execute(this.name, all, (lease) -> {
			assertThat(lease.isValid()).isTrue();
			assertThat(this.here.<Long, RuntimeException>execute(this.name, all, LeaseView::token))
				.isEqualTo(lease.token());
			assertThat(permits(this.elsewhere).tryAcquire()).isEmpty();
			return 1;
		});

		assertThat(result).isOne();
		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void permitEndsWithItsLeaseTime() throws Exception {
		Lease ended = this.here.acquire(this.name, options().permits(3, 3).leaseTime(SOON));

		Lease next = permits(this.elsewhere).tryAcquire(3, LONG).orElseThrow();

		assertThat(ended.isValid()).isFalse();
		next.close();
	}

	@Test
	void largerLimitOfAnotherClientCountsForItself() throws Exception {
		try (Lease three = permits(this.here).acquire(3)) {
			assertThat(permits(this.elsewhere).tryAcquire()).isEmpty();
			try (Lease fourth = this.elsewhere.semaphore(this.name, 4).acquire()) {
				assertThat(three.isValid() && fourth.isValid()).isTrue();
			}
		}
	}

}
