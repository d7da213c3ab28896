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

package io.holdfast.lock.benchmarks;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What docs/migration.md shows of other libraries compiles with them. Its code for
 * Holdfast is compiled with that of all pages.
 */
class MigrationPageTests {

	private static final Pattern BEFORE = Pattern.compile("^```java before\\n(.*?)^```",
			Pattern.DOTALL | Pattern.MULTILINE);

	/** What the code uses without declaring it. */
	private static final String GIVEN = """
			import java.util.concurrent.CompletionStage;
			import java.util.concurrent.TimeUnit;
			import java.util.concurrent.locks.Lock;
			import com.baomidou.lock.annotation.Lock4j;
			import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
			import org.redisson.api.*;
			import org.springframework.integration.support.locks.LockRegistry;
			import org.springframework.scheduling.annotation.Scheduled;
			import reactor.core.publisher.Mono;
			abstract class Before%d {
				RedissonClient redisson;
				LockRegistry<Lock> locks;
				Payments service;
				Payments payments;
				Order order;
				long id;
				abstract void work();
				record Order(long id) {}
				record Receipt(String number) {}
				interface Payments {
					Receipt pay(long id);
					Mono<Receipt> pay(Order order);
					CompletionStage<Receipt> payAsync(Order order);
				}
			""";

	@Test
	void codeOfOtherLibrariesCompiles(@TempDir Path output) throws IOException {
		List<Source> sources = new ArrayList<>();
		Matcher blocks = BEFORE.matcher(Files.readString(Path.of("..", "docs", "migration.md")));
		while (blocks.find()) {
			sources.add(Source.of(blocks.group(1), sources.size()));
		}
		DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();

		ToolProvider.getSystemJavaCompiler()
			.getTask(null, null, diagnostics, List.of("-proc:none", "-d", output.toString()), null, sources)
			.call();

		assertThat(sources).hasSize(9);
		assertThat(diagnostics.getDiagnostics())
			.filteredOn((diagnostic) -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
			.isEmpty();
	}

	private static final class Source extends SimpleJavaFileObject {

		private final String text;

		private Source(String name, String text) {
			super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
			this.text = text;
		}

		/**
		 * The class of a block, which is a method or what one does.
		 */
		static Source of(String block, int number) {
			String body = block.startsWith("@") ? block.replace("…", "throw new IllegalStateException();")
					: "void run() throws Exception {\n" + block + "}\n";
			return new Source("Before" + number, GIVEN.formatted(number) + body + "}");
		}

		@Override
		public CharSequence getCharContent(boolean ignoreEncodingErrors) {
			return this.text;
		}

	}

}
