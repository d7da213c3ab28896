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

package io.holdfast.lock.internal.engine;

import io.holdfast.lock.internal.protocol.Command;
import org.jspecify.annotations.Nullable;

/**
 * To which session the server has tied the hold of a request, as far as is known, and
 * until when its owners may believe in it therefore. Written in the monitor of the lock,
 * read anywhere.
 * <p>
 * A question ties the hold to the session that its request had when it was made. A
 * renewal, of the place in the queue or of the hold, ties it to the present one, which is
 * later: the server may never hear of that, or do it and not be heard. So until it has
 * answered for the hold, moments of the earlier session are the only ones that count.
 * They were before the later one was tied, so no doubt of that is older.
 */
final class Tie {

	private final Context context;

	/** To which questions tie it. */
	private final @Nullable Session first;

	/** The hold is tied to this one, or to a later one. */
	private volatile @Nullable Session session;

	/** The first one to which it may be tied, if it was not at first. */
	private volatile @Nullable Session maybe;

	/** When the latest command was sent that was answered. */
	private volatile long heardNanos;

	Tie(Context context, boolean watched) {
		this.context = context;
		this.first = watched ? context.session() : null;
		this.session = this.first;
	}

	/**
	 * The server has granted the hold.
	 * @param heardNanos when the command was sent that it has answered so
	 */
	void begin(long heardNanos) {
		this.session = this.first;
		this.heardNanos = heardNanos;
	}

	/**
	 * The session to which a question is to tie the hold; an empty string for none.
	 */
	String first() {
		return (this.first != null) ? this.first.name : "";
	}

	/**
	 * Whether it may end before its lease.
	 */
	boolean isTied() {
		return this.session != null || this.maybe != null;
	}

	/**
	 * Until when owners may believe.
	 * @param untilNanos until when the hold lasts
	 */
	long sureNanos(long untilNanos) {
		Session certain = this.session;
		Session tied = (certain != null) ? certain : this.maybe;
		long sure = (tied != null) ? tied.sureNanos(this.heardNanos) : untilNanos;
		return (sure - untilNanos < 0) ? sure : untilNanos;
	}

	/**
	 * The server has answered a command of the hold.
	 */
	void heard(Command command, long sentNanos) {
		this.heardNanos = Context.later(this.heardNanos, sentNanos);
		Session present = this.context.session();
		if (present != null && command instanceof Command.Renew renewal && renewal.session().equals(present.name)) {
			this.session = present;
		}
	}

	/**
	 * Whether it is to be another one, or the next one that there is.
	 */
	boolean isLoose() {
		return this.session != this.context.session();
	}

	/**
	 * The session to which a renewal is to tie the hold, as that is sent; an empty string
	 * for none.
	 */
	String next() {
		Session present = this.context.session();
		if (present == null || !isLoose()) {
			return "";
		}
		if (this.session == null && this.maybe == null) {
			this.maybe = present;
		}
		return present.name;
	}

}
