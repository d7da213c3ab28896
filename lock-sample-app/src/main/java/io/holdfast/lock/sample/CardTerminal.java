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

import org.springframework.stereotype.Component;

/**
 * Where a buyer shows a card, which takes its time. Every order of a sale waits for it,
 * locked or not.
 */
@Component
class CardTerminal {

	private final SampleProperties properties;

	CardTerminal(SampleProperties properties) {
		this.properties = properties;
	}

	void authorise() {
		try {
			Thread.sleep(this.properties.paymentTime().toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted before the card was accepted", ex);
		}
	}

}
