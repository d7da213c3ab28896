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

package io.holdfast.lock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.conditions.ArchConditions;
import io.holdfast.lock.internal.protocol.LockServer;
import io.holdfast.lock.internal.protocol.MessageChannel;
import io.holdfast.lock.internal.protocol.ServerDirectory;
import org.jspecify.annotations.NullMarked;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the design rests on.
 */
@AnalyzeClasses(packages = "io.holdfast.lock", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

	/** Of each module that has some. */
	private static final Path SCRIPTS = Path.of("src/main/resources/io/holdfast/lock/internal/redis");

	private static final Path QUORUM_SCRIPTS = Path
		.of("../lock-quorum/src/main/resources/io/holdfast/lock/internal/quorum");

	private static final int LONGEST_FILE = 300;

	private static final Pattern ARGUMENT = Pattern.compile("(KEYS|ARGV)\\[[^]]+]");

	private static final String ROOT = "io.holdfast.lock";

	private static final String DRIVER = "internal.driver";

	private static final String TEXT = "internal.text";

	private static final String NOTICE = "internal.notice";

	private static final String PROTOCOL = "internal.protocol";

	private static final String ENGINE_ROOM = "internal.engine";

	/**
	 * Which rooms each room may see, besides the JDK and libraries: only such as stand
	 * above it here, so there are no cycles. The door to Redis may see all.
	 */
	private static final Map<String, Set<String>> VISIBLE = Map.ofEntries( //
			Map.entry(TEXT, Set.of()), //
			Map.entry("", Set.of(TEXT)), //
			Map.entry("annotation", Set.of("")), //
			Map.entry(PROTOCOL, Set.of("", TEXT)), //
			Map.entry(ENGINE_ROOM, Set.of("", PROTOCOL)), //
			Map.entry("internal.operator", Set.of("", PROTOCOL, ENGINE_ROOM)), //
			Map.entry(NOTICE, Set.of("", TEXT)), //
			Map.entry("internal.client", Set.of("", TEXT, NOTICE, PROTOCOL, ENGINE_ROOM, "internal.operator")), //
			Map.entry(DRIVER, Set.of()), //
			Map.entry("internal.redis", Set.of("", NOTICE, PROTOCOL, DRIVER)));

	private static final String ENGINE = ROOT + "." + ENGINE_ROOM + "..";

	/**
	 * The modules that are released together with the core, and may see what it hides.
	 */
	private static final Set<String> BUILT_ON_INTERNALS = Set.of("lock-core", "lock-local", "lock-quorum",
			"lock-dashboard", "lock-aspectj", "lock-spring-boot-starter", "lock-benchmarks");

	/**
	 * Of classes that have other methods, too.
	 */
	private static final Map<Class<?>, Set<String>> BLOCKING = Map.of( //
			Object.class, Set.of("wait"), //
			Thread.class, Set.of("sleep", "join", "yield", "onSpinWait"), //
			Process.class, Set.of("waitFor"), //
			TimeUnit.class, Set.of("sleep", "timedJoin", "timedWait"));

	@ArchTest
	static final ArchRule onlyWhatIsBehindThePortKnowsConnections = noClasses().that()
		.resideInAnyPackage("io.holdfast.lock", "io.holdfast.lock.annotation", "io.holdfast.lock.internal.protocol..",
				"io.holdfast.lock.internal.client..", "io.holdfast.lock.internal.operator..",
				"io.holdfast.lock.internal.notice..", ENGINE)
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.data..", "redis..", "io.lettuce..");

	/**
	 * No Spring, no drivers, no sockets, no files and no logs.
	 */
	@ArchTest
	static final ArchRule engineNeedsNothingButTheLanguage = classes().that()
		.resideInAPackage(ENGINE)
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage("io.holdfast.lock..", "java.lang..", "java.util..", "java.time..", "org.jspecify..");

	@ArchTest
	static final ArchRule engineAsksNoServer = noClasses().that()
		.resideInAPackage(ENGINE)
		.should()
		.accessTargetWhere(DescribedPredicate.describe("what is behind the port is called",
				(access) -> isOneOf(LockServer.class).or(isOneOf(MessageChannel.class))
					.or(isOneOf(ServerDirectory.class))
					.test(access.getTargetOwner())));

	/**
	 * Nor does it wait for anything but its own monitors.
	 */
	@ArchTest
	static final ArchRule engineDoesNotBlock = noClasses().that()
		.resideInAPackage(ENGINE)
		.should()
		.dependOnClassesThat()
		.resideInAPackage("java.util.concurrent.locks..")
		.orShould()
		.dependOnClassesThat(isOneOf(Lock.class).or(isOneOf(LockClient.class))
			.or(isOneOf(Future.class))
			.or(isOneOf(BlockingQueue.class))
			.or(isOneOf(CompletionService.class))
			.or(isOneOf(Executor.class))
			.or(isOneOf(CountDownLatch.class))
			.or(isOneOf(CyclicBarrier.class))
			.or(isOneOf(Phaser.class))
			.or(isOneOf(Semaphore.class))
			.or(isOneOf(Exchanger.class)))
		.orShould()
		.accessTargetWhere(DescribedPredicate.describe("the method blocks",
				(access) -> BLOCKING.entrySet()
					.stream()
					.anyMatch((each) -> each.getValue().contains(access.getName())
							&& isOneOf(each.getKey()).test(access.getTargetOwner()))));

	@ArchTest
	static final ArchRule typesThatUsersDoNotExtendAreFinalOrAbstract = classes().that()
		.resideInAnyPackage("io.holdfast.lock.internal..", "io.holdfast.lock.redis")
		.and()
		.areTopLevelClasses()
		.and()
		.doNotHaveSimpleName("package-info")
		.and(DescribedPredicate.describe("are not sealed", (type) -> !type.reflect().isSealed()))
		.should(ArchConditions.<JavaClass>haveModifier(JavaModifier.FINAL)
			.or(ArchConditions.haveModifier(JavaModifier.ABSTRACT)));

	@ArchTest
	static final ArchRule onlyTheDriverKnowsJedisAndLettuce = noClasses().that()
		.resideOutsideOfPackage("io.holdfast.lock.internal.driver..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("redis.clients..", "io.lettuce..", "org.springframework.data.redis.connection.jedis..",
				"org.springframework.data.redis.connection.lettuce..");

	/**
	 * So that the rest works with lines of Spring Data Redis that lack them.
	 */
	@ArchTest
	static final ArchRule unifiedJedisIsNotUsed = noClasses().should()
		.dependOnClassesThat()
		.haveNameMatching("redis\\.clients\\.jedis\\.(Redis(Cluster|Sentinel)?Client|builders\\..*)"
				+ "|org\\.springframework\\.data\\.redis\\.connection\\.jedis\\.JedisClientBuilderCustomizer");

	@ArchTest
	static final ArchRule wallClockIsNotUsed = noClasses().should()
		.callMethod(System.class, "currentTimeMillis")
		.orShould()
		.dependOnClassesThat()
		.belongToAnyOf(Clock.class, Date.class, LocalDateTime.class);

	/**
	 * To tell a person when it was, and for nothing else.
	 */
	@ArchTest
	static final ArchRule wallClockIsReadForLossesOnly = noClasses().that()
		.doNotHaveSimpleName("Call")
		.should()
		.callMethod(Instant.class, "now");

	@ArchTest
	void noRoomSeesWhatItMustNot(JavaClasses classes) {
		Map<String, Set<String>> seen = new TreeMap<>();
		for (JavaClass type : classes) {
			Set<String> rooms = seen.computeIfAbsent(roomOf(type), (unused) -> new TreeSet<>());
			type.getDirectDependenciesFromSelf()
				.stream()
				.map(Dependency::getTargetClass)
				.filter(ArchitectureTests::isOurs)
				.map(ArchitectureTests::roomOf)
				.filter((room) -> !room.equals(roomOf(type)))
				.forEach(rooms::add);
		}

		assertThat(seen.keySet())
			.containsExactlyInAnyOrderElementsOf(Stream.concat(VISIBLE.keySet().stream(), Stream.of("redis")).toList());
		VISIBLE.forEach((room, visible) -> assertThat(visible).as(room).containsAll(seen.get(room)));
	}

	/**
	 * No thread that renews, hears or holds a monitor waits for a log, and whatever an
	 * outage, another client or an application does, it fills no log.
	 */
	@ArchTest
	static final ArchRule onlyOneRoomLogs = noClasses()
		.that(DescribedPredicate.describe("log neither on a thread for that nor with a limit",
				(type) -> !topLevel(type).getSimpleName().equals("LimitedLog")))
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.apache.commons.logging..", "org.slf4j..", "java.util.logging..");

	/**
	 * A file that is longer has more than one reason to change.
	 */
	@ArchTest
	void noFileIsLong(JavaClasses unused) throws IOException {
		List<Path> sources = new ArrayList<>();
		for (Path module : modules()) {
			addSources(module.resolve("src/main"), sources);
		}

		assertThat(sources).hasSizeGreaterThan(100)
			.allSatisfy((source) -> assertThat(lines(source).count()).as("lines of %s", source)
				.isLessThanOrEqualTo(LONGEST_FILE));
	}

	private static List<Path> modules() throws IOException {
		try (Stream<Path> modules = Files.list(Path.of(".."))) {
			return modules.filter((each) -> Files.exists(each.resolve("pom.xml"))).toList();
		}
	}

	private static void addSources(Path directory, List<Path> sources) throws IOException {
		if (Files.isDirectory(directory)) {
			try (Stream<Path> files = Files.walk(directory)) {
				files.filter((file) -> file.toString().matches(".*\\.(java|lua)")).forEach(sources::add);
			}
		}
	}

	/**
	 * Not even their tests, but those that are released together with the core.
	 */
	@ArchTest
	void noOtherModuleImportsWhatIsInternal(JavaClasses unused) throws IOException {
		List<Path> sources = new ArrayList<>();
		for (Path module : modules()) {
			if (!BUILT_ON_INTERNALS.contains(module.getFileName().toString())) {
				addSources(module.resolve("src"), sources);
			}
		}

		assertThat(sources).hasSizeGreaterThan(100)
			.allSatisfy((source) -> assertThat(lines(source))
				.noneMatch((line) -> line.matches(".*" + ROOT + "\\.internal\\..*")));
	}

	/**
	 * The package of a type behind the common one.
	 */
	private static String roomOf(JavaClass type) {
		return type.getPackageName().substring(ROOT.length()).replaceFirst("^\\.", "");
	}

	private static DescribedPredicate<JavaClass> isOneOf(Class<?> type) {
		return JavaClass.Predicates.assignableTo(type);
	}

	private static boolean isOurs(JavaClass type) {
		return type.getPackageName().equals(ROOT) || type.getPackageName().startsWith(ROOT + ".");
	}

	private static JavaClass topLevel(JavaClass type) {
		return type.getEnclosingClass().map(ArchitectureTests::topLevel).orElse(type);
	}

	@ArchTest
	void publicTypesAreTheseAndNoOthers(JavaClasses classes) {
		Set<String> types = classes.stream()
			.filter((type) -> isReachable(type) && !roomOf(type).startsWith("internal."))
			.map(JavaClass::getName)
			.map((name) -> name.substring(ROOT.length() + 1))
			.collect(Collectors.toCollection(TreeSet::new));

		assertThat(types).containsExactlyInAnyOrder("Lease", "LeaseLock", "LeaseSemaphore", "LeaseView", "Leases",
				"LockClient", "LockClientClosedException", "LockClientHealth", "LockClientHealth$Status",
				"LockDirectory", "LockDirectory$Filter", "LockDirectory$HeldLock", "LockDirectory$Page",
				"LockDirectory$QueuedWaiter", "LockException", "LockLoss", "LockLoss$Cause", "LockLostException",
				"LockMode", "LockMode$Kind", "LockNotAcquiredException", "LockObserver", "LockObserver$Acquisition",
				"LockObserver$Attempt", "LockObserver$ClientState", "LockObserver$Failure", "LockObserver$Release",
				"LockOptions", "LockOperations", "LockServerException", "LockServerException$Reason", "LockedAction",
				"LockedTask", "ReadWriteLeaseLock", "TooManyWaitersException", "Registration",
				"annotation.DistributedLimit", "annotation.DistributedLock", "annotation.DistributedReadLock",
				"annotation.OnContention", "redis.RedisLockClient", "redis.RedisLockClientBuilder");
	}

	private static boolean isReachable(JavaClass type) {
		return type.getModifiers().contains(JavaModifier.PUBLIC)
				&& type.getEnclosingClass().map(ArchitectureTests::isReachable).orElse(true);
	}

	@ArchTest
	void everyPackageIsNullMarked(JavaClasses classes) {

		Set<String> packages = classes.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());

		assertThat(packages).isNotEmpty()
			.allSatisfy(
					(name) -> assertThat(Class.forName(name + ".package-info").isAnnotationPresent(NullMarked.class))
						.isTrue());
	}

	@ArchTest
	void everyScriptThatIsRunStatesItsContract(JavaClasses unused) throws IOException {
		assertThat(scripts()).isNotEmpty().allSatisfy((script) -> {
			String name = script.getFileName().toString();
			String header = header(script);
			assertThat(header).as(name)
				.startsWith("-- " + name.replace(".lua", "") + ": ")
				.containsPattern("\n-- Returns  \\S")
				.containsPattern("\n-- Repeat   \\S")
				.containsPattern("\n-- Clock    \\S");
			for (String used : arguments(body(script))) {
				// Where the header counts with i, a number or i is one of these.
				boolean counted = used.matches("\\w+\\[(\\d+|i)]") && arguments(header).stream()
					.anyMatch((stated) -> stated.matches(used.substring(0, 4) + ".*i.*"));
				assertThat(counted || arguments(header).contains(used)).as("%s states %s", name, used).isTrue();
			}
		});
	}

	@ArchTest
	void everyScriptThatIsRunHasItsTests(JavaClasses unused) throws IOException {
		Set<String> tests = files(Path.of("src/test/java")).stream()
			.map((file) -> file.getFileName().toString().toLowerCase(Locale.ROOT))
			.collect(Collectors.toSet());

		assertThat(scripts()).filteredOn((script) -> script.startsWith(SCRIPTS))
			.map((script) -> script.getFileName().toString())
			.allSatisfy(
					(name) -> assertThat(tests).contains(name.replace("-", "").replace(".lua", "scripttests.java")));
	}

	/**
	 * Those that no other one includes.
	 */
	private static List<Path> scripts() throws IOException {
		List<Path> all = new ArrayList<>(files(SCRIPTS));
		all.addAll(files(QUORUM_SCRIPTS));
		String bodies = all.stream().map(ArchitectureTests::body).collect(Collectors.joining("\n"));
		return all.stream().filter((each) -> !bodies.contains("--#include " + each.getFileName())).toList();
	}

	private static List<Path> files(Path directory) throws IOException {
		try (Stream<Path> files = Files.walk(directory)) {
			return files.filter(Files::isRegularFile).toList();
		}
	}

	private static String header(Path script) {
		return lines(script).takeWhile((line) -> line.startsWith("--")).collect(Collectors.joining("\n"));
	}

	private static String body(Path script) {
		return lines(script).dropWhile((line) -> line.startsWith("--")).collect(Collectors.joining("\n"));
	}

	private static Stream<String> lines(Path script) {
		try {
			return Files.readAllLines(script).stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The keys and arguments that a text names, as headers write them.
	 */
	private static Set<String> arguments(String text) {
		return ARGUMENT.matcher(text)
			.results()
			.map((found) -> found.group().replaceAll("[ *]", ""))
			.collect(Collectors.toSet());
	}

}
