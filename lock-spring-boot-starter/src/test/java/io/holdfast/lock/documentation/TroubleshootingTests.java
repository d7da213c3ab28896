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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page about messages has those of the sources, and no others.
 */
class TroubleshootingTests {

	/**
	 * A message at the beginning of a heading or of an item of the page.
	 */
	private static final Pattern ENTRY = Pattern.compile("^(?:#+|-) `([^`]+)`");

	/**
	 * A constant text that source code goes on with in another literal.
	 */
	private static final Pattern CONCATENATION = Pattern.compile("\"\\s*\\+\\s*\"");

	/**
	 * Where sources make an exception, or log what an operator sees; {@code errors} add
	 * words of their own.
	 */
	private static final Pattern MESSAGE = Pattern
		.compile("(?:new \\w*Exception|(?<!errors)\\.(?:warn|error)|logger\\s*\\.info|\\binvalid|\\bfailure)\\(");

	private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

	private static final int RUN = 4;

	/**
	 * What nobody sees by itself: the client catches it, and says it in words of its own;
	 * or it cannot happen.
	 */
	private static final List<String> INTERNAL = List.of("One lock at a time", "no reachable node in the cluster",
			"Interrupted while it waited for a connection", "Interrupted while a connection was opened",
			"It could not be opened", "Not what a subscription is told", "A message could not be dealt with",
			"No connection", "Not a valid reply to an acquisition", "No hold in phase", "It does not wait",
			"Not interruptible", "Not a client's report", "The bean factory is not there yet");

	/**
	 * Of the words in a row of each entry, most are in the sources. What stands between
	 * them there may be a variable.
	 */
	@Test
	void entriesAreMessagesOfTheSources() throws IOException {
		String sources = sources().replace("\\\"", "\"");
		List<String> entries = page().stream()
			.flatMap((line) -> ENTRY.matcher(line).results())
			.map((entry) -> entry.group(1))
			.toList();

		assertThat(entries).hasSizeGreaterThan(100)
			.allSatisfy((entry) -> assertThat(runs(longestOf(entry.split("…")))).as(entry)
				.satisfies((runs) -> assertThat(runs).filteredOn((run) -> !sources.contains(run))
					.hasSizeLessThanOrEqualTo(runs.size() / 2)));
	}

	/**
	 * Of each message, some words in a row are on the page.
	 */
	@Test
	void messagesOfTheSourcesAreOnThePage() throws IOException {
		String page = plain(String.join(" ", page()));

		assertThat(messages(sources())).hasSizeGreaterThan(150)
			.filteredOn((message) -> message.stream().noneMatch(TroubleshootingTests::isInternal))
			.allSatisfy((message) -> assertThat(longRuns(message)).as(message.toString()).anyMatch(page::contains));
	}

	@Test
	void noMessageIsCalledInternalThatIsNotThere() throws IOException {
		String messages = messages(sources()).toString();

		assertThat(INTERNAL).allSatisfy((text) -> assertThat(messages).contains(text));
	}

	private static boolean isInternal(String text) {
		return INTERNAL.stream().anyMatch(text::contains);
	}

	private static List<String> page() throws IOException {
		return MarkdownPage.read(ProjectFiles.ROOT.resolve("docs/troubleshooting.md")).text();
	}

	private static String sources() throws IOException {
		return CONCATENATION.matcher(ProjectFiles.sources("lock-core", "lock-spring-boot-starter", "lock-aspectj"))
			.replaceAll("");
	}

	/**
	 * Returns the constant texts of each message.
	 */
	private static List<List<String>> messages(String sources) {
		List<List<String>> messages = new ArrayList<>();
		Matcher matcher = MESSAGE.matcher(sources);
		while (matcher.find()) {
			List<String> literals = LITERAL.matcher(sources.substring(matcher.end(), end(sources, matcher.end())))
				.results()
				.map((MatchResult literal) -> literal.group(1).replace("\\\"", "\""))
				.filter((literal) -> literal.matches(".*[a-z].*"))
				.toList();
			if (!literals.isEmpty()) {
				messages.add(literals);
			}
		}
		return messages;
	}

	/**
	 * Returns where the parenthesis ends that has begun.
	 */
	private static int end(String sources, int start) {
		boolean inText = false;
		int depth = 1;
		int at = start;
		while (depth > 0) {
			char next = sources.charAt(at);
			if (inText && next == '\\') {
				at++;
			}
			else if (next == '"') {
				inText = !inText;
			}
			else if (!inText && next == '(') {
				depth++;
			}
			else if (!inText && next == ')') {
				depth--;
			}
			at++;
		}
		return at;
	}

	private static String longestOf(String... texts) {
		return Arrays.stream(texts)
			.map((text) -> text.replaceAll("^[\\s:'\"()\\[\\]]+|[\\s:'\"()\\[\\]]+$", ""))
			.max(Comparator.comparingInt(String::length))
			.orElseThrow();
	}

	/**
	 * Returns the runs of four words of a message, or what of it is longest.
	 */
	private static List<String> longRuns(List<String> message) {
		List<String> runs = message.stream().flatMap((text) -> runs(plain(text)).stream()).toList();
		int most = runs.stream().mapToInt((run) -> run.split(" ").length).max().orElseThrow();
		return runs.stream().filter((run) -> run.split(" ").length == most).toList();
	}

	/**
	 * Returns the runs of four words of a text, or all of it if it is shorter.
	 */
	private static List<String> runs(String text) {
		List<String> words = List.of(text.split(" "));
		int length = Math.min(RUN, words.size());
		return IntStream.rangeClosed(0, words.size() - length)
			.mapToObj((start) -> String.join(" ", words.subList(start, start + length)))
			.toList();
	}

	private static String plain(String text) {
		return text.replaceAll("[`.,:;…'\"()\\[\\]]", "").replaceAll("\\s+", " ").strip();
	}

}
