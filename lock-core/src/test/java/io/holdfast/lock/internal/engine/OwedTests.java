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

import java.util.concurrent.TimeUnit;

import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Wish;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a release and the question that it crosses leave behind.
 */
class OwedTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private static final Command.Ask QUESTION = question(5 * SECOND);

	private static final Command.Release RELEASE = new Command.Release("lock", "id", 0, null);

	private static final long LATER = 10 * SECOND;

	private final Owed owed = new Context(new Context.Settings(30_000, 10 * SECOND, SECOND, 5 * SECOND, 0, true, 0),
			(name) -> name, () -> "id", () -> 0)
		.owed();

	private static Command.Ask question(long notAfterNanos) {
		return new Command.Ask("lock", "id", Wish.exclusive(false), 30_000, 1, 1, notAfterNanos, "");
	}

	private void owe(long doubtfulUntil, boolean underWay) {
		owe(doubtfulUntil, Context.NEVER, underWay);
	}

	private void owe(long doubtfulUntil, long doubtfulBefore, boolean underWay) {
		this.owed.add(RELEASE, 0, doubtfulUntil, doubtfulBefore, underWay, 0);
	}

	@Test
	void releaseThatIsAnsweredIsNotSentAgain() {
		owe(Context.NEVER, false);

		this.owed.answered("id", 1);

		assertThat(this.owed.size()).isZero();
	}

	@Test
	void releaseBeforeAQuestionThatMayStillRunIsSentAgainAfterIt() {
		owe(5 * SECOND, false);

		this.owed.answered("id", 1);

		assertThat(this.owed.isQuiet()).isFalse();
		assertThat(this.owed.due(5 * SECOND - 1, 10)).isEmpty();
		assertThat(this.owed.due(5 * SECOND, 10)).extracting(Command.Release::id).containsExactly("id");
		this.owed.answered("id", 5 * SECOND);
		assertThat(this.owed.isQuiet()).isTrue();
	}

	@Test
	void releaseThatWasSentBeforeTheQuestionWasAnsweredIsSentAgain() {
		owe(5 * SECOND, true);

		assertThat(this.owed.answered(QUESTION, true, 100)).isEqualTo(RELEASE);
		this.owed.answered("id", 99);

		assertThat(this.owed.isQuiet()).as("its place may be in the queue").isFalse();
		this.owed.answered("id", 101);
		assertThat(this.owed.isQuiet()).isTrue();
	}

	@Test
	void whatAForgottenQuestionBringsIsReleased() {
		assertThat(this.owed.answered(QUESTION, true, 100)).isEqualTo(RELEASE);

		assertThat(this.owed.isQuiet()).isFalse();
		this.owed.answered("id", 101);
		assertThat(this.owed.size()).isZero();
	}

	@Test
	void questionThatBringsNothingIsForgotten() {
		assertThat(this.owed.answered(QUESTION, false, 100)).isNull();

		assertThat(this.owed.size()).isZero();
	}

	@Test
	void questionUnderWayKeepsAClosingClient() {
		owe(5 * SECOND, true);

		this.owed.answered("id", 1);

		assertThat(this.owed.isQuiet()).isFalse();
		this.owed.answered(QUESTION, false, 2);
		assertThat(this.owed.isQuiet()).isTrue();
		assertThat(this.owed.size()).isZero();
	}

	@Test
	void questionWithoutAnswerKeepsAClosingClientAsLongAsItMayRun() {
		owe(5 * SECOND, true);
		this.owed.answered("id", 1);

		this.owed.failed(QUESTION, 2);

		assertThat(this.owed.isQuiet()).isFalse();
		assertThat(this.owed.due(LATER, 10)).hasSize(1);
	}

	@Test
	void whatFailsOnceAsTheClientIsClosedIsWaitedForAndTriedAgain() {
		owe(Context.NEVER, false);
		this.owed.hurry(1);

		this.owed.failed(RELEASE, 2);

		assertThat(this.owed.isQuiet()).isFalse();
		assertThat(this.owed.due(SECOND, 10)).hasSize(1);
		this.owed.failed(RELEASE, SECOND);
		assertThat(this.owed.isQuiet()).as("failed twice").isTrue();
	}

	@Test
	void answerToAnEarlierQuestionLeavesTheLatestInDoubt() {
		owe(5 * SECOND, true);

		this.owed.answered(question(SECOND), false, 1);
		this.owed.answered("id", 2);

		assertThat(this.owed.due(5 * SECOND, 10)).extracting(Command.Release::id).containsExactly("id");
	}

	@Test
	void answerToTheLatestQuestionLeavesAnEarlierOneInDoubt() {
		owe(5 * SECOND, 3 * SECOND, true);

		this.owed.answered(QUESTION, false, 1);
		this.owed.answered("id", 2);

		assertThat(this.owed.due(3 * SECOND - 1, 10)).isEmpty();
		assertThat(this.owed.due(3 * SECOND, 10)).extracting(Command.Release::id).containsExactly("id");
	}

	@Test
	void releaseThatFailedAndIsSentAnewKeepsAClosingClient() {
		owe(5 * SECOND, true);
		this.owed.failed(RELEASE, 1);

		this.owed.answered(QUESTION, true, 2);

		assertThat(this.owed.isQuiet()).isFalse();
		this.owed.answered("id", 3);
		assertThat(this.owed.isQuiet()).isTrue();
	}

}
