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
import java.util.Locale;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.fixture.LockRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.csrf.CookieServerCsrfTokenRepository;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.security.web.server.csrf.ServerCsrfTokenRequestAttributeHandler;
import org.springframework.web.server.WebFilter;

import static org.assertj.core.api.Assertions.assertThat;

/** The page in a reactive application, behind Spring Security's defaults. */
class LockDashboardReactiveTests {

	private static ConfigurableApplicationContext application;

	@BeforeAll
	static void startApplication() {
		application = start(LockDashboardSecurityTests.Application.class);
	}

	private static ConfigurableApplicationContext start(Class<?> type, String... properties) {
		return new SpringApplicationBuilder(type).web(WebApplicationType.REACTIVE)
			.properties(LockRunner.properties())
			.properties("server.port=0", "spring.main.banner-mode=off",
					"management.endpoints.web.exposure.include=locks,lockdashboard",
					"spring.security.user.name=operator", "spring.security.user.password=secret")
			.properties(properties)
			.run();
	}

	@AfterAll
	static void stopApplication() {
		application.close();
	}

	@ParameterizedTest
	@CsvSource({ "'', text/html;charset=utf-8", "/page.css, text/css;charset=utf-8",
			"/page.js, text/javascript;charset=utf-8", "/icon.svg, image/svg+xml;charset=utf-8" })
	void filesHaveTheirTypes(String file, String type) throws Exception {
		HttpResponse<String> response = get("/lockdashboard" + file);

		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(response.headers().firstValue("content-type").orElse("").toLowerCase(Locale.ROOT)).isEqualTo(type);
		assertThat(response.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
	}

	@Test
	void activityIsThereAndNoTokenIsKnown() throws Exception {
		HttpResponse<String> response = get("/lockdashboard/activity");

		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		JsonNode activity = new JsonMapper().readTree(response.body());
		assertThat(activity.at("/client/id").asString()).isEqualTo(application.getBean(LockClient.class).id());
		assertThat(get("/lockdashboard/csrf").statusCode()).isEqualTo(404);
		assertThat(get("/locks").statusCode()).isEqualTo(200);
	}

	@Test
	void releaseNeedsTheCookieThatThePageSets() throws Exception {
		try (ConfigurableApplicationContext cookies = start(Cookies.class,
				"management.endpoint.locks.access=unrestricted")) {
			CookieManager jar = new CookieManager();
			LockClient client = cookies.getBean(LockClient.class);
			String lock = "/locks?name=stuck&token=" + client.acquire("stuck", LockOptions.defaults()).token();
			send(jar, request(cookies, "/lockdashboard").build());

			assertThat(jar.getCookieStore().getCookies()).singleElement().satisfies((cookie) -> {
				assertThat(cookie.getName()).isEqualTo("XSRF-TOKEN");
				HttpRequest bare = request(cookies, lock).DELETE().build();
				HttpRequest proven = request(cookies, lock).header("X-XSRF-TOKEN", cookie.getValue()).DELETE().build();
				assertThat(send(jar, bare).statusCode()).isEqualTo(403);
				assertThat(send(jar, proven).statusCode()).isEqualTo(200);
			});
		}
	}

	private static HttpResponse<String> get(String path) throws Exception {
		return HttpClient.newHttpClient()
			.send(request(application, path).build(), HttpResponse.BodyHandlers.ofString());
	}

	/**
	 * Sends on a connection of its own: Reactor Netty before 1.3.8 does not always read a
	 * kept connection on after a request that was refused (reactor-netty issue 4361).
	 */
	private static HttpResponse<String> send(CookieManager jar, HttpRequest request) throws Exception {
		return HttpClient.newBuilder().cookieHandler(jar).build().send(request, HttpResponse.BodyHandlers.ofString());
	}

	private static HttpRequest.Builder request(ConfigurableApplicationContext context, String path) {
		return LockDashboardSecurityTests.request(context, path)
			.header("Authorization", LockDashboardSecurityTests.USER);
	}

	/** As docs/dashboard.md says. */
	@Configuration(proxyBeanMethods = false)
	@Import(LockDashboardSecurityTests.Application.class)
	static class Cookies {

		@Bean
		SecurityWebFilterChain security(ServerHttpSecurity http) {
			return http.authorizeExchange((exchanges) -> exchanges.anyExchange().authenticated())
				.httpBasic(Customizer.withDefaults())
				.csrf((csrf) -> csrf.csrfTokenRepository(CookieServerCsrfTokenRepository.withHttpOnlyFalse())
					.csrfTokenRequestHandler(new ServerCsrfTokenRequestAttributeHandler()))
				.build();
		}

		@Bean
		WebFilter csrfCookie() {
			return (exchange, chain) -> {
				Mono<CsrfToken> token = exchange.getAttributeOrDefault(CsrfToken.class.getName(), Mono.empty());
				return token.then(chain.filter(exchange));
			};
		}

	}

}
