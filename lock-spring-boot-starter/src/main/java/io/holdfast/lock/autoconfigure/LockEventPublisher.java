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

import java.time.Duration;

import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockType;
import io.holdfast.lock.event.LockAcquiredEvent;
import io.holdfast.lock.event.LockReleasedEvent;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes acquisitions and releases as application events. What a listener throws is
 * logged by the client, and changes nothing for the owner.
 */
final class LockEventPublisher implements LockObserver {

	private final ApplicationEventPublisher publisher;

	LockEventPublisher(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
	}

	@Override
	public Attempt wanted(String name, @Nullable String declaredName, LockType type) {
		return new Attempt() {

			@Override
			public void acquired(Acquisition how, long waitedNanos) {
				publish(new LockAcquiredEvent(name, type, Duration.ofNanos(waitedNanos)));
			}

			@Override
			public void released(Release how, long heldNanos) {
				publish(new LockReleasedEvent(name, type, Duration.ofNanos(heldNanos)));
			}

		};
	}

	private void publish(Object event) {
		this.publisher.publishEvent(event);
	}

}
