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

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.fixture.WebApplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.web.DefaultSecurityFilterChain;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.util.matcher.AnyRequestMatcher;

import static org.assertj.core.api.Assertions.assertThat;

/** The endpoint behind the firewall of Spring Security and Tomcat, as they are. */
class LocksEndpointFirewallTests {

	private static final JsonMapper json = new JsonMapper();

	private static ConfigurableApplicationContext application;

	@BeforeAll
	static void startApplication() {
		application = WebApplication.start(Application.class, "management.endpoints.web.exposure.include=locks",
				"management.endpoint.locks.access=unrestricted");
	}

	@AfterAll
	static void stopApplication() {
		application.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "50%", "%2F", "semi;colon", "back\\slash", "a//b", "/a", "a/", "a/../b", "a/./b", ".",
			"line\nbreak", "a&name=b", "größe", "{tag}" })
	void everyNameCanBeAParameter(String name) throws Exception {
		Lease lease = application.getBean(LockClient.class).acquire(name, LockOptions.defaults());
		String parameter = "?name=" + URLEncoder.encode(name, StandardCharsets.UTF_8);

		HttpResponse<String> shown = exchange("GET", parameter);
		HttpResponse<String> released = exchange("DELETE", parameter + "&token=" + lease.token());

		assertThat(shown.statusCode()).as(shown.body()).isEqualTo(200);
		assertThat(json.readTree(shown.body()).at("/lock/name").asString()).isEqualTo(name);
		assertThat(released.statusCode()).as(released.body()).isEqualTo(200);
		assertThat(application.getBean(LockClient.class).getLock(name).isLocked()).isFalse();
	}

	private static HttpResponse<String> exchange(String method, String parameters) throws Exception {
		return WebApplication.exchange(method, WebApplication.uri(application, "/actuator/locks" + parameters));
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import(WebApplication.class)
	static class Application {

		/** No filter but the firewall that each chain has. */
		@Bean
		FilterChainProxy firewall() {
			return new FilterChainProxy(new DefaultSecurityFilterChain(AnyRequestMatcher.INSTANCE));
		}

	}

}
