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
 * What the page for operators says of clients, and that it blames none that is well.
 */
class DashboardClientsIT extends DashboardScene {

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
	void clientThatIsGoneIsSaidToBeSoWhileTheListRests() {
		this.stub.others = Map.of();
		open(2, 0);
		browser.await("document.querySelector('#clients').innerText.includes('not subscribed')");
		this.stub.status = 503;
		browser.await("!document.querySelector('#problem').hidden");
		pass(Duration.ofSeconds(15));
		int questions = this.stub.questionsForClients.get();
		Awaitility.await().until(() -> this.stub.questionsForClients.get() >= questions + 2);

		assertThat(texts("#clients tr td:nth-child(2)")).first().asString().startsWith("▲ not subscribed");
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

}
