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

package io.holdfast.lock.internal.single;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.memory.MemoryCall;
import io.holdfast.lock.internal.memory.MemoryLock;
import io.holdfast.lock.internal.memory.MemoryLockState;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.HoldInfo;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockMessages;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.LockRequest;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.ReleaseReply;
import io.holdfast.lock.internal.server.Renewal;
import io.holdfast.lock.internal.server.ServerSettings;
import io.holdfast.lock.internal.server.WaiterInfo;
import io.holdfast.lock.internal.single.MutexState.Place;
import org.jspecify.annotations.Nullable;

/**
 * A {@link MemoryLock} that speaks in texts, as the scripts do. It does not tell whether
 * a request had the lock or a place: {@link #HAD} stands for both.
 */
final class MemoryMutex {

	static final String HAD = "HAD";

	private final String key;

	private final Duration timeout;

	private final Duration retention;

	/**
	 * What its clients are told, as "client: message".
	 */
	private final List<String> messages;

	private MemoryLock lock;

	private long micros;

	MemoryMutex(String key, long timeout, long retention, List<String> messages) {
		this.key = key;
		this.timeout = Duration.ofMillis(timeout);
		this.retention = Duration.ofMillis(retention);
		this.messages = messages;
		this.lock = new MemoryLock(key);
	}

	MutexState state() {
		MemoryLockState state = new MemoryLockState(this.lock);
		List<Place> queue = state.queue()
			.stream()
			.map((each) -> new Place(each.id(), each.alive(), each.lease(), each.block(), each.timeout(),
					mode(each.type()), each.client()))
			.toList();
		return new MutexState(state.hold(), state.until(), state.since(), state.client(),
				(state.client() != null) ? mode(state.type()) : null, state.token(), state.last(), state.released(),
				state.lost(), queue);
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

	String acquire(Place wish, boolean waits, long notAfter) {
		MemoryCall call = call(wish.client());
		LockReply reply = this.lock.acquire(call, new AcquireCommand(wish.id(), request(wish), false), waits, notAfter);
		tell(call);
		return wish.id() + " " + now() + " " + text(reply);
	}

	String release(String client, String id, long releasedToken, @Nullable Place next) {
		MemoryCall call = call(client);
		ReleaseReply reply = this.lock.release(call, new ReleaseCommand(id, releasedToken,
				(next != null) ? next.id() : "", (next != null) ? request(next) : null));
		tell(call);
		String line = id + " " + (reply.had() ? HAD : "GONE");
		return (reply.next() != null) ? line + " " + now() + " " + text(reply.next()) : line;
	}

	String renew(String id, long lease, int block, long owned) {
		MemoryCall call = call("");
		LockReply reply = this.lock.renew(call, new Renewal(this.key, id, lease, block, owned));
		tell(call);
		return id + " " + text(reply);
	}

	boolean evict(String id) {
		MemoryCall call = call("");
		boolean had = this.lock.evict(call, id);
		tell(call);
		return had;
	}

	/**
	 * What the operator of a client is told of its hold.
	 */
	List<String> described(String asking) {
		HoldInfo hold = this.lock.describe(call(asking));
		return (hold != null)
				? List.of(hold.id(), hold.client(), mode(hold.type().name()), "" + hold.token(),
						"" + hold.sinceMillis(), "" + hold.leftMillis(), "" + hold.waiters(), "" + hold.lastToken())
				: List.of("", "", "", "0", "0", "0", "0", "0");
	}

	/**
	 * What an operator is told of those who wait.
	 */
	List<String> waiters() {
		List<String> words = new ArrayList<>();
		for (WaiterInfo each : this.lock.waiters(call(""), Integer.MAX_VALUE)) {
			words.addAll(List.of(each.alive() ? "1" : "0", mode(each.type().name()), each.client(), each.id()));
		}
		return words;
	}

	private MemoryCall call(String client) {
		return new MemoryCall(new ServerSettings(new LockKeys("x:"), client, this.timeout, this.retention), this.micros,
				0);
	}

	private long now() {
		return this.micros / 1000;
	}

	private static LockRequest request(Place wish) {
		return new LockRequest("xf".equals(wish.mode()) ? LockType.FAIR : LockType.REENTRANT, wish.lease(),
				wish.block());
	}

	private static String mode(String type) {
		return new LockRequest(LockType.valueOf(type), 1, 1).mode();
	}

	private static String text(LockReply reply) {
		if (reply.state() == State.LATE) {
			return "LATE";
		}
		return reply.state() + " " + reply.leftMillis() + " " + reply.token() + " " + reply.last() + " "
				+ (reply.awaited() ? 1 : 0) + " " + reply.before();
	}

	private void tell(MemoryCall call) {
		call.messages()
			.forEach((each) -> each.content()
				.accept(new Texts((text) -> this.messages.add(each.client() + ": 2 " + text))));
	}

	/**
	 * Writes messages as the scripts do.
	 */
	private record Texts(Consumer<String> out) implements LockMessages {

		@Override
		public void granted(String key, String id, long leftMillis, long token, long last, boolean awaited) {
			this.out.accept("granted " + id + " " + token + " " + last + " " + leftMillis + " " + (awaited ? 1 : 0)
					+ " " + key);
		}

		@Override
		public void awaited(String key, String id) {
			this.out.accept("awaited " + id + " " + key);
		}

		@Override
		public void forced(String key, String id) {
			this.out.accept("forced " + id + " " + key);
		}

		@Override
		public void missedMessages() {
			throw new IllegalStateException("No server says that");
		}

	}

}
