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

import java.util.Objects;

import io.holdfast.lock.annotation.DistributedLimit;

import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Service;
import org.springframework.web.client.RestClient;

/**
 * Ships parcels with a courier that takes five at once, from all instances together. Both
 * methods run the same code.
 */
@Service
public class ParcelService {

	private final RestClient courier;

	ParcelService(SampleProperties properties) {
		this.courier = PaymentProvider.connect(properties);
	}

	/**
	 * Ships a parcel. At most five are here at a time, over all instances.
	 * @return the answer of the courier
	 */
	@DistributedLimit(name = "courier", permits = 5, waitTimeString = "60s")
	public Delivery ship() {
		return handOver();
	}

	/**
	 * Ships a parcel. The courier refuses it while it has five others.
	 * @return the answer of the courier
	 */
	public Delivery shipUnlimited() {
		return handOver();
	}

	private Delivery handOver() {
		Delivery answer = this.courier.post()
			.uri("/parcels")
			.retrieve()
			.onStatus(HttpStatus.TOO_MANY_REQUESTS::equals, (request, refusal) -> {
			})
			.body(Delivery.class);
		return Objects.requireNonNull(answer);
	}

}
