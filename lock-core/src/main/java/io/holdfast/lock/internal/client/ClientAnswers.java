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

package io.holdfast.lock.internal.client;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.server.ClientId;
import io.holdfast.lock.internal.server.ErrorLog;
import io.holdfast.lock.internal.server.Topology;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Answers other clients that want to know how this one is. Thread-safe.
 */
final class ClientAnswers {

	/*
	 * Questions come on the thread that receives messages, which must not ask Redis. They
	 * are noted, and one task at a time answers what is there, where renewals run. It
	 * ends when it finds nothing, under the monitor; so whoever notes a question either
	 * meets it running, and it sees the question, or starts the next one. After a failure
	 * it forgets the questions: their askers have stopped waiting.
	 *
	 * Anybody who may publish can ask, as often as they like. A client that asks again
	 * before it is answered gets one answer, and all together are answered twenty times a
	 * second at most; what is more is not answered at all.
	 */

	private static final Log logger = LogFactory.getLog(ClientAnswers.class);

	private static final ErrorLog errors = new ErrorLog(ClientAnswers.class);

	private static final int MAX_WAITING = 16;

	private static final int MAX_IN_A_SECOND = 20;

	private static final int MAX_QUESTION_LENGTH = 40;

	private final LockRuntime runtime;

	/**
	 * The latest question of each client that waits for an answer. This and what follows
	 * is guarded by the monitor.
	 */
	private final Map<String, String> waiting = new LinkedHashMap<>();

	/**
	 * The latest question of each of the latest clients: a quorum delivers each several
	 * times. One that a server delivers late, behind another question, may be answered
	 * again.
	 */
	private final Map<String, String> noted = new LinkedHashMap<>();

	private boolean running;

	private long secondNanos;

	private int inThisSecond;

	ClientAnswers(LockRuntime runtime) {
		this.runtime = runtime;
		this.secondNanos = System.nanoTime();
	}

	/**
	 * Another client asks. Returns at once, and throws nothing.
	 */
	void asked(String client, String questionId) {
		if (questionId.length() > MAX_QUESTION_LENGTH || !ClientId.isValid(client)
				|| this.runtime.engine().isClosed()) {
			return;
		}
		try {
			if (note(client, questionId)) {
				this.runtime.executeInBackground(Topology.ONLY_NODE, this::answer);
			}
		}
		catch (RuntimeException | Error ex) {
			// The machine may have no thread left.
			forget();
			logFailure(ex);
		}
	}

	/**
	 * Notes a question.
	 * @return whether nobody answers at the moment
	 */
	private synchronized boolean note(String client, String questionId) {
		if (questionId.equals(this.noted.get(client)) || isTooMuch(client)) {
			return false;
		}
		this.noted.remove(client);
		this.noted.put(client, questionId);
		if (this.noted.size() > MAX_WAITING) {
			this.noted.remove(this.noted.keySet().iterator().next());
		}
		this.waiting.put(client, questionId);
		boolean idle = !this.running;
		this.running = true;
		return idle;
	}

	private boolean isTooMuch(String client) {
		long now = System.nanoTime();
		if (now - this.secondNanos >= TimeUnit.SECONDS.toNanos(1)) {
			this.secondNanos = now;
			this.inThisSecond = 0;
		}
		boolean full = this.waiting.size() >= MAX_WAITING && !this.waiting.containsKey(client);
		if (full || this.inThisSecond >= MAX_IN_A_SECOND) {
			return true;
		}
		this.inThisSecond++;
		return false;
	}

	private void answer() {
		try {
			Map.Entry<String, String> next = next();
			while (next != null) {
				this.runtime.server().report(next.getKey(), next.getValue(), ReportText.write(this.runtime.report()));
				next = next();
			}
		}
		catch (RuntimeException | Error ex) {
			forget();
			logFailure(ex);
		}
	}

	private synchronized Map.@Nullable Entry<String, String> next() {
		if (this.waiting.isEmpty() || this.runtime.engine().isClosed()) {
			this.waiting.clear();
			this.running = false;
			return null;
		}
		String client = this.waiting.keySet().iterator().next();
		String questionId = this.waiting.remove(client);
		return (questionId != null) ? Map.entry(client, questionId) : null;
	}

	private synchronized void forget() {
		this.waiting.clear();
		this.running = false;
	}

	private static void logFailure(Throwable failure) {
		String text = "Another client was not told how this one is";
		if (failure instanceof LockServerException || !errors.warn(text, failure)) {
			logger.debug(text, failure);
		}
	}

}
