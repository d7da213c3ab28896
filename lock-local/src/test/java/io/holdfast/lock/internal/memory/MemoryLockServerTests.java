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

import io.holdfast.lock.internal.protocol.Command.Ask;
import io.holdfast.lock.internal.protocol.Command.Release;
import io.holdfast.lock.internal.protocol.HoldInfo;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.LockPage;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.protocol.ServerSettings;
import io.holdfast.lock.internal.protocol.TextMessages;
import io.holdfast.lock.internal.protocol.Wish;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Locks in memory as the server of clients. Their rules are those of the scripts
 * ({@link ScriptFuzzTests}).
 */
class MemoryLockServerTests {

	private static final String KEY = "x:lock:a";

	private final AtomicLong micros = new AtomicLong(1_700_000_000_000_000L);

	private final LockMemory memory = new LockMemory(this.micros::get);

	private final List<String> heard = new ArrayList<>();

	private final MemoryLockServer one = server("one", "x:");

	private final MemoryLockServer two = server("two", "x:");

	private MemoryLockServer server(String client, String prefix) {
		ServerSettings settings = new ServerSettings(new LockKeys(prefix), client, Duration.ofSeconds(10),
				Duration.ofMinutes(1));
		return new MemoryLockServer(this.memory, settings, () -> 7,
				new TextMessages((text) -> this.heard.add(client + ": " + text)));
	}

	private Reply ask(String id) {
		return ask(this.one, KEY, id);
	}

	private static Reply ask(MemoryLockServer server, String key, String id) {
		return server.send(new Ask(key, id, Wish.exclusive(false), 30_000, 1, 1, 10, "")).join();
	}

	private Reply release(String id, long stamp) {
		return this.one.send(new Release(KEY, id, stamp, null)).join();
	}

	private void pass(Duration time) {
		this.micros.addAndGet(time.toNanos() / 1000);
	}

	@Test
	void releaseHandsOverAndTellsTheClientThatWaits() {
		long stamp = ask("1").token();
		assertThat(ask(this.two, KEY, "2").word()).isEqualTo(Word.WAITS);

		assertThat(release("1", stamp).word()).isEqualTo(Word.RELEASED);

		assertThat(this.heard).hasSize(2).first().isEqualTo("one: awaited 1 " + KEY);
		assertThat(this.heard).last().asString().startsWith("two: granted 2 ").endsWith(" 10000 0 " + KEY);
		assertThat(this.two.describe(List.of(KEY, "x:lock:b"), true)).extracting(HoldInfo::client)
			.containsExactly("two");
	}

	@Test
	void releaseIsToldTheTruth() {
		long first = ask("1").token();
		ask("2");

		assertThat(release("2", 0).word()).isEqualTo(Word.LEFT);
		assertThat(release("1", first).word()).isEqualTo(Word.RELEASED);
		assertThat(release("1", first).word()).as("run again").isEqualTo(Word.RELEASED);
		long forced = ask("3").token();
		assertThat(this.one.evict(KEY, List.of("3", "4"))).isEqualTo(1);
		assertThat(release("3", forced).word()).isEqualTo(Word.GONE);
		assertThat(this.heard).contains("one: forced 3 " + KEY);
	}

	@Test
	void closedClientIsToldNothing() {
		ask("1");
		this.one.close();

		ask(this.two, KEY, "2");

		assertThat(this.heard).isEmpty();
	}

	@Test
	void pagesGoThroughTheLocksOfOnePrefix() {
		IntStream.range(0, 5).forEach((i) -> ask(this.one, "x:lock:" + i, "id" + i));
		ask(server("three", "y:"), "y:lock:0", "y");

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
			String key = "x:lock:" + i;
			ask(this.one, key, "id" + i);
			this.one.send(new Release(key, "id" + i, 0, null)).join();
			pass(Duration.ofSeconds(1));
		});

		assertThat(this.one.list("0", 10_000, "").keys()).hasSizeBetween(60, 62);
		assertThat(new MemoryView(this.memory).keys()).hasSizeLessThan(1100);
	}

	@Test
	void askingAboutALockDoesNotMakeOne() {
		this.one.describe(List.of(KEY), true);
		this.one.waiters(KEY, 10);
		release("1", 0);

		assertThat(this.one.list("0", 10, "").keys()).isEmpty();
	}

}
