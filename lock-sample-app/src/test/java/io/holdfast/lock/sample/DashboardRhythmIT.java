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

package io.holdfast.lock.sample;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When the page for operators asks, and how old what it shows is.
 */
@NeedsChromium
class DashboardRhythmIT extends DashboardScene {

	@Test
	void nothingIsAskedWhilePausedOrHiddenOrSignedOut() {
		open(1, 0);
		browser.click("#pause");
		assertSilent();
		hide();
		browser.click("#pause");
		assertSilent();
		this.stub.locks = 2;
		show();
		browser.await("document.querySelector('#sum-held').innerText === '2'");
		this.stub.status = 401;
		browser.await("document.querySelector('#problem').innerText.includes('not signed in')");
		assertSilent();
	}

	private void assertSilent() {
		// What was asked before arrives
		browser.evaluate("new Promise((resolve) => setTimeout(resolve, 2000))");
		int questions = this.stub.questions.size();
		browser.evaluate("new Promise((resolve) => setTimeout(resolve, 3000))");
		assertThat(this.stub.questions).hasSize(questions);
	}

	@Test
	void leasesStandStillWhilePaused() {
		open(1, 0);
		browser.click("#pause");

		assertThat(browser.text("#updated")).startsWith("paused, as of");
		assertTimesStandStill();
		browser.click("#pause");
		browser.await("document.querySelector('#updated').innerText.startsWith('as of')");
	}

	@Test
	void leasesStandStillWhileTheListIsStale() {
		open(1, 0);
		this.stub.status = 503;
		awaitProblem();

		assertTimesStandStill();
	}

	private void assertTimesStandStill() {
		browser.evaluate("new Promise((resolve) => setTimeout(resolve, 3500))");

		assertThat(browser.texts("#locks .left")).containsExactly("21 s");
		assertThat(browser.texts("#locks .age")).containsExactly("41 s");
	}

	@Test
	void timesGoOnBetweenTwoLooksUntilTheyAreTooOld() {
		open(1, 0);
		this.stub.listMillis = 9_500;
		browser.evaluate("""
				(() => {
					window.times = [];
					const text = (selector) => document.querySelector(selector).innerText;
					const seconds = (selector) => parseInt(text(selector));
					const note = () => times.push({
						left: seconds("#locks .left"), age: seconds("#locks .age"), look: text("#updated")
					});
					const watched = { childList: true, characterData: true, subtree: true };
					new MutationObserver(note).observe(document.querySelector("#locks"), watched);
				})()""");
		browser.await("""
				times.some((end, i) => end.left === 21
					&& times.slice(0, i).some(({ left, look }) => left <= 17 && look === end.look))""");

		assertThat(browser.evaluate("times.every(({ left, age }) => [61, 62].includes(left + age))").asBoolean())
			.isTrue();
	}

	@Test
	void listThatTakesLongIsAskedForLessOften() {
		this.stub.listMillis = 800;
		open(1, 0);
		int questions = this.stub.questions.size();
		browser.evaluate("new Promise((resolve) => setTimeout(resolve, 6000))");

		assertThat(this.stub.questions).hasSize(questions);
	}

	@Test
	void listThatHangsDoesNotHoldUpTheRest() {
		open(1, 0);
		this.stub.listMillis = 9_500;
		int questions = this.stub.questions.size();
		awaitQuestions(questions + 1);
		this.stub.incidentLimit = 3;
		browser.await("document.querySelector('#sum-lost').innerText.includes('3+')");

		assertThat(this.stub.questions).hasSize(questions + 1);
	}

	@Test
	void listThatFailedIsAskedForAgainSoon() {
		open(1, 0);
		this.stub.status = 503;
		this.stub.listMillis = 2_000;
		int questions = this.stub.questions.size();
		awaitQuestions(questions + 1);
		pass(Duration.ofMinutes(2));
		awaitProblem();
		this.stub.status = 200;
		pass(Duration.ofSeconds(30));

		browser.await("document.querySelector('#problem').hidden");
	}

	@Test
	void whatStaysAsItIsIsNotWrittenAgain() {
		this.stub.locks = 1;
		this.stub.status = 503;
		browser.open(DashboardStub.PAGE);
		awaitProblem();
		browser.evaluate("""
				(() => {
					window.written = [];
					const note = (changes) => window.written.push(...changes.map(({ target }) => target.id));
					const watched = { childList: true, characterData: true, subtree: true };
					for (const id of ["problem", "told", "sum-lost", "sum-state"]) {
						new MutationObserver(note).observe(document.getElementById(id), watched);
					}
				})()""");
		int questions = this.stub.questions.size();
		awaitQuestions(questions + 2);

		assertThat(browser.text("#sum-state")).isEqualTo("▲ out of service");
		assertThat(browser.evaluate("window.written.join()").asString()).isEmpty();
	}

	@Test
	void whoComesBackSeesWhatIsNowThoughTheListRests() {
		this.stub.listMillis = 2_500;
		open(1, 0);
		this.stub.listMillis = 0;
		this.stub.locks = 2;
		hide();
		show();

		browser.await("document.querySelector('#sum-held').innerText === '2'");
	}

	@Test
	void listThatWasWantedWhileNobodyLookedIsAskedForThen() {
		open(1, 0);
		browser.click("#pause");
		this.stub.releaseGate = new CountDownLatch(1);
		release();
		Awaitility.await().until(() -> !this.stub.releases.isEmpty());
		hide();
		this.stub.locks = 2;
		this.stub.releaseGate.countDown();
		browser.await("!document.querySelector('#release').open");
		show();

		browser.await("document.querySelector('#sum-held').innerText === '2'");
	}

	@Test
	void signOutIsSeenThoughTheListHasFailedBefore() {
		open(1, 0);
		this.stub.status = 503;
		awaitProblem();
		this.stub.statusOfActivity = 401;
		browser.await("document.querySelector('#problem').innerText.includes('not signed in')");

		assertSilent();
	}

	/**
	 * Waits for questions, however long the page rests between two: the busier the
	 * machine, the longer.
	 */
	private void awaitQuestions(int count) {
		Awaitility.await().until(() -> {
			pass(Duration.ofMinutes(1));
			return this.stub.questions.size() >= count;
		});
	}

	private static void hide() {
		browser.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
	}

	private static void show() {
		browser.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))");
	}

}
