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

package io.holdfast.lock.actuate;

import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.fixture.TestThread;
import io.holdfast.lock.fixture.WebApplication;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/** The endpoint over HTTP, in an application with a real Redis. */
class LocksEndpointTests {

	private static final String EXPOSED = "management.endpoints.web.exposure.include=locks";

	private static final JsonMapper json = new JsonMapper();

	private static ConfigurableApplicationContext application;

	/** With the access that an endpoint has by default. */
	private static ConfigurableApplicationContext masking;

	private OtherProcess other;

	@BeforeAll
	static void startApplication() {
		application = start("management.endpoint.locks.access=unrestricted");
		masking = WebApplication.start(Masking.class, EXPOSED);
	}

	@AfterAll
	static void stopApplication() {
		application.close();
		masking.close();
	}

	@BeforeEach
	void startOtherProcess() {
		this.other = new OtherProcess(application);
	}

	@AfterEach
	void stopOtherProcess() {
		this.other.close();
		Awaitility.await("nothing for the next test").until(() -> list(100).isEmpty());
	}

	@Test
	void listsLocksOfThisAndOtherProcesses() throws Exception {
		LeaseLock own = application.getBean(LockClient.class).getLock("own");
		own.lock();
		own.lock();
		try (Lease theirs = this.other.client().acquire("theirs", LockOptions.defaults().fair(true))) {
			Map<String, JsonNode> locks = list(100);

			assertThat(locks).containsOnlyKeys("own", "theirs");
			JsonNode mine = locks.get("own");
			assertThat(mine.get("fair").asBoolean()).isFalse();
			assertThat(mine.get("token").asLong()).isEqualTo(own.token());
			assertThat(mine.get("since").asString()).matches("\\d{4}-\\d\\d-\\d\\dT.*Z");
			assertThat(Duration.parse(mine.get("clientAge").asString()))
				.isGreaterThanOrEqualTo(Duration.parse(mine.get("age").asString()));
			assertThat(Duration.parse(mine.get("leaseLeft").asString())).isBetween(Duration.ofSeconds(1),
					Duration.ofSeconds(30));
			assertThat(mine.get("holdCount").asInt()).isEqualTo(2);
			assertThat(mine.get("waiters").asInt()).isZero();
			assertThat(mine.at("/holder/own").asBoolean()).isTrue();
			assertThat(mine.at("/holder/application").asString()).isEqualTo("shop");
			assertThat(mine.at("/holder/thread").asString()).isEqualTo(Thread.currentThread().getName());
			JsonNode its = locks.get("theirs");
			assertThat(its.get("fair").asBoolean()).isTrue();
			assertThat(its.get("token").asLong()).isEqualTo(theirs.token());
			assertThat(its.at("/holder/own").asBoolean()).isFalse();
			assertThat(its.at("/holder/application").asString()).isEqualTo("other");
			assertThat(its.at("/holder/client").asString()).isEqualTo(this.other.client().id());
			assertThat(its.at("/holder/host").asString()).isNotEmpty();
			assertThat(its.at("/holder/thread").isMissingNode()).isTrue();
		}
		finally {
			own.unlock();
			own.unlock();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void leaseIsTheOneThatTheOwnerHas(boolean fair) throws Exception {
		LockClient client = application.getBean(LockClient.class);
		LockOptions options = LockOptions.defaults().fair(fair);
		try (Lease watched = client.acquire("watched", options);
				Lease longer = client.acquire("longer", options.leaseTime(Duration.ofMinutes(7)))) {
			Map<String, JsonNode> locks = list(100);

			assertThat(Duration.parse(locks.get("watched").get("leaseLeft").asString()))
				.isBetween(Duration.ofSeconds(10), Duration.ofSeconds(30));
			assertThat(Duration.parse(locks.get("longer").get("leaseLeft").asString())).isBetween(Duration.ofMinutes(6),
					Duration.ofMinutes(7));
			assertThat(Duration.parse(get("/locks/longer", 200).at("/lock/leaseLeft").asString()))
				.isBetween(Duration.ofMinutes(6), Duration.ofMinutes(7));
			assertThat(locks.get("longer").get("fair").asBoolean()).isEqualTo(fair);
		}
	}

	@Test
	void listsInPages() throws Exception {
		List<Lease> leases = IntStream.range(0, 25).mapToObj((i) -> this.other.hold("page-" + i)).toList();

		assertThat(list(5)).hasSize(25);
		assertThat(get("/locks?limit=5", 200).has("next")).isTrue();

		leases.forEach(Lease::close);
	}

	@Test
	void invalidLimitIsRefused() throws Exception {
		get("/locks?limit=0", 400);
		get("/locks?limit=1001", 400);
		get("/locks?cursor=nonsense", 400);
	}

	@Test
	void lockShowsItsQueueInOrder() throws Exception {
		try (OtherProcess third = new OtherProcess(application)) {
			this.other.hold("queued");
			LockClient own = application.getBean(LockClient.class);
			try (TestThread<Boolean> first = waitFor(own); TestThread<Boolean> second = waitFor(third.client())) {
				JsonNode lock = get("/locks/queued", 200);

				assertThat(lock.at("/lock/name").asString()).isEqualTo("queued");
				assertThat(lock.at("/lock/waiters").asInt()).isEqualTo(2);
				assertThat(lock.at("/queue/0/position").asInt()).isEqualTo(1);
				assertThat(lock.at("/queue/0/client").asString()).isEqualTo(own.id());
				assertThat(lock.at("/queue/0/application").asString()).isEqualTo("shop");
				assertThat(lock.at("/queue/0/alive").asBoolean()).isTrue();
				assertThat(lock.at("/queue/1/position").asInt()).isEqualTo(2);
				assertThat(lock.at("/queue/1/client").asString()).isEqualTo(third.client().id());
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "order:7", "a/b/c", "with space", "größe-价格", "{tag}", "50%", "a?b=c&d#e", "semi;colon",
			"plus+", "\"quoted\"" })
	void nameMayHaveSpecialCharacters(String name) throws Exception {
		String token = "?token=" + this.other.hold(name).token();

		assertThat(get("/locks/" + path(name), 200).at("/lock/name").asString()).isEqualTo(name);
		assertThat(exchange("DELETE", "/locks/" + path(name) + token).statusCode()).isEqualTo(200);
		assertThat(this.other.sees(name)).isFalse();
	}

	@Test
	void lockThatNobodyHoldsIsNotFound() throws Exception {
		get("/locks/nobody", 404);
		get("/locks?name=nobody", 404);
		assertThat(delete("/locks/nobody?token=1", 404).get("message").asString())
			.isEqualTo("Nobody holds lock 'nobody'");
	}

	@Test
	void nameThatIsTooLongIsRefused() throws Exception {
		get("/locks/" + "x".repeat(LockClient.MAX_NAME_BYTES + 1), 400);
	}

	@Test
	void auditorThatFailsDoesNotHideTheRelease() throws Exception {
		Lease lease = this.other.client().acquire("audited", LockOptions.defaults());
		ApplicationListener<AuditApplicationEvent> auditor = (event) -> {
			throw new IllegalArgumentException("full");
		};
		application.addApplicationListener(auditor);
		try {
			HttpResponse<String> response = exchange("DELETE", "/locks/audited?token=" + lease.token());

			assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		}
		finally {
			application.removeApplicationListener(auditor);
		}
		get("/locks/audited", 404);
	}

	@Test
	void releaseOfReadersSaysThatAllLoseTheLock() throws Exception {
		Lease lease = this.other.client().acquire("read", LockOptions.defaults().shared());
		Lease mine = application.getBean(LockClient.class).acquire("read", LockOptions.defaults().shared());
		try (LogCapture log = LogCapture.of("io.holdfast.lock.actuate", Level.WARN)) {
			JsonNode answer = delete("/locks/read?token=" + lease.token(), 200);

			assertThat(answer.get("message").asString()).contains("taken from 2 readers, among them client ");
			assertThat(log.lines()).singleElement().asString().contains("taken from 2 readers, among them client ");
			assertThat(mine.token()).isEqualTo(lease.token());
		}
	}

	@Test
	void releaseByForceSaysWhoDidIt() throws Exception {
		Lease lease = this.other.client().acquire("theirs", LockOptions.defaults());
		List<AuditEvent> events = new CopyOnWriteArrayList<>();
		ApplicationListener<AuditApplicationEvent> auditor = (event) -> events.add(event.getAuditEvent());
		application.addApplicationListener(auditor);
		try (LogCapture log = LogCapture.of("io.holdfast.lock.actuate", Level.WARN)) {
			application.getBean(LocksEndpoint.class).releaseNamed("theirs", lease.token(), new SecurityContext() {

				@Override
				public Principal getPrincipal() {
					return () -> "admin";
				}

				@Override
				public boolean isUserInRole(String role) {
					return true;
				}

			});

			assertThat(log.lines()).singleElement()
				.asString()
				.contains(" by force, through the locks endpoint, by user 'admin'. ");
		}
		finally {
			application.removeApplicationListener(auditor);
		}
		assertThat(events).singleElement().satisfies((event) -> {
			assertThat(event.getPrincipal()).isEqualTo("admin");
			assertThat(event.getType()).isEqualTo(LocksEndpoint.FORCED_EVENT);
			assertThat(event.getData()).containsEntry("token", lease.token())
				.containsEntry("client", this.other.client().id());
		});
	}

	@Test
	void deleteReleasesLockAndSaysSo() throws Exception {
		// With no renewal that would find out, only the message tells its holder.
		this.other.awaitSubscription();
		Lease lease = this.other.client().acquire("stuck", LockOptions.defaults().leaseTime(Duration.ofMinutes(10)));
		try (LogCapture log = LogCapture.of("io.holdfast.lock.actuate", Level.WARN)) {
			JsonNode answer = delete("/locks/stuck?token=" + lease.token(), 200);

			assertThat(answer.get("released").asBoolean()).isTrue();
			assertThat(answer.at("/lock/token").asLong()).isEqualTo(lease.token());
			assertThat(log.lines()).containsExactly("WARN Lock 'stuck' with fencing token " + lease.token()
					+ " was taken from client " + this.other.client().id()
					+ " by force, through the locks endpoint, by a user who is not known. "
					+ "Its owner is told, and may still be at work: check what it writes");
		}
		Awaitility.await().until(() -> !lease.isValid());
	}

	@Test
	void deleteNeedsTheTokenThatIsHeld() throws Exception {
		Lease lease = this.other.hold("guarded");

		delete("/locks/guarded", 400);
		JsonNode refused = delete("/locks?name=guarded&token=" + (lease.token() - 1), 409);

		assertThat(refused.get("released").asBoolean()).isFalse();
		assertThat(refused.get("message").asString()).contains(this.other.client().id(), "" + lease.token());
		assertThat(refused.at("/lock/token").asLong()).isEqualTo(lease.token());
		assertThat(this.other.sees("guarded")).isTrue();
	}

	@Test
	void listIsFiltered() throws Exception {
		LockClient own = application.getBean(LockClient.class);
		try (Lease mine = own.acquire("filter:mine", LockOptions.defaults().fair(true))) {
			this.other.hold("filter:theirs");

			assertThat(list("prefix=filter:")).containsOnlyKeys(mine.name(), "filter:theirs");
			assertThat(list("prefix=filter:&holder=other")).containsOnlyKeys("filter:theirs");
			assertThat(list("prefix=filter:&fair=true")).containsOnlyKeys(mine.name());
			assertThat(list("prefix=filter:&heldLongerThan=1h")).isEmpty();
			get("/locks?fair=unfair", 400);
			get("/locks?heldLongerThan=long", 400);
			get("/locks?heldLongerThan=30", 400);
			get("/locks?heldLongerThan=-30", 400);
		}
	}

	@Test
	void maskedNamesCannotBeGuessedByTheirBeginning() throws Exception {
		LockClient client = masking.getBean(LockClient.class);
		// More than one step of SCAN
		for (int i = 0; i < 3000; i++) {
			client.acquire("order:" + i, LockOptions.defaults());
		}
		client.acquire("customer:4711", LockOptions.defaults());

		String right = exchange(masking, "GET", "/locks?limit=1&prefix=customer:4").body();
		String wrong = exchange(masking, "GET", "/locks?limit=1&prefix=customer:5").body();
		JsonNode lock = json.readTree(exchange(masking, "GET", "/locks?name=customer:4711").body()).get("lock");

		assertThat(json.readTree(right).get("locks")).isEmpty();
		assertThat(right).isEqualTo(wrong);
		assertThat(lock.get("name").asString()).isEqualTo("customer:******");
		assertThat(lock.get("masked").asBoolean()).isTrue();
	}

	@Test
	void nameForgesNoLineOfTheLog() throws Exception {
		Lease lease = this.other.hold("a\nWARN b");
		try (LogCapture log = LogCapture.of("io.holdfast.lock.actuate", Level.WARN)) {
			delete("/locks?name=a%0AWARN%20b&token=" + lease.token(), 200);

			assertThat(log.lines()).singleElement()
				.satisfies((line) -> assertThat(line).startsWith("WARN Lock 'a\\u000aWARN b' with"));
		}
	}

	@Test
	void threadsThatWaitInTheProcessAreShown() throws Exception {
		LockClient own = application.getBean(LockClient.class);
		Lease lease = own.acquire("busy", LockOptions.defaults());
		try (TestThread<Boolean> waiting = TestThread.start(() -> {
			LeaseLock lock = own.getLock("busy");
			boolean locked = lock.tryLock(TestThreads.LONG);
			lock.unlock();
			return locked;
		})) {
			// Redis counts it before the client knows that it waits.
			Awaitility.await().untilAsserted(() -> {
				JsonNode queue = get("/locks?name=busy", 200).get("queue");
				assertThat(queue.size()).isOne();
				assertThat(queue.at("/0/client").asString()).isEqualTo(own.id());
				assertThat(queue.at("/0/count").asInt()).isOne();
				assertThat(queue.at("/0/threads/0").asString()).isEqualTo("test-thread");
			});

			lease.close();
			assertThat(waiting.join()).isTrue();
		}
	}

	@Test
	void deleteIsNotThereByDefault() throws Exception {
		try (OtherProcess holder = new OtherProcess(masking)) {
			holder.hold("safe");

			assertThat(exchange(masking, "GET", "/locks/safe").statusCode()).isEqualTo(200);
			assertThat(exchange(masking, "DELETE", "/locks/safe").statusCode()).isEqualTo(405);
			assertThat(holder.sees("safe")).isTrue();
		}
	}

	@Test
	void redisThatGivesNoAnswerHasAStatusAndAReasonOfItsOwn() throws Exception {
		try (RedisProcess redis = RedisProcess.start();
				ConfigurableApplicationContext context = start("management.endpoint.locks.access=unrestricted",
						"spring.data.redis.port=" + redis.port(), "spring.data.redis.timeout=300ms")) {
			Lease lease = context.getBean(LockClient.class).acquire("stuck", LockOptions.defaults());
			// Within 300 ms, which a busy machine may not manage at once.
			Awaitility.await().until(() -> exchange(context, "GET", "/locks").statusCode() == 200);
			redis.pause();
			String release = "It is not known whether lock 'stuck' was released: Redis failed (TIMED_OUT)";

			try (LogCapture log = LogCapture.of("io.holdfast.lock.actuate", Level.WARN)) {
				assertFailed(exchange(context, "GET", "/locks"),
						"The held locks could not be read: Redis failed (TIMED_OUT)");
				assertThat(log.lines()).singleElement(InstanceOfAssertFactories.STRING)
					.startsWith("WARN The locks endpoint answers with status 503: ")
					.endsWith("Look at Redis and the network path to it");
			}
			assertFailed(exchange(context, "GET", "/locks?name=stuck"),
					"It is not known who holds lock 'stuck': Redis failed (TIMED_OUT)");
			assertFailed(exchange(context, "GET", "/locks/stuck"),
					"It is not known who holds lock 'stuck': Redis failed (TIMED_OUT)");
			try (LogCapture log = LogCapture.of("io.holdfast.lock.actuate", Level.WARN)) {
				for (int i = 0; i < 6; i++) {
					assertFailed(exchange(context, "DELETE", "/locks?name=stuck&token=" + lease.token()), release);
					assertFailed(exchange(context, "DELETE", "/locks/stuck?token=" + lease.token()), release);
				}
				assertThat(log.lines()).as("each attempt")
					.hasSize(12)
					.allMatch((line) -> line.startsWith("WARN It is not known whether lock 'stuck' with fencing token "
							+ lease.token() + " was taken from its owner by force"));
			}
			redis.resume();
		}
	}

	private static void assertFailed(HttpResponse<String> response, String message) {
		assertThat(response.statusCode()).as(response.body()).isEqualTo(503);
		JsonNode failure = json.readTree(response.body());
		assertThat(failure.get("reason").asString()).isEqualTo("TIMED_OUT");
		assertThat(failure.get("message").asString()).isEqualTo(message);
	}

	@Test
	void readersAndPermitsAreToldFromOwners() throws Exception {
		try (Lease reader = this.other.client().acquire("rates", LockOptions.defaults().shared());
				Lease permits = this.other.client().acquire("exports", LockOptions.defaults().permits(2, 5));
				Lease more = this.other.client().acquire("exports", LockOptions.defaults().permits(2, 5))) {
			JsonNode read = get("/locks/rates", 200).get("lock");
			JsonNode limited = get("/locks/exports", 200).get("lock");

			assertThat(reader.isValid() && permits.isValid() && more.isValid()).isTrue();
			assertThat(read.at("/mode/kind").asString()).isEqualTo("SHARED");
			assertThat(read.get("holders").asInt()).isOne();
			assertThat(read.get("unitsInUse").asInt()).isOne();
			assertThat(limited.get("unitsInUse").asInt()).isEqualTo(4);
			assertThat(limited.at("/mode/kind").asString()).isEqualTo("PERMITS");
			assertThat(limited.at("/mode/units").asInt()).isEqualTo(2);
			assertThat(limited.at("/mode/limit").asInt()).isEqualTo(5);
		}
	}

	@Test
	void parameterOverridesTheNameInThePath() throws Exception {
		Lease lease = this.other.hold("forbidden");
		this.other.hold("allowed");

		assertThat(get("/locks/allowed?name=forbidden", 200).at("/lock/name").asString()).isEqualTo("forbidden");
		delete("/locks/allowed?name=forbidden&token=" + lease.token(), 200);
		assertThat(this.other.sees("forbidden")).as("so paths protect no name").isFalse();
		assertThat(this.other.sees("allowed")).isTrue();
	}

	@Test
	void endpointIsNotThereWithoutAccess() throws Exception {
		try (ConfigurableApplicationContext none = start("management.endpoint.locks.access=none")) {
			assertThat(exchange(none, "GET", "/locks").statusCode()).isEqualTo(404);
			assertThat(none.getBeansOfType(LocksEndpoint.class)).isEmpty();
		}
	}

	@Test
	void endpointIsNotExposedUnlessAskedFor() throws Exception {
		try (ConfigurableApplicationContext hidden = start("management.endpoints.web.exposure.include=health")) {
			assertThat(exchange(hidden, "GET", "/locks").statusCode()).isEqualTo(404);
		}
	}

	private TestThread<Boolean> waitFor(LockClient client) throws Exception {
		TestThread<Boolean> thread = TestThread.start(() -> client.getLock("queued").tryLock(TestThreads.LONG));
		Predicate<LockClient> queued = (asked) -> this.other.client()
			.directory()
			.queue("queued", 10)
			.stream()
			.anyMatch((waiter) -> waiter.client().equals(asked.id()));
		Awaitility.await().until(() -> queued.test(client));
		return thread;
	}

	private static Map<String, JsonNode> list(int limit) throws Exception {
		return list("limit=" + limit);
	}

	private static Map<String, JsonNode> list(String parameters) throws Exception {
		Map<String, JsonNode> locks = new HashMap<>();
		String cursor = "";
		do {
			JsonNode page = get("/locks?" + parameters + cursor, 200);
			page.get("locks").forEach((lock) -> locks.put(lock.get("name").asString(), lock));
			cursor = page.has("next") ? "&cursor=" + encode(page.get("next").asString()) : "";
		}
		while (!cursor.isEmpty());
		return locks;
	}

	private static JsonNode get(String path, int status) throws Exception {
		return ask("GET", path, status);
	}

	private static JsonNode delete(String path, int status) throws Exception {
		return ask("DELETE", path, status);
	}

	private static JsonNode ask(String method, String path, int status) throws Exception {
		HttpResponse<String> response = exchange(method, path);
		assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
		return json.readTree(response.body().isEmpty() ? "null" : response.body());
	}

	private static HttpResponse<String> exchange(String method, String path) throws Exception {
		return exchange(application, method, path);
	}

	private static HttpResponse<String> exchange(ConfigurableApplicationContext context, String method, String path)
			throws Exception {
		return WebApplication.exchange(method, WebApplication.uri(context, "/actuator" + path));
	}

	private static String path(String name) {
		return Arrays.stream(name.split("/")).map(LocksEndpointTests::encode).collect(Collectors.joining("/"));
	}

	private static String encode(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
	}

	private static ConfigurableApplicationContext start(String... properties) {
		return WebApplication.start(WebApplication.class,
				Stream.concat(Stream.of(EXPOSED), Stream.of(properties)).toArray(String[]::new));
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import(WebApplication.class)
	static class Masking {

		/** Shows what kind of lock it is. */
		@Bean
		SanitizingFunction customers() {
			return (data) -> String.valueOf(data.getValue()).startsWith("customer:") ? data.withValue("customer:******")
					: data;
		}

	}

}
