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

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import io.holdfast.lock.internal.engine.EngineSettings;

/**
 * What a seed is about: who is there, and what may go wrong.
 */
final class Plan {

	enum Fault {

		/** Requests and answers take long. */
		SLOW,

		/** Requests or answers are lost. */
		LOST,

		/** Requests are carried out after their caller has given up. */
		LATE,

		/** Requests are carried out twice. */
		TWICE,

		/** The server refuses a request. */
		REFUSED,

		/** A client is wrong about the server's clock. */
		CLOCK,

		/** Messages are lost one by one, and nobody notices. */
		MESSAGE_LOST,

		/** Messages overtake each other. */
		MESSAGE_LATE,

		/** A client hears nothing for a while, and notices after a while. */
		DEAF,

		/** A client stands still for a while. */
		PAUSE,

		/** A client dies. */
		CRASH,

		/** A caller forgets what it has. */
		CALLER_DIES,

		/** The server is away for a while. */
		RESTART,

		/** The server loses its data. */
		DATA_LOST,

		/** A hold is ended by force. */
		FORCED,

		/** A client is closed. */
		CLOSE,

		/** A caller is interrupted. */
		INTERRUPT

	}

	final int clients;

	final int callers;

	final int names;

	/**
	 * How many of a hundred calls are for a fair lock.
	 */
	final int fair;

	/**
	 * How many of a hundred calls have a lease of their own.
	 */
	final int explicit;

	final Duration watchdogTimeout;

	final Duration waiterTimeout;

	final EngineSettings engine;

	/**
	 * Until when things go wrong, and new calls begin.
	 */
	final long endNanos;

	/**
	 * How often each caller wants a lock at most.
	 */
	final int rounds;

	/**
	 * The longest pause before a call, in milliseconds.
	 */
	final long thinkMillis;

	/**
	 * How long an owner mostly keeps a lock, in milliseconds.
	 */
	final long useMillis;

	/**
	 * How many times as often as usual the network fails.
	 */
	final int intensity;

	private final Set<Fault> faults = EnumSet.noneOf(Fault.class);

	Plan(World world) {
		this.clients = 2 + world.random(3);
		this.callers = 1 + world.random(3);
		this.names = (world.random(10) < 6) ? 1 : 2 + world.random(2);
		this.fair = (int) world.oneOf(0, 50, 50, 100);
		this.explicit = (int) world.oneOf(0, 20, 50);
		this.watchdogTimeout = Duration.ofMillis(world.oneOf(500, 3000, 10_000, 30_000));
		this.waiterTimeout = Duration.ofMillis(world.oneOf(500, 2000, 10_000));
		int handoffs = (int) world.oneOf(0, 1, 4, 16);
		this.engine = new EngineSettings(this.watchdogTimeout, this.waiterTimeout, handoffs, true);
		this.rounds = 2 + world.random(4);
		long end = world.oneOf(30, 300, 3000);
		this.endNanos = World.millis(end);
		this.thinkMillis = end / this.rounds;
		this.useMillis = world.oneOf(1, this.thinkMillis / 4, this.thinkMillis);
		this.intensity = (int) world.oneOf(1, 1, 4);
		if (world.random(5) != 0) {
			int many = (int) world.oneOf(2, 4, 8);
			if (world.random(4) == 0) {
				// Where answers get lost and messages come late is where it is easiest to
				// err.
				this.faults.addAll(EnumSet.of(Fault.LOST, Fault.MESSAGE_LATE));
			}
			for (Fault fault : Fault.values()) {
				if (world.random(many) == 0) {
					this.faults.add(fault);
				}
			}
		}
	}

	boolean has(Fault fault) {
		return this.faults.contains(fault);
	}

	boolean isCalm() {
		return this.faults.isEmpty();
	}

	/**
	 * Whether none of these goes wrong.
	 */
	boolean lacks(Fault... some) {
		for (Fault fault : some) {
			if (has(fault)) {
				return false;
			}
		}
		return true;
	}

	@Override
	public String toString() {
		return this.clients + " clients with " + this.callers + " callers, " + this.names + " names, " + this.fair
				+ " % fair, " + this.explicit + " % with a lease, watchdog " + this.watchdogTimeout + ", waiters "
				+ this.waiterTimeout + ", " + this.engine.maxLocalHandoffs() + " hand-overs" + ", " + this.faults;
	}

}
