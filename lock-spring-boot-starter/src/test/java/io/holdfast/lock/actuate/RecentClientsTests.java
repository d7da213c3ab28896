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

package io.holdfast.lock.actuate;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.lock.LockDirectory.ClientList;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class RecentClientsTests {

	private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);

	private final AtomicInteger questions = new AtomicInteger();

	private boolean fails;

	private final RecentClients clients = new RecentClients(this::ask, this.clock::get);

	private ClientList ask() {
		this.questions.incrementAndGet();
		if (this.fails) {
			throw new IllegalStateException("closed");
		}
		return new ClientList(List.of(), "question " + this.questions);
	}

	@Test
	void whoLooksWithinASecondSharesAQuestion() {
		assertThat(this.questions).as("while nobody looks").hasValue(0);
		assertThat(this.clients.get().missing()).isEqualTo("question 1");
		assertThat(this.clients.get().missing()).as("at once").isEqualTo("question 1");
		this.clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(999));
		assertThat(this.clients.get().missing()).isEqualTo("question 1");
		this.clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
		assertThat(this.clients.get().missing()).isEqualTo("question 2");
	}

	@Test
	void answerOfAnInterruptedThreadIsNotRemembered() {
		Thread.currentThread().interrupt();
		assertThat(this.clients.get().missing()).isEqualTo("question 1");
		assertThat(Thread.interrupted()).isTrue();

		assertThat(this.clients.get().missing()).isEqualTo("question 2");
	}

	@Test
	void failureIsNotRemembered() {
		this.fails = true;
		assertThatIllegalStateException().isThrownBy(this.clients::get);
		this.fails = false;

		assertThat(this.clients.get().missing()).isEqualTo("question 2");
	}

}
