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

package io.holdfast.lock.interceptor;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.holdfast.lock.annotation.DistributedLimit;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.DistributedReadLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.testing.JavaProcess;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.blockhound.BlockHound;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * BlockHound watches the event loops, in a process of its own, whose classes it changes.
 */
class EventLoopTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void noneOfThemIsBlocked(String driver, @TempDir Path agents) {
		String[] properties = Stream
			.concat(Stream.of("spring.data.redis.client-type=" + driver), Arrays.stream(LockRunner.properties()))
			.toArray(String[]::new);
		try (JavaProcess process = JavaProcess.startWithOptions(List.of("-XX:+AllowRedefinitionToAddDeleteMethods",
				"-Djava.io.tmpdir=" + agents, "-cp", System.getProperty("java.class.path")), driver, Watched.class,
				properties)) {
			assertThat(process.awaitLine("Calls", LONG)).containsExactly("Calls", "600");
			assertThat(String.join(" ", process.awaitLine("Blocked", LONG))).isEqualTo("Blocked []");
			assertThat(process.awaitLine("Watching", LONG)).containsExactly("Watching", "true");
		}
	}

	/** The process. */
	public static final class Watched {

		private static final Set<String> blocked = ConcurrentHashMap.newKeySet();

		private Watched() {
		}

		public static void main(String[] properties) {
			BlockHound.Builder watch = BlockHound.builder().loadIntegrations();
			// Where Reactor gives its workers back, under a lock that is free at once.
			List.of("remove", "drainTo")
				.forEach((name) -> watch.allowBlockingCallsInside(
						"java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue", name));
			watch.nonBlockingThreadPredicate(
					(given) -> given.or((thread) -> thread.getName().toLowerCase(Locale.ROOT).contains("eventloop")))
				.blockingMethodCallback(
						(method) -> blocked.add(method.getName() + " of " + Thread.currentThread().getName()
								+ Arrays.stream(Thread.currentThread().getStackTrace()).skip(3).limit(12).toList()))
				.install();
			new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(BootLine.locksAndProxies()))
				.withPropertyValues(properties)
				.withBean(Shop.class)
				.withBean(Till.class)
				.run((context) -> {
					Shop shop = context.getBean(Shop.class);
					Long calls = Flux.range(0, 600)
						.flatMap((i) -> shop.call(i).subscribeOn(Schedulers.parallel()), 32)
						.count()
						.block(LONG);
					System.out.println("Calls " + calls);
				});
			System.out.println("Blocked " + blocked);
			Mono.fromRunnable(() -> LockSupport.parkNanos(1)).subscribeOn(Schedulers.parallel()).block(LONG);
			System.out.println("Watching " + !blocked.isEmpty());
			awaitEnd();
		}

		/** The test ends it when it has read all. */
		private static void awaitEnd() {
			try {
				int unused = System.in.read();
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	static class Shop {

		private final Till till;

		Shop(Till till) {
			this.till = till;
		}

		/** Brings a value, whatever becomes of the call. */
		Mono<Object> call(int i) {
			Mono<?> call = switch (i % 6) {
				case 0 -> this.till.pay(i % 3, this.till);
				case 1 -> this.till.read();
				case 2 -> this.till.write();
				case 3 -> this.till.list().collectList();
				case 4 -> this.till.mail();
				default -> this.till.pay(i % 3, this.till).timeout(Duration.ofMillis(2));
			};
			return call.cast(Object.class).onErrorReturn("failed").defaultIfEmpty("skipped");
		}

	}

	static class Till {

		private static Mono<String> work() {
			return Mono.delay(Duration.ofMillis(1)).thenReturn("done");
		}

		@DistributedLock(name = "order", key = "#id")
		Mono<String> pay(int id, Till self) {
			return self.book(id);
		}

		@DistributedLock(name = "order", key = "#id")
		Mono<String> book(int id) {
			return work();
		}

		@DistributedReadLock("price")
		Mono<String> read() {
			return work();
		}

		@DistributedLock(name = "price", waitTime = 20, onContention = OnContention.SKIP)
		Mono<String> write() {
			return work();
		}

		@DistributedLock(name = "list", fair = true)
		Flux<Integer> list() {
			return Flux.range(1, 3).delayElements(Duration.ofMillis(1));
		}

		@DistributedLimit(name = "mail", permits = 2, waitTime = 5)
		Mono<String> mail() {
			return work();
		}

	}

}
