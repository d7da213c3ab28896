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

package io.holdfast.lock.internal.engine;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.IntStream;

import com.sun.management.ThreadMXBean;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.ReleaseReply;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A caller for whom there is no memory when it joins: it is told so, and does not leave.
 */
class JoinErrorTests {

	private static final LeaseSpec WATCHED = new LeaseSpec(1500, true);

	private final AtomicBoolean outOfMemory = new AtomicBoolean();

	private final AtomicBoolean clockFails = new AtomicBoolean();

	private final LockEngine engine = new LockEngine(
			new EngineSettings(Duration.ofMillis(1500), Duration.ofMillis(1500), 10, true, false), new LockKeys("p:"),
			new PendingReleases(() -> 0, (key) -> ""), new EngineHost() {

				@Override
				public long nanoTime() {
					failIf(JoinErrorTests.this.clockFails);
					return 0;
				}

				@Override
				public boolean hearsMessages() {
					return true;
				}

				@Override
				public void lost(LossNotice notice) {
				}

				@Override
				public void wakeWatchdog() {
				}

			});

	@Test
	void waiterThatCannotBeLookedAtIsNotGivenTheLock() {
		Waiter first = waiter();
		enter(first, LockType.REENTRANT);
		AcquireCommand question = ask(first);
		EngineState.ticksInto(this.engine, new TreeMap<>() {

			@Override
			public Object computeIfAbsent(Object key, Function<? super Object, ?> value) {
				failIf(JoinErrorTests.this.outOfMemory);
				return super.computeIfAbsent(key, value);
			}

		});

		enterWithoutMemory(LockType.REENTRANT);

		this.engine.replied(first, question, new LockReply(State.HOLDS, 1500, 100, 110, false, 0, "", 2, 0));
		Waiter second = waiter();
		enter(second, LockType.REENTRANT);
		assertThat(this.engine.release(first.grant).passedOn()).isTrue();
		assertThat(second.grant).as("the grant of the one behind it").isNotNull();
		Release release = this.engine.release(second.grant).release();
		assertThat(this.engine.released(release, new ReleaseReply(true, null))).isNull();
		assertNothingIsLeft();
	}

	@Test
	void waiterWhoseRequestCannotBeKeptLeavesNothingBehind() {
		Waiter first = waiter();
		enter(first, LockType.FAIR);
		EngineState.entriesInto(this.engine, "a", new LinkedHashMap<>() {

			@Override
			public QueueEntry put(String id, QueueEntry entry) {
				// As if it had grown, after it has put it in.
				super.put(id, entry);
				failIf(JoinErrorTests.this.outOfMemory);
				return null;
			}

		});

		enterWithoutMemory(LockType.FAIR);

		assertThat(this.engine.leave(first).release()).isNull();
		assertNothingIsLeft();
	}

	@Test
	void callerWhoFailsBeforeItJoinsLeavesNothingBehind() {
		this.clockFails.set(true);

		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> this.engine.enter("a", LockType.REENTRANT, waiter()));

		assertNothingIsLeft();
	}

	@Test
	void nothingIsMadeForAWaiterThatHasJoined() {
		Entrance one = this.engine.enter("a", LockType.REENTRANT, waiter());
		Entrance other = this.engine.enter("a", LockType.REENTRANT, waiter());

		assertThat(other).isSameAs(one).isInstanceOf(Entrance.Joined.class);
	}

	@Test
	void queueNeedsNoMemory() {
		List<Waiter> waiters = IntStream.range(0, 100).mapToObj((i) -> waiter()).toList();
		pass(new WaitQueue(0), waiters);
		WaitQueue queue = new WaitQueue(0);

		assertThat(pass(queue, waiters)).as("bytes").isZero();

		assertThat(queue.isEmpty()).isTrue();
	}

	/**
	 * Has waiters join a queue and leave it.
	 * @return how much memory that takes
	 */
	private static long pass(WaitQueue queue, List<Waiter> waiters) {
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long before = threads.getCurrentThreadAllocatedBytes();
		for (int i = 0; i < waiters.size(); i++) {
			queue.join(waiters.get(i));
		}
		queue.wakeAll();
		queue.gone();
		queue.takeFirst();
		queue.joinFirst(waiters.get(0));
		for (int i = waiters.size() - 1; i >= 0; i--) {
			queue.leave(waiters.get(i));
		}
		return threads.getCurrentThreadAllocatedBytes() - before;
	}

	@Test
	void queueKeepsTheOrderWhoeverLeaves() {
		WaitQueue queue = new WaitQueue(0);
		Waiter first = waiter();
		Waiter second = waiter();
		Waiter third = waiter();
		List.of(second, third).forEach(queue::join);
		queue.joinFirst(first);

		queue.leave(second);
		queue.leave(second);
		assertThat(queue.size()).isEqualTo(2);
		queue.leave(third);
		queue.join(second);

		assertThat(queue.first()).isSameAs(first);
		queue.takeFirst();
		assertThat(queue.first()).isSameAs(second);
		queue.takeFirst();
		assertThat(queue.first()).isNull();
		assertThat(queue.size()).isZero();
		queue.joinFirst(third);
		queue.join(first);
		queue.takeFirst();
		assertThat(queue.first()).isSameAs(first);
	}

	private void enter(Waiter waiter, LockType type) {
		assertThat(this.engine.enter("a", type, waiter)).isInstanceOf(Entrance.Joined.class);
	}

	private void enterWithoutMemory(LockType type) {
		this.outOfMemory.set(true);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.engine.enter("a", type, waiter()));
		assertThat(this.outOfMemory).isFalse();
	}

	private AcquireCommand ask(Waiter asker) {
		return ((Step.Ask) this.engine.next(asker, false)).command();
	}

	private void assertNothingIsLeft() {
		assertThat(EngineState.names(this.engine)).isEmpty();
		assertThat(EngineState.pending(this.engine)).isZero();
		assertThat(EngineResidue.isScheduled(this.engine)).isFalse();
	}

	private static Waiter waiter() {
		return new Waiter(new HandleOwner(), WATCHED, TimeUnit.SECONDS.toNanos(10), 0, QueueEntryTests.NOBODY);
	}

	private static void failIf(AtomicBoolean fails) {
		if (fails.getAndSet(false)) {
			throw new OutOfMemoryError("thrown on purpose");
		}
	}

}
