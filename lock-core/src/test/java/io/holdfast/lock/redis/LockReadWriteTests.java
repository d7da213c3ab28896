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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.ReadWriteLeaseLock;
import io.holdfast.lock.testing.TestThreads;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Readers hold a lock together, a writer alone.
 */
@Tag("topology")
class LockReadWriteTests extends LockContract {

	private ReadWriteLeaseLock lockOf(LockClient client) {
		return client.readWrite(this.name, options());
	}

	private LeaseLock read(LockClient client) {
		return lockOf(client).readLock();
	}

	private LeaseLock write(LockClient client) {
		return lockOf(client).writeLock();
	}

	private boolean isOpenFor(LeaseLock lock) {
		return this.threads.start(() -> {
			boolean open = lock.tryLock();
			if (open) {
				lock.unlock();
			}
			return open;
		}).result();
	}

	@Test
	void readersOfOneAndOfSeveralClientsReadTogether() throws Exception {
		CyclicBarrier together = new CyclicBarrier(4);
		List<TestThreads.Running<Void>> readers = new ArrayList<>();
		for (LockClient client : List.of(this.here, this.here, this.elsewhere)) {
			readers.add(this.threads.run(() -> {
				read(client).lock();
				together.await(LONG.toMillis(), TimeUnit.MILLISECONDS);
				read(client).unlock();
			}));
		}

		together.await(LONG.toMillis(), TimeUnit.MILLISECONDS);

		readers.forEach(TestThreads.Running::result);
		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void readersExcludeWritersAndWritersReaders() {
		read(this.here).lock();
		assertThat(isOpenFor(write(this.here))).isFalse();
		assertThat(isOpenFor(write(this.elsewhere))).isFalse();
		read(this.here).unlock();

		write(this.here).lock();
		assertThat(isOpenFor(read(this.here))).isFalse();
		assertThat(isOpenFor(read(this.elsewhere))).isFalse();
		assertThat(isOpenFor(write(this.elsewhere))).isFalse();
		write(this.here).unlock();

		assertThat(isOpenFor(write(this.elsewhere))).isTrue();
	}

	@Test
	void severalLocksAreReadTogether() {
		LeaseLock both = this.here.getLock(List.of(this.name, this.name + "-b"), options().shared());
		both.lock();

		assertThat(read(this.here).isHeldByCurrentThread()).isTrue();
		assertThat(isOpenFor(read(this.elsewhere))).isTrue();
		assertThat(isOpenFor(write(this.elsewhere))).isFalse();
		both.unlock();

		assertThat(isOpenFor(write(this.elsewhere))).isTrue();
	}

	@Test
	void leaseTimeOfTheOptionsIsThatOfCallsWithoutOne() {
		LeaseLock lock = this.here.getLock(List.of(this.name), options().leaseTime(Duration.ofDays(1)));
		lock.lock();

		assertThat(lock.validFor()).isGreaterThan(Duration.ofHours(1));
		lock.unlock();
	}

	@Test
	void theWriteLockIsTheLockOfThatName() {
		lock().lock();
		assertThat(write(this.here).isHeldByCurrentThread()).isTrue();
		assertThat(isOpenFor(read(this.elsewhere))).isFalse();

		write(this.here).unlock();

		assertThat(lock().isHeldByCurrentThread()).isFalse();
		assertThat(isOpenFor(read(this.elsewhere))).isTrue();
	}

	@Test
	void lastReaderLetsTheWriterIn() throws Exception {
		read(this.here).lock();
		CountDownLatch done = new CountDownLatch(1);
		TestThreads.Running<Void> other = this.threads.run(() -> {
			read(this.elsewhere).lock();
			done.await();
			read(this.elsewhere).unlock();
		});
		eventually().until(() -> this.here.directory().list(null, 10).locks().size() == 2);
		TestThreads.Running<Void> writer = this.threads.run(() -> {
			write(this.elsewhere).lock();
			write(this.elsewhere).unlock();
		}).awaitParked();

		read(this.here).unlock();
		assertThat(writer.isDone()).isFalse();
		done.countDown();

		other.result();
		writer.result();
	}

	@Test
	void readersWhoComeLaterStandBehindAWriterThatWaits() throws Exception {
		awaitSubscription(this.here);
		read(this.here).lock();
		TestThreads.Running<Void> writer = this.threads.run(() -> {
			write(this.elsewhere).lock();
			write(this.elsewhere).unlock();
		}).awaitParked();
		eventually().until(() -> queueLength() == 1);

		eventually().until(() -> !isOpenFor(read(this.here)));
		assertThat(isOpenFor(read(this.elsewhere))).isFalse();
		TestThreads.Running<Void> later = this.threads.run(() -> {
			read(this.here).lock();
			read(this.here).unlock();
		}).awaitParked();

		read(this.here).unlock();
		writer.result();
		later.result();
	}

	@Test
	void readersWhoWaitGetInTogetherAfterTheWriter() throws Exception {
		write(this.here).lock();
		CyclicBarrier together = new CyclicBarrier(4);
		List<TestThreads.Running<Void>> readers = new ArrayList<>();
		for (LockClient client : List.of(this.here, this.elsewhere, this.elsewhere, client())) {
			readers.add(this.threads.run(() -> {
				read(client).lock();
				together.await(LONG.toMillis(), TimeUnit.MILLISECONDS);
				read(client).unlock();
			}).awaitParked());
		}

		write(this.here).unlock();

		readers.forEach(TestThreads.Running::result);
	}

	@Test
	void readersReadAgainAndWritersReadAndWriteAgain() {
		read(this.here).lock();
		read(this.here).lock();
		assertThat(read(this.here).holdCount()).isEqualTo(2);
		assertThat(write(this.here).holdCount()).isZero();
		read(this.here).unlock();
		assertThat(isOpenFor(write(this.elsewhere))).isFalse();
		read(this.here).unlock();

		write(this.here).lock();
		assertThat(write(this.here).tryLock()).isTrue();
		assertThat(read(this.here).tryLock()).isTrue();
		assertThat(write(this.here).holdCount()).isEqualTo(2);
		assertThat(read(this.here).holdCount()).isOne();
		read(this.here).unlock();
		write(this.here).unlock();
		write(this.here).unlock();

		assertThat(isOpenFor(write(this.elsewhere))).isTrue();
	}

	@Test
	void eachLockIsUnlockedByItself() {
		read(this.here).lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(write(this.here)::unlock);
		assertThat(read(this.here).isHeldByCurrentThread()).isTrue();
		assertThat(write(this.here).isHeldByCurrentThread()).isFalse();
		read(this.here).unlock();

		write(this.here).lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(read(this.here)::unlock);
		write(this.here).unlock();
	}

	@Test
	void writerThatUnlocksReadsOn() throws Exception {
		write(this.here).lock();
		long written = write(this.here).token();
		read(this.here).lock();
		TestThreads.Running<Void> reader = this.threads.run(() -> {
			read(this.elsewhere).lock();
			read(this.elsewhere).unlock();
		}).awaitParked();

		write(this.here).unlock();

		reader.result();
		assertThat(write(this.here).isHeldByCurrentThread()).isFalse();
		assertThat(read(this.here).isHeldByCurrentThread()).isTrue();
		assertThat(read(this.here).token()).isGreaterThan(written);
		assertThat(isOpenFor(write(this.elsewhere))).isFalse();
		read(this.here).unlock();
		assertThat(isOpenFor(write(this.elsewhere))).isTrue();
	}

	@Test
	void readerThatWantsToWriteIsRefusedInEveryForm() {
		LeaseLock write = write(this.here);
		read(this.here).lock();
		for (ThrowingCallable form : List.<ThrowingCallable>of(write::lock, write::lockInterruptibly, write::tryLock,
				() -> write.tryLock(0, TimeUnit.SECONDS), () -> write.tryLock(LONG), write::acquire, lock()::lock,
				lock(LONG)::lock)) {
			assertThatIllegalStateException().isThrownBy(form)
				.withMessage("Thread '" + Thread.currentThread().getName() + "' holds lock '" + this.name
						+ "' for reading and cannot also get it for writing: two that do so would wait for each other. "
						+ "Release the read lock first, or take the write lock from the start.");
		}
		assertThat(read(this.here).holdCount()).isOne();
		read(this.here).unlock();
		write.lock();
		write.unlock();
	}

	@Test
	void readersOfAPhaseHaveOneTokenBetweenThoseOfWriters() throws Exception {
		write(this.here).lock();
		long before = write(this.here).token();
		write(this.here).unlock();
		read(this.here).lock();
		long token = read(this.here).token();
		long other = this.threads.start(() -> {
			read(this.elsewhere).lock();
			long seen = read(this.elsewhere).token();
			read(this.elsewhere).unlock();
			return seen;
		}).result();
		read(this.here).unlock();
		write(this.elsewhere).lock();
		long after = write(this.elsewhere).token();
		write(this.elsewhere).unlock();

		assertThat(other).isEqualTo(token);
		assertThat(token).isGreaterThan(before).isLessThan(after);
	}

	@Test
	void leasesAndTasksReadToo() throws Exception {
		try (Lease lease = this.here.acquire(this.name, options().shared())) {
			boolean free = this.elsewhere.execute(this.name, options().shared(), (held) -> {
				assertThat(held.token()).isEqualTo(lease.token());
				return isOpenFor(write(this.here));
			});
			assertThat(free).isFalse();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.elsewhere.acquire(this.name, options().waitTime(SOON)));
		}
		assertThat(isOpenFor(write(this.here))).isTrue();
	}

	@Test
	void leaseOfAReaderEndsByItself() throws Exception {
		this.here.readWrite(this.name, options().leaseTime(SOON)).readLock().lock();

		assertThat(write(this.elsewhere).tryLock(LONG)).isTrue();

		assertThat(read(this.here).isHeldByCurrentThread()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(read(this.here)::unlock);
		write(this.elsewhere).unlock();
	}

	@Test
	void waitOfAReaderThatTimesOutLeavesNothing() throws Exception {
		write(this.here).lock();
		boolean got = this.threads.start(() -> read(this.elsewhere).tryLock(Duration.ofMillis(50))).result();

		assertThat(got).isFalse();
		eventually().untilAsserted(this::assertNobodyIsInTheQueue);
		write(this.here).unlock();
	}

}
