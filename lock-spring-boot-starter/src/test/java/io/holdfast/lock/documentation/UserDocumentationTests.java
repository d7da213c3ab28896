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

package io.holdfast.lock.documentation;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.autoconfigure.LocalLockAutoConfiguration;
import io.holdfast.lock.autoconfigure.LockAnnotationAutoConfiguration;
import io.holdfast.lock.autoconfigure.SettingsCheck;
import io.holdfast.lock.documentation.MarkdownPage.Block;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What users read is true as far as a machine can tell: Java compiles, settings bind,
 * dependencies, links and figures exist.
 */
class UserDocumentationTests {

	private static final Path README = ProjectFiles.ROOT.resolve("README.md");

	private static final Path DOCS = ProjectFiles.ROOT.resolve("docs");

	private static final Path SAMPLE = DOCS.resolve("sample.md");

	/**
	 * The sources of modules that need this one.
	 */
	private static final String SOURCES = ProjectFiles.ROOT.resolve("lock-spring-boot-test/src/main/java")
			+ File.pathSeparator + ProjectFiles.ROOT.resolve("lock-jdbc/src/main/java");

	private static final Pattern PAGE = Pattern.compile("docs/[\\w/-]+\\.md");

	/**
	 * A property that is named in a sentence, and its value if that stands there, too.
	 */
	private static final Pattern PROPERTY = Pattern.compile("(holdfast\\.lock\\.[a-z.-]*[a-z])(?:(?:: |=)(\\S.*))?");

	/**
	 * A module of ours, and its version.
	 */
	private static final Pattern DEPENDENCY = Pattern.compile("<groupId>io\\.holdfast</groupId>"
			+ "\\s*<artifactId>([^<]+)</artifactId>(?:\\s*<version>([^<]+)</version>)?");

	private static final Pattern ASPECT = Pattern.compile("<aspect name=\"([^\"]+)\"");

	@Test
	void javaCompilesAndAnApplicationStartsWithItsLocks(@TempDir Path output) throws Exception {
		List<Block> blocks = blocks("java").filter((block) -> !isOf(SAMPLE, block)).toList();

		assertThat(blocks).hasSizeGreaterThan(20);
		assertThat(SnippetCompiler.create().compile(blocks, SOURCES, output)).isEmpty();
		try (URLClassLoader loader = new URLClassLoader(new URL[] { output.toUri().toURL() })) {
			List<Class<?>> types = lockedTypes(output, loader);
			assertThat(types).hasSizeGreaterThan(8);
			new ApplicationContextRunner()
				.withConfiguration(
						AutoConfigurations.of(LocalLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class))
				.withPropertyValues("holdfast.lock.mode=local")
				.withInitializer((context) -> types.forEach((type) -> register(type, context)))
				.run((context) -> assertThat(context).hasNotFailed());
		}
	}

	/**
	 * Except for its comments.
	 */
	@Test
	void javaOfTheSampleIsItsOwn() throws IOException {
		String sources = oneLine(ProjectFiles.sources("lock-sample-app"));

		assertThat(blocks("java").filter((block) -> isOf(SAMPLE, block))
			.flatMap((block) -> block.lines().stream())
			.map((line) -> oneLine(line.replaceAll("//.*", "")).strip()))
			.allSatisfy((line) -> assertThat(sources).contains(line));
	}

	@Test
	void pagesThatSourcesNameExist() throws IOException {
		List<String> pages = PAGE
			.matcher(ProjectFiles.sources("lock-core", "lock-spring-boot-starter", "lock-spring-boot-test"))
			.results()
			.map(MatchResult::group)
			.toList();

		assertThat(pages).isNotEmpty().allSatisfy((page) -> assertThat(ProjectFiles.ROOT.resolve(page)).exists());
	}

	@Test
	void settingsAreValid() throws IOException {
		Set<String> known = knownProperties();
		List<Block> blocks = blocks("yaml", "properties").toList();

		assertThat(blocks).hasSizeGreaterThan(4);
		for (Block block : blocks) {
			for (EnumerablePropertySource<?> settings : load(block)) {
				assertThat(settings.getPropertyNames()).as(block.toString())
					.allSatisfy((name) -> assertThat(known).contains(name.replaceAll("\\[\\d+]", "")));
				SettingsCheck.check(settings);
			}
		}
	}

	@Test
	void propertiesInSentencesAreValid() throws IOException {
		Set<String> known = knownProperties();
		List<MatchResult> properties = pages().flatMap(MarkdownPage::code)
			.map(PROPERTY::matcher)
			.flatMap((matcher) -> matcher.matches() ? Stream.of(matcher.toMatchResult()) : Stream.empty())
			.toList();

		assertThat(properties).hasSizeGreaterThan(20);
		for (MatchResult property : properties) {
			assertThat(known).contains(property.group(1));
			if (property.group(2) != null) {
				SettingsCheck.check(new MapPropertySource("sentence", Map.of(property.group(1), property.group(2))));
			}
		}
	}

	@Test
	void dependenciesExist() throws IOException {
		MatchResult root = find(DEPENDENCY, Files.readString(ProjectFiles.ROOT.resolve("pom.xml"))).findFirst()
			.orElseThrow();
		List<MatchResult> dependencies = blocks("xml").flatMap((block) -> find(DEPENDENCY, block.text())).toList();

		assertThat(dependencies).hasSizeGreaterThan(2).allSatisfy((dependency) -> {
			assertThat(ProjectFiles.ROOT.resolve(dependency.group(1)).resolve("pom.xml")).exists();
			assertThat(dependency.group(2)).as(dependency.group(1)).isEqualTo(root.group(2));
		});
	}

	@Test
	void aspectsExist() throws IOException {
		assertThat(blocks("xml").flatMap((block) -> find(ASPECT, block.text())).map((aspect) -> aspect.group(1)))
			.isNotEmpty()
			.allSatisfy((aspect) -> assertThat(
					ProjectFiles.ROOT.resolve("lock-aspectj/src/main/java").resolve(aspect.replace('.', '/') + ".java"))
				.exists());
	}

	@ParameterizedTest
	@MethodSource("allPages")
	void linksLeadSomewhere(MarkdownPage page) throws IOException {
		for (String link : page.links()) {
			int anchor = link.indexOf('#');
			String path = (anchor < 0) ? link : link.substring(0, anchor);
			Path target = path.isEmpty() ? page.file() : page.file().resolveSibling(path).normalize();
			assertThat(target).as(link).exists();
			if (anchor >= 0 && target.toString().endsWith(".md")) {
				assertThat(MarkdownPage.read(target).anchors()).as(link).contains(link.substring(anchor + 1));
			}
		}
	}

	/**
	 * What compares libraries stands in the tables that the benchmarks print.
	 */
	@Test
	void figuresAreThoseOfTheBenchmarks() throws IOException {
		Set<String> measured = MarkdownPage.figures(read("lock-benchmarks/RESULTS.md").text().stream())
			.collect(Collectors.toSet());
		Stream<String> readme = MarkdownPage.read(README)
			.text()
			.stream()
			.filter((line) -> line.matches("\\| (grants|locks)/s.*"));
		Stream<String> page = read("docs/performance.md").text().stream();

		assertThat(MarkdownPage.figures(Stream.concat(readme, page)).toList()).hasSizeGreaterThan(50)
			.isSubsetOf(measured);
	}

	/**
	 * What users read.
	 */
	static Stream<MarkdownPage> pages() throws IOException {
		return allPages().filter((page) -> page.file().equals(README)
				|| (page.file().startsWith(DOCS) && !page.file().startsWith(DOCS.resolve("internals"))));
	}

	static Stream<MarkdownPage> allPages() throws IOException {
		Set<Path> files = new TreeSet<>();
		try (Stream<Path> modules = Files.walk(ProjectFiles.ROOT, 2); Stream<Path> docs = Files.walk(DOCS)) {
			Stream.concat(modules, docs).filter((file) -> file.toString().endsWith(".md")).forEach(files::add);
		}
		List<MarkdownPage> pages = new ArrayList<>();
		for (Path file : files) {
			pages.add(MarkdownPage.read(file));
		}
		return pages.stream();
	}

	private static List<Class<?>> lockedTypes(Path output, ClassLoader loader) throws IOException {
		try (Stream<Path> files = Files.list(output)) {
			return files.map((file) -> file.getFileName().toString())
				.filter((file) -> file.startsWith("Snippet"))
				.<Class<?>>map((file) -> ClassUtils.resolveClassName(file.replace(".class", ""), loader))
				.filter((type) -> Stream.of(type.getDeclaredMethods())
					.anyMatch((method) -> AnnotatedElementUtils.hasAnnotation(method, DistributedLock.class)))
				.toList();
		}
	}

	/**
	 * Registers a bean that nobody makes. The start checks its methods all the same.
	 */
	private static void register(Class<?> type, ConfigurableApplicationContext context) {
		((BeanDefinitionRegistry) context.getBeanFactory()).registerBeanDefinition(type.getName(),
				BeanDefinitionBuilder.rootBeanDefinition(type).setLazyInit(true).getBeanDefinition());
	}

	private static Stream<MatchResult> find(Pattern pattern, String text) {
		return pattern.matcher(text).results();
	}

	private static MarkdownPage read(String page) throws IOException {
		return MarkdownPage.read(ProjectFiles.ROOT.resolve(page));
	}

	private static boolean isOf(Path page, Block block) {
		return block.file().equals(page);
	}

	private static Stream<Block> blocks(String... languages) throws IOException {
		return pages().flatMap((page) -> page.blocks(languages));
	}

	private static List<EnumerablePropertySource<?>> load(Block block) throws IOException {
		PropertySourceLoader loader = block.language().equals("yaml") ? new YamlPropertySourceLoader()
				: new PropertiesPropertySourceLoader();
		List<EnumerablePropertySource<?>> settings = new ArrayList<>();
		for (PropertySource<?> source : loader.load(block.toString(),
				new ByteArrayResource(block.text().getBytes(StandardCharsets.UTF_8)))) {
			settings.add((EnumerablePropertySource<?>) source);
		}
		return settings;
	}

	/**
	 * Returns the names of all properties of all libraries on the class path.
	 */
	private static Set<String> knownProperties() throws IOException {
		// The tests of lock-quorum and lock-jdbc compare their pages with their metadata.
		Set<String> names = new HashSet<>(Set.of("holdfast.lock.quorum.nodes", "holdfast.lock.quorum.timeout",
				"holdfast.lock.quorum.restart-guard", "holdfast.lock.fence.enabled",
				"holdfast.lock.fence.initialize-schema"));
		for (URL resource : Collections.list(UserDocumentationTests.class.getClassLoader()
			.getResources("META-INF/spring-configuration-metadata.json"))) {
			try (InputStream file = resource.openStream()) {
				for (JsonNode property : new JsonMapper().readTree(file).path("properties")) {
					names.add(property.get("name").asString());
				}
			}
		}
		return names;
	}

	private static String oneLine(String text) {
		return text.replaceAll("\\s+", " ");
	}

}
