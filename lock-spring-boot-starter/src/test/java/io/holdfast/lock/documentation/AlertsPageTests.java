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

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.autoconfigure.LockMetricsAutoConfiguration;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.MeterUse;
import io.holdfast.lock.metrics.LockMetrics;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The Grafana dashboard and the alerts ask for what an application tells Prometheus, on
 * each line of Spring Boot.
 */
class AlertsPageTests {

	private static final Path PAGE = ProjectFiles.ROOT.resolve("docs/alerts.md");

	private static final Path FILES = ProjectFiles.ROOT.resolve("docs/operations");

	private static final Pattern VARIABLE = Pattern.compile("\\$(\\w+)");

	private static final Pattern LEGEND = Pattern.compile("\\{\\{(\\w+)}}");

	private static final Pattern ALERT_LABEL = Pattern.compile("\\$labels\\.(\\w+)");

	private static final Pattern VALUES = Pattern.compile("label_values\\((.+), (\\w+)\\)");

	private static PrometheusScrape scrape;

	/**
	 * With the settings that the page asks for.
	 */
	@BeforeAll
	static void useLocks() {
		LockRunner.create()
			.withUserConfiguration(Application.class)
			.withConfiguration(AutoConfigurations.of(BootLine.metrics()))
			.withConfiguration(AutoConfigurations.of(BootLine.prometheus()))
			.withPropertyValues("holdfast.lock.mode=local")
			.withInitializer(AlertsPageTests::addSettings)
			.run((context) -> {
				LockClient client = context.getBean(LockClient.class);
				client.acquire("order:1", LockOptions.defaults().named("order")).close();
				client.acquire("mail", LockOptions.defaults().named("mail").permits(1, 5)).close();
				client.acquire("price", LockOptions.defaults().named("price").shared()).close();
				MeterUse.everything(context.getBean(LockMetrics.class));
				scrape = PrometheusScrape.parse(context.getBean(PrometheusMeterRegistry.class).scrape());
			});
	}

	private static void addSettings(ConfigurableApplicationContext context) {
		try {
			String settings = MarkdownPage.read(PAGE)
				.blocks("")
				.map(MarkdownPage.Block::text)
				.filter((text) -> text.startsWith("management:"))
				.collect(Collectors.joining());
			for (PropertySource<?> source : new YamlPropertySourceLoader().load("page",
					new ByteArrayResource(settings.getBytes(StandardCharsets.UTF_8)))) {
				context.getEnvironment().getPropertySources().addFirst(source);
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@ParameterizedTest
	@MethodSource("panels")
	void panelIsAnswered(JsonNode panel) throws IOException {
		Set<String> variables = variables();

		assertThat(panel.get("targets")).isNotEmpty();
		for (JsonNode target : panel.get("targets")) {
			PrometheusQuery query = PrometheusQuery.parse(target.get("expr").asString());
			scrape.assertAnswers(query);
			assertThat(query.groups()).containsAll(find(LEGEND, target.path("legendFormat").asString("")));
			assertThat(variables).containsAll(find(VARIABLE, query.text()));
		}
	}

	@Test
	void variablesAreAnswered() throws IOException {
		List<MatchResult> queries = dashboard().at("/templating/list")
			.valueStream()
			.map((variable) -> variable.path("query").path("query").asString(""))
			.flatMap((query) -> VALUES.matcher(query).results())
			.toList();

		assertThat(queries).hasSize(3)
			.allSatisfy((query) -> scrape
				.assertAnswers(PrometheusQuery.parse("count by (" + query.group(2) + ") (" + query.group(1) + ")")));
	}

	@ParameterizedTest
	@MethodSource("alerts")
	void alertIsAnswered(JsonNode alert) {
		PrometheusQuery query = PrometheusQuery.parse(alert.get("expr").asString());

		scrape.assertAnswers(query);
		assertThat(query.groups()).containsAll(find(ALERT_LABEL, alert.get("annotations").toString()));
	}

	@ParameterizedTest
	@MethodSource("alerts")
	void alertSaysWhatToDo(JsonNode alert) throws IOException {
		String runbook = alert.at("/annotations/runbook_url").asString();
		int anchor = runbook.indexOf('#');

		assertThat(alert.at("/labels/severity").asString()).isIn("critical", "warning");
		assertThat(alert.at("/annotations/summary").asString()).isNotBlank();
		assertThat(alert.at("/annotations/description").asString()).isNotBlank();
		assertThat(MarkdownPage.read(ProjectFiles.ROOT.resolve(runbook.substring(0, anchor))).anchors())
			.contains(runbook.substring(anchor + 1));
	}

	@ParameterizedTest
	@MethodSource("alerts")
	void alertHasTests(JsonNode alert) throws IOException {
		assertThat(Files.readString(FILES.resolve("alerts.test.yml")))
			.contains("alertname=\"" + alert.get("alert").asString() + "\"");
	}

	static Stream<JsonNode> panels() throws IOException {
		return dashboard().get("panels").valueStream();
	}

	static Stream<JsonNode> alerts() throws IOException {
		try (Reader file = Files.newBufferedReader(FILES.resolve("alerts.yml"))) {
			JsonNode rules = new JsonMapper().valueToTree(new Yaml().load(file));
			return rules.at("/groups/0/rules").valueStream();
		}
	}

	private static JsonNode dashboard() throws IOException {
		return new JsonMapper().readTree(Files.readString(FILES.resolve("grafana-dashboard.json")));
	}

	/**
	 * Returns the names of the Grafana dashboard's variables, and of those that Grafana
	 * has.
	 */
	private static Set<String> variables() throws IOException {
		Set<String> names = new HashSet<>(Set.of("__range", "__rate_interval"));
		dashboard().at("/templating/list").forEach((variable) -> names.add(variable.get("name").asString()));
		return names;
	}

	private static List<String> find(Pattern pattern, String text) {
		return pattern.matcher(text).results().map((hit) -> hit.group(1)).toList();
	}

	/** Imports it as Spring Boot does: without loading a class that may not fit. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockMetricsAutoConfiguration.class)
	static class Application {

	}

}
