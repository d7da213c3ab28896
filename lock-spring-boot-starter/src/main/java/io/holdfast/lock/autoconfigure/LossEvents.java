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

package io.holdfast.lock.autoconfigure;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockObserver;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes each loss of the clients that it observes as an application event. Contexts
 * above hear it, too.
 *
 * @param events publishes in the context of the clients
 */
record LossEvents(ApplicationEventPublisher events) implements LockObserver {

	@Override
	public void lost(LockLoss loss, Attempt attempt) {
		this.events.publishEvent(loss);
	}

}
