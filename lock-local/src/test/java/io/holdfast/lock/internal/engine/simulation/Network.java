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

package io.holdfast.lock.internal.engine.simulation;

import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.engine.simulation.Plan.Fault;
import io.holdfast.lock.internal.server.LockMessages;
import io.holdfast.lock.internal.server.LockServer;
import org.jspecify.annotations.Nullable;

/**
 * The way to the server and back. Like a driver, it gives up a request whose answer does
 * not come in time, and then does not know what became of it.
 */
final class Network {

	/** As {@code RedisDriver} has them. */
	static final long LONGEST_REQUEST = World.millis(1000);

	static final long LONGEST_RENEWAL = World.millis(5000);

	private final World world;

	private final Plan plan;

	/**
	 * Until when the server is away.
	 */
	private long awayUntilNanos;

	private boolean hangs;

	Network(World world, Plan plan) {
		this.world = world;
		this.plan = plan;
	}

	/**
	 * Has the server be away for a while.
	 * @param silent whether requests hang; else they are told at once
	 */
	void away(long nanos, boolean silent) {
		this.awayUntilNanos = this.world.nanos() + nanos;
		this.hangs = silent;
	}

	long awayUntilNanos() {
		return this.awayUntilNanos;
	}

	private boolean isAway() {
		return this.world.nanos() < this.awayUntilNanos;
	}

	boolean happens(Fault fault, int perMille) {
		return this.plan.has(fault) && this.world.nanos() < this.plan.endNanos
				&& this.world.chance(perMille * this.plan.intensity);
	}

	private long way() {
		if (happens(Fault.SLOW, 100)) {
			return this.world.random(World.millis(5), World.millis(900));
		}
		return this.world.random(50_000, 600_000);
	}

	/**
	 * Sends a request.
	 * @param limitNanos after which the client gives it up
	 * @param execution what the server does, now or later
	 * @param answer takes the answer or the failure, once
	 */
	<T> void send(SimulatedClient client, String what, long limitNanos, Supplier<T> execution,
			BiConsumer<@Nullable T, @Nullable LockServerException> answer) {
		Call<T> call = new Call<>(client, what, execution, answer);
		if (happens(Fault.REFUSED, 60)) {
			call.fail(way(), Reason.REFUSED);
			return;
		}
		if (isAway() && !this.hangs) {
			call.fail(way(), Reason.UNREACHABLE);
			return;
		}
		call.fail(limitNanos, Reason.TIMED_OUT);
		if (isAway()) {
			return;
		}
		if (happens(Fault.LOST, 80)) {
			boolean arrives = this.world.chance(600);
			if (arrives) {
				this.world.after(way(), () -> call.execute());
			}
			if (this.world.chance(500)) {
				// The connection breaks.
				call.fail(way() + way(), (arrives || this.world.chance(500)) ? Reason.TIMED_OUT : Reason.UNREACHABLE);
			}
			return;
		}
		if (happens(Fault.LATE, 60)) {
			long late = this.world.random(limitNanos / 2,
					limitNanos + World.millis(LockServer.REQUEST_VALIDITY_MILLIS));
			this.world.after(late, () -> call.executeAndAnswer());
			return;
		}
		long way = way();
		if (happens(Fault.TWICE, 80)) {
			// The driver sends it once more, and takes the answer to that.
			this.world.after(way, () -> call.execute());
			way += this.world.chance(500) ? way() : this.world.random(0, limitNanos);
		}
		this.world.after(way, () -> call.executeAndAnswer());
	}

	/**
	 * Lets a message find its way.
	 */
	void deliver(SimulatedClient client, String what, Consumer<LockMessages> message) {
		if (happens(Fault.MESSAGE_LOST, 150)) {
			this.world.note(client.name(), "never gets " + what);
			return;
		}
		long late = happens(Fault.MESSAGE_LATE, 250) ? this.world.random(0, World.millis(1500)) : 0;
		client.after(way() + late, () -> client.hear(what, message));
	}

	/**
	 * One request on its way.
	 */
	private final class Call<T> {

		private final SimulatedClient client;

		private final String what;

		private final Supplier<T> execution;

		private final BiConsumer<@Nullable T, @Nullable LockServerException> answer;

		private final long sentNanos;

		private boolean over;

		Call(SimulatedClient client, String what, Supplier<T> execution,
				BiConsumer<@Nullable T, @Nullable LockServerException> answer) {
			this.client = client;
			this.what = what;
			this.execution = execution;
			this.answer = answer;
			this.sentNanos = client.nanoTime();
		}

		@Nullable T execute() {
			if (isAway()) {
				return null;
			}
			T result = this.client.atServer(this.sentNanos, this.execution);
			if (Network.this.world.traces()) {
				Network.this.world.note("server", this.client.name() + " " + this.what + " -> " + result);
			}
			return result;
		}

		void executeAndAnswer() {
			T result = execute();
			if (result != null) {
				this.client.after(way(), () -> end(result, null));
			}
		}

		void fail(long delayNanos, Reason reason) {
			this.client.after(delayNanos, () -> end(null, new LockServerException("", reason, "simulated", null)));
		}

		private void end(@Nullable T result, @Nullable LockServerException failure) {
			if (!this.over) {
				this.over = true;
				if (failure != null && Network.this.world.traces()) {
					Network.this.world.note(this.client.name(), this.what + " " + failure.reason());
				}
				this.answer.accept(result, failure);
			}
		}

	}

}
