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

package io.holdfast.lock.chaos;

import java.util.Locale;

/**
 * What can go wrong.
 */
enum Fault {

	// Clients

	/** {@code kill -9} of a process that holds a lock. */
	HOLDER_KILLED,

	/** {@code kill -9} of a process that waits for a lock. */
	WAITER_KILLED,

	/** {@code kill -9} of the process that is next. */
	HEAD_KILLED,

	/** {@code kill -9} of half of all processes. */
	MANY_KILLED,

	/** {@code SIGSTOP} of a client for less than its leases. */
	CLIENT_STOPPED_SHORT,

	/** {@code SIGSTOP} of a client for longer than its leases. */
	CLIENT_STOPPED_LONG,

	/**
	 * A process had no processor for a while. Nobody did that on purpose.
	 */
	STARVED,

	/** Threads of a client are interrupted at any time. */
	THREADS_INTERRUPTED,

	// The way between

	/** Some replies are swallowed, and the connection cut. */
	REPLIES_LOST,

	/** Connections are reset. */
	CONNECTIONS_RESET,

	/** Each command takes longer. */
	LINK_SLOW,

	/** Each reply takes longer. */
	REPLIES_SLOW,

	/** Requests pass, replies do not. */
	REPLIES_HELD,

	/** Nothing passes, for longer than a command may take to arrive. */
	LINK_DEAD,

	// The server

	/** {@code SIGSTOP}. */
	SERVER_STOPPED,

	/** {@code kill -9} and a start without data. */
	SERVER_EMPTIED,

	/** {@code kill -9} and a start with an append-only file that was always synced. */
	SERVER_RESTARTED,

	/** {@code CLIENT KILL TYPE normal}. */
	CONNECTIONS_KILLED,

	/** {@code CLIENT KILL TYPE pubsub}. */
	SUBSCRIPTIONS_KILLED,

	/** {@code SCRIPT FLUSH}, again and again. */
	SCRIPTS_FLUSHED,

	/** {@code CLIENT PAUSE}. */
	CLIENTS_PAUSED,

	/** {@code DEBUG SLEEP}. */
	SERVER_ASLEEP,

	/** {@code CONFIG SET maxmemory}. */
	MEMORY_FULL,

	/** Scripts are forbidden by {@code ACL SETUSER}. */
	SCRIPTS_FORBIDDEN,

	/** The same, over before a renewal that was refused is too late. */
	SCRIPTS_FORBIDDEN_SHORT,

	/** Messages are forbidden by {@code ACL SETUSER}. */
	MESSAGES_FORBIDDEN,

	// A quorum

	/** All that a client sends, to whatever server, cuts its connection instead. */
	CLIENT_CUT_OFF,

	/** Requests of a client reach all servers, but no reply comes back. */
	CLIENT_UNANSWERED,

	/** {@code kill -9} of all servers, and a start without data. */
	ALL_EMPTIED,

	// Replicated servers

	/** {@code kill -9} of a master. */
	MASTER_KILLED,

	/** {@code SIGSTOP} of a master, until another has taken its place. */
	MASTER_STOPPED,

	/** A failover by command. */
	FAILOVER,

	/**
	 * Another server is the master than a moment ago, whatever the reason.
	 */
	MASTER_CHANGED;

	private static final Fault[] VALUES = values();

	@SuppressWarnings("EnumOrdinal") // Histories do not outlive a build
	long number() {
		return ordinal();
	}

	static Fault of(long number) {
		return VALUES[(int) number];
	}

	/**
	 * Whether another server takes the place of a master.
	 */
	boolean changesMaster() {
		return compareTo(MASTER_KILLED) >= 0;
	}

	/**
	 * Whether servers are started anew.
	 */
	boolean restarts() {
		return this == SERVER_EMPTIED || this == SERVER_RESTARTED || this == ALL_EMPTIED;
	}

	/**
	 * Whether it happens to one server, or on the way to it.
	 */
	boolean isOfOneServer() {
		return compareTo(REPLIES_LOST) >= 0 && compareTo(MESSAGES_FORBIDDEN) <= 0;
	}

	/**
	 * Whether it is over so soon that a hold which is renewed outlasts it.
	 */
	boolean isBrief() {
		return switch (this) {
			case THREADS_INTERRUPTED, CONNECTIONS_KILLED, SUBSCRIPTIONS_KILLED, SCRIPTS_FLUSHED,
					SCRIPTS_FORBIDDEN_SHORT, MESSAGES_FORBIDDEN ->
				true;
			default -> false;
		};
	}

	String words() {
		return name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

}
