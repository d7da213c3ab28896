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

import io.holdfast.lock.internal.server.LockMessages;

/**
 * Passes the messages of a runtime on: those about locks to the engine, the others to the
 * questions and answers about clients.
 *
 * @param locks takes those about locks
 * @param questions what this client asks
 * @param answers what it is asked
 */
record RuntimeMessages(LockMessages locks, ClientQuestions questions, ClientAnswers answers) implements LockMessages {

	@Override
	public void granted(String key, String id, long leftMillis, long token, long last, boolean awaited) {
		this.locks.granted(key, id, leftMillis, token, last, awaited);
	}

	@Override
	public void awaited(String key, String id) {
		this.locks.awaited(key, id);
	}

	@Override
	public void forced(String key, String id) {
		this.locks.forced(key, id);
	}

	@Override
	public void asked(String client, String questionId) {
		this.answers.asked(client, questionId);
	}

	@Override
	public void reported(String client, String questionId, String answer) {
		this.questions.reported(client, questionId, answer);
	}

	@Override
	public void missedMessages() {
		this.locks.missedMessages();
	}

}
