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

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page for operators in a real browser, in all its states. {@code -Ddocs.write} takes
 * the pictures of docs/dashboard.md.
 */
@NeedsChromium
class DashboardIT extends DashboardScene {

	@Test
	void emptyPageSaysSo() throws IOException {
		open(0, 0);

		assertThat(browser.text("#held")).contains("Nobody holds a lock.").doesNotContain("Lease left");
		assertThat(browser.text("#waits")).contains("Nobody waits, nobody has waited.");
		assertThat(browser.text("#losses")).contains("None.");
		picture("empty", 640, "body");
	}

	@Test
	void thousandLocksAreCountedAndShownOnDemand() throws IOException {
		this.stub.overdue = 2;
		open(1000, 10);
		assertThat(browser.text("#sum-held")).isEqualTo("1,000");
		assertThat(browser.text("#sum-waiting")).isEqualTo("10,000");
		assertThat(browser.text("#more")).contains("25 of 1,000 locks are shown.");
		picture("busy", 900, "body");
		picture("hot", 620, "#waits");
		browser.click("#more button");
		browser.await("document.querySelectorAll('#locks > tr').length === 200");
		browser.click("#more button");
		browser.await("document.querySelectorAll('#locks > tr').length === 1000");

		assertThat(browser.text("#locks")).contains("3 readers", "4 of 5 permits");
		assertThat(browser.text("#losses")).contains("Released by force", "by alice.");
		assertThat(browser.evaluate("document.querySelector('#more').hidden").asBoolean()).isTrue();
		assertThat(browser.evaluate("document.querySelectorAll('#hot svg').length").asInt()).isEqualTo(10);
	}

	@Test
	void screenOfALaptopHasMoreThanTwentyRows() {
		browser.resize(1280, 900, false);
		this.stub.overdue = 2;
		open(1000, 10);

		assertThat(browser
			.evaluate("[...document.querySelectorAll('#locks > tr')]"
					+ ".filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length")
			.asInt()).isGreaterThanOrEqualTo(21);
	}

	@Test
	void whatIsWrongComesFirstAndLeadsToTheLock() {
		this.stub.overdue = 1;
		open(60, 3);
		assertThat(browser.text("#sum-overdue")).isEqualTo("▲ 1");
		assertThat(browser.text("#of-overdue")).isEqualTo("order:0 on web-1");
		assertThat(browser.text("#sum-waiting")).isEqualTo("180");
		assertThat(browser.text("#of-waiting")).contains(" 3, 59 more");
		assertThat(browser.text("#sum-full")).isEqualTo("none");
		assertThat(browser.text("#locks > tr")).contains("order:0", "overdue");
		assertThat(browser.evaluate("document.title").asString()).startsWith("1 overdue, 60 held");

		choose("order", "age");
		browser.await("document.querySelector('#locks > tr').dataset.name === 'order:59'");
		assertThat(browser.evaluate("document.querySelector('[data-name=\"order:0\"]')").isNull())
			.as("beyond the first rows")
			.isTrue();
		browser.click("#of-overdue button");
		browser.await("document.querySelector('.details li')");

		assertThat(browser.text(".details")).contains("Its watchdog should have renewed it by now");
		assertThat(focusedRow()).isEqualTo("order:0");
	}

	@Test
	void limitWithoutAPermitIsFull() {
		this.stub.permitsInUse = 5;
		open(6, 0);

		assertThat(browser.text("#sum-full")).isEqualTo("1");
		assertThat(browser.text("#of-full")).isEqualTo("order:4 5 of 5");
		assertThat(browser.evaluate("document.querySelectorAll('.units .taken').length").asInt()).isEqualTo(5);
	}

	@Test
	void waitsThatGoOnAreHot() {
		open(3, 3);

		assertThat(browser.text("#hot")).contains("57 wait now");
	}

	@Test
	void trendTellsWhetherItGetsWorse() {
		open(6, 3);

		assertThat(browser.text("#trend")).contains("waiting, 186 a moment ago, at most 186",
				"held, 33 a moment ago, at most 36");
		assertThat(browser.evaluate("document.querySelector('#trend .line').getAttribute('d').length").asInt())
			.isGreaterThan(300);
	}

	@Test
	void redisThatIsAwayIsSaidAndNothingCanBeReleased() throws IOException {
		open(6, 3);
		assertThat(browser.text("#sum-state")).isEqualTo("up");
		browser.click("#locks .name");
		browser.await("document.querySelector('.details li')");
		this.stub.status = 503;
		awaitProblem();

		assertThat(browser.text("#problem")).contains("Redis gives no answer", "Connection refused",
				"The list is as of");
		assertThat(browser.text("#sum-state")).isEqualTo("▲ out of service");
		assertThat(browser.text("#of-state")).isEqualTo("unsure of 2 locks");
		assertThat(visibility("#locks .release button")).isEqualTo("hidden");
		picture("redis-down", 1000, "body");
		this.stub.status = 200;
		browser.await("document.querySelector('#problem').hidden");
		assertThat(visibility("#locks .release button")).isEqualTo("visible");
	}

	@Test
	void pageThatIsOpenedWhileRedisIsAwayShowsWhatThisProcessKnows() {
		this.stub.locks = 6;
		this.stub.status = 503;
		browser.open(DashboardStub.PAGE);
		awaitProblem();

		assertThat(browser.text("#held")).contains("Not known.").doesNotContain("Nobody");
		assertThat(browser.text("#losses")).contains("Lease ended", "order:4", "Deadlock");
	}

	@Test
	void forbiddenPageSaysWhoDecides() {
		this.stub.status = 403;
		browser.open(DashboardStub.PAGE);
		awaitProblem();

		assertThat(browser.text("#problem")).contains("You may not see the locks (status 403)");
		assertThat(browser.text("body")).doesNotContain("Held locks");
	}

	@Test
	void applicationThatIsGoneIsSaid() {
		open(6, 3);
		this.stub.status = 0;
		awaitProblem();

		assertThat(browser.text("#problem")).contains("This application does not answer.");
	}

	@Test
	void whatIsNotKnownIsNotDenied() {
		this.stub.statusOfActivity = 503;
		open(0, 0);

		assertThat(browser.text("#waits")).contains("Not known.").doesNotContain("Nobody waits, nobody has waited.");
		assertThat(browser.text("#losses")).contains("Not known.").doesNotContain("None.");
		this.stub.statusOfActivity = 200;
		this.stub.observed = false;
		browser.await("document.querySelector('#losses').innerText.includes('This client is not observed.')");
		assertThat(browser.text("#waits")).contains("This client is not observed.");
	}

	@Test
	void lockThatIsHandedOverKeepsItsRow() {
		open(1, 12);
		browser.click("#locks .name");
		browser.await("document.querySelector('.details li')");
		this.stub.handOvers = 1;
		browser.await("document.querySelector('#locks .who').innerText === 'shop on web-2'");

		assertThat(browser.evaluate("document.activeElement.className").asString()).isEqualTo("name");
		assertThat(browser.text(".details")).contains("They get the lock in this order");
	}

	@Test
	void focusGoesOnToTheNeighbourOfALockThatIsReleased() {
		open(3, 3);
		browser.evaluate("document.querySelector('[data-name=\"order:0\"] .name').focus()");
		this.stub.firstLock = 1;
		browser.await("document.querySelectorAll('#locks > tr').length === 2");

		assertThat(focusedRow()).startsWith("invoice/");
	}

	@Test
	void focusAndSelectionStayWhenARowMoves() {
		open(3, 3);
		browser.evaluate("document.querySelector('[data-name=\"order:0\"] .name').focus()");
		browser.evaluate("getSelection().selectAllChildren(document.querySelector('#self'))");
		this.stub.waitersOfFirst = 5;
		browser.await("document.querySelector('#locks > tr').dataset.name === 'order:0'");

		assertThat(focusedRow()).isEqualTo("order:0");
		assertThat(browser.evaluate("getSelection().toString()").asString()).isEqualTo("shop@web-1/7d3kq0x9ab");
	}

	@Test
	void rowStaysWhereItIsWhileThePointerMoves() {
		open(3, 3);
		browser.evaluate("window.moving = setInterval(() => document.querySelector('#locks')"
				+ ".dispatchEvent(new PointerEvent('pointermove')), 100)");
		this.stub.waitersOfFirst = 5;
		browser.await("document.querySelector('[data-name=\"order:0\"] .waiters').innerText === '8'");

		assertThat(browser.evaluate("document.querySelector('#locks > tr').dataset.name").asString())
			.isEqualTo("order:2");
		browser.evaluate("clearInterval(window.moving)");
		browser.await("document.querySelector('#locks > tr').dataset.name === 'order:0'");
	}

	@Test
	void readersSayHowManyTheyAreAndWhatTheClientHasHadForLonger() {
		open(3, 0);
		browser.click("[data-name='order:2'] .name");

		assertThat(browser.texts(".details .facts dt")).contains("Held by this client for", "Holders");
		assertThat(browser.text(".details .facts")).contains("14 min", "3, of which this is one");
	}

	@Test
	void maskedLocksThatWereAcquiredTogetherAreAllThereAndCannotBeReleased() {
		this.stub.masked = true;
		open(3, 1);

		assertThat(browser.text("#sum-held")).isEqualTo("3");
		assertThat(browser.evaluate("document.querySelectorAll('#locks > tr').length").asInt()).isEqualTo(3);
		assertThat(browser.text("#locks")).doesNotContain("Release");
		browser.click("#locks .name");
		browser.await("document.querySelector('.details').innerText.includes('name of the lock is masked')");
	}

	@Test
	void filtersAreSent() {
		open(6, 3);
		choose("prefix", "order:");
		choose("holder", "web-1");
		choose("fair", "true");
		choose("heldLongerThan", "1m");
		browser.await("document.querySelector('#sum-held').innerText === '6'");

		Map<String, String> expected = Map.of("limit", "1000", "prefix", "order:", "holder", "web-1", "fair", "true",
				"heldLongerThan", "1m");
		Awaitility.await().until(() -> this.stub.questions.contains(expected));
	}

	@Test
	void questionStaysUntilItsAnswerIsThere() {
		this.stub.releaseGate = new CountDownLatch(1);
		open(1, 0);
		release();
		Awaitility.await().until(() -> !this.stub.releases.isEmpty());
		browser.press("Escape", "");

		assertThat(browser.evaluate("document.querySelector('#release').open").asBoolean()).isTrue();
		this.stub.releaseGate.countDown();
		browser.await("!document.querySelector('#release').open");
	}

	private static String focusedRow() {
		return browser.evaluate("document.activeElement.closest('tr').dataset.name").asString();
	}

	@Test
	void queueIsShownInOrder() {
		open(6, 12);
		browser.click("#locks .name");
		browser.await("document.querySelectorAll('.details li').length === 2");

		assertThat(this.stub.questions).extracting((question) -> question.get("name")).contains("order:5");
		assertThat(browser.text(".details")).contains("threads exec-3, exec-7, cron-1", "has lost its place",
				"and 8 more");
		browser.click("#locks .name");
		browser.await("!document.querySelector('.details')");
	}

	@Test
	void releaseNamesTheOwnerAndSendsTheTokenThatWasSeen() throws IOException {
		open(1, 3);
		browser.click("#locks .name");
		browser.click("#locks .release button");
		browser.await("document.querySelector('#release').open");

		assertThat(browser.text("#release")).contains("order:0", "shop on web-1, thread http-nio-8080-exec-1",
				"shop@web-1/7d3kq0x9ab", "1795250756645384", "The owner’s code runs on.");
		assertThat(focused()).as("the safe answer").isEqualTo("keep");
		picture("release", 640, "body");
		assertThat(this.stub.releases).isEmpty();
		browser.click("#force");
		awaitTold("Lock 'order:0' was dealt with");

		assertThat(this.stub.releases).singleElement()
			.satisfies((url) -> assertThat(url.getQuery()).isEqualTo("name=order:0&token=1795250756645384"));
		assertThat(focused()).as("where the row was").isEqualTo("held");
	}

	@Test
	void keyboardOpensAndLeavesTheQuestion() {
		open(1, 0);
		browser.evaluate("document.querySelector('[name=order]').focus()");
		for (int i = 0; i < 2; i++) {
			browser.press("Tab", "");
			browser.press("Enter", "\r");
		}
		browser.await("document.querySelector('#release').open");
		browser.press("Escape", "");
		browser.await("!document.querySelector('#release').open");

		assertThat(browser.evaluate("document.activeElement.ariaLabel").asString())
			.isEqualTo("Release order:0 by force");
		assertThat(this.stub.releases).isEmpty();
	}

	@Test
	void readOnlyEndpointHasNoButtons() {
		this.stub.releasable = false;
		open(6, 3);

		assertThat(browser.text("#read-only")).contains("management.endpoint.locks.access");
		assertThat(browser.text("#locks")).doesNotContain("Release");
	}

	@Test
	void nothingIsWiderThanAPhone() throws IOException {
		browser.resize(360, 740, true);
		browser.prefer("dark");
		open(6, 12);
		browser.click("#locks .name");
		browser.await("document.querySelector('.details li')");

		assertThat(browser.evaluate("document.documentElement.scrollWidth").asInt()).isEqualTo(360);
		assertThat(browser.evaluate("document.querySelector('#choice').open").asBoolean())
			.as("filters on the first screen")
			.isFalse();
		picture("phone", 0, "body");
	}

	@Test
	void filterIsSaidWithWhatItLeaves() {
		open(6, 3);
		assertThat(browser.evaluate("document.title").asString()).isEqualTo("6 held, 18 waiting – Locks");
		assertThat(browser.text("#summary")).doesNotContain("filtered");
		choose("prefix", "order:");
		browser.await("document.querySelector('#summary').innerText.includes('filtered')");

		assertThat(browser.texts("#summary dt")).containsExactly("Renewals overdue filtered",
				"Waiting callers filtered", "Full limits filtered", "Lost, deadlocks", "Held locks filtered",
				"This client");
		assertThat(browser.evaluate("document.title").asString()).isEqualTo("Filtered: 6 held, 18 waiting – Locks");
		choose("prefix", "");
		browser.await("!document.querySelector('#summary').innerText.includes('filtered')");
		assertThat(browser.evaluate("document.title").asString()).isEqualTo("6 held, 18 waiting – Locks");
	}

	@Test
	void queueKeepsTheFocusWhenItChanges() {
		open(1, 12);
		browser.click("#locks .name");
		browser.await("document.querySelector('.details li')");
		browser.evaluate("document.querySelector('.details ol').focus()");
		assertThat(browser.evaluate("document.activeElement.localName").asString()).isEqualTo("ol");
		this.stub.handOvers = 1;
		browser.await("document.querySelector('.details').innerText.includes('1795250756645385')");

		assertThat(browser.evaluate("document.activeElement.localName").asString()).isEqualTo("ol");
	}

	@Test
	void queueThatIsGoneGivesItsFocusToItsButton() {
		open(1, 12);
		browser.click("#locks .name");
		browser.await("document.querySelector('.details li')");
		browser.evaluate("document.querySelector('.details ol').focus()");
		this.stub.statusOfQueue = 404;
		browser.await("document.querySelector('.details').innerText.includes('Nobody holds the lock any more.')");

		assertThat(browser.evaluate("document.activeElement.className").asString()).isEqualTo("name");
	}

	@Test
	void lossesThatMayBeMoreAreSaidToBe() {
		this.stub.incidentLimit = 3;
		open(1, 0);

		assertThat(browser.text("#sum-lost")).isEqualTo("▲ 3+");
		assertThat(browser.text("#of-lost")).startsWith("last ").endsWith(", order:4");
	}

}
