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
import java.nio.file.Files;
import java.nio.file.Path;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page in a real browser. Skipped where there is none.
 */
@NeedsChromium
class PageIT {

	private static final String STOCKTAKING = "tr[data-name=" + Stocktaking.LOCK + "]";

	private static final String CLIENT = "[...document.querySelectorAll('.details .facts div')]"
			+ ".find((each) => each.firstChild.innerText === 'Client')?.lastChild.innerText";

	@TempDir
	static Path directory;

	static Place place;

	/** Whose page it is. In a process of its own, which can be paused. */
	static ShopProcess first;

	static Shop second;

	static Browser browser;

	@BeforeAll
	static void openShops() throws IOException, InterruptedException {
		place = Place.in(directory);
		second = Shop.open(place, "--sample.shelves=300");
		first = ShopProcess.launch(place);
		browser = Browser.launch(Browser.findChromium().orElseThrow());
		first.awaitSignedOn();
		// More names of locks in Redis than one page of the endpoint looks at
		LockClient client = second.bean(LockClient.class);
		for (int i = 0; i < 1000; i++) {
			client.execute("name-" + i, LockOptions.defaults(), (lease) -> lease.token());
		}
	}

	@AfterAll
	static void closeShops() {
		Shop inThisProcess = second;
		ShopProcess launched = first;
		Browser page = browser;
		try (inThisProcess; launched; page) {
			// Each is closed whatever happens to the others, unless it was never opened
		}
		finally {
			place.endRedis();
			place.awaitEndOfCompanion();
		}
	}

	@BeforeEach
	void openPage() {
		browser.resize(1280, 900, false);
		browser.open("http://localhost:" + first.port() + "/");
		browser.await("document.querySelectorAll('#instances li').length === 2");
	}

	@AfterEach
	void pageHasNoProblems() {
		assertThat(browser.problems()).isEmpty();
	}

	@Test
	void oneButtonShowsBothSidesOfTheOneLine() {
		browser.click("#both button");
		browser.await("/^[\\d,]+$/.test(document.querySelector('#with .big').innerText)");

		assertThat(number("#without .big")).isPositive();
		assertThat(number("#with .big")).isZero();
		assertThat(browser.texts("#sales .mode")).containsExactlyInAnyOrder("Without lock", "With lock");
		browser.click("#both button");
		browser.await("document.querySelector('#with .big').innerText === '0'"
				+ " && !document.querySelector('#both button').disabled");
		assertThat(browser.texts("#sales .mode")).as("one result for each button").hasSize(2);
	}

	@Test
	void codeOnThePageIsThatOfTheService() throws IOException {
		String source = Files.readString(Path.of("src/main/java/io/holdfast/lock/sample/OrderService.java"))
			.replaceAll("(?s)\\s*/\\*\\*.*?\\*/", "")
			.replaceAll("\\s+", "");

		assertThat(browser.texts("#proof code")).hasSize(2)
			.allSatisfy((code) -> assertThat(source).contains(code.replaceAll("\\s+", "")));
	}

	@Test
	void saleWithoutLockShowsWhatWasOversold() {
		browser.run("sale", "UNLOCKED");

		int sold = number(".sale .sold");
		assertThat(sold).isGreaterThan(100);
		assertThat(number(".sale .oversold")).isEqualTo(sold - 100);
		assertThat(number(".sale .rejected")).isEqualTo(1000 - sold);
		assertThat(browser.text(".sale .outcome")).contains("never existed");
	}

	@Test
	void saleWithLockOnAllInstancesShowsThatNothingWasOversold() {
		browser.click("#sale [name=everywhere]");
		browser.run("sale", "LOCKED");

		assertThat(number(".sale .orders")).isEqualTo(2000);
		assertThat(number(".sale .sold")).isEqualTo(100);
		assertThat(number(".sale .rejected")).isEqualTo(1900);
		assertThat(number(".sale .oversold")).isZero();
		assertThat(browser.text(".sale .mode")).contains("2 instances");
	}

	@Test
	void saleWithFairLockShowsThatNothingWasOversold() {
		browser.run("sale", "FAIR");

		assertThat(browser.text(".sale .mode")).isEqualTo("With fair lock");
		assertThat(number(".sale .sold")).isEqualTo(100);
		assertThat(number(".sale .oversold")).isZero();
		assertFitsOnPhone();
	}

	@Test
	void paymentsShowWhoWasChargedTwice() {
		browser.run("payment", "UNLOCKED");
		assertThat(number(".payment .twice")).isPositive();
		assertThat(browser.text(".payment .outcome")).endsWith("customers charged twice");

		browser.click("#payment [name=everywhere]");
		browser.run("payment", "LOCKED");
		assertThat(number(".payment .clicks")).isEqualTo(80);
		assertThat(number(".payment .charges")).isEqualTo(20);
		assertThat(browser.text(".payment .outcome")).isEqualTo("everybody charged once");
	}

	@Test
	void parcelsShowHowManyWereRefused() {
		browser.run("parcel", "UNLIMITED");
		int refused = number(".parcel .refused");
		assertThat(refused).isPositive().isEqualTo(100 - number(".parcel .shipped"));
		assertThat(browser.text(".parcel .outcome")).isEqualTo(refused + " parcels refused");

		browser.click("#parcel [name=everywhere]");
		browser.run("parcel", "LIMITED");
		assertThat(number(".parcel .shipped")).isEqualTo(200);
		assertThat(number(".parcel .refused")).isZero();
		assertThat(number(".parcel .most")).isBetween(2, 5);
		assertThat(browser.text(".parcel .outcome")).isEqualTo("all parcels shipped");
		assertFitsOnPhone();
	}

	@Test
	void priceListsShowWhatWasTornAndHowManyReadAtOnce() {
		browser.run("price", "UNLOCKED");
		assertThat(number(".price .torn")).isPositive();
		assertThat(browser.text(".price .outcome")).endsWith("half old, half new");

		browser.run("price", "LOCKED");
		assertThat(number(".price .torn")).isZero();
		assertThat(number(".price .most")).isOne();

		browser.click("#price [name=everywhere]");
		browser.run("price", "READ_LOCKED");
		assertThat(number(".price .reads")).isEqualTo(200);
		assertThat(number(".price .torn")).isZero();
		assertThat(number(".price .most")).isGreaterThan(1);
		assertThat(browser.text(".price .outcome")).isEqualTo("nothing torn");
		assertFitsOnPhone();
	}

	@Test
	void instanceThatWakesUpTooLateIsRefusedWithBothTokens() {
		browser.evaluate("document.querySelector('[name=seconds]').value = 10");
		browser.click("#pause");
		browser.await("document.querySelectorAll('#pause-ledger tr').length === 2");

		String refusal = browser.text("#pause-steps li:last-child");
		assertThat(refusal)
			.matches(":" + first.port() + " woke up and is refused: stale token \\d+, the provider has seen \\d+\\.");
		assertThat(browser.text("#pause-ledger")).contains("charged", "refused: stale token");
		assertFitsOnPhone();
	}

	@Test
	void waitsOfBothLocksAreDrawnForEachInstance() {
		browser.click("#compare button");
		browser.await("document.querySelectorAll('#waits .dots').length === 4");

		assertThat(browser.text("#waits-LOCKED .summary")).contains(":" + first.port(), ":" + second.port());
		assertThat(browser.text("#waits-FAIR .summary")).contains(":" + first.port(), ":" + second.port());
	}

	@Test
	void killNamesAnInstanceThatDoesNotServeThePage() {
		browser.click("#stocktaking");
		browser.await("document.querySelector('#counted').innerText.match(/ by :\\d+(\\. Try|, which)/)");

		assertThat(browser.text("#counted")).containsPattern("(by :" + second.port() + "\\. Try: kill -9 "
				+ ProcessHandle.current().pid() + "|by :" + first.port() + ", which serves this page)$");
	}

	@Test
	void reportShowsWhoWroteItAndWhoSkippedIt() {
		browser.await("document.querySelector('#reports').innerText.includes('skipped it at')");

		assertThat(browser.text("#reports")).contains("wrote it");
	}

	@Test
	void keyboardReachesAndPressesTheButtons() {
		browser.evaluate("document.querySelector('#payment [name=orders]').focus()");
		for (int tabs = 0; tabs < 30 && !focusedValue().equals("LOCKED"); tabs++) {
			browser.press("Tab", "");
		}
		assertThat(focusedValue()).isEqualTo("LOCKED");
		browser.press("Enter", "\r");

		browser.await("document.querySelector('.payment').dataset.state === 'done'");
		assertThat(browser.text(".payment .mode")).isEqualTo("With lock");
	}

	@Test
	void pageOfLocksShowsHolderAndWaiterOfBothInstancesAndReleasesByForce() {
		String other = second.bean(LockClient.class).id();
		browser.click("#stocktaking");
		browser.open(browser.evaluate("document.querySelector('header a').href").asString());
		browser.await("document.querySelector('" + STOCKTAKING + " .waiters:not(:empty)')");
		browser.click(STOCKTAKING + " .name");
		browser.await("document.querySelector('.details li')");

		String holder = browser.evaluate(CLIENT).asString();
		String queue = browser.text(".details ol");
		assertThat(holder + queue).contains(first.awaitSignedOn().client(), other);
		assertThat(queue).doesNotContain(holder);
		awaitFallOfLeaseLeft();
		browser.click(".details .release button");
		browser.await("document.querySelector('#release').open");
		assertThat(browser.text("#release-lock")).contains(Stocktaking.LOCK, holder);
		browser.click("#force");

		browser.await("document.querySelector('#told').innerText.includes('was taken from client " + holder + "')");
		browser.await("![undefined, '" + holder + "'].includes(" + CLIENT + ")");
	}

	private static void assertFitsOnPhone() {
		browser.resize(360, 740, true);

		browser.await("innerWidth === 360");
		assertThat(browser.evaluate("document.documentElement.scrollWidth").asInt()).isEqualTo(360);
	}

	private String focusedValue() {
		return browser.evaluate("document.activeElement.value").asString("");
	}

	/** It rises, too, when the lock is renewed. */
	private void awaitFallOfLeaseLeft() {
		browser.evaluate("longestLeft = 0");
		browser.await("""
				(() => {
					const left = parseFloat(document.querySelector('%s .left').innerText);
					longestLeft = Math.max(longestLeft, left);
					return left < longestLeft;
				})()""".formatted(STOCKTAKING));
	}

	private int number(String selector) {
		return Integer.parseInt(browser.text(selector).replace(",", ""));
	}

}
