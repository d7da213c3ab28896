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

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;

import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/**
 * A Prometheus that scrapes instances and has the alerts, as the files of the
 * documentation say.
 */
final class Prometheus implements AutoCloseable {

	static final Path FILES = Path.of("../docs/operations").toAbsolutePath().normalize();

	private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

	private final Process process;

	private final RestClient http;

	private Prometheus(Process process, int port) {
		this.process = process;
		this.http = Shop.http(port);
	}

	static boolean isInstalled() {
		return Stream.of(System.getenv("PATH").split(File.pathSeparator))
			.anyMatch((folder) -> Files.isExecutable(Path.of(folder, "prometheus"))
					&& Files.isExecutable(Path.of(folder, "promtool")));
	}

	/**
	 * Starts one and waits until it has scraped all instances.
	 * @param directory where it keeps its data
	 * @param ports of the instances
	 */
	static Prometheus start(Path directory, List<Integer> ports) throws IOException {
		Path configuration = directory.resolve("prometheus.yml");
		Files.writeString(configuration, configuration(ports));
		int port = Place.freePort();
		Process process = new ProcessBuilder("prometheus", "--config.file=" + configuration,
				"--storage.tsdb.path=" + directory.resolve("prometheus"), "--web.listen-address=127.0.0.1:" + port)
			.redirectErrorStream(true)
			.redirectOutput(directory.resolve("prometheus.log").toFile())
			.start();
		Prometheus prometheus = new Prometheus(process, port);
		Awaitility.await()
			.atMost(START_TIMEOUT)
			.ignoreExceptionsMatching(RestClientException.class::isInstance)
			.until(() -> prometheus.query("up == 1", Instant.now()).size() == ports.size());
		return prometheus;
	}

	private static String configuration(List<Integer> ports) throws IOException {
		String targets = ports.stream().map((port) -> "\"localhost:" + port + "\"").collect(Collectors.joining(", "));
		return Files.readString(FILES.resolve("prometheus.yml"))
			.replace("alerts.yml", FILES.resolve("alerts.yml").toString())
			.replaceAll("targets: \\[.*]", "targets: [" + targets + "]");
	}

	/** The series that there are at a moment, each with its latest value. */
	JsonNode query(String expression, Instant at) {
		return Shop.json(this.http.get().uri("/api/v1/query?query={query}&time={at}", expression, at))
			.at("/data/result");
	}

	/** The series in some time, each with a value at every step. */
	JsonNode query(String expression, Instant from, Instant to, Duration step) {
		return Shop
			.json(this.http.get()
				.uri("/api/v1/query_range?query={query}&start={from}&end={to}&step={step}", expression, from, to,
						step.toSeconds()))
			.at("/data/result");
	}

	/** The alerts that fire. */
	List<JsonNode> firing() {
		return Shop.json(this.http.get().uri("/api/v1/alerts"))
			.at("/data/alerts")
			.valueStream()
			.filter((alert) -> alert.get("state").asString().equals("firing"))
			.toList();
	}

	@Override
	public void close() {
		this.process.destroy();
		this.process.onExit().join();
	}

}
