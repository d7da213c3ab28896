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

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.holdfast.lock.interceptor.LockStartUpException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.UrlResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever the starter throws while an application starts is analysed: Spring Boot then
 * prints what is wrong and what to do, in place of a stack.
 */
class StartUpMistakesTests {

	private static final Path SOURCES = Path
		.of("../lock-spring-boot-starter/src/main/java/io/holdfast/lock/autoconfigure");

	private static final Pattern THROWN = Pattern.compile("new (\\w+Exception)\\(");

	private static final Pattern IMPORT = Pattern.compile("import ([\\w.]+);");

	/**
	 * An error of the thread that checks is no mistake of an application.
	 */
	private static final Set<String> NO_MISTAKES = Set.of("java.lang.IllegalStateException");

	@Test
	void everyMistakeIsAnalysed() throws Exception {
		List<Class<?>> analysed = analysed();
		Set<String> thrown = thrown();

		assertThat(thrown).contains(LockStartUpException.class.getName()).containsAll(NO_MISTAKES);
		assertThat(thrown).filteredOn((type) -> !NO_MISTAKES.contains(type))
			.allSatisfy((type) -> assertThat(analysed)
				.anyMatch((each) -> each.isAssignableFrom(ClassUtils.resolveClassName(type, null))));
	}

	@Test
	void everyAnalyzerOfOursIsRegistered() throws IOException {
		List<String> registered = registered();
		try (Stream<Path> files = Files.list(SOURCES)) {
			assertThat(files.map((file) -> file.getFileName().toString())
				.filter((file) -> file.endsWith("FailureAnalyzer.java"))
				.map((file) -> getClass().getPackageName() + "." + file.replace(".java", ""))).isNotEmpty()
				.allMatch(registered::contains);
		}
	}

	/**
	 * Returns the exceptions that the starter and Spring Boot explain.
	 */
	private static List<Class<?>> analysed() throws IOException {
		return registered().stream().<Class<?>>map(StartUpMistakesTests::analysedBy).filter(Objects::nonNull).toList();
	}

	private static @Nullable Class<?> analysedBy(String analyzer) {
		try {
			Class<?> type = ClassUtils.resolveClassName(analyzer, null);
			return ResolvableType.forClass(type).as(AbstractFailureAnalyzer.class).getGeneric().resolve();
		}
		catch (TypeNotPresentException | LinkageError | IllegalArgumentException | IllegalStateException ex) {
			// Of a library that is not there.
			return null;
		}
	}

	private static List<String> registered() throws IOException {
		List<String> names = new ArrayList<>();
		for (URL resource : Collections
			.list(StartUpMistakesTests.class.getClassLoader().getResources("META-INF/spring.factories"))) {
			Properties factories = PropertiesLoaderUtils.loadProperties(new UrlResource(resource));
			String analyzers = factories.getProperty(FailureAnalyzer.class.getName(), "");
			names.addAll(StringUtils.commaDelimitedListToSet(StringUtils.trimAllWhitespace(analyzers)));
		}
		return names;
	}

	/**
	 * Returns the exceptions that the auto-configuration makes, with their packages.
	 */
	private static Set<String> thrown() throws IOException {
		Set<String> types = new TreeSet<>();
		try (Stream<Path> files = Files.list(SOURCES)) {
			for (Path file : files.filter((each) -> each.toString().endsWith(".java")).toList()) {
				String source = Files.readString(file);
				THROWN.matcher(source).results().forEach((type) -> types.add(qualified(type.group(1), source)));
			}
		}
		return types;
	}

	private static String qualified(String type, String source) {
		Matcher imports = IMPORT.matcher(source);
		while (imports.find()) {
			if (imports.group(1).endsWith("." + type)) {
				return imports.group(1);
			}
		}
		String own = StartUpMistakesTests.class.getPackageName() + "." + type;
		return ClassUtils.isPresent(own, null) ? own : "java.lang." + type;
	}

}
