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
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;

/**
 * A courier with five vans. {@code POST /parcels} ships a parcel. If all vans are on the
 * road, it is refused with 429. Either answer takes its time.
 */
class Courier implements HttpHandler {

	private final Semaphore vans = new Semaphore(5);

	private final AtomicInteger requests = new AtomicInteger();

	@Override
	public void handle(HttpExchange exchange) throws IOException {
		int atOnce = this.requests.incrementAndGet();
		boolean shipped = this.vans.tryAcquire();
		try {
			PaymentServer.takeTime(20);
		}
		finally {
			if (shipped) {
				this.vans.release();
			}
			this.requests.decrementAndGet();
		}
		PaymentServer.send(exchange, shipped ? 201 : 429, """
				{"shipped":%s,"atOnce":%s}""".formatted(shipped, atOnce));
	}

}
