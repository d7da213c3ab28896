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
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.conditions.ArchConditions;
import org.jspecify.annotations.NullMarked;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the design rests on.
 */
@AnalyzeClasses(packages = "io.holdfast.lock", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

	private static final Path SCRIPTS = Path.of("src/main/resources/io/holdfast/lock/redis");

	private static final Path SCRIPT_TESTS = Path.of("src/test/java/io/holdfast/lock/redis");

	private static final Pattern ARGUMENT = Pattern.compile("(KEYS|ARGV)\\[[^]]+]");

	@ArchTest
	static final ArchRule packagesHaveNoCycles = slices().matching("io.holdfast.(**)").should().beFreeOfCycles();

	@ArchTest
	static final ArchRule apiKnowsNothingOfRedis = noClasses().that()
		.resideInAnyPackage("io.holdfast.lock", "io.holdfast.lock.annotation")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("io.holdfast.lock.redis..", "org.springframework.data..", "redis..", "io.lettuce..");

	@ArchTest
	static final ArchRule oneDoorToRedis = classes().that()
		.resideInAPackage("io.holdfast.lock.redis..")
		.and()
		.areTopLevelClasses()
		.and()
		.doNotHaveSimpleName("RedisLockClient")
		.and()
		.doNotHaveSimpleName("package-info")
		.should()
		.bePackagePrivate()
		.andShould(ArchConditions.<JavaClass>haveModifier(JavaModifier.FINAL).or(ArchConditions.beInterfaces()));

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
		.doNotHaveSimpleName("Grant")
		.should()
		.callMethod(Instant.class, "now");

	@ArchTest
	void publicTypesAreTheseAndNoOthers(JavaClasses classes) {
		Set<String> types = classes.stream()
			.filter(ArchitectureTests::isReachable)
			.map(JavaClass::getName)
			.map((name) -> name.substring("io.holdfast.lock.".length()))
			.collect(Collectors.toCollection(TreeSet::new));

		assertThat(types).containsExactlyInAnyOrder("Lease", "LeaseLock", "LockClient", "LockClientClosedException",
				"LockDirectory", "LockDirectory$HeldLock", "LockDirectory$Page", "LockDirectory$QueuedWaiter",
				"LockException", "LockListener", "LockLoss", "LockLoss$Cause", "LockLostException",
				"LockNotAcquiredException", "LockOptions", "LockServerException", "LockServerException$Reason",
				"LockType", "annotation.DistributedLock", "annotation.OnFailure", "redis.RedisLockClient",
				"redis.RedisLockClient$Builder", "redis.RedisLockClient$ReplicaAcknowledgement");
	}

	private static boolean isReachable(JavaClass type) {
		return type.getModifiers().contains(JavaModifier.PUBLIC)
				&& type.getEnclosingClass().map(ArchitectureTests::isReachable).orElse(true);
	}

	@ArchTest
	void everyPackageIsNullMarked(JavaClasses classes) {

		Set<String> packages = classes.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());

		assertThat(packages).hasSize(3)
			.allSatisfy(
					(name) -> assertThat(Class.forName(name + ".package-info").isAnnotationPresent(NullMarked.class))
						.isTrue());
	}

	@ArchTest
	void everyScriptStatesItsContract(JavaClasses unused) throws IOException {
		List<Path> scripts = scripts();

		assertThat(scripts).hasSize(13).allSatisfy((script) -> {
			String name = script.getFileName().toString();
			String header = header(script);
			assertThat(header).as(name)
				.startsWith("-- " + name.replace(".lua", "") + ": ")
				.containsPattern("\n-- Returns  \\S")
				.containsPattern("\n-- Repeat   \\S")
				.containsPattern("\n-- Clock    \\S");
			for (String used : arguments(body(script))) {
				// Where the header counts with i, a number is one of these.
				boolean counted = used.matches("\\w+\\[\\d+]") && arguments(header).stream()
					.anyMatch((stated) -> stated.matches(used.substring(0, 4) + ".*i.*"));
				assertThat(counted || arguments(header).contains(used)).as("%s states %s", name, used).isTrue();
			}
		});
	}

	@ArchTest
	void everyScriptThatIsRunHasItsTests(JavaClasses unused) throws IOException {
		List<Path> scripts = scripts();
		String all = scripts.stream().map(ArchitectureTests::body).collect(Collectors.joining());
		try (Stream<Path> files = Files.list(SCRIPT_TESTS)) {
			Set<String> tests = files.map((file) -> file.getFileName().toString().toLowerCase(Locale.ROOT))
				.collect(Collectors.toSet());

			assertThat(scripts).map((script) -> script.getFileName().toString())
				.filteredOn((name) -> !all.contains("--#include " + name))
				.hasSize(10)
				.allSatisfy((name) -> assertThat(tests)
					.contains(name.replace("-", "").replace(".lua", "scripttests.java")));
		}
	}

	private static List<Path> scripts() throws IOException {
		try (Stream<Path> files = Files.list(SCRIPTS)) {
			return files.filter((file) -> !file.endsWith("mutex.lua")).toList();
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
