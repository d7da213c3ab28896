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

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockDirectory.Filter;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockDirectory.QueuedWaiter;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an operator sees of readers and permits, and the forced release of them.
 */
@Tag("topology")
class LockDirectoryModeTests extends LockContract {

	@Test
	void readersHaveARowForEachClient() throws Exception {
		Lease here = acquire(this.here, options().shared());
		Lease elsewhere = acquire(this.elsewhere, options().shared());

		List<HeldLock> rows = this.here.directory().holders(this.name);
		assertThat(rows).extracting(HeldLock::client).containsExactlyInAnyOrder(this.here.id(), this.elsewhere.id());
		assertThat(rows).allSatisfy((row) -> {
			assertThat(row.own()).isEqualTo(row.client().equals(this.here.id()));
			assertThat(row.mode()).isEqualTo(LockMode.SHARED);
			assertThat(row.fair()).isEqualTo(this.fair);
			assertThat(row.token()).isEqualTo(here.token()).isEqualTo(elsewhere.token());
			assertThat(row.holders()).isEqualTo(2);
		});
		assertThat(this.here.directory().find(this.name)).isPresent();
		assertThat(listed()).extracting(HeldLock::client)
			.containsExactlyInAnyOrder(this.here.id(), this.elsewhere.id());
	}

	@Test
	void rowOfReadersTellsOfTheOneThatReadsForTheLongest() throws Exception {
		// Else each reader has a hold of its own.
		awaitSubscription(this.here);
		eventually().until(() -> this.here.health().subscriptionDownFor() == null);
		LeaseLock reader = this.here.readWrite(this.name).readLock();
		reader.lock();
		reader.lock();
		CountDownLatch end = new CountDownLatch(1);
		TestThreads.Running<Void> second = this.threads.run(() -> {
			reader.lock();
			end.await();
			reader.unlock();
		});
		eventually().until(() -> this.here.health().held() == 2);

		assertThat(this.here.directory().holders(this.name)).singleElement().satisfies((row) -> {
			assertThat(row.thread()).isEqualTo(Thread.currentThread().getName());
			assertThat(row.holdCount()).isEqualTo(2);
		});
		end.countDown();
		second.result();
	}

	@Test
	void permitsHaveARowForEachHold() throws Exception {
		acquire(this.here, options().permits(1, 4));
		acquire(this.here, options().permits(2, 4));
		acquire(this.elsewhere, options().permits(1, 5));

		List<HeldLock> rows = this.elsewhere.directory().holders(this.name);

		assertThat(rows).extracting(HeldLock::mode)
			.containsExactlyInAnyOrder(LockMode.permits(1, 4), LockMode.permits(2, 4), LockMode.permits(1, 5));
		assertThat(rows).extracting(HeldLock::token).doesNotHaveDuplicates();
		assertThat(rows).extracting(HeldLock::holders).containsOnly(3);
		assertThat(rows).extracting(HeldLock::unitsInUse).containsOnly(4);
	}

	@Test
	void whoWaitsIsShownWithItsMode() throws Exception {
		LeaseLock lock = lock();
		lock.lock();
		this.threads.run(() -> acquire(this.elsewhere, options().shared()).close());
		eventually().until(() -> this.here.directory().queue(this.name, 10).size() == 1);
		this.threads.run(() -> acquire(this.elsewhere, options().permits(2, 3)).close());
		eventually().until(() -> this.here.directory().queue(this.name, 10).size() == 2);

		assertThat(this.elsewhere.directory().find(this.name)).get()
			.extracting(HeldLock::mode)
			.isEqualTo(LockMode.EXCLUSIVE);
		assertThat(this.here.directory().queue(this.name, 10)).extracting(QueuedWaiter::mode)
			.containsExactly(LockMode.SHARED, LockMode.permits(2, 3));
		lock.unlock();
	}

	@Test
	void forcedReleaseEndsAllHolds() throws Exception {
		List<Lease> leases = new ArrayList<>();
		for (LockClient client : List.of(this.here, this.elsewhere)) {
			leases.add(acquire(client, options().permits(1, 3)));
		}

		assertThat(this.here.directory().forceUnlock(this.name)).get()
			.satisfies((row) -> assertThat(row.holders()).isEqualTo(2));

		eventually().until(() -> leases.stream().noneMatch(Lease::isValid));
		assertThat(this.here.directory().holders(this.name)).isEmpty();
	}

	@Test
	void forcedReleaseUnderATokenEndsThatPermitOnly() throws Exception {
		Lease spared = acquire(this.here, options().permits(1, 3));
		Lease ended = acquire(this.here, options().permits(1, 3));

		assertThat(this.elsewhere.directory().forceUnlock(this.name, ended.token())).isPresent();

		eventually().until(() -> !ended.isValid());
		assertThat(this.here.directory().holders(this.name)).extracting(HeldLock::token)
			.containsExactly(spared.token());
		assertThat(spared.isValid()).isTrue();
	}

	@Test
	void forcedReleaseUnderTheirTokenEndsAllReaders() throws Exception {
		Lease here = acquire(this.here, options().shared());
		Lease elsewhere = acquire(this.elsewhere, options().shared());

		assertThat(this.here.directory().forceUnlock(this.name, here.token())).isPresent();

		eventually().until(() -> !here.isValid() && !elsewhere.isValid());
		assertThat(this.here.directory().holders(this.name)).isEmpty();
		lock().lock();
	}

	@Test
	void noMoreThanAHundredHoldsAreListedAndAllAreCounted() throws Exception {
		for (int i = 0; i < 120; i++) {
			acquire(this.here, options().permits(1, 200));
		}

		assertThat(this.elsewhere.directory().holders(this.name)).hasSize(LockDirectory.MAX_HOLDERS)
			.allSatisfy((row) -> {
				assertThat(row.holders()).isEqualTo(120);
				assertThat(row.unitsInUse()).isEqualTo(120);
			});
		assertThat(listed()).hasSize(LockDirectory.MAX_HOLDERS);

		assertThat(this.elsewhere.directory().forceUnlock(this.name)).isPresent();
		assertThat(this.elsewhere.directory().holders(this.name)).isEmpty();
	}

	private List<HeldLock> listed() {
		return this.here.directory().list(null, 1000, new Filter(this.name, null, null, Duration.ZERO)).locks();
	}

	private Lease acquire(LockClient client, LockOptions options) throws InterruptedException {
		return client.acquire(this.name, options);
	}

}
