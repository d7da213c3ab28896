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

package io.holdfast.lock.aspectj;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.annotation.DistributedLimit;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.DistributedReadLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.interceptor.LockStartUpException;
import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.RedisProcess;
import jakarta.annotation.PostConstruct;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.weaver.loadtime.Agent;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.ConfigurableTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;

/** Locks that AspectJ weaves into methods, in a process with its agent. */
class WovenLocksTests {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	@Test
	void wovenMethodsAreLockedHoweverTheyAreCalled() throws Exception {
		Path agent = Path.of(Agent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		String prefix = UUID.randomUUID() + ":";
		try (OtherProcess other = new OtherProcess(prefix);
				JavaProcess process = JavaProcess.startWithAgent(agent, "woven", Application.class,
						Integer.toString(RedisProcess.shared().port()), prefix)) {
			other.hold("busy");

			assertThat(process.awaitLine("END", PATIENCE)).containsExactly("END");
			assertThat(process).asString()
				.contains("before: refused")
				.contains("post-construct: 1")
				.contains("self-call: 1")
				.contains("private: 1")
				.contains("through proxy: 1")
				.contains("lambda: 1")
				.contains("type: 1, not toString: 0")
				.contains("type of a proxy: 1")
				.contains("fallback: later 7")
				.contains("skipped: Optional.empty")
				.contains("private read: SHARED, 1 of 3 permits")
				.contains("asynchronous: 1")
				.contains("super-call: base 1, derived 1")
				.contains("inherited: LockStartUpException")
				.contains("switched off: 0")
				.contains("another aspect only: LockStartUpException")
				.contains("not public: LockStartUpException")
				.contains("after: refused")
				.doesNotContain("Calls within");
			assertThat(process.end(PATIENCE)).isZero();
		}
	}

	@Test
	void applicationWhoseClassesAreNotWovenDoesNotStart() {
		runner().withBean(PlainJob.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockStartUpException.class)
				.hasMessageContaining("the lock is not woven into the class " + PlainJob.class.getName())
				.hasMessageContaining("-javaagent:aspectjweaver.jar"));
	}

	@Test
	void commitsAreGuardedAlsoIfNoBeanIsLocked() {
		runner().withConfiguration(AutoConfigurations.of(BootLine.jdbc()))
			.withPropertyValues("spring.datasource.generate-unique-name=true")
			.run((context) -> assertThat(
					context.getBean(ConfigurableTransactionManager.class).getTransactionExecutionListeners())
				.anyMatch((listener) -> listener.getClass().getSimpleName().equals("CommitGuard")));
	}

	private static ApplicationContextRunner runner() {
		return LockRunner.create().withConfiguration(AutoConfigurations.of(AspectJLockAutoConfiguration.class));
	}

	public static class PlainJob {

		@DistributedLock(name = "plain")
		public void run() {
		}

	}

	/** Calls locked methods in all ways, and says how often each lock is held in them. */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAsync
	@Import({ AspectJLockAutoConfiguration.class, BootLine.class })
	public static class Application {

		public static void main(String[] args) throws Exception {
			say("before", () -> new Job(null).open());
			try (ConfigurableApplicationContext context = start(args, Job.class, Typed.class, Later.class,
					Derived.class)) {
				Job job = context.getBean(Job.class);
				say("post-construct", () -> job.atStart);
				say("self-call", job::callItself);
				say("private", job::callPrivate);
				say("through proxy", job::open);
				say("lambda", job::callInLambda);
				Typed typed = context.getBean(Typed.class);
				say("type", () -> typed.run() + ", not toString: " + typed);
				say("type of a proxy", () -> typed.runLater().get());
				say("fallback", () -> job.busy(7));
				say("skipped", job::busyOrNot);
				say("private read", job::callReadAndLimit);
				say("super-call", () -> context.getBean(Derived.class).pay());
				say("asynchronous", () -> context.getBean(Later.class).run().get());
			}
			say("inherited", () -> start(args, Inheriting.class));
			say("switched off", () -> openWithoutLocks(args));
			say("another aspect only", () -> start(args, OtherwiseWoven.class));
			say("not public", () -> start(args, NotPublic.class));
			say("after", () -> new Job(null).open());
			System.out.println("END");
		}

		private static ConfigurableApplicationContext start(String[] args, Class<?>... beans) {
			return new SpringApplicationBuilder(Application.class).sources(beans)
				.web(WebApplicationType.NONE)
				.properties("spring.data.redis.port=" + args[0], "holdfast.lock.key-prefix=" + args[1],
						"spring.main.banner-mode=off")
				.run(Arrays.copyOfRange(args, 2, args.length));
		}

		private static int openWithoutLocks(String[] args) {
			String[] off = { args[0], args[1], "--holdfast.lock.enabled=off" };
			try (ConfigurableApplicationContext context = start(off, Job.class)) {
				return context.getBean(Job.class).open();
			}
		}

		private static void say(String what, Callable<?> call) {
			String result;
			try {
				result = String.valueOf(call.call());
			}
			catch (Exception ex) {
				result = String.valueOf(ex.getMessage()).contains("must not run without its lock") ? "refused"
						: ex.getClass().getSimpleName();
			}
			System.out.println(what + ": " + result);
		}

	}

	/** No proxy could be made of it. */
	public static final class Job {

		private final LockClient client;

		private int atStart;

		Job(LockClient client) {
			this.client = client;
		}

		@PostConstruct
		void start() {
			this.atStart = open();
		}

		@DistributedLock(name = "open")
		public int open() {
			return this.client.getLock("open").holdCount();
		}

		int callItself() {
			return open();
		}

		int callInLambda() throws Exception {
			Callable<Integer> call = () -> secret("x", 1L);
			return call.call();
		}

		int callPrivate() {
			return secret("x", 1L);
		}

		@DistributedLock(name = "secret", key = "#name + #number")
		private int secret(String name, long number) {
			return this.client.getLock("secret:" + name + number).holdCount();
		}

		@DistributedLock(name = "busy", waitTime = 0, fallbackMethod = "later")
		String busy(int number) {
			return "now";
		}

		String later(int number) {
			return "later " + number;
		}

		String callReadAndLimit() {
			return read() + ", " + limited();
		}

		@DistributedReadLock("read")
		private LockMode read() {
			return modeOf("read");
		}

		@DistributedLimit(name = "limited", permits = 3)
		private LockMode limited() {
			return modeOf("limited");
		}

		private LockMode modeOf(String name) {
			return this.client.directory().find(name).orElseThrow().mode();
		}

		@DistributedLock(name = "busy", waitTime = 0, onContention = OnContention.SKIP)
		Optional<List<String>> busyOrNot() {
			return Optional.of(List.of());
		}

	}

	@DistributedLock(name = "typed")
	public static class Typed {

		private final LockClient client;

		Typed(LockClient client) {
			this.client = client;
		}

		public int run() {
			return this.client.getLock("typed").holdCount();
		}

		@Async
		public Future<Integer> runLater() {
			return CompletableFuture.completedFuture(this.client.getLock("typed").holdCount());
		}

		@Override
		public String toString() {
			return String.valueOf(this.client.getLock("typed").holdCount());
		}

	}

	public static class Later {

		private final LockClient client;

		Later(LockClient client) {
			this.client = client;
		}

		@Async
		@DistributedLock(name = "later")
		public Future<Integer> run() {
			return CompletableFuture.completedFuture(this.client.getLock("later").holdCount());
		}

	}

	public interface Inherited {

		@DistributedLock(name = "inherited")
		void run();

	}

	public static class Inheriting implements Inherited {

		@Override
		public void run() {
		}

	}

	/** Only {@link OtherAspect} is woven into it. */
	public static class OtherwiseWoven {

		@DistributedLock(name = "otherwise")
		public void run() {
		}

	}

	@Aspect
	public static class OtherAspect {

		@Around("execution(* io.holdfast.lock.aspectj.WovenLocksTests.OtherwiseWoven.run())")
		public Object pass(ProceedingJoinPoint call) throws Throwable {
			return call.proceed();
		}

	}

	@DistributedLock(name = "meta")
	@Retention(RetentionPolicy.RUNTIME)
	public @interface Meta {

	}

	@Meta
	@Retention(RetentionPolicy.RUNTIME)
	public @interface MetaOfMeta {

	}

	@DistributedLock(name = "typed")
	public static class NotPublic {

		@MetaOfMeta
		void run() {
		}

	}

	public static class Base {

		protected final LockClient client;

		Base(LockClient client) {
			this.client = client;
		}

		@DistributedLock(name = "base")
		public String pay() {
			return "base " + this.client.getLock("base").holdCount() + ", derived "
					+ this.client.getLock("derived").holdCount();
		}

	}

	public static class Derived extends Base {

		Derived(LockClient client) {
			super(client);
		}

		@Override
		@DistributedLock(name = "derived")
		public String pay() {
			return super.pay();
		}

	}

}
