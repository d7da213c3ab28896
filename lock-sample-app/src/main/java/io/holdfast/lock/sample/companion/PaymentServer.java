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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import org.jspecify.annotations.Nullable;

import org.springframework.util.MultiValueMap;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * The payment provider over HTTP. {@code POST /charges} charges a customer, and takes its
 * time for it; {@code GET /charges} tells what has been charged. A stale token is
 * answered with 409 and the newest one. The {@link Courier} and the {@link PriceLists}
 * have the same address.
 */
class PaymentServer implements AutoCloseable {

	static final String NEWEST_TOKEN = "Newest-Token";

	private final Ledger ledger = new Ledger();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final HttpServer server;

	/**
	 * Takes the port. Answers begin with {@link #start()}.
	 */
	PaymentServer(InetSocketAddress address, Presence presence) throws IOException {
		this.server = HttpServer.create(address, 0);
		this.server.setExecutor(this.threads);
		this.server.createContext("/charges", answering(this::answer));
		this.server.createContext("/parcels", answering(new Courier()));
		this.server.createContext("/prices", answering(new PriceLists()));
		this.server.createContext("/presence", presence);
	}

	void start() {
		this.server.start();
	}

	private static HttpHandler answering(HttpHandler handler) {
		return (exchange) -> {
			try (exchange) {
				try {
					handler.handle(exchange);
				}
				catch (IllegalArgumentException ex) {
					exchange.sendResponseHeaders(400, -1);
				}
			}
		};
	}

	private void answer(HttpExchange exchange) throws IOException {
		MultiValueMap<String, String> query = query(exchange);
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
		takeTime(20);
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
		if (newest != null) {
			exchange.getResponseHeaders().set(NEWEST_TOKEN, newest.toString());
		}
		send(exchange, status, json);
	}

	static void send(HttpExchange exchange, int status, String json) throws IOException {
		byte[] body = json.getBytes(StandardCharsets.UTF_8);
		exchange.getResponseHeaders().set("Content-Type", "application/json");
		exchange.sendResponseHeaders(status, body.length);
		exchange.getResponseBody().write(body);
	}

	static MultiValueMap<String, String> query(HttpExchange exchange) {
		return UriComponentsBuilder.fromUri(exchange.getRequestURI()).build().getQueryParams();
	}

	static String required(MultiValueMap<String, String> query, String name) {
		String value = query.getFirst(name);
		if (value == null) {
			throw new IllegalArgumentException(name + " is missing");
		}
		return value;
	}

	static void takeTime(long millis) throws IOException {
		try {
			Thread.sleep(millis);
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
