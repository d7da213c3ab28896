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

package io.holdfast.lock.dashboard;

import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.actuate.LocksEndpoint;
import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.fixture.WebApplication;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;

/** The page for operators over HTTP: what is served, where, and what is not in it. */
class LockDashboardEndpointTests {

	private static final String EXPOSED = "management.endpoints.web.exposure.include=locks,lockdashboard";

	private static final Pattern LINK = Pattern.compile("(?:href|src)=\"([^#\"][^\"]*)\"");

	private static final Pattern IMPORT = Pattern.compile("from \"\\./([^\"]+)\"");

	private static final JsonMapper json = new JsonMapper();

	private static ConfigurableApplicationContext application;

	@BeforeAll
	static void startApplication() {
		application = start(EXPOSED, "management.endpoint.locks.access=unrestricted");
	}

	@AfterAll
	static void stopApplication() {
		application.close();
	}

	@Test
	void pageIsNotThereUnlessExposed() throws Exception {
		try (ConfigurableApplicationContext plain = start("management.endpoints.web.exposure.include=health,locks")) {
			assertThat(get(uri(plain, "/actuator/lockdashboard")).statusCode()).isEqualTo(404);
			assertThat(plain.getBeansOfType(LockActivity.class)).isEmpty();
		}
	}

	@Test
	void everyLinkLeadsToAFileOfItsType() throws Exception {
		followLinks(uri(application, "/actuator/lockdashboard"));
	}

	@Test
	void linksFollowThePathsOfEndpoints() throws Exception {
		try (ConfigurableApplicationContext moved = start(EXPOSED, "management.endpoints.web.base-path=/manage",
				"management.endpoints.web.path-mapping.lockdashboard=ops/page",
				"management.endpoints.web.path-mapping.locks=held")) {
			followLinks(uri(moved, "/manage/ops/page"));
		}
	}

	@Test
	void pageIsOnTheManagementPort() throws Exception {
		try (ConfigurableApplicationContext apart = start(EXPOSED, "management.server.port=0")) {
			assertThat(get(uri(apart, "/actuator/lockdashboard")).statusCode()).isEqualTo(404);
			String port = apart.getEnvironment().getRequiredProperty("local.management.port");
			followLinks(URI.create("http://localhost:" + port + "/actuator/lockdashboard"));
		}
	}

	private static void followLinks(URI page) throws Exception {
		HttpResponse<String> html = get(page);
		assertThat(html.statusCode()).isEqualTo(200);
		assertThat(type(html)).isEqualTo("text/html;charset=utf-8");
		assertThat(html.body()).doesNotContain("{page}", "{locks}");
		for (String link : links(LINK, html.body())) {
			HttpResponse<String> file = get(page.resolve(link));
			assertThat(file.statusCode()).as(link).isEqualTo(200);
			assertThat(type(file)).as(link).startsWith(expectedType(link));
			for (String imported : links(IMPORT, file.body())) {
				HttpResponse<String> module = get(page.resolve(link).resolve(imported));
				assertThat(module.statusCode()).as(imported).isEqualTo(200);
				assertThat(type(module)).isEqualTo("text/javascript;charset=utf-8");
			}
		}
		String locks = html.body().replaceAll("(?s).*data-locks=\"([^\"]+)\".*", "$1");
		assertThat(get(page.resolve(locks)).statusCode()).isEqualTo(200);
	}

	private static String type(HttpResponse<?> response) {
		return response.headers().firstValue("content-type").orElse("").toLowerCase(Locale.ROOT).replace(" ", "");
	}

	private static String expectedType(String file) {
		return file.endsWith(".css") ? "text/css" : file.endsWith(".js") ? "text/javascript" : "image/svg+xml";
	}

	private static List<String> links(Pattern pattern, String text) {
		return pattern.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
	}

	@Test
	void everyFileIsServedAndNothingElse() throws Exception {
		for (Resource file : files()) {
			String name = String.valueOf(file.getFilename());
			if (!name.equals("index.html")) {
				assertThat(get(uri(application, "/actuator/lockdashboard/" + name)).body()).as(name)
					.isEqualTo(file.getContentAsString(StandardCharsets.UTF_8));
			}
		}
		for (String name : List.of("index.html", "other.js", "..%2fLockActivity.class", "csrf")) {
			assertThat(get(uri(application, "/actuator/lockdashboard/" + name)).statusCode()).as(name).isIn(400, 404);
		}
	}

	@Test
	void everyCauseOfALossIsExplained() throws Exception {
		String lost = get(uri(application, "/actuator/lockdashboard/lost.js")).body();

		assertThat(LockLoss.Cause.values()).extracting((cause) -> cause.name().toLowerCase(Locale.ROOT))
			.allSatisfy((cause) -> assertThat(lost).containsPattern("(?m)^\\t" + cause + ": \\["));
	}

	@Test
	void pageIsSmall() throws Exception {
		long bytes = 0;
		for (Resource file : files()) {
			bytes += file.contentLength();
		}

		assertThat(bytes).isLessThan(60_000);
	}

	@Test
	void nothingIsInlineAndNothingIsFromElsewhere() throws Exception {
		String html = get(uri(application, "/actuator/lockdashboard")).body();

		assertThat(html).containsPattern("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';")
			.doesNotContain("unsafe-", "<style", " style=", "javascript:", "data:")
			.doesNotContainPattern("<script(?![^>]* src=)")
			.doesNotContainPattern("<script[^>]*>[^<]")
			.doesNotContainPattern("\\son[a-z]+=");
		for (Resource file : files()) {
			assertThat(file.getContentAsString(StandardCharsets.UTF_8).replace("http://www.w3.org/2000/svg", ""))
				.as(file.getFilename())
				.doesNotContainPattern("[a-z]+://")
				.doesNotContainPattern("[\"'(]//")
				.doesNotContain("@import", "url(", "innerHTML", "eval(");
		}
	}

	private static Resource[] files() throws Exception {
		Resource[] files = new PathMatchingResourcePatternResolver()
			.getResources("classpath*:io/holdfast/lock/dashboard/page/*.*");
		assertThat(Stream.of(files).map(Resource::getFilename)).contains("index.html", "page.css", "page.js");
		return files;
	}

	@Test
	void activityHasWaitsAndTheStateOfTheClient() throws Exception {
		LockClient client = application.getBean(LockClient.class);
		try (OtherProcess other = new OtherProcess(application)) {
			other.hold("contended");
			assertThat(client.getLock("contended").tryLock(Duration.ofMillis(20))).isFalse();

			JsonNode activity = activity(application);

			JsonNode hot = activity.get("hot").get(0);
			assertThat(hot.get("name").asString()).isEqualTo("contended");
			assertThat(hot.get("waiting").size()).isEqualTo(60);
			assertThat(hot.get("inVain").valueStream().mapToInt(JsonNode::asInt).sum()).isOne();
			assertThat(activity.at("/trend/held").isArray()).isTrue();
			assertThat(activity.get("incidentLimit").asInt()).isEqualTo(LockActivity.MAX_INCIDENTS);
			assertThat(activity.get("releasable").asBoolean()).isTrue();
			assertThat(activity.at("/client/id").asString()).isEqualTo(client.id());
			assertThat(activity.at("/client/status").asString()).isEqualTo("UP");
			assertThat(activity.at("/client/unsure").asInt(-1)).isZero();
			assertThat(activity.at("/client/observed").asBoolean()).isTrue();
		}
	}

	@Test
	void activityHasLosses() throws Exception {
		LockClient client = application.getBean(LockClient.class);
		LeaseLock lock = client.getLock("lost");
		lock.lock();
		long token = lock.token();
		client.directory().forceUnlock("lost");

		JsonNode incident = awaitIncident("lost");
		assertThat(incident.get("what").asString()).isEqualTo("forced");
		assertThat(incident.get("token").asLong()).isEqualTo(token);
		assertThat(incident.has("by")).isFalse();
	}

	@Test
	void activityHasWhoReleasedByForce() throws Exception {
		try (OtherProcess other = new OtherProcess(application)) {
			long token = other.client().acquire("theirs", LockOptions.defaults()).token();

			application.getBean(LocksEndpoint.class).releaseNamed("theirs", token, new SecurityContext() {

				@Override
				public Principal getPrincipal() {
					return () -> "alice";
				}

				@Override
				public boolean isUserInRole(String role) {
					return true;
				}

			});

			JsonNode incident = awaitIncident("theirs");
			assertThat(incident.get("what").asString()).isEqualTo("released");
			assertThat(incident.get("token").asLong()).isEqualTo(token);
			assertThat(incident.get("by").asString()).isEqualTo("alice");
		}
	}

	private static JsonNode awaitIncident(String name) {
		return Awaitility.await()
			.until(() -> activity(application).get("incidents")
				.valueStream()
				.filter((incident) -> name.equals(incident.at("/names/0").asString()))
				.findFirst(), Optional::isPresent)
			.orElseThrow();
	}

	@Test
	void namesAreMaskedAsInTheList() throws Exception {
		try (ConfigurableApplicationContext context = start(EXPOSED, "management.endpoint.locks.show-values=never");
				OtherProcess other = new OtherProcess(context)) {
			other.hold("secret");
			LockClient client = context.getBean(LockClient.class);
			assertThat(client.getLock("secret").tryLock(Duration.ofMillis(20))).isFalse();
			client.getLock("secret too").lock();
			client.directory().forceUnlock("secret too");
			Awaitility.await().until(() -> !activity(context).get("incidents").isEmpty());

			assertThat(activity(context).at("/hot/0/name").asString()).isEqualTo("******");
			assertThat(activity(context).at("/incidents/0/names/0").asString()).isEqualTo("******");
			assertThat(activity(context).get("releasable").asBoolean(true)).as("by default").isFalse();
		}
	}

	@Test
	void pageUnderstandsTheAnswersWhateverTheApplicationDoesToItsJson() throws Exception {
		try (ConfigurableApplicationContext context = start(EXPOSED,
				"spring.jackson.property-naming-strategy=SNAKE_CASE",
				"spring.jackson.default-property-inclusion=non-default")) {
			context.getBean(LockClient.class).getLock("held").lock();

			JsonNode lock = json.readTree(get(uri(context, "/actuator/locks")).body()).at("/locks/0");
			assertThat(Duration.parse(lock.get("leaseLeft").asString())).isPositive();
			assertThat(lock.get("waiters").asInt(-1)).isZero();
			assertThat(activity(context).at("/client/unsure").asInt(-1)).isZero();
		}
	}

	private static JsonNode activity(ConfigurableApplicationContext context) throws Exception {
		HttpResponse<String> response = get(uri(context, "/actuator/lockdashboard/activity"));
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		return json.readTree(response.body());
	}

	private static URI uri(ConfigurableApplicationContext context, String path) {
		return WebApplication.uri(context, path);
	}

	private static HttpResponse<String> get(URI uri) throws Exception {
		return WebApplication.exchange("GET", uri);
	}

	private static ConfigurableApplicationContext start(String... properties) {
		return WebApplication.start(WebApplication.class, properties);
	}

}
