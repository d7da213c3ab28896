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

import java.util.Optional;

import io.holdfast.lock.Leases;
import io.holdfast.lock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Service;

/**
 * Pays orders. Both methods run the same code: look whether the order is paid, charge the
 * customer if it is not. A constraint in the shop's database cannot undo a charge. A
 * provider with idempotency keys would not need the lock; this one has none.
 */
@Service
public class PaymentService {

	private final PaymentProvider provider;

	private final ProcessPause pause;

	PaymentService(PaymentProvider provider, ProcessPause pause) {
		this.provider = provider;
		this.pause = pause;
	}

	/**
	 * Pays an order, unless it is paid. The lock keeps all others away from it. An owner
	 * that lost the lock while it was paused still gets here, but with an older token. If
	 * 20 wait for the same order, further ones are told so at once.
	 * @param order what to pay
	 * @return the receipt, maybe of an earlier payment
	 */
	@DistributedLock(name = "order", key = "#order.id", maxWaiters = 20)
	public Receipt pay(Order order) {
		return payUnlessPaid(order, Leases.current().token());
	}

	/**
	 * Pays an order, unless it is paid. Wrong as soon as two are here at the same time.
	 * @param order what to pay
	 * @return the receipt, maybe of an earlier payment
	 */
	public Receipt payUnlocked(Order order) {
		return payUnlessPaid(order, null);
	}

	private Receipt payUnlessPaid(Order order, @Nullable Long token) {
		Optional<Charge> paid = this.provider.find(order, token);
		if (paid.isPresent()) {
			return paid.get().toReceipt(false);
		}
		this.pause.ifPlanned();
		return this.provider.charge(order, token).toReceipt(true);
	}

}
