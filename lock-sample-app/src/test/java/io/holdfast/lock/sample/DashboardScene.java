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
import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What tests of the page for operators in a real browser have in common.
 */
abstract class DashboardScene {

	/** How many times as fast as everywhere else time goes by on the page. */
	static final int SPEED = 4;

	static Browser browser;

	DashboardStub stub = new DashboardStub();

	@BeforeAll
	static void launchBrowser() throws IOException, InterruptedException {
		browser = Browser.launch(Browser.findChromium().orElseThrow());
		browser.evaluateFirst("""
				(() => {
					const { setTimeout, setInterval, AbortSignal } = window;
					const start = Date.now();
					const [now, date, timeout] = [performance.now.bind(performance), Date.now, AbortSignal.timeout];
					performance.now = () => now() * %1$d;
					Date.now = () => start + (date() - start) * %1$d;
					AbortSignal.timeout = (millis) => timeout.call(AbortSignal, millis / %1$d);
					window.setTimeout = (task, millis) => setTimeout(task, millis / %1$d);
					window.setInterval = (task, millis) => setInterval(task, millis / %1$d);
				})()""".formatted(SPEED));
	}

	@AfterAll
	static void closeBrowser() {
		browser.close();
	}

	@BeforeEach
	void serve() {
		browser.serve("http://shop.test/*", this.stub);
		browser.resize(1280, 1000, false);
		browser.prefer("light");
	}

	@AfterEach
	void policyAllowsAllThatThePageDoes() {
		assertThat(browser.problems()).isEmpty();
	}

	static void choose(String field, String value) {
		browser.evaluate("""
				(() => {
					const field = document.querySelector("#filter").elements.namedItem("%s");
					field.value = "%s";
					field.dispatchEvent(new Event("input", { bubbles: true }));
				})()""".formatted(field, value));
	}

	void open(int locks, int waitersOfEach) {
		this.stub.locks = locks;
		this.stub.waitersOfEach = waitersOfEach;
		browser.open(DashboardStub.PAGE);
		browser.await("document.querySelector('#updated').innerText");
	}

	static void awaitProblem() {
		browser.await("!document.querySelector('#problem').hidden");
	}

	static void awaitTold(String text) {
		browser.await("document.querySelector('#told').innerText.includes(\"" + text + "\")");
	}

	static void release() {
		browser.click("#locks .name");
		browser.click("#locks .release button");
		browser.click("#force");
	}

	/** The page takes it that so much time has gone by. */
	static void pass(Duration time) {
		browser.evaluate("((now) => { performance.now = () => now() + %d; })(performance.now.bind(performance))"
			.formatted(time.toMillis()));
	}

	static String focused() {
		return browser.evaluate("document.activeElement.id").asString();
	}

	static String visibility(String selector) {
		return browser.evaluate("getComputedStyle(document.querySelector('" + selector + "')).visibility").asString();
	}

	static void picture(String name, int height, String top) throws IOException {
		if (System.getProperty("docs.write") != null) {
			if (height > 0) {
				browser.resize(1280, height, false);
			}
			browser.evaluate("document.querySelector('" + top + "').scrollIntoView()");
			Files.write(Path.of("../docs/images/dashboard-" + name + ".png"), browser.screenshot());
		}
	}

}
