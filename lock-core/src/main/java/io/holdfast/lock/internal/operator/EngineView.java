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

package io.holdfast.lock.internal.operator;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.holdfast.lock.LockObserver.ClientState;
import io.holdfast.lock.internal.engine.Context;
import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.engine.LockTable;
import io.holdfast.lock.internal.engine.LockView;
import io.holdfast.lock.internal.engine.LockView.Held;
import io.holdfast.lock.internal.protocol.MessageChannel;

/**
 * What the callers of a client hold and wait for. Looks at one lock after another, and
 * only when somebody asks. Thread-safe.
 *
 * @param id the client
 * @param context what its locks have in common
 * @param table its locks
 * @param channels where its messages come from
 * @param nanoTime its clock
 */
public record EngineView(String id, Context context, LockTable table, List<MessageChannel> channels,
		LongSupplier nanoTime) implements ClientState {

	long now() {
		return this.nanoTime.getAsLong();
	}

	List<LockView> locks() {
		return this.table.all().stream().map(LockState::view).toList();
	}

	/**
	 * Those for which callers of this client wait.
	 */
	List<LockView> waitedFor() {
		return this.table.all().stream().filter(LockState::isWaitedFor).map(LockState::view).toList();
	}

	LockView lock(String name) {
		LockState state = this.table.find(name);
		return (state != null) ? state.view() : new LockView(name, List.of(), List.of());
	}

	@Override
	public int held() {
		return (int) holds().count();
	}

	@Override
	public int unsure() {
		long now = now();
		return (int) holds().map(Held::grant).filter((grant) -> grant.isHeld(now) && !grant.isValid(now)).count();
	}

	@Override
	public int waiting() {
		return waitedFor().stream()
			.flatMap((lock) -> lock.queues().stream())
			.mapToInt((queue) -> queue.waiters().size())
			.sum();
	}

	@Override
	public Duration renewalLag() {
		long now = now();
		return Duration.ofNanos(holds().mapToLong((held) -> lagNanos(held, now)).max().orElse(0));
	}

	@Override
	public int pendingReleases() {
		return this.context.owed().failed();
	}

	@Override
	public long resubscriptions() {
		return this.channels.stream().mapToLong((each) -> Math.max(0, each.subscriptions() - 1)).sum();
	}

	@Override
	public Duration subscriptionDownFor() {
		return this.context.isClosed() ? Duration.ZERO : Duration.ofNanos(this.context.deafNanos(now()));
	}

	/**
	 * Whether a renewal is overdue by at least the remaining lease: two thirds of the
	 * lease have then passed.
	 */
	boolean isRenewalLate() {
		long now = now();
		return holds().filter(Held::renewed).anyMatch((held) -> lagNanos(held, now) >= held.grant().untilNanos() - now);
	}

	private static long lagNanos(Held held, long now) {
		return held.renewed() ? Math.max(0, now - held.renewalNanos()) : 0;
	}

	private Stream<Held> holds() {
		return locks().stream().flatMap((lock) -> lock.holds().stream());
	}

}
