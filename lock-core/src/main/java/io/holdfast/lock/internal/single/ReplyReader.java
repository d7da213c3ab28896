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

import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.Renewal;

/**
 * The answer to one request: words in a line, read one after another. The first is the id
 * of the request, because a connection that was left half-way by someone else is one
 * answer out of step, and nothing else would tell.
 */
final class ReplyReader {

	private final String[] words;

	private int at = 1;

	/**
	 * Read an answer.
	 * @throws IllegalArgumentException if it is that to another request
	 */
	ReplyReader(String line, String id) {
		this.words = line.split(" ");
		if (!this.words[0].equals(id)) {
			throw new IllegalArgumentException("request " + id + " was answered \"" + line + "\"");
		}
	}

	/**
	 * Whether the request was granted as it was asked, at the moment of the token that
	 * follows.
	 */
	boolean isAsAsked() {
		boolean asAsked = this.words.length == 3 && "HELD".equals(this.words[1]);
		this.at += asAsked ? 1 : 0;
		return asAsked;
	}

	/**
	 * The answer that a request holds for as long as it has asked for, that its tokens
	 * begin and end with one, and that nobody waits.
	 */
	static LockReply asAsked(long leaseMillis, long token, long serverMillis, long sentNanos) {
		return new LockReply(State.HOLDS, leaseMillis, token, token, false, 0, serverMillis, sentNanos);
	}

	/**
	 * Reads the answer to one renewal: the token and nothing else if all is as asked.
	 */
	static LockReply ofRenewal(Renewal renewal, String line, long serverMillis, long sentNanos) {
		if (line.indexOf(' ') < 0) {
			return asAsked(renewal.leaseMillis(), Long.parseLong(line), serverMillis, sentNanos);
		}
		return new ReplyReader(line, renewal.id()).lockReply(serverMillis, sentNanos);
	}

	String word() {
		return this.words[this.at++];
	}

	long number() {
		return Long.parseLong(word());
	}

	/**
	 * An answer of the {@code standing} step of {@code mutex.lua}.
	 */
	LockReply lockReply(long serverMillis, long sentNanos) {
		State state = State.valueOf(word());
		if (state == State.LATE) {
			return new LockReply(state, 0, 0, 0, false, 0, serverMillis, sentNanos);
		}
		return new LockReply(state, number(), number(), number(), number() == 1, number(), serverMillis, sentNanos,
				(this.at < this.words.length) ? word() : null);
	}

}
