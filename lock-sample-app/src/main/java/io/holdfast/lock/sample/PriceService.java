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

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.DistributedReadLock;

import org.springframework.stereotype.Service;
import org.springframework.web.client.RestClient;

/**
 * Reads and changes price lists, which somebody else's service keeps: it goes through
 * them price by price. The methods differ in their annotation.
 */
@Service
public class PriceService {

	private final RestClient http;

	PriceService(SampleProperties properties) {
		this.http = PaymentProvider.connect(properties);
	}

	/**
	 * Reads a list. Wrong if somebody changes it meanwhile.
	 * @param list the name of the list
	 * @return its prices, maybe some old and some new
	 */
	public PriceList readUnlocked(String list) {
		return get(list);
	}

	/**
	 * Reads a list. Nobody else reads or changes it meanwhile.
	 * @param list the name of the list
	 * @return its prices
	 */
	@DistributedLock(name = "prices", key = "#list", waitTimeString = "60s")
	public PriceList readAlone(String list) {
		return get(list);
	}

	/**
	 * Reads a list. Others may read it meanwhile; nobody changes it.
	 * @param list the name of the list
	 * @return its prices
	 */
	@DistributedReadLock(name = "prices", key = "#list", waitTimeString = "60s")
	public PriceList read(String list) {
		return get(list);
	}

	/**
	 * Changes a list, whoever reads it.
	 * @param list the name of the list
	 * @param cents what everything costs from now on
	 */
	public void changeUnlocked(String list, int cents) {
		post(list, cents);
	}

	/**
	 * Changes a list. Nobody else reads or changes it meanwhile.
	 * @param list the name of the list
	 * @param cents what everything costs from now on
	 */
	@DistributedLock(name = "prices", key = "#list", waitTimeString = "60s")
	public void change(String list, int cents) {
		post(list, cents);
	}

	private PriceList get(String list) {
		return Objects
			.requireNonNull(this.http.get().uri("/prices?list={list}", list).retrieve().body(PriceList.class));
	}

	private void post(String list, int cents) {
		this.http.post().uri("/prices?list={list}&cents={cents}", list, cents).retrieve().toBodilessEntity();
	}

}
