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

import java.util.function.Consumer;
import java.util.function.Supplier;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.engine.simulation.Plan.Fault;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Reply;
import org.jspecify.annotations.Nullable;

/**
 * Carries commands and messages, and loses, delays and repeats them.
 */
final class Network {

	static final long LIMIT = World.millis(1000);

	static final long VALIDITY = World.millis(5000);

	private final Simulation simulation;

	private final World world;

	private final Plan plan;

	private long awaySinceNanos;

	private long awayUntilNanos;

	private boolean hangs;

	Network(Simulation simulation) {
		this.simulation = simulation;
		this.world = simulation.world;
		this.plan = simulation.plan;
	}

	void away(long nanos, boolean silent) {
		this.awaySinceNanos = isAway() ? this.awaySinceNanos : this.world.nanos();
		this.awayUntilNanos = this.world.nanos() + nanos;
		this.hangs = silent;
	}

	long awayUntilNanos() {
		return this.awayUntilNanos;
	}

	/**
	 * For how long the server has been away.
	 */
	long awayNanos() {
		return isAway() ? this.world.nanos() - this.awaySinceNanos : 0;
	}

	private boolean isAway() {
		return this.world.nanos() < this.awayUntilNanos;
	}

	private boolean happens(Fault fault, int perMille) {
		return this.plan.has(fault) && this.world.nanos() < this.plan.endNanos
				&& this.world.chance(perMille * this.plan.intensity);
	}

	private long way() {
		return happens(Fault.SLOW, 100) ? this.world.random(World.millis(5), World.millis(900))
				: this.world.random(50_000, 600_000);
	}

	void send(Client client, Command command, Answer answer) {
		if (happens(Fault.VANISH, 40)) {
			// The thread that was to send it ended, or its outcome was lost.
			if (this.world.chance(500)) {
				this.world.after(way(), new Call(client, command, answer)::execute);
			}
			return;
		}
		Call call = new Call(client, command, answer);
		if (happens(Fault.REFUSED, 60)) {
			call.fail(way(), Reason.REFUSED);
			return;
		}
		if (isAway() && !this.hangs) {
			call.fail(way(), Reason.UNREACHABLE);
			return;
		}
		call.fail(LIMIT, Reason.TIMED_OUT);
		if (isAway()) {
			return;
		}
		if (happens(Fault.LOST, 80)) {
			if (this.world.chance(600)) {
				this.world.after(way(), call::execute);
			}
			if (this.world.chance(500)) {
				call.fail(way() + way(), Reason.TIMED_OUT);
			}
			return;
		}
		if (happens(Fault.LATE, 60)) {
			this.world.after(this.world.random(LIMIT / 2, LIMIT + VALIDITY), call::executeAndAnswer);
			return;
		}
		long way = way();
		if (happens(Fault.TWICE, 80)) {
			this.world.after(way, call::execute);
			way += this.world.chance(500) ? way() : this.world.random(0, LIMIT);
		}
		this.world.after(way, call::executeAndAnswer);
	}

	/**
	 * Asks the server something that changes no lock, and is not repeated.
	 */
	<T> void ask(Client client, Supplier<T> question, Consumer<T> answer) {
		if (isAway() || happens(Fault.LOST, 80)) {
			return;
		}
		this.world.after(way(), () -> {
			if (!isAway()) {
				T said = question.get();
				client.after(way(), () -> answer.accept(said));
			}
		});
	}

	void deliver(Client client, String what, Runnable message) {
		if (happens(Fault.MESSAGE_LOST, 150)) {
			this.world.note(client.name, "never gets ", what);
			return;
		}
		long late = happens(Fault.MESSAGE_LATE, 250) ? this.world.random(0, World.millis(1500)) : 0;
		client.after(way() + late, () -> {
			if (client.isDeaf()) {
				this.world.note(client.name, "does not hear ", what);
			}
			else {
				this.world.note(client.name, "hears ", what);
				message.run();
			}
		});
	}

	/**
	 * Takes the outcome of a command, once.
	 */
	interface Answer {

		void accept(@Nullable Reply reply, @Nullable LockServerException failure, long sentNanos);

	}

	/**
	 * One command on its way.
	 */
	private final class Call {

		private final Client client;

		private final Command command;

		private final Answer answer;

		private final long sentNanos;

		private boolean over;

		Call(Client client, Command command, Answer answer) {
			this.client = client;
			this.command = command;
			this.answer = answer;
			this.sentNanos = Network.this.world.nanos();
		}

		@Nullable Reply execute() {
			if (isAway()) {
				return null;
			}
			Reply reply = Network.this.simulation.server.execute(this.client, this.command, this.sentNanos);
			Network.this.world.note("server", this.client.name, " ", this.command, " -> ", reply, " ",
					Network.this.simulation.server.describe(this.command.key()));
			return reply;
		}

		void executeAndAnswer() {
			Reply reply = execute();
			if (reply != null) {
				this.client.after(way(), () -> end(reply, null));
			}
		}

		void fail(long delayNanos, Reason reason) {
			this.client.after(delayNanos, () -> end(null, new LockServerException("", reason, "simulated", null)));
		}

		private void end(@Nullable Reply reply, @Nullable LockServerException failure) {
			if (!this.over) {
				this.over = true;
				if (failure != null) {
					Network.this.world.note(this.client.name, this.command, " ", failure.reason());
				}
				this.answer.accept(reply, failure, this.sentNanos);
			}
		}

	}

}
