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
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.jspecify.annotations.Nullable;

import org.springframework.util.MultiValueMap;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * The payment provider over HTTP. {@code POST /charges} charges a customer, and takes its
 * time for it; {@code GET /charges} tells what has been charged. A stale token is
 * answered with 409 and the newest one.
 */
class PaymentServer implements AutoCloseable {

	static final String NEWEST_TOKEN = "Newest-Token";

	private static final Duration CHARGE_TIME = Duration.ofMillis(20);

	private final Ledger ledger = new Ledger();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final HttpServer server;

	/**
	 * Takes the port. Answers begin with {@link #start()}.
	 */
	PaymentServer(InetSocketAddress address, Presence presence) throws IOException {
		this.server = HttpServer.create(address, 0);
		this.server.setExecutor(this.threads);
		this.server.createContext("/charges", this::handle);
		this.server.createContext("/presence", presence);
	}

	void start() {
		this.server.start();
	}

	private void handle(HttpExchange exchange) throws IOException {
		try (exchange) {
			try {
				answer(exchange);
			}
			catch (IllegalArgumentException ex) {
				exchange.sendResponseHeaders(400, -1);
			}
		}
	}

	private void answer(HttpExchange exchange) throws IOException {
		MultiValueMap<String, String> query = UriComponentsBuilder.fromUri(exchange.getRequestURI())
			.build()
			.getQueryParams();
		String order = required(query, "order");
		Long token = query.containsKey("token") ? Long.valueOf(required(query, "token")) : null;
		if (exchange.getRequestMethod().equals("POST")) {
			charge(exchange, order, token, query);
		}
		else {
			tell(exchange, order, token);
		}
	}

	private void charge(HttpExchange exchange, String order, @Nullable Long token, MultiValueMap<String, String> query)
			throws IOException {
		takeTime();
		LedgerEntry entry = this.ledger.charge(order, Long.parseLong(required(query, "cents")), token,
				Integer.parseInt(required(query, "by")));
		send(exchange, entry.refused() ? 409 : 201, entry.newest(), entry.toJson());
	}

	private void tell(HttpExchange exchange, String order, @Nullable Long token) throws IOException {
		Long newest = this.ledger.see(order, token);
		String entries = this.ledger.entries(order)
			.stream()
			.map(LedgerEntry::toJson)
			.collect(Collectors.joining(",", "[", "]"));
		send(exchange, Ledger.isStale(token, newest) ? 409 : 200, newest, entries);
	}

	private static void send(HttpExchange exchange, int status, @Nullable Long newest, String json) throws IOException {
		byte[] body = json.getBytes(StandardCharsets.UTF_8);
		exchange.getResponseHeaders().set("Content-Type", "application/json");
		if (newest != null) {
			exchange.getResponseHeaders().set(NEWEST_TOKEN, newest.toString());
		}
		exchange.sendResponseHeaders(status, body.length);
		exchange.getResponseBody().write(body);
	}

	private static String required(MultiValueMap<String, String> query, String name) {
		String value = query.getFirst(name);
		if (value == null) {
			throw new IllegalArgumentException(name + " is missing");
		}
		return value;
	}

	private static void takeTime() throws IOException {
		try {
			Thread.sleep(CHARGE_TIME.toMillis());
		}
		catch (InterruptedException ex) {
			throw new IOException("The provider closes", ex);
		}
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

}
