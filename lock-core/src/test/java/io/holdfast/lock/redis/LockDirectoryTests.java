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
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockDirectory.Filter;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockDirectory.QueuedWaiter;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an operator sees of the locks, and the forced release of what was seen.
 */
@Tag("topology")
class LockDirectoryTests extends LockContract {

	@Test
	void onlyLocksWhoseNamesBeginWithThePrefixAreListed() {
		List.of(":a:1", ":a:2", ":a*", ":b").forEach((each) -> hold(this.here, each));

		assertThat(listed(new Filter(this.name + ":a:", null, null, Duration.ZERO)))
			.containsExactlyInAnyOrder(this.name + ":a:1", this.name + ":a:2");
		assertThat(listed(new Filter(this.name + ":a*", null, null, Duration.ZERO))).containsExactly(this.name + ":a*");
	}

	@Test
	void onlyLocksOfTheTypeAreListed() {
		hold(this.here, ":of this type");
		boolean otherFair = !this.fair;
		this.here.getLock(this.name + ":of the other", LockOptions.defaults().fair(otherFair)).lock();

		assertThat(listed(new Filter(this.name, null, this.fair, Duration.ZERO)))
			.containsExactly(this.name + ":of this type");
	}

	@Test
	void locksThatAreHeldForLessAreNotListed() {
		hold(this.here, ":young");

		assertThat(listed(new Filter(this.name, null, null, Duration.ofDays(1)))).isEmpty();
	}

	@Test
	void filterKnowsClientApplicationAndHost() {
		hold(this.here, ":a");
		hold(this.elsewhere, ":theirs");
		HeldLock lock = seen(this.here, ":a");
		assertThat(listed(new Filter(this.name, lock.client(), null, Duration.ZERO))).containsExactly(lock.name());

		assertThat(List.of(lock.client(), lock.application(), lock.host()))
			.allSatisfy((holder) -> assertThat(listed(new Filter(this.name, holder, null, Duration.ZERO)))
				.contains(lock.name()));
		assertThat(listed(new Filter(this.name, lock.application() + "x", null, Duration.ZERO))).isEmpty();
	}

	@Test
	void pageBeginsWithTheOldest() {
		// The time of a page does not end, and no two locks are of one age.
		long start = standingNanos();
		LockClient client = client(
				(settings) -> settings.leaseTime(Duration.ofHours(1)).nanoTime(() -> start + this.setForward.get()));
		List<String> expected = new ArrayList<>();
		for (String each : List.of(":c", ":a", ":b")) {
			hold(client, each);
			expected.add(this.name + each);
			this.setForward.addAndGet(Duration.ofMinutes(1).toNanos());
		}

		assertThat(client.directory().list(null, 1000, new Filter(this.name, null, null, Duration.ZERO)).locks())
			.extracting(HeldLock::name)
			.isEqualTo(expected);
	}

	@Test
	void waitersInsideTheHoldersProcessAreShownToIt() {
		LeaseLock lock = hold(this.here, "");

		awaitThreeWaiters();
		eventually().untilAsserted(() -> {
			List<QueuedWaiter> queue = this.here.directory().queue(this.name, 10);
			assertThat(queue).hasSize(this.fair ? 3 : 1)
				.allMatch((waiter) -> waiter.client().equals(this.here.id()) && waiter.alive());
			assertThat(queue.stream().mapToInt(QueuedWaiter::count).sum()).isEqualTo(3);
			assertThat(queue.stream().flatMap((waiter) -> waiter.threads().stream())).hasSize(3)
				.containsOnly("test-thread");
			assertThat(queue.get(0).position()).isOne();
		});
		lock.unlock();
	}

	@Test
	void waitersOfTheAskingClientAreCountedBehindTheirPlace() {
		LeaseLock lock = hold(this.elsewhere, "");

		awaitThreeWaiters();

		lock.unlock();
	}

	/**
	 * Starts three, whose places are counted when their questions have been answered.
	 */
	private void awaitThreeWaiters() {
		for (int i = 0; i < 3; i++) {
			this.threads.run(() -> {
				lock().lock();
				lock().unlock();
			});
		}
		eventually().until(() -> seen(this.here, "").waiters() == 3);
		eventually()
			.until(() -> this.here.directory().queue(this.name, 10).stream().mapToInt(QueuedWaiter::count).sum() == 3);
	}

	@Test
	void waitersOfAnotherClientAreCountedByTheirRequests() {
		LockClient waiting = client();
		LeaseLock lock = hold(this.here, "");
		List<TestThreads.Running<Void>> waiters = new ArrayList<>();
		for (int count : new int[] { 3, 5 }) {
			while (waiters.size() < count) {
				waiters.add(this.threads.run(() -> {
					lock(waiting).lock();
					lock(waiting).unlock();
				}));
			}
			int requests = this.fair ? count : 1;
			eventually().until(() -> seen(waiting, "").waiters() == count);
			eventually().until(() -> seen(this.elsewhere, "").waiters() == requests);
			eventually().ignoreExceptions().until(() -> listed(this.elsewhere).waiters() == requests);
			assertThat(this.elsewhere.directory().queue(this.name, 10)).hasSize(requests)
				.allMatch((waiter) -> waiter.client().equals(waiting.id()) && waiter.threads().isEmpty()
						&& waiter.count() == 1);
		}
		lock.unlock();
		waiters.forEach(TestThreads.Running::result);
	}

	@Test
	void forcedReleaseNeedsTheTokenThatIsHeld() {
		long earlier = hold(this.here, "").token();
		lock().unlock();
		long token = hold(this.elsewhere, "").token();

		for (LockClient operator : List.of(this.here, this.elsewhere)) {
			assertThat(operator.directory().forceUnlock(this.name, earlier)).isEmpty();
			assertThat(operator.directory().forceUnlock(this.name, token + 1_000_000_000)).isEmpty();
		}
		assertThat(lock(this.elsewhere).isHeldByCurrentThread()).isTrue();

		assertThat(this.here.directory().forceUnlock(this.name, token)).map(HeldLock::token).hasValue(token);
		assertThat(this.here.directory().forceUnlock(this.name, token)).isEmpty();
	}

	@Test
	void heldLockHasItsTokenWheneverOneLooks() {
		AtomicBoolean done = new AtomicBoolean();
		List<TestThreads.Running<Void>> busy = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			LockClient client = (i < 3) ? this.here : this.elsewhere;
			busy.add(this.threads.run(() -> {
				while (!done.get()) {
					lock(client).lock();
					lock(client).unlock();
				}
			}));
		}

		try {
			for (int found = 0; found < 100;) {
				Optional<HeldLock> held = this.here.directory().find(this.name);
				held.ifPresent((each) -> assertThat(each.token()).isPositive());
				found += held.isPresent() ? 1 : 0;
			}
		}
		finally {
			done.set(true);
		}
		busy.forEach(TestThreads.Running::result);
	}

	@Test
	void ownClientHasTheTokenOfThePresentOwner() {
		LeaseLock lock = hold(this.here, "");
		long earlier = lock.token();
		CountDownLatch held = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		TestThreads.Running<Void> next = this.threads.run(() -> {
			lock.lock();
			held.countDown();
			end.await();
		});
		eventually().until(() -> seen(this.here, "").waiters() == 1);
		lock.unlock();
		TestThreads.await(held);

		assertThat(this.here.directory().forceUnlock(this.name, earlier)).isEmpty();
		assertThat(this.here.directory().forceUnlock(this.name, seen(this.here, "").token())).isPresent();

		end.countDown();
		next.result();
	}

	private LeaseLock hold(LockClient client, String suffix) {
		LeaseLock lock = client.getLock(this.name + suffix, options());
		lock.lock();
		return lock;
	}

	private HeldLock seen(LockClient client, String suffix) {
		return client.directory().find(this.name + suffix).orElseThrow();
	}

	private List<String> listed(Filter filter) {
		return listed(this.elsewhere.directory(), 1000, filter);
	}

	private HeldLock listed(LockClient client) {
		return client.directory()
			.list(null, 1000, new Filter(this.name, null, null, Duration.ZERO))
			.locks()
			.stream()
			.filter((lock) -> lock.name().equals(this.name))
			.findFirst()
			.orElseThrow();
	}

}
