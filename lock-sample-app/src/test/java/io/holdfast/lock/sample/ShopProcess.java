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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/**
 * An instance in a process of its own, which can be killed.
 */
final class ShopProcess implements AutoCloseable {

	private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

	private final Process process;

	private final int port;

	private final RestClient http;

	private ShopProcess(Process process, int port) {
		this.process = process;
		this.port = port;
		this.http = Shop.http(port);
	}

	/**
	 * Starts the process. Its output goes to a file in the directory of the place.
	 */
	static ShopProcess launch(Place place) throws IOException {
		// More work than the slowest machine gets done while instances start and die.
		return launch(place, List.of("-cp", System.getProperty("java.class.path")), "--sample.shelves=300");
	}

	/**
	 * Starts the process with options of the JVM, its class path among them.
	 */
	static ShopProcess launch(Place place, List<String> options, String... arguments) throws IOException {
		int port = Place.freePort();
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC", "-Djava.io.tmpdir=" + place.directory()));
		command.addAll(options);
		command.add(SampleApplication.class.getName());
		command.addAll(List.of(place.arguments(port, arguments)));
		Process process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(place.directory().resolve("shop-" + port + ".log").toFile())
			.start();
		return new ShopProcess(process, port);
	}

	/** Waits until this instance has told the others that it is there. */
	Instance awaitSignedOn() {
		return Awaitility.await()
			.atMost(START_TIMEOUT)
			.ignoreExceptionsMatching(RestClientException.class::isInstance)
			.until(() -> instances().filter((instance) -> instance.pid() == pid()).findFirst(), Optional::isPresent)
			.orElseThrow();
	}

	private Stream<Instance> instances() {
		return Stream.of(this.http.get().uri("/api/instances").retrieve().body(Instance[].class));
	}

	SaleResult sell(String query) {
		return this.http.post().uri("/api/sales?" + query).retrieve().body(SaleResult.class);
	}

	void payMany(String query) {
		this.http.post().uri("/api/payments?" + query).retrieve().toBodilessEntity();
	}

	void requestStocktaking() {
		this.http.post().uri("/api/jobs/stocktaking").retrieve().toBodilessEntity();
	}

	@Nullable StocktakingProgress stocktaking() {
		return this.http.get().uri("/api/jobs/stocktaking").retrieve().body(StocktakingProgress.class);
	}

	/**
	 * The lock of the stocktaking and its queue, as this instance's endpoint shows it.
	 */
	JsonNode stocktakingLock() {
		return lock(Stocktaking.LOCK);
	}

	JsonNode lock(String name) {
		return Shop.json(this.http.get().uri("/actuator/locks/{name}", name));
	}

	/** The receipt, or the problem. */
	JsonNode pay(String order, int pauseSeconds) {
		return this.http.post()
			.uri("/api/payments/{order}?pauseSeconds={seconds}", order, pauseSeconds)
			.exchange((request, response) -> JsonMapper.shared().readTree(response.getBody()));
	}

	/** What the payment provider has charged and refused. */
	JsonNode ledger(String order) {
		return Shop.json(this.http.get().uri("/api/payments/{order}", order));
	}

	int port() {
		return this.port;
	}

	long pid() {
		return this.process.pid();
	}

	/** As kill -9 does. */
	void kill() {
		this.process.destroyForcibly();
	}

	/** As Ctrl-C does. */
	void stop() {
		this.process.destroy();
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	@Override
	public void close() {
		kill();
	}

}
