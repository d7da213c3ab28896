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
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;

import org.springframework.util.MultiValueMap;

/**
 * Price lists. {@code GET /prices} reads one, {@code POST /prices} sets all its prices to
 * the same amount. Both go through it price by price, with no transaction, and take their
 * time.
 */
class PriceLists implements HttpHandler {

	private static final int PRICES = 10;

	private final Map<String, PriceList> lists = new ConcurrentHashMap<>();

	@Override
	public void handle(HttpExchange exchange) throws IOException {
		MultiValueMap<String, String> query = PaymentServer.query(exchange);
		PriceList list = this.lists.computeIfAbsent(PaymentServer.required(query, "list"),
				(name) -> new PriceList(new AtomicIntegerArray(PRICES), new AtomicInteger()));
		if (exchange.getRequestMethod().equals("POST")) {
			list.change(Integer.parseInt(PaymentServer.required(query, "cents")));
			exchange.sendResponseHeaders(204, -1);
		}
		else {
			PaymentServer.send(exchange, 200, list.read());
		}
	}

	private record PriceList(AtomicIntegerArray prices, AtomicInteger readers) {

		private void change(int cents) throws IOException {
			for (int i = 0; i < PRICES; i++) {
				this.prices.set(i, cents);
				PaymentServer.takeTime(5);
			}
		}

		private String read() throws IOException {
			int atOnce = this.readers.incrementAndGet();
			try {
				StringJoiner cents = new StringJoiner(",");
				for (int i = 0; i < PRICES; i++) {
					cents.add(Integer.toString(this.prices.get(i)));
					PaymentServer.takeTime(2);
				}
				return """
						{"cents":[%s],"atOnce":%s}""".formatted(cents, atOnce);
			}
			finally {
				this.readers.decrementAndGet();
			}
		}

	}

}
