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

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/**
 * The payment provider: somebody else's service, with a ledger of its own. It is no part
 * of any transaction here.
 */
@Component
class PaymentProvider {

	/**
	 * As long as an owner waits for an answer its lock is renewed, so it must not wait
	 * for ever.
	 */
	private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);

	private final RestClient http;

	private final Instances instances;

	PaymentProvider(SampleProperties properties, Instances instances) {
		this.http = connect(properties);
		this.instances = instances;
	}

	/** A client for the companion, which has the courier and the price lists as well. */
	static RestClient connect(SampleProperties properties) {
		JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(
				HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build());
		requests.setReadTimeout(ANSWER_TIMEOUT);
		return RestClient.builder().requestFactory(requests).baseUrl(properties.paymentsUrl().toString()).build();
	}

	/**
	 * Looks whether an order is paid. From then on the provider takes no smaller token
	 * for it: a charge by an earlier owner is here already, or never will be.
	 * @throws StaleTokenException if the provider has seen a newer token
	 */
	Optional<Charge> find(Order order, @Nullable Long token) {
		return List.of(ask(this.http.get(), order, token, "", Charge[].class))
			.stream()
			.filter((charge) -> !charge.refused())
			.findFirst();
	}

	/**
	 * Charges the customer, whether that has been done before or not.
	 * @throws StaleTokenException if the provider has seen a newer token
	 */
	Charge charge(Order order, @Nullable Long token) {
		String details = "&cents=%s&by=%s".formatted(order.cents(), this.instances.self().port());
		return ask(this.http.post(), order, token, details, Charge.class);
	}

	/** What the provider has charged for an order, and what it has refused. */
	List<Charge> ledger(String order) {
		return List.of(ask(this.http.get(), new Order(order, 0), null, "", Charge[].class));
	}

	private static <T> T ask(RestClient.RequestHeadersUriSpec<?> request, Order order, @Nullable Long token,
			String details, Class<T> type) {
		String fence = (token != null) ? "&token=" + token : "";
		T answer = request.uri("/charges?order={id}" + fence + details, order.id())
			.retrieve()
			.onStatus(HttpStatus.CONFLICT::equals, (asked, refusal) -> {
				throw new StaleTokenException(order.id(), Objects.requireNonNull(token), newestToken(refusal));
			})
			.body(type);
		return Objects.requireNonNull(answer);
	}

	private static long newestToken(ClientHttpResponse refusal) {
		return Long.parseLong(Objects.requireNonNull(refusal.getHeaders().getFirst("Newest-Token")));
	}

}
