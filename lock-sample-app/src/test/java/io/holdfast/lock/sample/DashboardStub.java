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
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.holdfast.lock.sample.Browser.Answer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.io.ClassPathResource;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * Answers as an application with the page for operators would, in a state that a test
 * chooses.
 */
final class DashboardStub implements Function<JsonNode, Answer> {

	static final String PAGE = "http://shop.test/actuator/lockdashboard";

	private static final String FOLDER = "io/holdfast/lock/dashboard/page/";

	private static final Map<String, String> TYPES = Map.of("css", "text/css", "js", "text/javascript", "svg",
			"image/svg+xml");

	private final Instant started = Instant.now();

	/** What was asked for about locks. */
	final Queue<Map<String, String>> questions = new ConcurrentLinkedQueue<>();

	/** What was to be released. */
	final Queue<URI> releases = new ConcurrentLinkedQueue<>();

	/** How many locks are held. */
	volatile int locks;

	/** Which of them is the first; those before it are free. */
	volatile int firstLock;

	volatile int waitersOfEach;

	/** How many locks, from the first one on, should have been renewed by now. */
	volatile int overdue;

	/** How many of the five permits of lock 4 are taken. */
	volatile int permitsInUse = 4;

	/** How many wait for lock 0 besides. */
	volatile int waitersOfFirst;

	/** How often each lock has been handed over. */
	volatile int handOvers;

	/** Whether names are masked, and all locks were acquired together. */
	volatile boolean masked;

	/**
	 * The status of the list of locks, of everything if it is 403, or 0 for no server.
	 * With 503 the endpoint says that Redis is away.
	 */
	volatile int status = 200;

	volatile int statusOfActivity = 200;

	/** How many losses the application remembers. */
	volatile int incidentLimit = 100;

	/** Whether the client says what it does. */
	volatile boolean observed = true;

	/** What comes in the place of the list, if anything does. */
	volatile @Nullable Answer inPlaceOfList;

	volatile int statusOfQueue = 200;

	/** How long the list takes, by the time of the page. */
	volatile long listMillis;

	volatile int statusOfRelease = 200;

	/** What comes when a lock was released, in the place of the answer. */
	volatile @Nullable Answer inPlaceOfRelease;

	/** The value that the application gives as its CSRF token. */
	volatile String csrf = "secret";

	/** The status of a request without the right token. */
	volatile int statusWithoutProof = 403;

	/** What requests to release had as a proof, in their order. */
	final Queue<String> proofs = new ConcurrentLinkedQueue<>();

	/** Keeps the answer to a release back until it is open. */
	volatile CountDownLatch releaseGate = new CountDownLatch(0);

	volatile boolean releasable = true;

	@Override
	public Answer apply(JsonNode request) {
		URI url = URI.create(request.get("url").asString());
		String file = url.getPath().substring(url.getPath().lastIndexOf('/') + 1);
		String extension = file.substring(file.lastIndexOf('.') + 1);
		if (TYPES.containsKey(extension)) {
			return new Answer(200, TYPES.get(extension), read(file));
		}
		if (this.status == 0) {
			return Answer.NONE;
		}
		return switch (file) {
			case "lockdashboard" -> new Answer(200, "text/html;charset=UTF-8", page());
			case "activity" -> json((this.status == 403) ? 403 : this.statusOfActivity, activity());
			case "csrf" -> json(200, Map.of("header", "X-CSRF-TOKEN", "token", this.csrf));
			default -> request.get("method").asString().equals("DELETE") ? release(request, url) : list(url);
		};
	}

	private static String page() {
		return read("index.html").replace("{page}", "lockdashboard").replace("{locks}", "locks");
	}

	private static String read(String file) {
		try {
			return new ClassPathResource(FOLDER + file).getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static Answer json(int status, Object value) {
		return new Answer(status, "application/json", JsonMapper.shared().writeValueAsString(value));
	}

	private Answer release(JsonNode request, URI url) {
		String proof = request.get("headers")
			.propertyStream()
			.filter((header) -> header.getKey().toUpperCase(Locale.ROOT).matches("X-(CSRF|XSRF)-TOKEN"))
			.map((header) -> header.getValue().asString())
			.findFirst()
			.orElse("");
		this.proofs.add(proof);
		if (!proof.equals("secret")) {
			return json(this.statusWithoutProof, Map.of());
		}
		this.releases.add(url);
		await(this.releaseGate, 30_000);
		Answer other = this.inPlaceOfRelease;
		if (other != null) {
			this.locks = 0;
			return other;
		}
		return json(this.statusOfRelease, (this.statusOfRelease == 403) ? Map.of()
				: Map.of("released", this.statusOfRelease == 200, "message", "Lock 'order:0' was dealt with"));
	}

	private static void await(CountDownLatch gate, long millis) {
		try {
			gate.await(millis, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private Answer list(URI url) {
		var parameters = UriComponentsBuilder.fromUri(url).build().getQueryParams();
		Map<String, String> question = new HashMap<>(parameters.toSingleValueMap());
		question.replaceAll((name, value) -> URLDecoder.decode(value, StandardCharsets.UTF_8));
		this.questions.add(question);
		await(new CountDownLatch(1), this.listMillis / DashboardScene.SPEED);
		Answer other = this.inPlaceOfList;
		if (other != null) {
			return other;
		}
		if (this.status != 200) {
			return json(this.status, (this.status == 503)
					? Map.of("reason", "UNREACHABLE", "message", "The locks are not listed: Redis gives no answer")
					: Map.of());
		}
		if (parameters.containsKey("name")) {
			return json(this.statusOfQueue, Map.of("lock", lock(0), "queue",
					List.of(waiter(1, 3, List.of("exec-3", "exec-7", "cron-1")), waiter(2, 1, List.of()))));
		}
		int from = Integer.parseInt(parameters.toSingleValueMap().getOrDefault("cursor", "" + this.firstLock));
		int end = Math.min(this.locks, from + Integer.parseInt(String.valueOf(parameters.getFirst("limit"))));
		List<?> page = IntStream.range(from, end).mapToObj(this::lock).toList();
		return json(200, (end < this.locks) ? Map.of("locks", page, "next", "" + end) : Map.of("locks", page));
	}

	private Map<String, Object> lock(int i) {
		Duration age = Duration.ofSeconds(4 + 37L * (i + 1));
		boolean own = i % 3 == 0;
		String host = own ? "web-" + (1 + this.handOvers) : "web-" + (2 + i % 5);
		Map<String, Object> holder = Map.of("client", "shop@" + host + "/7d3kq0x9ab", "application", "shop", "host",
				host, "thread", own ? "http-nio-8080-exec-" + (1 + i % 9) : "", "own", own);
		Map<String, Object> lock = new HashMap<>(
				Map.of("name", (i == 1) ? "invoice/2026/11/" + "a-long-name-".repeat(10) : "order:" + i, "masked",
						this.masked, "fair", i % 4 == 3, "holder", holder, "token",
						1795250756645384L + i + this.handOvers, "since", Instant.now().minus(age), "age",
						age.toString(), "leaseLeft", "PT" + ((i < this.overdue) ? 9 : 20 + i * 7 % 10) + ".5S",
						"holdCount", 1, "waiters", this.waitersOfEach + ((i == 0) ? this.waitersOfFirst : 0)));
		String kind = switch (i) {
			case 2 -> "SHARED";
			case 4 -> "PERMITS";
			default -> "EXCLUSIVE";
		};
		lock.put("mode", Map.of("kind", kind, "units", (i == 4) ? 2 : 1, "limit", (i == 4) ? 5 : 1));
		lock.put("watchdogTimeout", "PT30S");
		lock.put("renewalOverdue", i < this.overdue);
		lock.put("clientAge", age.plusSeconds((i % 5 == 2) ? 754 : 0).toString());
		lock.put("holders", kind.equals("EXCLUSIVE") ? 1 : 3);
		lock.put("unitsInUse", (i == 4) ? this.permitsInUse : kind.equals("EXCLUSIVE") ? 1 : 3);
		if (this.masked) {
			lock.putAll(Map.of("name", "customer:******", "token", 7, "holder",
					Map.of("client", "shop@web-9/0wtnp0evre", "application", "shop", "host", "web-9", "own", false)));
		}
		return lock;
	}

	private static Map<String, Object> waiter(int position, int count, List<String> threads) {
		return Map.of("position", position, "fair", false, "client", "shop@web-9/0wtnp0evre", "application", "shop",
				"host", "web-9", "alive", position == 1, "count", count, "threads", threads);
	}

	private Map<String, Object> activity() {
		boolean down = this.status == 503;
		Map<String, Object> client = new HashMap<>(Map.of("id", "shop@web-1/7d3kq0x9ab", "status",
				down ? "OUT_OF_SERVICE" : "UP", "unsure", down ? this.locks / 3 : 0, "observed", this.observed));
		if (down) {
			client.put("failure", "UNREACHABLE: Connection refused");
		}
		List<?> hot = IntStream.range(0, Math.min(10, this.locks)).mapToObj(DashboardStub::waits).toList();
		List<?> incidents = (this.locks == 0) ? List.of() : List.of(incident("expired", 65, List.of("order:4")),
				incident("deadlock", 165, List.of("account:17", "account:23")), released(365, "report", "alice"));
		List<Integer> waiting = IntStream.range(0, 60)
			.mapToObj((i) -> (this.waitersOfEach == 0) ? 0 : Math.max(0, i * i / 9 - 200))
			.toList();
		List<Integer> held = IntStream.range(0, 60).mapToObj((i) -> 30 + i % 7).toList();
		return Map.of("releasable", this.releasable, "client", client, "trend",
				Map.of("waiting", waiting, "held", held), "hot", hot, "incidents", incidents, "incidentLimit",
				this.incidentLimit);
	}

	private static Map<String, Object> waits(int i) {
		List<Double> waiting = IntStream.range(0, 60)
			.mapToObj((slot) -> Math.max(0, Math.sin((slot - 9 * i) / 9.0)) * 12 / (1 + i))
			.toList();
		List<Integer> inVain = IntStream.range(0, 60).mapToObj((slot) -> (i == 0 && slot % 7 == 6) ? 2 : 0).toList();
		List<Integer> got = waiting.stream().map((value) -> (int) (3 * value)).toList();
		return Map.of("name", "order:" + i, "underWay", (i == 1) ? 57 : 0, "longest", "PT9.8S", "waiting", waiting,
				"got", got, "inVain", inVain);
	}

	private Map<String, Object> incident(String what, int secondsAgo, List<String> names) {
		return Map.of("at", this.started.minusSeconds(secondsAgo), "what", what, "names", names);
	}

	private Map<String, Object> released(int secondsAgo, String name, String user) {
		Map<String, Object> incident = new HashMap<>(incident("released", secondsAgo, List.of(name)));
		incident.put("by", user);
		return incident;
	}

}
