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

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.holdfast.lock.Leases;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.fixture.TestThread;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Where the lock stands among the other annotations of a method. */
class LockOrderTests {

	@Test
	void callThatIsNotAuthorizedDoesNotWaitForTheLock() {
		LockRunner.create().withUserConfiguration(Security.class).withBean(Vault.class).run((context) -> {
			try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
				other.hold("vault");
				SecurityContextHolder.getContext()
					.setAuthentication(new TestingAuthenticationToken("guest", "", "ROLE_GUEST"));

				assertThatExceptionOfType(AccessDeniedException.class)
					.isThrownBy(() -> context.getBean(Vault.class).open());
			}
			finally {
				SecurityContextHolder.clearContext();
			}
		});
	}

	@ParameterizedTest
	@ValueSource(ints = { LockAdvisor.DEFAULT_ORDER, Ordered.HIGHEST_PRECEDENCE })
	void asynchronousCallIsLockedUntilItsResultIsThere(int order) {
		LockRunner.create()
			.withUserConfiguration(Asynchronous.class)
			.withBean(Report.class)
			.withPropertyValues("holdfast.lock.aspect-order=" + order)
			.run((context) -> {
				AwaitedResult work = new AwaitedResult();
				try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
					Future<String> report = context.getBean(Report.class).write(work);

					assertThat(work.isAwaited()).isTrue();
					assertThat(other.sees("report")).isTrue();

					work.complete("done");
					assertThat(report.get(20, TimeUnit.SECONDS)).isEqualTo("done");
					assertThat(other.sees("report")).isFalse();
				}
			});
	}

	@Test
	void failureOfAsynchronousCallReachesItsCaller() {
		LockRunner.create().withUserConfiguration(Asynchronous.class).withBean(Report.class).run((context) -> {
			AwaitedResult work = new AwaitedResult();
			Future<String> report = context.getBean(Report.class).write(work);

			work.completeExceptionally(new IllegalStateException("no paper"));

			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> report.get(20, TimeUnit.SECONDS))
				.withMessageContaining("no paper");
		});
	}

	@Test
	void resultOfAnyTypeIsAwaitedOrRefused() throws Exception {
		Method any = Anything.class.getMethod("get");
		AwaitedResult work = new AwaitedResult();
		try (TestThread<Object> waiting = TestThread.start(() -> LaterResult.await(any, work))) {
			assertThat(work.isAwaited()).isTrue();

			work.complete("done");

			assertThat(waiting.join()).isSameAs(work);
		}
		assertThat(LaterResult.await(any, "now")).isEqualTo("now");
		assertThatIllegalStateException().isThrownBy(() -> LaterResult.await(any, Stream.of("later")))
			.withMessageContaining("whose work is not done yet");
	}

	@Test
	void interruptDoesNotEndTheWaitForAnAsynchronousResult() throws Exception {
		Method write = Report.class.getMethod("write", CompletableFuture.class);
		AwaitedResult work = new AwaitedResult();
		try (TestThread<Boolean> waiting = TestThread.start(() -> {
			LaterResult.await(write, work);
			return Thread.currentThread().isInterrupted();
		})) {
			assertThat(work.isAwaited()).isTrue();
			waiting.interrupt();
			assertThat(work.isAwaited()).isTrue();

			work.complete("done");

			assertThat(waiting.join()).isTrue();
		}
	}

	@Test
	void scheduledMethodIsLocked() {
		LockRunner.create()
			.withUserConfiguration(Scheduling.class)
			.withBean(Nightly.class)
			.run((context) -> assertThat(context.getBean(Nightly.class).lock().get(20, TimeUnit.SECONDS))
				.isEqualTo("nightly"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableMethodSecurity
	static class Security {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	static class Asynchronous {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

	}

	public static class Vault {

		@PreAuthorize("hasRole('CLERK')")
		@DistributedLock(name = "vault", waitTime = 0)
		public void open() {
			throw new AssertionError("The method must not run");
		}

	}

	public static class Report {

		@Async
		@DistributedLock(name = "report")
		public Future<String> write(CompletableFuture<String> work) {
			return work;
		}

	}

	/** Tells that somebody waits for it. */
	public interface Anything {

		Object get();

	}

	static class AwaitedResult extends CompletableFuture<String> {

		private final Semaphore awaited = new Semaphore(0);

		@Override
		public String get() throws InterruptedException, ExecutionException {
			this.awaited.release();
			return super.get();
		}

		boolean isAwaited() throws InterruptedException {
			return this.awaited.tryAcquire(20, TimeUnit.SECONDS);
		}

	}

	public static class Nightly {

		private final CompletableFuture<String> lock = new CompletableFuture<>();

		@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.DAYS)
		@DistributedLock(name = "nightly", waitTime = 0, onContention = OnContention.SKIP)
		public void run() {
			this.lock.complete(Leases.current().name());
		}

		CompletableFuture<String> lock() {
			return this.lock;
		}

	}

}
