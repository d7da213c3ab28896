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

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.springframework.stereotype.Service;

/**
 * Impatient customers: each clicks twice on "pay".
 */
@Service
class PaymentRush {

	private static final long CENTS = 1990;

	private final PaymentService payments;

	private final PaymentProvider provider;

	private final Crowd crowd;

	PaymentRush(PaymentService payments, PaymentProvider provider, Crowd crowd) {
		this.payments = payments;
		this.provider = provider;
		this.crowd = crowd;
	}

	/**
	 * Pays each order of a batch twice at the same time.
	 * @throws ExecutionException if a payment failed
	 */
	PaymentResult run(PaymentMode mode, String batch, int orders) throws InterruptedException, ExecutionException {
		List<Order> unpaid = IntStream.rangeClosed(1, orders)
			.mapToObj((n) -> new Order(batch + "-" + n, CENTS))
			.toList();
		long start = System.nanoTime();
		this.crowd.rush(unpaid.stream()
			.map((order) -> click(mode, order))
			.flatMap((click) -> Stream.of(click, click))
			.toList());
		long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
		int[] charges = unpaid.stream().mapToInt(this::countCharges).toArray();
		int chargedTwice = (int) IntStream.of(charges).filter((count) -> count > 1).count();
		return new PaymentResult(mode, orders, IntStream.of(charges).sum(), chargedTwice, millis);
	}

	private int countCharges(Order order) {
		return (int) this.provider.ledger(order.id()).stream().filter((charge) -> !charge.refused()).count();
	}

	private Callable<Receipt> click(PaymentMode mode, Order order) {
		return switch (mode) {
			case UNLOCKED -> () -> this.payments.payUnlocked(order);
			case LOCKED -> () -> this.payments.pay(order);
		};
	}

}
