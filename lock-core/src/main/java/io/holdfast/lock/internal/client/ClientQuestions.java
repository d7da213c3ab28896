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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockDirectory.Client;
import io.holdfast.lock.LockDirectory.ClientList;
import io.holdfast.lock.LockDirectory.ClientReport;
import io.holdfast.lock.internal.server.ClientId;
import io.holdfast.lock.internal.server.ErrorLog;
import io.holdfast.lock.internal.server.LogText;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.internal.server.RequestIds;
import io.holdfast.lock.internal.server.Subscribers;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Asks the other clients how they are, for those who look. Thread-safe.
 */
final class ClientQuestions {

	/*
	 * A question is open while somebody waits for its answers, so nothing is kept while
	 * nobody looks. A caller within a second of the latest question shares it. With the
	 * longest timeout that is a dozen questions at a time at most, and each keeps a
	 * thousand answers.
	 *
	 * Answers may arrive before the server has said who was asked, so they are kept
	 * whoever they are from, and only those of clients that were asked are shown. From
	 * then on others are not even kept. Answers that are late find no question.
	 *
	 * Anybody who may publish can forge an answer to a question of which they heard. What
	 * is shown here decides nothing.
	 */

	private static final Log logger = LogFactory.getLog(ClientQuestions.class);

	private static final ErrorLog errors = new ErrorLog(ClientQuestions.class);

	private static final long SHARED_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(10);

	private final LockRuntime runtime;

	private final ConcurrentMap<String, Question> open = new ConcurrentHashMap<>();

	/**
	 * Guarded by the monitor.
	 */
	private @Nullable Question latest;

	ClientQuestions(LockRuntime runtime) {
		this.runtime = runtime;
	}

	/**
	 * Lists the clients and asks them how they are.
	 */
	ClientList ask(Duration timeout) {
		Question question = join();
		try {
			this.runtime.checkOpen();
			Subscribers asked = question.sendOnce();
			question.await((timeout.compareTo(LONGEST_TIMEOUT) < 0) ? timeout : LONGEST_TIMEOUT);
			this.runtime.checkOpen();
			List<Client> clients = new ArrayList<>();
			clients.add(client(this.runtime.settings().clientId(), this.runtime.report()));
			asked.clients().forEach((id) -> clients.add(client(id, question.answers.get(id))));
			return new ClientList(List.copyOf(clients), asked.missing());
		}
		finally {
			leave(question);
		}
	}

	private Client client(String id, @Nullable ClientReport report) {
		ClientId client = ClientId.parse(id);
		return new Client(id, client.application(), client.host(), id.equals(this.runtime.settings().clientId()),
				report);
	}

	private synchronized Question join() {
		Question present = this.latest;
		if (present == null || System.nanoTime() - present.startedNanos > SHARED_NANOS) {
			present = new Question();
			this.open.put(present.id, present);
			this.latest = present;
		}
		present.callers++;
		return present;
	}

	private synchronized void leave(Question question) {
		if (--question.callers == 0) {
			this.open.remove(question.id);
			this.latest = (this.latest == question) ? null : this.latest;
		}
	}

	/**
	 * A message says how another client is. Throws nothing.
	 */
	void reported(String client, String questionId, String answer) {
		Question asked = this.open.get(questionId);
		if (asked == null) {
			return;
		}
		try {
			asked.answered(client, ReportText.read(answer));
		}
		catch (IllegalArgumentException ex) {
			if (logger.isDebugEnabled()) {
				String text = client + " " + answer;
				logger.debug(
						"Ignored a message that no Holdfast client writes: " + LogText.onOneLine(LogText.excerpt(text)),
						ex);
			}
		}
		catch (RuntimeException | Error ex) {
			errors.warn("An answer of a client was not read", ex);
		}
	}

	/**
	 * The client ends: nobody waits any more.
	 */
	void close() {
		this.open.values().forEach((each) -> each.complete.countDown());
	}

	/**
	 * How many questions are open.
	 */
	int openCount() {
		return this.open.size();
	}

	private final class Question {

		private final String id = RequestIds.random();

		private final long startedNanos = System.nanoTime();

		/**
		 * How many wait for it. Guarded by the monitor of the questions.
		 */
		private int callers;

		private final Map<String, ClientReport> answers = new ConcurrentHashMap<>();

		private final CountDownLatch complete = new CountDownLatch(1);

		/**
		 * Who was asked, once that is known.
		 */
		private volatile @Nullable Subscribers asked;

		/**
		 * The first caller sends it, and others who share it wait for that.
		 */
		synchronized Subscribers sendOnce() {
			Subscribers known = this.asked;
			if (known == null) {
				known = subscribers();
				this.asked = known;
				this.answers.keySet().retainAll(known.clients());
				completeIfAnswered(known);
			}
			return known;
		}

		private Subscribers subscribers() {
			try {
				Subscribers found = ClientQuestions.this.runtime.server().ask(this.id);
				String own = ClientQuestions.this.runtime.settings().clientId();
				return new Subscribers(found.clients()
					.stream()
					.filter((each) -> ClientId.isValid(each) && !each.equals(own))
					.sorted()
					.toList(), found.missing());
			}
			catch (RuntimeException | Error ex) {
				errors.warn("The other clients are not known", ex);
				return new Subscribers(List.of(), "Redis does not say which clients are subscribed ("
						+ HealthMonitor.describe(RedisErrors.classify("", ex)) + ")");
			}
		}

		void answered(String client, ClientReport report) {
			Subscribers known = this.asked;
			boolean wanted = (known != null) ? known.clients().contains(client)
					: ClientId.isValid(client) && this.answers.size() < Subscribers.MAX;
			if (wanted) {
				this.answers.put(client, report);
				Subscribers now = this.asked;
				if (now != null) {
					completeIfAnswered(now);
				}
			}
		}

		private void completeIfAnswered(Subscribers known) {
			if (this.answers.size() >= known.clients().size() && this.answers.keySet().containsAll(known.clients())) {
				this.complete.countDown();
			}
		}

		void await(Duration timeout) {
			try {
				this.complete.await(timeout.isNegative() ? 0 : timeout.toNanos(), TimeUnit.NANOSECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
