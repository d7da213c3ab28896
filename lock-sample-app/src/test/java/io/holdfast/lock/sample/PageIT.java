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
import java.nio.file.Path;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page in a real browser. Skipped where there is none.
 */
@EnabledIf(value = "io.holdfast.lock.sample.Browser#isInstalled",
		disabledReason = "no Chromium on the PATH; name one with -Dchromium.executable=...")
class PageIT {

	@TempDir
	static Path directory;

	static Shop first;

	static Shop second;

	Browser browser;

	@BeforeAll
	static void openShops() {
		Place place = Place.in(directory);
		first = Shop.open(place);
		second = Shop.open(place);
	}

	@AfterAll
	static void closeShops() {
		second.close();
		first.close();
	}

	@BeforeEach
	void openPage() throws IOException, InterruptedException {
		this.browser = Browser.launch(Browser.findChromium().orElseThrow());
		this.browser.resize(1280, 900, false);
		this.browser.open("http://localhost:" + first.port() + "/");
		this.browser.await("document.querySelectorAll('#instances li').length === 2");
	}

	@AfterEach
	void closePage() {
		this.browser.close();
	}

	@Test
	void saleWithoutLockShowsWhatWasOversold() {
		this.browser.click("button[value=UNLOCKED]");
		this.browser.await("document.querySelector('.sale').dataset.state === 'done'");

		int sold = number(".sale .sold");
		assertThat(sold).isGreaterThan(100);
		assertThat(number(".sale .oversold")).isEqualTo(sold - 100);
		assertThat(number(".sale .rejected")).isEqualTo(1000 - sold);
		assertThat(this.browser.text(".sale .outcome")).contains("never existed");
		assertThat(this.browser.problems()).isEmpty();
	}

	@Test
	void saleWithLockOnAllInstancesShowsThatNothingWasOversold() {
		this.browser.click("[name=everywhere]");
		this.browser.click("button[value=LOCKED]");
		this.browser.await("document.querySelector('.sale').dataset.state === 'done'");

		assertThat(number(".sale .orders")).isEqualTo(2000);
		assertThat(number(".sale .sold")).isEqualTo(100);
		assertThat(number(".sale .rejected")).isEqualTo(1900);
		assertThat(number(".sale .oversold")).isZero();
		assertThat(this.browser.text(".sale .mode")).contains("2 instances");
		assertThat(this.browser.problems()).isEmpty();
	}

	@Test
	void saleWithFairLockShowsThatNothingWasOversold() {
		this.browser.click("button[value=FAIR]");
		this.browser.await("document.querySelector('.sale').dataset.state === 'done'");

		assertThat(this.browser.text(".sale .mode")).isEqualTo("With fair lock");
		assertThat(number(".sale .sold")).isEqualTo(100);
		assertThat(number(".sale .rejected")).isEqualTo(900);
		assertThat(number(".sale .oversold")).isZero();
		assertThat(this.browser.problems()).isEmpty();
	}

	@Test
	void locksShowHolderAndWaiterOfBothInstances() {
		this.browser.click("#stocktaking");
		this.browser.await("document.querySelector('.lock .waiters .instance')");

		String holder = this.browser.text(".lock .holder .instance");
		String waiter = this.browser.text(".lock .waiters .instance");
		assertThat(this.browser.text(".lock .name")).isEqualTo(Stocktaking.LOCK);
		assertThat(new String[] { holder, waiter }).containsExactlyInAnyOrder(":" + first.port(), ":" + second.port());
		assertThat(this.browser.text(".lock .left")).matches("[1-5]\\.\\d s left");
		awaitFallOfLeaseLeft();
		assertThat(Long.parseLong(this.browser.text(".lock .token"))).isPositive();
		this.browser.await("document.querySelector('#shelves').value >= 2");
		assertThat(this.browser.text("#counted")).contains("by " + holder);
		assertThat(this.browser.problems()).isEmpty();
	}

	@Test
	void nothingIsWiderThanAPhone() {
		this.browser.click("button[value=LOCKED]");
		this.browser.await("document.querySelector('.sale').dataset.state === 'done'");
		this.browser.resize(360, 740, true);

		this.browser.await("innerWidth === 360");
		assertThat(this.browser.evaluate("document.documentElement.scrollWidth").asInt()).isEqualTo(360);
	}

	/** It rises, too, when the lock is renewed. */
	private void awaitFallOfLeaseLeft() {
		this.browser.evaluate("longestLeft = 0");
		this.browser.await("""
				(() => {
					const left = parseFloat(document.querySelector('.lock .left').innerText);
					longestLeft = Math.max(longestLeft, left);
					return left < longestLeft;
				})()""");
	}

	private int number(String selector) {
		return Integer.parseInt(this.browser.text(selector).replace(",", ""));
	}

}
