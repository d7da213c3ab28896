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

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What happens with one seed.
 */
final class Plan {

	enum Fault {

		/** Commands and replies take long. */
		SLOW,

		/** Commands or replies are lost. */
		LOST,

		/** Commands are carried out after their client has given up. */
		LATE,

		/** Commands are carried out twice. */
		TWICE,

		/** The outcome of a command is never told. */
		VANISH,

		/** The server refuses a command. */
		REFUSED,

		/** Messages are lost one by one, and nobody notices. */
		MESSAGE_LOST,

		/** Messages overtake each other. */
		MESSAGE_LATE,

		/** A client hears nothing for a while, and notices after a while. */
		DEAF,

		/** A client stands still for a while. */
		PAUSE,

		/** The server closes the subscription of a client, which does not know. */
		SESSION,

		/** A client dies. */
		CRASH,

		/** The server is away for a while. */
		RESTART,

		/** The server loses its data. */
		DATA_LOST,

		/** Holds are ended by force. */
		FORCED,

		/** A client is closed. */
		CLOSE,

		/** A caller is cancelled. */
		CANCEL

	}

	/**
	 * What most callers of a lock want.
	 */
	enum Use {

		EXCLUSIVE, READ_WRITE, PERMITS, MIXED

	}

	final int clients;

	final int callers;

	final int names;

	final Use use;

	final int fair;

	final int explicit;

	final int limit;

	final long watchdogMillis;

	final long waiterMillis;

	/** After which the locks of dead clients go to others; 0 if only leases end them. */
	final long graceMillis;

	final int handOvers;

	final long endNanos;

	/** Whether its callers want locks again and again. */
	final boolean busy;

	final int rounds;

	final long thinkMillis;

	final long useMillis;

	final int intensity;

	/** Behind how many callers many wait at most; 0 for any number. */
	final int maxWaiters;

	/** For how long many may have a lock; 0 for any time. */
	final long maxHoldMillis;

	/** What goes wrong together more often than chance would have it. */
	private static final List<Set<Fault>> USUAL = List.of(EnumSet.of(Fault.LOST, Fault.MESSAGE_LATE),
			EnumSet.of(Fault.LOST, Fault.LATE), EnumSet.of(Fault.LOST, Fault.LATE, Fault.MESSAGE_LATE, Fault.SLOW),
			EnumSet.of(Fault.LATE, Fault.TWICE, Fault.CANCEL), EnumSet.of(Fault.DEAF), EnumSet.of(Fault.FORCED),
			EnumSet.of(Fault.FORCED, Fault.MESSAGE_LOST), EnumSet.of(Fault.SLOW, Fault.CANCEL),
			EnumSet.of(Fault.DATA_LOST), EnumSet.of(Fault.PAUSE), EnumSet.of(Fault.PAUSE, Fault.MESSAGE_LATE),
			EnumSet.of(Fault.VANISH, Fault.MESSAGE_LOST));

	private static final List<Set<Fault>> USUAL_IF_TIED = List.of(EnumSet.of(Fault.SESSION),
			EnumSet.of(Fault.SESSION, Fault.CRASH), EnumSet.of(Fault.SESSION, Fault.PAUSE),
			EnumSet.of(Fault.SESSION, Fault.PAUSE, Fault.SLOW),
			EnumSet.of(Fault.SESSION, Fault.PAUSE, Fault.MESSAGE_LATE),
			EnumSet.of(Fault.SESSION, Fault.PAUSE, Fault.LOST, Fault.TWICE),
			EnumSet.of(Fault.SESSION, Fault.PAUSE, Fault.TWICE, Fault.LATE, Fault.CANCEL));

	private final Set<Fault> faults = EnumSet.noneOf(Fault.class);

	Plan(World world) {
		this.clients = 2 + world.random(3);
		this.callers = 1 + world.random(3);
		this.names = (world.random(10) < 6) ? 1 : 2;
		this.use = Use.values()[world.random(4)];
		this.fair = (int) world.oneOf(0, 50, 100);
		this.explicit = (int) world.oneOf(0, 20, 50);
		this.limit = 1 + world.random(4);
		boolean tied = world.random(6) == 0;
		this.graceMillis = tied ? world.oneOf(170, 500, 1000) : 0;
		this.watchdogMillis = tied ? this.graceMillis * world.oneOf(3, 10)
				: world.oneOf(500, 500, 3000, 10_000, 30_000);
		this.waiterMillis = world.oneOf(500, 500, 2000, 10_000);
		this.handOvers = (int) world.oneOf(0, 1, 4, 16);
		this.busy = !tied && world.random(4) == 0;
		this.rounds = tied ? 5 + world.random(10) : this.busy ? 10 + world.random(20) : 2 + world.random(4);
		long end = tied ? world.oneOf(12, 24) * this.graceMillis : world.oneOf(5, 30, 300, 3000, 3000);
		this.endNanos = World.millis(end);
		this.thinkMillis = tied ? this.graceMillis / 4 : this.busy ? world.random(2) : end / this.rounds;
		this.useMillis = tied ? world.oneOf(1, 2 * this.graceMillis, 4 * this.graceMillis)
				: world.oneOf(1, end / 4 / this.rounds, end / this.rounds, this.busy ? 30 : end / this.rounds);
		this.intensity = (int) world.oneOf(1, 1, 4);
		if (tied && world.random(4) != 0) {
			this.faults.addAll(USUAL_IF_TIED.get(world.random(USUAL_IF_TIED.size())));
		}
		else if (world.random(4) == 0) {
			this.faults.addAll(USUAL.get(world.random(USUAL.size())));
		}
		else if (world.random(4) != 0) {
			int many = (int) world.oneOf(2, 4, 8);
			for (Fault fault : Fault.values()) {
				if (world.random(many) == 0) {
					this.faults.add(fault);
				}
			}
		}
		this.maxWaiters = (int) world.oneOf(0, 0, 1, 2, 4);
		this.maxHoldMillis = world.oneOf(0, 0, 0, 1 + this.useMillis / 2, 1 + 2 * this.useMillis);
	}

	/**
	 * Whether nothing else happens than some of these.
	 */
	boolean isOnly(Fault... allowed) {
		return List.of(allowed).containsAll(this.faults);
	}

	/**
	 * How long after its hold has ended at the server an owner is told, if that is so.
	 */
	long longestBeliefNanos(boolean watched) {
		if (isOnly(Fault.FORCED, Fault.CANCEL)) {
			return World.millis(2);
		}
		return (watched && isOnly(Fault.FORCED, Fault.CANCEL, Fault.MESSAGE_LOST, Fault.MESSAGE_LATE, Fault.DATA_LOST))
				? World.millis(this.watchdogMillis / 3 + 50) : Long.MAX_VALUE;
	}

	boolean has(Fault fault) {
		return this.faults.contains(fault);
	}

	/**
	 * Whether a call may fail.
	 */
	boolean canFail() {
		return !this.faults.isEmpty();
	}

	boolean isCalm() {
		return this.faults.isEmpty();
	}

	boolean isPaused() {
		return has(Fault.PAUSE);
	}

	/**
	 * How long a caller waits at most for a lock that nobody uses.
	 */
	long longestIdleNanos() {
		if (isOnly(Fault.DEAF)) {
			return World.millis(20);
		}
		Set<Fault> quick = EnumSet.of(Fault.CANCEL, Fault.FORCED);
		if (quick.containsAll(this.faults)) {
			return World.millis(10) + World.millis(this.waiterMillis / 3);
		}
		Set<Fault> slow = EnumSet.of(Fault.CANCEL, Fault.FORCED, Fault.SLOW, Fault.LOST, Fault.LATE, Fault.TWICE,
				Fault.VANISH, Fault.MESSAGE_LATE, Fault.MESSAGE_LOST, Fault.DEAF);
		if (slow.containsAll(this.faults)) {
			return World.millis(12_000 + 2 * this.waiterMillis);
		}
		return Long.MAX_VALUE;
	}

	/**
	 * Whether a client may believe for a while that it waits when it does not any more.
	 */
	boolean knowsLate() {
		return has(Fault.DATA_LOST) || has(Fault.MESSAGE_LOST) || has(Fault.MESSAGE_LATE) || has(Fault.DEAF)
				|| has(Fault.PAUSE) || has(Fault.SLOW) || has(Fault.RESTART) || has(Fault.LOST) || has(Fault.LATE)
				|| has(Fault.VANISH);
	}

	/**
	 * Whether a renewed lock may be lost.
	 */
	boolean canLose() {
		Set<Fault> harmless = EnumSet.of(Fault.MESSAGE_LOST, Fault.MESSAGE_LATE, Fault.CANCEL, Fault.DEAF,
				Fault.SESSION);
		return !harmless.containsAll(this.faults);
	}

	@Override
	public String toString() {
		return this.clients + " clients with " + this.callers + " callers, " + this.names + " names, " + this.use + ", "
				+ this.fair + " % fair, " + this.explicit + " % with a lease, " + (this.busy ? "busy, " : "") + "limit "
				+ this.limit + ", watchdog " + this.watchdogMillis + ", waiters " + this.waiterMillis + ", grace "
				+ this.graceMillis + ", " + this.handOvers + " hand-overs, at most " + this.maxWaiters + " waiters and "
				+ this.maxHoldMillis + " ms, " + this.faults;
	}

}
