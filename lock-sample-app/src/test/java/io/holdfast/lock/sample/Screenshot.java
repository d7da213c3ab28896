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

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Takes the picture for the README, of two instances that run already.
 */
public final class Screenshot {

	private Screenshot() {
	}

	/**
	 * Shows all that the page has to show and takes the picture at its end.
	 * @param arguments the page's address, the file to write, {@code light} or
	 * {@code dark}, width and height
	 */
	public static void main(String[] arguments) throws Exception {
		int width = Integer.parseInt(arguments[3]);
		try (Browser browser = Browser.launch(Browser.findChromium().orElseThrow())) {
			browser.prefer(arguments[2]);
			browser.resize(width, Integer.parseInt(arguments[4]), width < 600);
			browser.open(arguments[0]);
			browser.await("document.querySelectorAll('#instances li').length === 2");
			browser.click("#both button");
			browser.await("document.querySelector('#with .big').innerText === '0'");
			browser.click("#payment [name=everywhere]");
			browser.run("payment", "UNLOCKED");
			browser.run("payment", "LOCKED");
			browser.run("parcel", "UNLIMITED");
			browser.run("parcel", "LIMITED");
			browser.run("price", "UNLOCKED");
			browser.run("price", "LOCKED");
			browser.run("price", "READ_LOCKED");
			browser.click("#compare button");
			browser.await("document.querySelectorAll('#waits .dots').length === 4");
			browser.click("#pause-form button");
			browser.await("document.querySelectorAll('#pause-ledger tr').length === 2");
			browser.click("#stocktaking");
			browser.await("document.querySelector('#shelves').value >= 2");
			browser.await("document.querySelector('#reports').innerText.includes('skipped it at')");
			browser.evaluate("scrollTo(0, 0)");
			Files.write(Path.of(arguments[1]), browser.screenshot());
		}
	}

}
