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

package io.holdfast.lock.quorum;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.annotation.DistributedLimit;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.DistributedReadLock;
import io.holdfast.lock.autoconfigure.LocalLockAutoConfiguration;
import io.holdfast.lock.autoconfigure.LockAutoConfiguration;
import io.holdfast.lock.autoconfigure.LockConnectionFactory;
import io.holdfast.lock.autoconfigure.LockServers;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.interceptor.LockStartUpException;
import io.holdfast.lock.local.LocalLockClient;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.RedisSetup;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** How applications on a quorum start, and why they do not. */
@ExtendWith(OutputCaptureExtension.class)
class QuorumStartTests {

	private final ApplicationContextRunner runner = LockRunner.create()
		.withConfiguration(AutoConfigurations.of(LockQuorumAutoConfiguration.class));

	/** On servers that are not there. */
	private ApplicationContextRunner onQuorum() {
		return this.runner.withPropertyValues("holdfast.lock.check-at-start=false",
				"holdfast.lock.quorum.nodes=redis://127.0.0.1:1,redis://127.0.0.1:2,redis://127.0.0.1:3");
	}

	@Test
	void springBootFindsTheAutoConfiguration() {
		assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()))
			.contains(LockQuorumAutoConfiguration.class.getName());
	}

	@Test
	void withoutServersLocksAreOnTheApplicationsRedis() {
		this.runner.run((context) -> assertThat(context.getBean(LockServers.class).connectionFactories())
			.containsExactly(context.getBean(RedisConnectionFactory.class)));
	}

	@Test
	void applicationWithoutRedisStarts() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockQuorumAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void withLocalLocksServersHaveNoEffect() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LockQuorumAutoConfiguration.class,
					LocalLockAutoConfiguration.class, LockAutoConfiguration.class))
			.withPropertyValues("holdfast.lock.mode=local", "holdfast.lock.quorum.nodes=redis://127.0.0.1:1")
			.run((context) -> assertThat(context).hasSingleBean(LocalLockClient.class));
	}

	@ParameterizedTest
	@CsvSource({ "timeout=500, has no unit", "restart-guard=60, has no unit", "timeout=forever, is no duration" })
	void timeThatIsNoDurationStopsApplication(String property, String reason) {
		onQuorum().withPropertyValues("holdfast.lock.quorum." + property)
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining(reason));
	}

	@Test
	void propertiesReachTheClient() {
		onQuorum()
			.withPropertyValues("holdfast.lock.quorum.timeout=300ms", "holdfast.lock.quorum.restart-guard=1m",
					"holdfast.lock.key-prefix=shop:")
			.run((context) -> {
				RedisLockClient client = context.getBean(RedisLockClient.class);
				assertThat(client.keyPrefix()).isEqualTo("shop:");
				assertThat(client).extracting("runtime.server.members.quorum")
					.extracting("timeout", "restartGuard")
					.containsExactly(Duration.ofMillis(300), Duration.ofMinutes(1));
			});
	}

	@Test
	void serverThatDoesNotAnswerHidesNoMistakeOfAnother() {
		try (RedisProcess silent = RedisProcess.start(); RedisProcess other = RedisProcess.start()) {
			silent.pause();
			this.runner
				.withPropertyValues(
						"holdfast.lock.quorum.nodes=redis://127.0.0.1:%d,redis://nobody:wrong@127.0.0.1:%d,%s"
							.formatted(silent.port(), other.port(), "redis://127.0.0.1:1"))
				.run((context) -> assertThat(context).getFailure()
					.hasStackTraceContaining("127.0.0.1:" + other.port() + " refuses this application"));
			silent.resume();
		}
	}

	@Test
	void propertyThatDoesNotExistStopsApplication() {
		this.runner.withPropertyValues("holdfast.lock.quorum.node[0]=redis://a")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(UnboundConfigurationPropertiesException.class)
				.hasMessageContaining("holdfast.lock.quorum.node[0]"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			redis://:secret@a:1                                             | names 1 server.
			redis://:secret@a:1,redis://:secret@a:2                         | names 2 servers.
			redis://:secret@a:1,redis://:secret@a:2,redis://:secret@a:x     | nodes[2] is not the address
			redis://:secret@a:1,redis://:secret@a:2,redis://:secret@a:1     | nodes names a:1 twice.
			redis://:secret@a:1,redis://:secret,secret@b:2,redis://c:3      | nodes[1] is not the address
			redis://app:12#secret@a:1,redis://app:12#secret@b:2,redis://c:3 | nodes[0] is not the address
			""")
	void mistakeInServersIsExplainedWithoutPasswords(String nodes, String description, CapturedOutput output) {
		assertThatThrownBy(() -> run("holdfast.lock.quorum.nodes=" + nodes, "debug=true")).isNotNull();

		assertThat(output).contains("Description:\n\nholdfast.lock.quorum.nodes")
			.contains(description)
			.contains("Action:\n\n")
			.doesNotContain("secret");
	}

	@Test
	void gapInTheServersIsExplainedWithoutPasswords(CapturedOutput output) {
		assertThatThrownBy(() -> run("holdfast.lock.quorum.nodes[0]=redis://:secret@a:1",
				"holdfast.lock.quorum.nodes[2]=redis://:secret@b:2"))
			.isNotNull();

		assertThat(output).contains("No such property, or it has no value: holdfast.lock.quorum.nodes[2] (from ")
			.contains("Number the servers of a list from 0, without gaps.")
			.doesNotContain("secret");
	}

	@Test
	void propertyThatDoesNotExistIsExplainedWithoutPasswords(CapturedOutput output) {
		assertThatThrownBy(() -> run("holdfast.lock.quorum.node[0]=redis://:secret@a:1")).isNotNull();

		assertThat(output)
			.contains("Description:\n\nNo such property, or it has no value: holdfast.lock.quorum.node[0] (from ")
			.doesNotContain("secret");
	}

	private static void run(String... properties) {
		new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties(LockRunner.properties())
			.properties(properties)
			.run()
			.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "no.such.package", "io.lettuce" })
	void serversThatCannotBeReachedAreNamed(String hidden) {
		try (LogCapture log = LogCapture.of("io.holdfast.lock.autoconfigure.StartUpCheck", Level.WARN)) {
			this.runner.withClassLoader(new FilteredClassLoader(hidden))
				.withPropertyValues(
						"holdfast.lock.quorum.nodes=redis://:secret@127.0.0.1:1,redis://127.0.0.1:2,redis://127.0.0.1:3")
				.run((context) -> assertThat(context).hasNotFailed());

			assertThat(String.join(" ", log.lines())).contains("127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3")
				.doesNotContain("secret");
		}
	}

	@Test
	void serversAreReachedWithTheDriverOfTheRedisThatIsMarked() {
		onQuorum().withUserConfiguration(MarkedJedis.class)
			.run((context) -> assertThat(context.getBean(LockServers.class).connectionFactories()).hasSize(3)
				.allSatisfy((server) -> assertThat(server).isInstanceOf(JedisConnectionFactory.class)));
	}

	/** Such as Redisson's, or one that the application wraps. */
	@Test
	void redisOfAnotherClientLibraryStopsApplicationAndSaysWhatToDo() {
		onQuorum().withUserConfiguration(ForeignRedis.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockStartUpException.class)
				.hasMessageContaining("a JedisConnectionFactory or a LettuceConnectionFactory")
				.hasMessageContaining("$Proxy")
				.hasMessageContaining("mark it with @LockConnectionFactory"));
	}

	/**
	 * The end of its Lettuce clients may take for ever once what they share has ended.
	 */
	@Test
	void endsBeforeTheApplicationsRedis() {
		List<String> ended = new ArrayList<>();
		DestructionAwareBeanPostProcessor order = (bean, name) -> ended.add(name);

		onQuorum().withBean(DestructionAwareBeanPostProcessor.class, () -> order)
			.run((context) -> assertThat(context).hasNotFailed());

		assertThat(ended).containsSubsequence("lockQuorumConnections", "lettuceClientResources");
	}

	@Test
	void userWithoutTheRightThatTheRestartGuardNeedsStopsApplication() {
		try (RedisProcess one = withoutInfo(); RedisProcess two = withoutInfo(); RedisProcess three = withoutInfo()) {
			ApplicationContextRunner limited = this.runner
				.withPropertyValues("holdfast.lock.quorum.nodes=" + Stream.of(one, two, three)
					.map((server) -> "redis://" + server.host() + ":" + server.port())
					.collect(Collectors.joining(",")));

			limited.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockStartUpException.class)
				.hasMessageContaining("may not lock")
				.hasMessageContaining("+info +ping."));
			limited.withPropertyValues("holdfast.lock.quorum.restart-guard=0").run((context) -> {
				assertThat(context.getBean(LockClient.class).getLock("a").tryLock(TestThreads.LONG)).isTrue();
				context.getBean(LockClient.class).getLock("a").unlock();
			});
		}
	}

	private static RedisProcess withoutInfo() {
		return RedisProcess.start(("--user default on nopass ~* resetchannels &* -@all +hello +client "
				+ RedisSetup.RIGHTS.substring(RedisSetup.RIGHTS.indexOf("+eval")).replace(" +info", ""))
			.split(" "));
	}

	@ParameterizedTest
	@ValueSource(classes = { Fair.class, Reader.class, Limited.class })
	void modeThatAQuorumDoesNotHaveStopsApplication(Class<?> type) {
		onQuorum().withBean("bean", type)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockStartUpException.class)
				.hasMessageContaining((type == Fair.class) ? "Fair.run(): Fair locks are not supported on a quorum"
						: "Shared locks and permits are not supported on a quorum"));
	}

	@Test
	void leaseBeyondTheRestartGuardStopsApplication() {
		onQuorum().withBean(LeaseOfOneMinute.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockStartUpException.class)
				.hasMessageContaining("LeaseOfOneMinute.run(): Lease of a lock on a quorum must not be longer than its "
						+ "restart guard, 30s: 1m."));
	}

	@Test
	void pageHasAllProperties() throws IOException {
		List<String> properties = Stream.of(LockQuorumProperties.class.getRecordComponents())
			.map((each) -> each.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
			.toList();

		assertThat(Files.readAllLines(Path.of("../docs/quorum.md")).stream().filter((line) -> line.startsWith("| `")))
			.extracting((row) -> row.substring(3, row.indexOf('`', 3)))
			.containsExactlyElementsOf(properties);
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import({ LockQuorumAutoConfiguration.class, BootLine.class })
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	static class MarkedJedis {

		@Bean(defaultCandidate = false)
		@LockConnectionFactory
		RedisConnectionFactory forLocks() {
			return new JedisConnectionFactory();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ForeignRedis {

		@Bean(defaultCandidate = false)
		@LockConnectionFactory
		RedisConnectionFactory forLocks() {
			JedisConnectionFactory target = new JedisConnectionFactory();
			return (RedisConnectionFactory) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { RedisConnectionFactory.class },
					(proxy, method, args) -> method.invoke(target, args));
		}

	}

	public static class Fair {

		@DistributedLock(name = "x", fair = true)
		public void run() {
		}

	}

	public static class Reader {

		@DistributedReadLock(name = "x")
		public void run() {
		}

	}

	public static class Limited {

		@DistributedLimit(name = "x", permits = 5)
		public void run() {
		}

	}

	public static class LeaseOfOneMinute {

		@DistributedLock(name = "x", leaseTimeString = "1m")
		public void run() {
		}

	}

}
