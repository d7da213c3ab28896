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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Reads the XML reports of tests that are newer than a file. The text reports lose the
 * failures of parameterized classes.
 */
final class Reports {

	private Reports() {
	}

	public static void main(String[] arguments) throws Exception {
		FileTime begin = Files.getLastModifiedTime(Path.of(arguments[1]));
		if (arguments[0].equals("failures")) {
			for (Path report : newerThan(begin)) {
				failures(report);
			}
		}
		else if (arguments[0].equals("passed")) {
			for (Path report : newerThan(begin)) {
				passed(report);
			}
		}
		else if (arguments[0].equals("skipped")) {
			skipped(newerThan(begin));
		}
		else {
			slowest(newerThan(begin));
		}
		if (System.out.checkError()) {
			throw new IOException("Not all was printed");
		}
	}

	private static List<Path> newerThan(FileTime begin) throws IOException {
		try (Stream<Path> files = Files.find(Path.of("."), 5, (file, attributes) -> attributes.isRegularFile()
				&& file.toString().matches(".*/target/[a-z]+-reports/TEST-[^/]*\\.xml")
				&& attributes.lastModifiedTime().compareTo(begin) > 0)) {
			return files.sorted().toList();
		}
	}

	/** Prints module, class, method and message of each, with tabs between. */
	private static void failures(Path report) throws Exception {
		NodeList cases = parse(report).getElementsByTagName("testcase");
		for (int i = 0; i < cases.getLength(); i++) {
			Element test = (Element) cases.item(i);
			for (String kind : List.of("failure", "error")) {
				NodeList found = test.getElementsByTagName(kind);
				for (int j = 0; j < found.getLength(); j++) {
					System.out.println(nameOf(report, test) + "\t" + message((Element) found.item(j)));
				}
			}
		}
	}

	/** Prints module, class and method of each that was neither skipped nor failed. */
	private static void passed(Path report) throws Exception {
		NodeList cases = parse(report).getElementsByTagName("testcase");
		for (int i = 0; i < cases.getLength(); i++) {
			Element test = (Element) cases.item(i);
			if (Stream.of("failure", "error", "skipped")
				.allMatch((kind) -> test.getElementsByTagName(kind).getLength() == 0)) {
				System.out.println(nameOf(report, test));
			}
		}
	}

	/** Prints why tests were skipped, and how many for each reason. */
	private static void skipped(List<Path> reports) throws Exception {
		Map<String, Integer> reasons = new TreeMap<>();
		for (Path report : reports) {
			NodeList found = parse(report).getElementsByTagName("skipped");
			for (int i = 0; i < found.getLength(); i++) {
				Element skipped = (Element) found.item(i);
				String text = (skipped.getAttribute("message") + skipped.getTextContent()).strip();
				reasons.merge(text.lines().findFirst().orElse("?"), 1, Integer::sum);
			}
		}
		reasons.forEach((reason, count) -> System.out.println("SKIPPED " + count + ": " + reason));
	}

	/**
	 * Module, class and method. The name of a class may end in the parameter it ran with,
	 * and that of its report in what it ran on: {@code [2](cluster)waitsForTheLock}.
	 */
	private static String nameOf(Path report, Element test) {
		String name = test.getAttribute("classname");
		String type = name.replaceAll("[\\[($].*", "");
		String on = report.getFileName().toString().replaceAll("TEST-[^-]*-?|\\.xml", "");
		return String.join("\t", report.getName(1).toString(), type, name.substring(type.length())
				+ (on.isEmpty() ? "" : "(" + on + ")") + test.getAttribute("name"));
	}

	private static String message(Element failure) {
		String text = failure.getAttribute("message").isBlank() ? failure.getTextContent()
				: failure.getAttribute("type") + ": " + failure.getAttribute("message");
		text = text.strip().replaceAll("\\s+", " ");
		return (text.length() > 400) ? text.substring(0, 400) + " …" : text;
	}

	private static void slowest(List<Path> reports) throws Exception {
		record Suite(double seconds, String name) {
		}
		Stream.Builder<Suite> suites = Stream.builder();
		for (Path report : reports) {
			Element suite = parse(report).getDocumentElement();
			suites.add(new Suite(Double.parseDouble(suite.getAttribute("time").replace(",", "")),
					report.getName(1) + " " + suite.getAttribute("name")));
		}
		suites.build()
			.sorted(Comparator.comparingDouble(Suite::seconds).reversed())
			.limit(10)
			.forEach((suite) -> System.out.printf("%6.1f %s%n", suite.seconds(), suite.name()));
	}

	private static Document parse(Path report) throws Exception {
		return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(report.toFile());
	}

}
