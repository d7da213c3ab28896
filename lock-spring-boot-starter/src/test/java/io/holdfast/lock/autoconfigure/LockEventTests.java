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
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockType;
import io.holdfast.lock.event.LockAcquiredEvent;
import io.holdfast.lock.event.LockReleasedEvent;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.local.LocalLockClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

/** The events about acquisitions and releases. */
class LockEventTests {

	private final ApplicationContextRunner runner = LockRunner.create().withBean(Seen.class);

	@ParameterizedTest
	@ValueSource(strings = { "redis", "local" })
	void acquisitionAndReleaseArePublishedOnTheThreadOfTheOwner(String mode) {
		this.runner.withPropertyValues("holdfast.lock.publish-events=true", "holdfast.lock.mode=" + mode)
			.run((context) -> {
				Seen seen = context.getBean(Seen.class);
				LeaseLock lock = context.getBean(LockClient.class).getLock("order", LockType.FAIR);

				lock.lock();
				lock.lock();
				assertThat(seen.acquired()).singleElement().satisfies((event) -> {
					assertThat(event.name()).isEqualTo("order");
					assertThat(event.type()).isEqualTo(LockType.FAIR);
					assertThat(event.waited()).isPositive();
				});
				lock.unlock();
				assertThat(seen.released()).isEmpty();
				lock.unlock();

				assertThat(seen.released()).singleElement().satisfies((event) -> {
					assertThat(event.name()).isEqualTo("order");
					assertThat(event.held()).isPositive();
				});
				assertThat(seen.threads).containsOnly(Thread.currentThread());
			});
	}

	@Test
	void lockThatIsNotHadIsNoEvent() {
		this.runner.withPropertyValues("holdfast.lock.publish-events=true").run((context) -> {
			try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
				other.hold("held");

				assertThat(context.getBean(LockClient.class)
					.tryAcquire("held", LockOptions.defaults().waitTime(Duration.ZERO))).isEmpty();
				assertThat(context.getBean(Seen.class).acquired()).isEmpty();
			}
		});
	}

	@Test
	void listenerThatFailsChangesNothing() {
		this.runner.withPropertyValues("holdfast.lock.publish-events=true").withBean(Failing.class).run((context) -> {
			LeaseLock lock = context.getBean(LockClient.class).getLock("order");

			lock.lock();

			assertThat(lock.isHeldByCurrentThread()).isTrue();
			lock.unlock();
		});
	}

	@Test
	void contextBelowAnotherPublishesItsOwn() {
		ApplicationContextRunner publishing = this.runner.withPropertyValues("holdfast.lock.publish-events=true",
				"holdfast.lock.mode=local");
		publishing.run((parent) -> publishing.withParent(parent).run((child) -> {
			var builder = LocalLockClient.builder();
			child.getBeanProvider(LockObserver.class).forEach(builder::observer);
			try (LocalLockClient client = builder.build()) {
				client.getLock("order").lock();
			}

			assertThat(child.getBean(Seen.class).acquired()).hasSize(1);
			assertThat(parent.getBean(Seen.class).acquired()).hasSize(1);
		}));
	}

	@Test
	void nothingIsPublishedByDefault() {
		this.runner.run((context) -> {
			LeaseLock lock = context.getBean(LockClient.class).getLock("order");
			lock.lock();
			lock.unlock();

			assertThat(context.getBean(Seen.class).events).isEmpty();
			assertThat(context).doesNotHaveBean(LockEventPublisher.class);
		});
	}

	static class Seen {

		private final List<Object> events = new CopyOnWriteArrayList<>();

		private final List<Thread> threads = new CopyOnWriteArrayList<>();

		@EventListener({ LockAcquiredEvent.class, LockReleasedEvent.class })
		void on(Object event) {
			this.events.add(event);
			this.threads.add(Thread.currentThread());
		}

		List<LockAcquiredEvent> acquired() {
			return of(LockAcquiredEvent.class);
		}

		List<LockReleasedEvent> released() {
			return of(LockReleasedEvent.class);
		}

		private <T> List<T> of(Class<T> type) {
			return this.events.stream().filter(type::isInstance).map(type::cast).toList();
		}

	}

	static class Failing {

		@EventListener
		void on(LockAcquiredEvent event) {
			throw new IllegalStateException(event.name());
		}

	}

}
