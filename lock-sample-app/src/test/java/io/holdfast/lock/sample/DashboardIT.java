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
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page for operators in a real browser, in all its states. {@code -Ddocs.write} takes
 * the pictures of docs/dashboard.md.
 */
class DashboardIT extends DashboardScene {

	@Test
	void emptyPageSaysSo() throws IOException {
		open(0, 0);

		assertThat(browser.text("#held")).contains("Nobody holds a lock.").doesNotContain("Lease left");
		assertThat(browser.text("#waits")).contains("Nobody has waited.");
		assertThat(browser.text("#losses")).contains("None.");
		picture("empty", 640, "body");
	}

	@Test
	void thousandLocksAreShownOnDemand() throws IOException {
		open(1000, 10);
		assertThat(browser.text("#sum-held")).isEqualTo("200+");
		browser.click("#more button");
		browser.await("document.querySelectorAll('#locks > tr').length === 1000");

		assertThat(browser.text("#sum-held")).isEqualTo("1,000");
		assertThat(browser.text("#sum-waiting")).isEqualTo("10,000");
		assertThat(browser.evaluate("document.querySelector('#more').hidden").asBoolean()).isTrue();
		assertThat(browser.evaluate("document.querySelectorAll('#hot svg').length").asInt()).isEqualTo(10);
		assertThat(browser.text("#others")).contains("shop@web-6/7d3kq0x9ab").doesNotContain("not known");
		picture("busy", 1000, "body");
		picture("hot", 620, "#waits");
	}

	@Test
	void redisThatIsAwayIsSaidAndNothingCanBeReleased() throws IOException {
		open(6, 3);
		assertThat(browser.text("#sum-state")).isEqualTo("up");
		this.stub.status = 503;
		browser.await("!document.querySelector('#problem').hidden");

		assertThat(browser.text("#problem")).contains("Redis gives no answer", "Connection refused",
				"The list is as of");
		assertThat(browser.text("#sum-state")).endsWith("out of service");
		assertThat(browser.text("#others")).contains("2 late", "no message for 42 s");
		assertThat(visibility("#locks .action button")).isEqualTo("hidden");
		picture("redis-down", 1000, "body");
		this.stub.status = 200;
		browser.await("document.querySelector('#problem').hidden");
		assertThat(visibility("#locks .action button")).isEqualTo("visible");
	}

	@Test
	void pageThatIsOpenedWhileRedisIsAwayShowsWhatThisProcessKnows() {
		this.stub.locks = 6;
		this.stub.status = 503;
		browser.open(DashboardStub.PAGE);
		browser.await("!document.querySelector('#problem').hidden");

		assertThat(browser.text("#held")).contains("Not known.").doesNotContain("Nobody");
		assertThat(browser.text("#losses")).contains("Lease ended", "order:4", "Deadlock");
		assertThat(browser.text("#others")).contains("2 late");
	}

	@Test
	void forbiddenPageSaysWhoDecides() {
		this.stub.status = 403;
		browser.open(DashboardStub.PAGE);
		browser.await("!document.querySelector('#problem').hidden");

		assertThat(browser.text("#problem")).contains("You may not see the locks (status 403)");
		assertThat(browser.text("body")).doesNotContain("Held locks");
	}

	@Test
	void applicationThatIsGoneIsSaid() {
		open(6, 3);
		this.stub.status = 0;
		browser.await("!document.querySelector('#problem').hidden");

		assertThat(browser.text("#problem")).contains("This application does not answer.");
	}

	@Test
	void whatIsNotKnownIsNotDenied() {
		this.stub.statusOfActivity = 503;
		open(0, 0);

		assertThat(browser.text("#waits")).contains("Not known.").doesNotContain("Nobody has waited.");
		assertThat(browser.text("#losses")).contains("Not known.").doesNotContain("None.");
		this.stub.statusOfActivity = 200;
		this.stub.observed = false;
		browser.await("document.querySelector('#losses').innerText.includes('This client is not observed.')");
		assertThat(browser.text("#waits")).contains("This client is not observed.");
	}

	@Test
	void lockThatIsHandedOverKeepsItsRow() {
		open(1, 12);
		browser.click("#locks .waiters");
		browser.await("document.querySelector('.queue li')");
		this.stub.handOvers = 1;
		browser.await("document.querySelector('#locks .who').innerText === 'shop on web-2'");

		assertThat(browser.evaluate("document.activeElement.className").asString()).isEqualTo("waiters");
		assertThat(browser.text(".queue")).contains("They get the lock in this order");
	}

	@Test
	void focusGoesOnToTheNeighbourOfALockThatIsReleased() {
		open(3, 3);
		browser.evaluate("document.querySelector('[data-name=\"order:0\"] .waiters').focus()");
		this.stub.firstLock = 1;
		browser.await("document.querySelectorAll('#locks > tr').length === 2");

		assertThat(browser.evaluate("document.activeElement.ariaLabel").asString()).contains("waiting for invoice/");
	}

	@Test
	void focusAndSelectionStayWhenARowMoves() {
		open(3, 3);
		browser.evaluate("document.querySelector('[data-name=\"order:0\"] .waiters').focus()");
		browser.evaluate("getSelection().selectAllChildren(document.querySelector('#others tbody code'))");
		this.stub.waitersOfFirst = 5;
		choose("order", "waiters");
		browser.await("document.querySelector('#locks > tr').dataset.name === 'order:0'");

		assertThat(browser.evaluate("document.activeElement.ariaLabel").asString()).contains("waiting for order:0");
		assertThat(browser.evaluate("getSelection().toString()").asString()).isEqualTo("shop@web-1/7d3kq0x9ab");
	}

	@Test
	void maskedLocksThatWereAcquiredTogetherAreAllThereAndCannotBeReleased() {
		this.stub.masked = true;
		open(3, 1);

		assertThat(browser.text("#sum-held")).isEqualTo("3");
		assertThat(browser.evaluate("document.querySelectorAll('#locks > tr').length").asInt()).isEqualTo(3);
		assertThat(browser.text("#locks")).doesNotContain("Release");
		browser.click("#locks .waiters");
		browser.await("document.querySelector('.queue').innerText.includes('name of the lock is masked')");
	}

	@Test
	void clientsForWhomSomebodyMayHaveToDoSomethingComeFirst() throws IOException {
		this.stub.others = Map.of("web-2", DashboardStub.client("UP", 1, 0, "PT0S", 0), "web-3",
				DashboardStub.client("RENEWALS_LATE", 3, 2, "PT6.5S", 4), "web-4",
				Map.of("status", "SILENT", "held", 0, "overdueRenewals", 0));
		open(6, 3);
		browser.await("document.querySelector('#clients').innerText.includes('not subscribed')");

		assertThat(texts("#clients code")).containsExactly("shop@web-6/7d3kq0x9ab", "shop@web-4/7d3kq0x9ab",
				"shop@web-3/7d3kq0x9ab", "shop@web-1/7d3kq0x9ab", "shop@web-2/7d3kq0x9ab");
		assertThat(texts("#clients .bad")).satisfiesExactly(
				(absent) -> assertThat(absent).startsWith("▲ not subscribed").contains("end with their leases"),
				(silent) -> assertThat(silent).startsWith("▲ does not answer"),
				(late) -> assertThat(late).startsWith("▲ renewals late"));
		assertThat(browser.text("#clients tr:nth-child(3)")).contains("shop on web-3", "2 late by 6.5 s",
				"made again 4 times");
		assertThat(browser.text("#clients tr:nth-child(4)")).contains("this process", "in time");
		assertThat(browser.text("#clients tr:nth-child(2)")).as("what is not known")
			.doesNotContain("in time", "made again");
		picture("clients", 620, "#others");
	}

	@Test
	void clientsThatAreNotKnownAreNotBlamed() {
		this.stub.others = Map.of();
		this.stub.missing = "Redis does not say which clients are subscribed (REFUSED: <b>NOPERM</b>)";
		open(6, 3);
		browser.await("document.querySelector('#clients-note').innerText.includes('NOPERM')");

		assertThat(browser.text("#clients-note")).startsWith(
				"There may be others: Redis does not say which clients are subscribed (REFUSED: <b>NOPERM</b>).");
		assertThat(browser.text("#clients")).contains("not known").doesNotContain("not subscribed");
	}

	@Test
	void clientsThatCameWhileNobodyLookedAreNotBlamed() {
		this.stub.others = Map.of();
		open(1, 0);
		browser.await("document.querySelector('#clients-note').innerText.startsWith('All subscribed clients')");
		browser.click("#pause");
		this.stub.others = DashboardStub.healthy("web-3", "web-4", "web-6");
		this.stub.locks = 5;
		this.stub.clientsGate = new CountDownLatch(1);
		pass(Duration.ofHours(1));
		browser.click("#pause");
		browser.await("document.querySelectorAll('#clients tr').length === 4");

		assertThat(texts("#clients tr td:nth-child(2)")).containsExactly("up", "not known yet", "not known yet",
				"not known yet");
		this.stub.clientsGate.countDown();
		browser.await("!document.querySelector('#clients').innerText.includes('not known')");
		assertThat(texts("#clients tr td:nth-child(2)")).containsExactly("up", "up", "up", "up");
	}

	@Test
	void clientsThatLeftWhileTheListIsStaleAreNotBlamed() {
		open(5, 0);
		browser.await("document.querySelectorAll('#clients tr').length === 6");
		this.stub.status = 503;
		browser.await("!document.querySelector('#problem').hidden");
		this.stub.others = Map.of();
		browser.await("document.querySelectorAll('#clients tr').length === 4");

		assertThat(texts("#clients tr td:nth-child(2)")).containsExactly("▲ out of service", "not known yet",
				"not known yet", "not known yet");
	}

	@Test
	void clientThatIsBeingClosedIsNotBlamed() {
		open(2, 0);
		browser.await("document.querySelectorAll('#clients tr').length === 6");
		this.stub.clientsGate = new CountDownLatch(1);
		int questions = this.stub.questionsForClients.get();
		Awaitility.await().until(() -> this.stub.questionsForClients.get() > questions);
		browser.click("#pause");
		this.stub.others = Map.of();
		this.stub.clientsGate.countDown();
		browser.await("document.querySelectorAll('#clients tr').length === 2");

		assertThat(texts("#clients tr td:nth-child(2)")).as("of an older list of locks")
			.containsExactly("up", "not known yet");
		browser.click("#pause");
		browser.await("document.querySelector('#clients').innerText.includes('not subscribed')");
	}

	@Test
	void clientThatIsGoneIsSaidToBeSoWithoutABreak() {
		this.stub.others = Map.of();
		open(2, 0);
		browser.await("document.querySelector('#clients').innerText.includes('not subscribed')");
		browser.evaluate("""
				(() => {
					const clients = document.querySelector("#clients");
					window.said = [];
					const watched = { childList: true, subtree: true };
					new MutationObserver(() => window.said.push(clients.innerText)).observe(clients, watched);
				})()""");
		int questions = this.stub.questionsForClients.get();
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.stub.questionsForClients.get() >= questions + 2);
		browser.await("document.querySelector('#clients').innerText.includes('not subscribed')");

		assertThat(browser.evaluate("window.said.filter((text) => text.includes('not known')).length").asInt())
			.isZero();
	}

	@Test
	void clientsOfAnotherReplicaAreListedOnce() {
		this.stub.hostOfClients = "web-3";
		open(5, 0);
		browser.await("document.querySelectorAll('#clients tr').length > 4");

		assertThat(texts("#clients code")).hasSize(6).doesNotHaveDuplicates();
		assertThat(texts("#clients .tag")).hasSize(1);
		assertThat(browser.text("#clients tr:first-child")).contains("shop@web-1/7d3kq0x9ab", "this process");
		assertThat(texts("#clients tr td:nth-child(2)")).containsOnly("up");
	}

	@Test
	void clientsAreShownThoughTheStateOfThisProcessIsNotKnown() {
		this.stub.statusOfActivity = 500;
		open(5, 0);
		browser.await("document.querySelector('#clients-note').innerText !== 'Looking …'");
		browser.await("document.querySelectorAll('#clients tr').length === 6");

		assertThat(texts("#clients tr td:nth-child(2)")).containsOnly("up");
		assertThat(browser.text("#clients tr:first-child")).contains("shop on web-1", "this process");
	}

	@Test
	void clientsOfWhichNothingIsKnownAreNotLookedForForEver() {
		this.stub.statusOfActivity = 500;
		this.stub.statusOfClients = 500;
		open(5, 0);
		browser.await("document.querySelector('#clients-note').innerText !== 'Looking …'");

		assertThat(browser.text("#clients-note")).isEqualTo("How other clients are is not known.");
		assertThat(texts("#clients tr td:nth-child(2)")).containsOnly("not known yet");
	}

	@Test
	void manyLocksOfOneClientAreNoWork() {
		open(0, 0);
		JsonNode drawn = browser.evaluate("""
				(async () => {
					const { showClients } = await import(new URL("lockdashboard/clients.js", location));
					const own = { id: "shop@web-1/7d3kq0x9ab", status: "UP", held: 0, overdueRenewals: 0 };
					const holder = { client: "shop@web-9/0wtnp0evre", application: "shop", host: "web-9" };
					const locks = Array(100_000).fill({ holder, age: "PT1S", leaseLeft: "PT20S" });
					const start = performance.now();
					showClients(own, null, locks, start);
					const millis = performance.now() - start;
					return { millis, text: document.querySelector("#clients").innerText };
				})()""");

		assertThat(drawn.get("text").asString()).contains("100,000");
		assertThat(drawn.get("millis").asDouble()).isLessThan(2000);
	}

	@Test
	void lossesThatMayBeMoreAreSaidToBe() {
		this.stub.incidentLimit = 3;
		open(1, 0);

		assertThat(browser.text("#sum-lost")).startsWith("▲ 3+, last");
	}

	@Test
	void clientsAreAskedEveryFiveSecondsAtMost() {
		open(1, 0);
		browser.await("document.querySelectorAll('#clients tr').length > 1");
		this.stub.others = Map.of();
		browser.evaluate("new Promise((resolve) => setTimeout(resolve, 3000))");
		assertThat(browser.evaluate("document.querySelectorAll('#clients tr').length").asInt()).isEqualTo(6);
		browser.await("document.querySelectorAll('#clients tr').length === 1");
	}

	@Test
	void filtersAreSent() {
		open(6, 3);
		choose("prefix", "order:");
		choose("holder", "web-1");
		choose("type", "fair");
		choose("heldLongerThan", "1m");
		browser.await("document.querySelector('#sum-held').innerText === '6'");

		Map<String, String> expected = Map.of("limit", "200", "prefix", "order:", "holder", "web-1", "type", "fair",
				"heldLongerThan", "1m");
		Awaitility.await().until(() -> this.stub.questions.contains(expected));
	}

	@Test
	void nothingIsAskedWhilePausedOrHiddenOrSignedOut() {
		open(1, 0);
		browser.click("#pause");
		assertSilent();
		browser.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
		browser.click("#pause");
		assertSilent();
		this.stub.locks = 2;
		browser.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))");
		browser.await("document.querySelector('#sum-held').innerText === '2'");
		this.stub.status = 401;
		browser.await("document.querySelector('#problem').innerText.includes('not signed in')");
		assertSilent();
	}

	/** For longer than it takes until the next question. */
	private void assertSilent() {
		browser.evaluate("new Promise((resolve) => setTimeout(resolve, 500))");
		int questions = this.stub.questions.size();
		browser.evaluate("new Promise((resolve) => setTimeout(resolve, 3000))");
		assertThat(this.stub.questions).hasSize(questions);
	}

	@Test
	void questionStaysUntilItsAnswerIsThere() {
		this.stub.releaseGate = new CountDownLatch(1);
		open(1, 0);
		browser.click("#locks .action button");
		browser.click("#force");
		Awaitility.await().until(() -> !this.stub.releases.isEmpty());
		browser.press("Escape", "");

		assertThat(browser.evaluate("document.querySelector('#release').open").asBoolean()).isTrue();
		this.stub.releaseGate.countDown();
		browser.await("!document.querySelector('#release').open");
	}

	@Test
	void queueIsShownInOrder() {
		open(6, 12);
		browser.click("#locks .waiters");
		browser.await("document.querySelectorAll('.queue li').length === 2");

		assertThat(this.stub.questions).extracting((question) -> question.get("name")).contains("order:5");
		assertThat(browser.text(".queue")).contains("threads exec-3, exec-7, cron-1", "has lost its place",
				"and 8 more");
		browser.click("#locks .waiters");
		browser.await("!document.querySelector('.queue')");
	}

	@Test
	void releaseNamesTheOwnerAndSendsTheTokenThatWasSeen() throws IOException {
		open(1, 3);
		browser.click("#locks .action button");
		browser.await("document.querySelector('#release').open");

		assertThat(browser.text("#release")).contains("order:0", "shop on web-1, thread http-nio-8080-exec-1",
				"shop@web-1/7d3kq0x9ab", "1795250756645384", "The owner’s code runs on.");
		assertThat(focused()).as("the safe answer").isEqualTo("keep");
		picture("release", 640, "body");
		assertThat(this.stub.releases).isEmpty();
		browser.click("#force");
		browser.await("document.querySelector('#told').innerText === \"Lock 'order:0' was dealt with\"");

		assertThat(this.stub.releases).singleElement()
			.satisfies((url) -> assertThat(url.getQuery()).isEqualTo("name=order:0&token=1795250756645384"));
		assertThat(focused()).as("where the row was").isEqualTo("held");
	}

	@Test
	void keyboardOpensAndLeavesTheQuestion() {
		open(1, 0);
		browser.evaluate("document.querySelector('[name=order]').focus()");
		browser.press("Tab", "");
		browser.press("Enter", "\r");
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
		browser.click("#locks .waiters");
		browser.await("document.querySelector('.queue li')");

		assertThat(browser.evaluate("document.documentElement.scrollWidth").asInt()).isEqualTo(360);
		picture("phone", 0, "#locks");
	}

	@Test
	void filterIsSaidWithWhatItLeaves() {
		open(6, 3);
		assertThat(browser.evaluate("document.title").asString()).isEqualTo("6 held, 18 waiting – Locks");
		assertThat(browser.text("#summary")).doesNotContain("filtered");
		choose("prefix", "order:");
		browser.await("document.querySelector('#summary').innerText.includes('filtered')");

		assertThat(texts("#summary dt")).containsExactly("Held locks filtered", "Waiting callers filtered",
				"Held longest filtered", "Lost, deadlocks", "This client");
		assertThat(browser.evaluate("document.title").asString()).isEqualTo("Filtered: 6 held, 18 waiting – Locks");
		choose("prefix", "");
		browser.await("!document.querySelector('#summary').innerText.includes('filtered')");
		assertThat(browser.evaluate("document.title").asString()).isEqualTo("6 held, 18 waiting – Locks");
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
		browser.await("!document.querySelector('#problem').hidden");

		assertTimesStandStill();
	}

	/** At what they were at the last look. */
	private void assertTimesStandStill() {
		browser.evaluate("new Promise((resolve) => setTimeout(resolve, 3500))");

		assertThat(texts("#locks .left")).containsExactly("21 s");
		assertThat(texts("#locks .age")).containsExactly("41 s");
	}

	@Test
	void timesGoOnBetweenTwoLooksUntilTheyAreTooOld() {
		open(1, 0);
		this.stub.listMillis = 9_500;
		browser.await("['17 s', '16 s'].includes(document.querySelector('#locks .left').innerText)");
		String lookedAt = browser.text("#updated");
		assertThat(browser.text("#locks .age")).isIn("45 s", "46 s");

		browser.await("document.querySelector('#locks .left').innerText === '21 s'");
		assertThat(browser.text("#updated")).isEqualTo(lookedAt);
		assertThat(browser.text("#locks .age")).isEqualTo("41 s");
	}

	@Test
	void listThatTakesLongIsAskedForLessOften() {
		this.stub.listMillis = 400;
		open(1, 0);
		int questions = this.stub.questions.size();
		browser.evaluate("new Promise((resolve) => setTimeout(resolve, 6000))");

		assertThat(this.stub.questions).hasSize(questions);
	}

	@Test
	void listThatHangsDoesNotHoldUpTheRest() {
		open(1, 0);
		browser.await("document.querySelectorAll('#clients tr').length === 6");
		this.stub.listMillis = 9_500;
		int questions = this.stub.questions.size();
		Awaitility.await().until(() -> this.stub.questions.size() > questions);
		this.stub.incidentLimit = 3;
		this.stub.others = Map.of();
		browser.await("document.querySelector('#sum-lost').innerText.includes('3+')");
		browser.await("document.querySelector('#clients').rows.length === 1");

		assertThat(this.stub.questions).hasSize(questions + 1);
	}

	@Test
	void listThatFailedIsAskedForAgainSoon() {
		open(1, 0);
		this.stub.status = 503;
		this.stub.listMillis = 2_000;
		int questions = this.stub.questions.size();
		Awaitility.await().until(() -> this.stub.questions.size() > questions);
		pass(Duration.ofMinutes(2));
		browser.await("!document.querySelector('#problem').hidden");
		this.stub.status = 200;
		pass(Duration.ofSeconds(30));

		browser.await("document.querySelector('#problem').hidden");
	}

	@Test
	void queueKeepsTheFocusWhenItChanges() {
		open(1, 12);
		browser.click("#locks .waiters");
		browser.await("document.querySelector('.queue li')");
		browser.evaluate("document.querySelector('.queue ol').focus()");
		assertThat(browser.evaluate("document.activeElement.localName").asString()).isEqualTo("ol");
		this.stub.handOvers = 1;
		browser.await("document.querySelector('.queue').innerText.includes('1795250756645385')");

		assertThat(browser.evaluate("document.activeElement.localName").asString()).isEqualTo("ol");
	}

	@Test
	void queueThatIsGoneGivesItsFocusToItsButton() {
		open(1, 12);
		browser.click("#locks .waiters");
		browser.await("document.querySelector('.queue li')");
		browser.evaluate("document.querySelector('.queue ol').focus()");
		this.stub.statusOfQueue = 404;
		browser.await("document.querySelector('.queue').innerText.includes('Nobody holds the lock any more.')");

		assertThat(browser.evaluate("document.activeElement.className").asString()).isEqualTo("waiters");
	}

	@Test
	void whatStaysAsItIsIsNotWrittenAgain() {
		this.stub.locks = 1;
		this.stub.status = 503;
		browser.open(DashboardStub.PAGE);
		browser.await("!document.querySelector('#problem').hidden");
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
		Awaitility.await().until(() -> this.stub.questions.size() >= questions + 2);

		assertThat(browser.text("#sum-state")).isEqualTo("▲ out of service");
		assertThat(browser.evaluate("window.written.join()").asString()).isEmpty();
	}

}
