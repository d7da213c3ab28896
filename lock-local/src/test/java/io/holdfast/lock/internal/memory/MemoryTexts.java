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

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;

import io.holdfast.lock.LockMode.Kind;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.HoldInfo;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.protocol.TextMessages;
import io.holdfast.lock.internal.protocol.Wish;
import io.holdfast.lock.internal.redis.LockHash;
import org.jspecify.annotations.Nullable;

/**
 * A {@link MemoryLock} whose answers, messages and contents are texts that can be
 * compared with those of the scripts.
 */
final class MemoryTexts {

	private final String key;

	private final long timeout;

	private final long retention;

	/**
	 * What its clients are told, as "client: message".
	 */
	private final List<String> messages;

	private MemoryLock lock;

	private long micros;

	MemoryTexts(String key, long timeout, long retention, List<String> messages) {
		this.key = key;
		this.timeout = timeout;
		this.retention = retention;
		this.messages = messages;
		this.lock = new MemoryLock(key);
	}

	void setClock(long nowMicros) {
		this.micros = nowMicros;
	}

	/**
	 * Loses all data.
	 */
	void forget() {
		this.lock = new MemoryLock(this.key);
	}

	String execute(String client, Command command) {
		MemoryCall call = call(client);
		String text = text(this.lock.execute(call, command));
		tell(call);
		return text;
	}

	String evict(List<String> which) {
		MemoryCall call = call("");
		String ended = Integer.toString(this.lock.evict(call, which));
		tell(call);
		return ended;
	}

	private MemoryCall call(String client) {
		long now = this.micros / 1000;
		return new MemoryCall(client, this.timeout, this.retention, this.micros, nanosOf(now), new ArrayList<>(),
				new HashSet<>());
	}

	/**
	 * The local time that a client has at a moment of the server.
	 */
	static long nanosOf(long millis) {
		return millis * 1_000_000;
	}

	// Answers

	private static String text(Reply reply) {
		Reply next = reply.next();
		return switch (reply.word()) {
			case HOLDS -> "HOLDS " + reply.leftMillis() + " " + reply.token() + " " + reply.last() + " "
					+ (reply.othersWait() ? 1 : 0);
			case WAITS, NONE, FULL -> reply.word() + " " + reply.last();
			default -> reply.word().name();
		} + ((next != null) ? " " + text(next) : "");
	}

	/**
	 * As much of an answer of a script as the memory says.
	 */
	static String comparable(String answer) {
		String[] words = answer.split(" ", -1);
		if (words.length == 1) {
			return answer;
		}
		if (List.of(Word.RELEASED.name(), Word.LEFT.name(), Word.GONE.name()).contains(words[1])) {
			return (words.length == 2) ? words[1] : words[1] + " " + standing(words, 3);
		}
		return standing(words, words[1].matches("\\d+") ? 2 : 1);
	}

	private static String standing(String[] words, int at) {
		return switch (words[at]) {
			case "HOLDS" -> "HOLDS " + words[at + 1] + " " + words[at + 2] + " " + words[at + 3] + " " + words[at + 4];
			case "WAITS", "NONE" -> words[at] + " " + words[at + 3];
			case "FULL" -> "FULL " + words[at + 1];
			default -> words[at];
		};
	}

	// What is stored

	State state() {
		MemorySteps steps = this.lock.steps;
		List<LockHash.Hold> holds = steps.members.values()
			.stream()
			.map((each) -> new LockHash.Hold(each.id(), each.untilMillis, each.wish.units(), each.wish.limit(),
					each.token, each.stamp, each.last, mode(each.wish), each.client))
			.sorted(Comparator.comparing(LockHash.Hold::stamp))
			.toList();
		List<LockHash.Place> queue = steps.queue.values()
			.stream()
			.map((each) -> new LockHash.Place(each.id(), each.aliveMillis, this.timeout, each.ask.leaseMillis(),
					each.wish.units(), each.wish.limit(), each.ask.block(), each.callers, mode(each.wish), each.client))
			.toList();
		return new State(holds, queue, steps.last, (steps.last > 0) ? steps.lost : null);
	}

	/**
	 * What is stored, but for what only operators read.
	 */
	static State comparable(LockHash stored) {
		List<LockHash.Place> queue = stored.queue()
			.stream()
			.map((each) -> new LockHash.Place(each.id(), each.alive(), each.timeout(), each.lease(), each.units(),
					each.limit(), each.block(), each.callers(), each.mode(), each.client()))
			.toList();
		return new State(stored.holds(), queue, stored.last(), stored.lost());
	}

	// What operators see

	List<List<String>> described() {
		List<List<String>> rows = new ArrayList<>();
		for (HoldInfo hold : this.lock.describe(call(""))) {
			rows.add(List.of(hold.id(), hold.client(), mode(hold.wish()), "" + hold.wish().units(),
					"" + hold.wish().limit(), "" + hold.token(), "" + hold.leftMillis(), "" + hold.unitsInUse(),
					"" + hold.renewedMillis()));
		}
		rows.sort(Comparator.comparing((row) -> row.get(0)));
		return rows;
	}

	List<List<String>> waiters() {
		return this.lock.waiters(call(""), Integer.MAX_VALUE)
			.stream()
			.map((each) -> List.of(each.alive() ? "1" : "0", mode(each.wish()), "" + each.wish().units(),
					"" + each.wish().limit(), each.client(), each.id()))
			.toList();
	}

	static String mode(Wish wish) {
		return ((wish.kind() == Kind.EXCLUSIVE) ? "x" : (wish.kind() == Kind.SHARED) ? "s" : "p")
				+ (wish.fair() ? "f" : "r");
	}

	private void tell(MemoryCall call) {
		call.messages()
			.forEach((each) -> each.content()
				.accept(new TextMessages((text) -> this.messages.add(each.client() + ": 3 " + text))));
	}

	record State(List<LockHash.Hold> holds, List<LockHash.Place> queue, long last, @Nullable Long lost) {
	}

}
