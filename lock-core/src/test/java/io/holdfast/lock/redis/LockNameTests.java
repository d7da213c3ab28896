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

import java.util.List;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockDirectory.Filter;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/**
 * Names are any text: each is a lock of its own, in Redis and in the directory.
 */
@Tag("topology")
class LockNameTests extends LockContract {

	private static final List<String> NAMES = List.of("plain", "Plain", "with space", " leading", "trailing ",
			"two  spaces", "line\nbreak", "tab\tand\r\n", "\u0000nul", "Grüße", "Gru\u0308ße", "訂單", "заказ", "طلب",
			"😀", "👩‍👩‍👧‍👦", "{}", "{", "}", "}x", "{a}{b}", "{a}", "a}b{c", "*", "?", "[", "]", "[a-z]", "[^a]",
			"\\", "\\*", "a*b", "a?b", "lock:", "client:", ":", "'quoted'", "\"", "$", "%s", "%d", "%%", "-1", "null",
			"0", "a".repeat(1024), "é".repeat(512), "😀".repeat(256));

	@Test
	void everyNameIsLockOfItsOwn() {
		NAMES.forEach((name) -> assertThat(this.here.getLock(name, options()).tryLock()).as(name).isTrue());

		for (String name : NAMES) {
			LeaseLock lock = this.here.getLock(name, options());
			assertThat(this.elsewhere.getLock(name, options()).tryLock()).as(name).isFalse();
			assertThat(this.elsewhere.directory().find(name)).as(name)
				.get()
				.extracting(HeldLock::name, HeldLock::client)
				.containsExactly(name, this.here.id());
			lock.unlock();
			assertThat(this.elsewhere.getLock(name, options()).tryLock()).as(name).isTrue();
		}
	}

	@Test
	void everyNameIsHandedOver() {
		for (String name : NAMES) {
			LeaseLock lock = this.here.getLock(name, options());
			lock.lock();
			TestThreads.Running<Void> waiting = this.threads.run(() -> this.elsewhere.getLock(name, options()).lock())
				.awaitParked();
			lock.unlock();
			waiting.result();
		}
	}

	@Test
	void directoryListsExactlyTheLocksOfItsPrefix() {
		for (String prefix : List.of(this.prefix, this.prefix + "[a-z]*?:", this.prefix + "\\:", this.prefix + "{x}:",
				this.prefix + "^[!]-:")) {
			LockClient client = client((builder) -> builder.keyPrefix(prefix));
			LockClient neighbour = client((builder) -> builder.keyPrefix(prefix + "b"));
			NAMES.forEach((name) -> client.getLock(name, options()).lock());
			neighbour.getLock(this.name, options()).lock();
			redis().opsForValue().set(prefix + "lock:not a lock", "text");

			assertThat(listed(client.directory(), 7, Filter.ALL)).as(prefix).hasSameElementsAs(NAMES);
			client.close();
			neighbour.close();
		}
	}

	@Test
	void globCharactersOfThePrefixFindNoKeysOfOtherPrefixes() {
		client((builder) -> builder.keyPrefix(this.prefix + "abc:")).getLock(this.name, options()).lock();
		client((builder) -> builder.keyPrefix(this.prefix + "x")).getLock(this.name, options()).lock();

		for (String glob : List.of("*", "?", "a*", "[a-z]", "[a-z]*:", "\\")) {
			LockClient client = client((builder) -> builder.keyPrefix(this.prefix + glob));
			assertThat(listed(client.directory(), 1000, Filter.ALL)).as(glob).isEmpty();
		}
	}

	@Test
	void nullIsRefused() {
		for (TestThreads.Action action : List.<TestThreads.Action>of(() -> this.here.getLock((String) null, options()),
				() -> this.here.acquire((String) null, options()), () -> this.here.tryAcquire((String) null, options()),
				() -> this.here.execute((String) null, options(), (lease) -> "the task ran"),
				() -> this.here.directory().find(null), () -> this.here.directory().queue(null, 10),
				() -> this.here.directory().forceUnlock(null))) {
			assertThatNullPointerException().isThrownBy(action::run).withMessage("Lock name must not be null");
		}
		assertThatNullPointerException().isThrownBy(() -> this.here.getLock(this.name, null))
			.withMessage("Lock options must not be null");
		awaitForgotten(this.here);
		assertThat(keys()).isEmpty();
	}

	@Test
	void namesThatAreTooLongOrBlankOrHaveHalfASurrogatePairAreRefused() {
		for (String name : List.of("a".repeat(1025), "é".repeat(512) + "a", "😀".repeat(256) + "a",
				"x".repeat(64 * 1024), "", " ", "\n", "\t ", "\u2003", "\ud83d", "a\ude00", "\ude00\ud83d",
				"x\ud83dy")) {
			assertRefused(name);
		}
	}

	private void assertRefused(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.here.getLock(name, options()));
		assertThatIllegalArgumentException().isThrownBy(() -> this.here.acquire(name, options()));
		assertThatIllegalArgumentException().isThrownBy(() -> this.here.tryAcquire(name, options()));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.here.execute(name, options(), (lease) -> "the task ran"));
		assertThatIllegalArgumentException().isThrownBy(() -> this.here.directory().find(name));
		assertThatIllegalArgumentException().isThrownBy(() -> this.here.directory().queue(name, 10));
		assertThatIllegalArgumentException().isThrownBy(() -> this.here.directory().forceUnlock(name));
		awaitForgotten(this.here);
		assertThat(keys()).isEmpty();
	}

	@Test
	void badPagesAreRefused() {
		LockDirectory directory = this.here.directory();

		assertThatIllegalArgumentException().isThrownBy(() -> directory.list(null, 0));
		assertThatIllegalArgumentException().isThrownBy(() -> directory.list(null, 1001));
		assertThatIllegalArgumentException().isThrownBy(() -> directory.list("-1", 10));
		assertThatIllegalArgumentException().isThrownBy(() -> directory.list("", 10));
		assertThatIllegalArgumentException().isThrownBy(() -> directory.list("99999999999999999999", 10))
			.withMessageContaining("99999999999999999999");
		assertThatIllegalArgumentException().isThrownBy(() -> directory.queue(this.name, 0));
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> directory.queue(this.name, 1001));
	}

}
