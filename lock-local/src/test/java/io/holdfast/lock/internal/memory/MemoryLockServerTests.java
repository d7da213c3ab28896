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

package io.holdfast.lock.internal.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.HoldInfo;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockMessages;
import io.holdfast.lock.internal.server.LockPage;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.LockRequest;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.ServerSettings;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What {@link MemoryLockServer} adds to a lock in memory: names, clients, and an end.
 */
class MemoryLockServerTests {

	private final AtomicLong micros = new AtomicLong(1_700_000_000_000_000L);

	private final LockMemory memory = new LockMemory(this.micros::get);

	private final List<String> heard = new ArrayList<>();

	private final MemoryLockServer one = server("one", "x:");

	private final MemoryLockServer two = server("two", "x:");

	private MemoryLockServer server(String client, String prefix) {
		ServerSettings settings = new ServerSettings(new LockKeys(prefix), client, Duration.ofSeconds(10),
				Duration.ofMinutes(1));
		return new MemoryLockServer(this.memory, settings, () -> 7, new Heard(client, this.heard));
	}

	private static LockReply acquire(MemoryLockServer server, String key, String id, boolean waits) {
		return server.acquire(key, new AcquireCommand(id, new LockRequest(LockType.FAIR, 1000, 1), false), waits, 0);
	}

	@Test
	void releaseHandsOverAndTellsTheClientThatWaits() {
		assertThat(acquire(this.one, "x:lock:a", "1", true).state()).isEqualTo(State.HOLDS);
		assertThat(acquire(this.two, "x:lock:a", "2", true).state()).isEqualTo(State.WAITS);

		assertThat(this.one.release("x:lock:a", ReleaseCommand.of("1")).had()).isTrue();

		assertThat(this.heard).containsExactly("one: awaited 1", "two: granted 2");
		assertThat(this.two.describe(List.of("x:lock:a", "x:lock:b"), true)).extracting(HoldInfo::client)
			.containsExactly("two");
	}

	@Test
	void answerSaysWhenItWasAskedFor() {
		LockReply reply = acquire(this.one, "x:lock:a", "1", false);

		assertThat(reply.sentNanos()).isEqualTo(7);
		assertThat(reply.serverMillis()).isEqualTo(1_700_000_000_000L);
	}

	@Test
	void closedClientIsToldNothing() {
		acquire(this.one, "x:lock:a", "1", true);
		this.one.close();

		acquire(this.two, "x:lock:a", "2", true);

		assertThat(this.heard).isEmpty();
	}

	@Test
	void pagesGoThroughTheLocksOfOnePrefix() {
		IntStream.range(0, 5).forEach((i) -> acquire(this.one, "x:lock:" + i, "id" + i, false));
		acquire(server("three", "y:"), "y:lock:0", "y", false);

		LockPage first = this.one.list("0", 3, "");
		LockPage second = this.one.list(first.next(), 3, "");

		assertThat(first.keys()).containsExactly("x:lock:0", "x:lock:1", "x:lock:2");
		assertThat(second).isEqualTo(new LockPage("0", List.of("x:lock:3", "x:lock:4")));
		assertThat(this.one.list("0", 3, "3").keys()).containsExactly("x:lock:3");
		assertThatIllegalArgumentException().isThrownBy(() -> this.one.list("nonsense", 3, ""));
	}

	@Test
	void lockThatNobodyUsesIsForgottenAfterItsRetention() {
		IntStream.range(0, 3000).forEach((i) -> {
			acquire(this.one, "x:lock:" + i, "id" + i, false);
			this.micros.addAndGet(1_000_000);
		});

		assertThat(this.one.list("0", 10_000, "").keys()).hasSizeBetween(60, 62);
		assertThat(this.memory.size()).isLessThan(1100);
	}

	/**
	 * Writes down what a client is told.
	 */
	private record Heard(String client, List<String> out) implements LockMessages {

		@Override
		public void granted(String key, String id, long leftMillis, long token, long last, boolean awaited) {
			this.out.add(this.client + ": granted " + id);
		}

		@Override
		public void awaited(String key, String id) {
			this.out.add(this.client + ": awaited " + id);
		}

		@Override
		public void forced(String key, String id) {
			this.out.add(this.client + ": forced " + id);
		}

		@Override
		public void missedMessages() {
			throw new IllegalStateException("No server says that");
		}

	}

}
