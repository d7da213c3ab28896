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

import java.time.Duration;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/**
 * An instance in this process.
 */
final class Shop implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private Shop(ConfigurableApplicationContext context) {
		this.context = context;
	}

	static Shop open(Place place, String... arguments) {
		return new Shop(new SpringApplicationBuilder(SampleApplication.class).run(place.arguments(0, arguments)));
	}

	int port() {
		return bean(Instances.class).self().port();
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	RestClient http() {
		return http(port());
	}

	static RestClient http(int port) {
		JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory();
		requests.setReadTimeout(Duration.ofSeconds(60));
		return RestClient.builder().requestFactory(requests).baseUrl("http://localhost:" + port).build();
	}

	<T> T post(String uri, Class<T> answer) {
		return http().post().uri(uri).retrieve().body(answer);
	}

	/**
	 * The answer as JSON, whatever version of Jackson the client knows.
	 */
	static JsonNode json(RestClient.RequestHeadersSpec<?> request) {
		return JsonMapper.shared().readTree(request.retrieve().body(String.class));
	}

	@Override
	public void close() {
		this.context.close();
	}

}
