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

package io.holdfast.lock.sample.companion;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;

/**
 * Counts the instances that are connected. Each instance makes one request that is
 * answered for as long as the instance lives. If it is killed its connection ends with
 * it; if it is only paused its connection stays.
 */
class Presence implements HttpHandler {

	/** For the one that has started this process. */
	private static final Duration FIRST_WAIT = Duration.ofSeconds(30);

	private static final Duration PULSE = Duration.ofMillis(200);

	private final CountDownLatch firstCame = new CountDownLatch(1);

	private final CountDownLatch lastLeft = new CountDownLatch(1);

	private int present;

	private boolean over;

	@Override
	public void handle(HttpExchange exchange) throws IOException {
		try (exchange) {
			exchange.getResponseHeaders().set("Companion", "holdfast-sample");
			if (!enter()) {
				exchange.sendResponseHeaders(503, -1);
				return;
			}
			try {
				exchange.sendResponseHeaders(200, 0);
				writeUntilItIsGone(exchange.getResponseBody());
			}
			finally {
				leave();
			}
		}
	}

	private static void writeUntilItIsGone(OutputStream pulse) throws IOException {
		try {
			while (true) {
				pulse.write('\n');
				pulse.flush();
				Thread.sleep(PULSE.toMillis());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private synchronized boolean enter() {
		if (this.over) {
			return false;
		}
		this.present++;
		this.firstCame.countDown();
		return true;
	}

	private synchronized void leave() {
		this.present--;
		if (this.present == 0) {
			this.over = true;
			this.lastLeft.countDown();
		}
	}

	private synchronized boolean endIfNobodyCame() {
		this.over = this.present == 0;
		return this.over;
	}

	/** Waits until the last one has left. Nobody can come after that. */
	void awaitLast() throws InterruptedException {
		if (this.firstCame.await(FIRST_WAIT.toSeconds(), TimeUnit.SECONDS) || !endIfNobodyCame()) {
			this.lastLeft.await();
		}
	}

}
