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

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseView;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.Registration;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is to be done about a loss can be taken back.
 */
class RegistrationTests extends LockContract {

	private static final int CALLS = 200;

	private final Queue<String> told = new ConcurrentLinkedQueue<>();

	@Test
	void actionThatWasTakenBackIsNotTold() throws Exception {
		lock().lock();
		LeaseView ofThread = lock().lease();
		Lease handle = this.here.acquire(this.name + "b", options());
		Lease several = this.here.acquire(List.of(this.name + "c", this.name + "d"), options());
		for (LeaseView lease : List.of(ofThread, handle, several)) {
			Consumer<LockLoss> action = (loss) -> this.told.add(loss.name());
			lease.onLost(action);
			Registration taken = lease.onLost(action);
			lease.onLost((loss) -> this.told.add("other " + loss.name()));

			this.threads.run(taken::remove).result();
			taken.remove();
		}

		lose(this.name, this.name + "b", this.name + "c");

		eventually()
			.untilAsserted(() -> assertThat(this.told).containsExactlyInAnyOrder(this.name, "other " + this.name,
					this.name + "b", "other " + this.name + "b", this.name + "c", "other " + this.name + "c"));
	}

	@Test
	void actionMayTakeItselfBack() {
		lock().lock();
		AtomicReference<Registration> own = new AtomicReference<>();
		own.set(lock().lease().onLost((loss) -> {
			own.get().remove();
			this.told.add("once");
		}));
		lock().lease().onLost((loss) -> this.told.add("after it"));

		lose(this.name);

		eventually().untilAsserted(() -> assertThat(this.told).containsExactly("once", "after it"));
		own.get().remove();
	}

	@Test
	void actionForALossThatWasBeforeHasNothingToTakeBack() {
		lock().lock();
		LeaseView lease = lock().lease();
		lease.onLost((loss) -> this.told.add("the loss"));
		lose(this.name);
		eventually().until(() -> !this.told.isEmpty());

		lease.onLost((loss) -> this.told.add("at once by " + Thread.currentThread())).remove();

		assertThat(this.told).containsExactly("the loss", "at once by " + Thread.currentThread());
	}

	@Test
	void nestedCallsThatRegisterLeaveNothingBehind() throws Exception {
		lock().lock();
		Lease handle = this.here.acquire(this.name + "b", options());
		Lease several = this.here.acquire(List.of(this.name + "c", this.name + "d"), options());
		List<WeakReference<Object>> used = new ArrayList<>();

		for (int i = 0; i < CALLS; i++) {
			lock().lock();
			List.of(lock().lease(), handle, several).forEach((lease) -> used.add(registerAndRemove(lease)));
			lock().unlock();
		}

		eventually().until(() -> {
			System.gc();
			return used.stream().allMatch((each) -> each.get() == null);
		});
		assertThat(List.of(lock().lease(), handle, several)).allMatch(LeaseView::isValid);
	}

	private WeakReference<Object> registerAndRemove(LeaseView lease) {
		Object work = new Object();
		Registration action = lease.onLost((loss) -> this.told.add(work.toString()));
		action.remove();
		return new WeakReference<>(work);
	}

	private void lose(String... names) {
		for (String each : names) {
			this.elsewhere.getLock(each, options()).forceUnlock();
		}
	}

}
