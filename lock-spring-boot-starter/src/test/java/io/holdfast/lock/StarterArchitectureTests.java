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

import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.NullMarked;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/** The shape of the starter. */
@AnalyzeClasses(packages = "io.holdfast.lock",
		importOptions = { ImportOption.DoNotIncludeTests.class, StarterArchitectureTests.OnlyStarter.class })
class StarterArchitectureTests {

	private static final String ANNOTATION = "io.holdfast.lock.interceptor.internal.annotation";

	/**
	 * Who warns without a limit.
	 */
	private static final Set<String> UNLIMITED = Set.of( //
			// Once for each start.
			"LocalLockAutoConfiguration", //
			"LockAnnotationAutoConfiguration.DisabledConfiguration", //
			"LockObservationAutoConfiguration", //
			"ServerCheck", "StartUpCheck", "UnknownProperties", //
			// Once for each class with locked methods.
			"SelfCalls", //
			// Once: too many names have one warning.
			"LockNames", //
			// Each attempt at a release by force: it is what is left of who took which
			// lock.
			"LocksEndpoint");

	private static final DescribedPredicate<JavaClass> NOT_PUBLIC = DescribedPredicate.describe("not public",
			(type) -> !type.getModifiers().contains(JavaModifier.PUBLIC));

	@ArchTest
	static final ArchRule autoConfigurationsArePublicAndFinal = classes().that()
		.areAnnotatedWith(AutoConfiguration.class)
		.should()
		.bePublic()
		.andShould()
		.haveModifier(JavaModifier.FINAL);

	@ArchTest
	static final ArchRule beanMethodsArePackagePrivate = methods().that()
		.areAnnotatedWith(Bean.class)
		.should()
		.bePackagePrivate();

	@ArchTest
	static final ArchRule applicationsCanReplaceBeans = methods().that()
		.areAnnotatedWith(Bean.class)
		.and()
		.doNotHaveRawReturnType(NOT_PUBLIC)
		.should()
		.beAnnotatedWith(ConditionalOnMissingBean.class);

	@ArchTest
	static final ArchRule packagesHaveNoCycles = slices().matching("io.holdfast.lock.(*)..").should().beFreeOfCycles();

	@ArchTest
	static final ArchRule onlyAutoConfigurationKnowsRedis = noClasses().that()
		.resideOutsideOfPackage("..autoconfigure..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("io.holdfast.lock.redis..", "org.springframework.data.redis..");

	@ArchTest
	static final ArchRule onlyTheInterceptorReadsAnnotations = noClasses().that()
		.resideOutsideOfPackage("io.holdfast.lock.interceptor..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage(ANNOTATION);

	@ArchTest
	static final ArchRule readingAnnotationsKnowsNothingOfCalls = noClasses().that()
		.resideInAPackage(ANNOTATION)
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("io.holdfast.lock.interceptor", "org.aopalliance..", "org.springframework.aop..",
				"org.springframework.transaction..", "org.springframework.cache..");

	@ArchTest
	void publicTypesAreFew(JavaClasses starter) {
		assertThat(publicTypes(starter, (name) -> !name.equals(ANNOTATION))).containsExactlyInAnyOrderElementsOf("""
				ActiveTransaction
				Boot35LockHealthAutoConfiguration
				ConditionalOnLockSwitch
				LettucePoolAutoConfiguration
				LocalLockAutoConfiguration
				LockAdvisor
				LockAnnotationAutoConfiguration
				LockAutoConfiguration
				LockClientCustomizer
				LockConnectionFactory
				LockDescriptors
				LockEndpointAutoConfiguration
				LockFence
				LockHealthAutoConfiguration
				LockMetrics
				LockMetricsAutoConfiguration
				LockNameRule
				LockObservationAutoConfiguration
				LockObservations
				LockServers
				LockSettings
				LockStartUpException
				LockTime
				LockedMethodsCheck
				LocksEndpoint
				OnLostLock
				ReactiveLeases
				WovenLocks
				""".lines().toList());
		assertThat(publicTypes(starter, ANNOTATION::equals)).as("internal")
			.containsExactlyInAnyOrder("Fallback", "InvalidAnnotationException", "LockAnnotationParser",
					"LockedMethod");
	}

	/**
	 * What may happen often goes through {@code LimitedLog}.
	 */
	@ArchTest
	void warningsAreLimited(JavaClasses starter) {
		Set<String> unlimited = starter.stream()
			.flatMap((type) -> type.getMethodCallsFromSelf().stream())
			.filter((call) -> call.getTargetOwner().isEquivalentTo(Log.class)
					&& Set.of("warn", "error", "fatal").contains(call.getName()))
			.map((call) -> nameOf(call.getOriginOwner()))
			.collect(Collectors.toSet());

		assertThat(unlimited).containsExactlyInAnyOrderElementsOf(UNLIMITED);
	}

	private static String nameOf(JavaClass type) {
		return type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
	}

	private static Set<String> publicTypes(JavaClasses starter, Predicate<String> packages) {
		return starter.stream()
			.filter((type) -> packages.test(type.getPackageName()))
			.filter((type) -> type.getModifiers().contains(JavaModifier.PUBLIC) && type.isTopLevelClass())
			.map(JavaClass::getSimpleName)
			.collect(Collectors.toSet());
	}

	@ArchTest
	void everyPackageIsNullMarked(JavaClasses starter) {
		Set<String> packages = starter.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());

		assertThat(packages).isNotEmpty()
			.allSatisfy(
					(name) -> assertThat(Class.forName(name + ".package-info").isAnnotationPresent(NullMarked.class))
						.isTrue());
	}

	@ArchTest
	void noPackageIsInTwoJars(JavaClasses unused) {
		JavaClasses all = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
			.withImportOption((location) -> !location.contains("-tests.jar"))
			.importPackages("io.holdfast");
		Map<String, Set<String>> jars = all.stream()
			.collect(Collectors.groupingBy(JavaClass::getPackageName,
					Collectors.mapping(StarterArchitectureTests::jarOf, Collectors.toSet())));

		assertThat(jars).containsKeys("io.holdfast.lock", "io.holdfast.lock.autoconfigure")
			.allSatisfy((name, found) -> assertThat(found).as(name).hasSize(1));
	}

	/**
	 * The jar that a class is from, or the directory.
	 */
	private static String jarOf(JavaClass type) {
		String file = type.getSource().orElseThrow().getUri().toString();
		return file.substring(0, file.length() - (type.getName() + ".class").length());
	}

	static final class OnlyStarter implements ImportOption {

		@Override
		public boolean includes(Location location) {
			return location.contains("lock-spring-boot-starter");
		}

	}

}
