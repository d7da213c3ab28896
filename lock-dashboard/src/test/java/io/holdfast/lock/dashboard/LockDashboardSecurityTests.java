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

import java.net.CookieManager;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.fixture.WebApplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** The page behind Spring Security, as Spring Boot configures it by default. */
class LockDashboardSecurityTests {

	static final String USER = "Basic "
			+ Base64.getEncoder().encodeToString("operator:secret".getBytes(StandardCharsets.UTF_8));

	private static ConfigurableApplicationContext application;

	private final HttpClient browser = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();

	@BeforeAll
	static void startApplication() {
		application = WebApplication.start(Application.class,
				"management.endpoints.web.exposure.include=locks,lockdashboard",
				"management.endpoint.locks.access=unrestricted", "spring.security.user.name=operator",
				"spring.security.user.password=secret");
	}

	@AfterAll
	static void stopApplication() {
		application.close();
	}

	@Test
	void strangersSeeNothing() throws Exception {
		for (String path : new String[] { "", "/page.js", "/activity", "/csrf" }) {
			HttpRequest request = request("/lockdashboard" + path).build();
			assertThat(exchange(request).statusCode()).as(path).isEqualTo(401);
			HttpRequest known = request("/lockdashboard" + path).header("Authorization", USER).build();
			assertThat(exchange(known).statusCode()).as(path).isEqualTo(200);
		}
	}

	@Test
	void userGetsThePageWithTheHeadersOfSpringSecurity() throws Exception {
		HttpResponse<String> page = exchange(request("/lockdashboard").header("Authorization", USER).build());

		assertThat(page.statusCode()).isEqualTo(200);
		assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
		assertThat(page.headers().firstValue("X-Frame-Options")).contains("DENY");
	}

	@Test
	void releaseNeedsTheTokenThatThePageGets() throws Exception {
		Lease lease = application.getBean(LockClient.class).acquire("stuck", LockOptions.defaults());
		String lock = "/locks?name=stuck&token=" + lease.token();
		HttpRequest bare = request(lock).header("Authorization", USER).DELETE().build();
		// The refusal is sent on to /error, which a user without a session may not see
		assertThat(exchange(bare).statusCode()).isIn(401, 403);
		assertThat(lease.isValid()).isTrue();

		HttpResponse<String> csrf = exchange(request("/lockdashboard/csrf").header("Authorization", USER).build());
		assertThat(csrf.statusCode()).isEqualTo(200);
		JsonNode token = new JsonMapper().readTree(csrf.body());
		HttpResponse<String> released = exchange(request(lock).header("Authorization", USER)
			.header(token.get("header").asString(), token.get("token").asString())
			.DELETE()
			.build());

		assertThat(released.statusCode()).as(released.body()).isEqualTo(200);
		assertThat(application.getBean(LockClient.class).getLock("stuck").isLocked()).isFalse();
	}

	private HttpResponse<String> exchange(HttpRequest request) throws Exception {
		return this.browser.send(request, HttpResponse.BodyHandlers.ofString());
	}

	private static HttpRequest.Builder request(String path) {
		return request(application, path);
	}

	static HttpRequest.Builder request(ConfigurableApplicationContext context, String path) {
		return HttpRequest.newBuilder(WebApplication.uri(context, "/actuator" + path))
			.timeout(Duration.ofSeconds(30))
			.header("X-Requested-With", "XMLHttpRequest");
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = { "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
			"org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration" })
	static class Application {

	}

}
