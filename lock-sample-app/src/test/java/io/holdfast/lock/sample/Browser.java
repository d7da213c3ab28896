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

package io.holdfast.lock.sample;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.FileSystemUtils;

/**
 * A headless Chromium with one page, driven over the DevTools protocol.
 */
final class Browser implements AutoCloseable {

	private static final Pattern LISTENING = Pattern.compile("DevTools listening on ws://([^/]+)/");

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final Map<String, Integer> KEYS = Map.of("Tab", 9, "Enter", 13, "Escape", 27);

	private static final JsonMapper json = JsonMapper.shared();

	private final Process process;

	private final Path profile;

	private final WebSocket socket;

	private final AtomicInteger lastId = new AtomicInteger();

	private final Map<Integer, CompletableFuture<JsonNode>> pending = new ConcurrentHashMap<>();

	private final List<String> problems = new CopyOnWriteArrayList<>();

	private final CutServer cutServer;

	private volatile boolean closed;

	private volatile Function<JsonNode, Answer> server = (request) -> Answer.NONE;

	private Browser(Process process, Path profile, CutServer cutServer, URI page) {
		this.process = process;
		this.profile = profile;
		this.cutServer = cutServer;
		this.socket = HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(page, new Listener()).join();
	}

	/**
	 * Finds a Chromium: the one that the system property names, or one on the path.
	 */
	static Optional<Path> findChromium() {
		String configured = System.getProperty("chromium.executable");
		if (configured != null) {
			return Optional.of(Path.of(configured));
		}
		return Stream.of(System.getenv("PATH").split(File.pathSeparator))
			.flatMap((folder) -> Stream.of("chromium", "chromium-browser", "google-chrome")
				.map((name) -> Path.of(folder, name)))
			.filter(Files::isExecutable)
			.findFirst();
	}

	static boolean isInstalled() {
		return findChromium().isPresent();
	}

	static Browser launch(Path chromium) throws IOException, InterruptedException {
		Path profile = Files.createTempDirectory("holdfast-chromium");
		CutServer cutServer = new CutServer();
		ProcessBuilder builder = new ProcessBuilder(chromium.toString(), "--headless", "--no-sandbox", "--disable-gpu",
				"--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
				"--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-port=0",
				"--user-data-dir=" + profile, "--host-resolver-rules=MAP *.test " + cutServer.address(),
				"--disable-features=LocalNetworkAccessChecks", "about:blank");
		builder.environment().put("TMPDIR", profile.toString());
		Process process = builder.start();
		try {
			process.getOutputStream().close();
			return new Browser(process, profile, cutServer, findPage(awaitAddress(process)));
		}
		catch (Throwable ex) {
			process.descendants().forEach(ProcessHandle::destroyForcibly);
			process.destroyForcibly();
			throw ex;
		}
	}

	private static String awaitAddress(Process process) throws IOException {
		BufferedReader messages = process.errorReader(StandardCharsets.UTF_8);
		for (String line = messages.readLine(); line != null; line = messages.readLine()) {
			Matcher matcher = LISTENING.matcher(line);
			if (matcher.find()) {
				drain(messages);
				return matcher.group(1);
			}
		}
		throw new IllegalStateException("Chromium ended without listening: exit code " + process.exitValue());
	}

	private static void drain(BufferedReader messages) {
		Thread thread = new Thread(() -> messages.lines().forEach((line) -> {
		}), "chromium-messages");
		thread.setDaemon(true);
		thread.start();
	}

	private static URI findPage(String address) throws IOException, InterruptedException {
		String targets = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create("http://" + address + "/json/list"))
				.timeout(Duration.ofSeconds(30))
				.build(), HttpResponse.BodyHandlers.ofString())
			.body();
		for (JsonNode target : json.readTree(targets)) {
			if (target.get("type").asString().equals("page")) {
				return URI.create(target.get("webSocketDebuggerUrl").asString());
			}
		}
		throw new IllegalStateException("Chromium has no page: " + targets);
	}

	/** Opens a page anew, and forgets the problems of the one before. */
	void open(String url) {
		send("Runtime.enable", Map.of());
		send("Log.enable", Map.of());
		send("Page.navigate", Map.of("url", "about:blank"));
		await("location.href === 'about:blank'");
		this.problems.clear();
		send("Page.navigate", Map.of("url", url));
		await("location.href.startsWith('" + url + "') && document.readyState === 'complete'");
	}

	/**
	 * Has all requests to some addresses answered here, as if a server were there.
	 * @param addresses a pattern of their URLs, with * as a wildcard
	 * @param server gets what the DevTools protocol calls a Request
	 */
	void serve(String addresses, Function<JsonNode, Answer> server) {
		this.server = server;
		send("Fetch.enable", Map.of("patterns", List.of(Map.of("urlPattern", addresses))));
	}

	void resize(int width, int height, boolean mobile) {
		send("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", mobile));
	}

	void prefer(String colourScheme) {
		send("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colourScheme))));
	}

	/** Evaluates a script in all pages that are opened from now on, before their own. */
	void evaluateFirst(String script) {
		send("Page.enable", Map.of());
		send("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script));
	}

	/** Evaluates an expression in the page. */
	JsonNode evaluate(String expression) {
		JsonNode answer = send("Runtime.evaluate",
				Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
		if (answer.has("exceptionDetails")) {
			throw new IllegalStateException(expression + ": " + answer.get("exceptionDetails"));
		}
		return answer.get("result").path("value");
	}

	/** Waits until an expression is true in the page. */
	void await(String expression) {
		Awaitility.await(expression)
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(50))
			.until(() -> evaluate("Boolean(" + expression + ")").asBoolean());
	}

	/** Clicks an element where it is seen, as a user does. */
	void click(String selector) {
		JsonNode place = evaluate("""
				(() => {
					const element = document.querySelector(%s);
					element.scrollIntoView({ block: "center" });
					const { x, y, width, height } = element.getBoundingClientRect();
					return { x: x + width / 2, y: y + height / 2 };
				})()""".formatted(json.writeValueAsString(selector)));
		for (String type : List.of("mousePressed", "mouseReleased")) {
			send("Input.dispatchMouseEvent", Map.of("type", type, "x", place.get("x").asDouble(), "y",
					place.get("y").asDouble(), "button", "left", "clickCount", 1));
		}
	}

	/** Presses the button of a story of the sample, and waits for its result. */
	void run(String story, String mode) {
		click("#%s button[value=%s]".formatted(story, mode));
		await("document.querySelector('.%s').dataset.state === 'done'".formatted(story));
	}

	/** Presses a key as a user does, on whatever has the focus. */
	void press(String key, String text) {
		send("Input.dispatchKeyEvent", Map.of("type", "keyDown", "key", key, "code", key, "text", text,
				"windowsVirtualKeyCode", KEYS.getOrDefault(key, 0)));
		send("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", key, "code", key));
	}

	String text(String selector) {
		return evaluate("document.querySelector(" + json.writeValueAsString(selector) + ").innerText").asString();
	}

	List<String> texts(String selector) {
		return evaluate("[...document.querySelectorAll(" + json.writeValueAsString(selector)
				+ ")].map((each) => each.innerText)")
			.valueStream()
			.map((each) -> each.asString())
			.toList();
	}

	byte[] screenshot() {
		return Base64.getDecoder().decode(send("Page.captureScreenshot", Map.of()).get("data").asString());
	}

	/** What the page has thrown, and what the browser has to complain about it. */
	List<String> problems() {
		return this.problems;
	}

	private JsonNode send(String method, Map<String, ?> parameters) {
		int id = this.lastId.incrementAndGet();
		CompletableFuture<JsonNode> answer = new CompletableFuture<>();
		this.pending.put(id, answer);
		write(json.writeValueAsString(Map.of("id", id, "method", method, "params", parameters)));
		return answer.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
	}

	/** A WebSocket sends one text at a time. */
	private synchronized void write(String text) {
		this.socket.sendText(text, true).join();
	}

	private void receive(JsonNode message) {
		if (message.has("id")) {
			CompletableFuture<JsonNode> answer = this.pending.remove(message.get("id").asInt());
			if (message.has("error")) {
				answer.completeExceptionally(new IllegalStateException(message.get("error").toString()));
			}
			else {
				answer.complete(message.get("result"));
			}
		}
		else if (message.get("method").asString().equals("Fetch.requestPaused")) {
			// Not on this thread, which brings the answer to what it sends, and not on
			// one for which others wait
			Thread thread = new Thread(() -> answerUnlessClosed(message.get("params")), "chromium-answer");
			thread.setDaemon(true);
			thread.start();
		}
		else if (message.get("method").asString().equals("Runtime.exceptionThrown") || isComplaint(message)) {
			this.problems.add(message.get("params").toString());
		}
	}

	private void answerUnlessClosed(JsonNode paused) {
		try {
			answer(paused);
		}
		catch (CompletionException ex) {
			if (!this.closed) {
				throw ex;
			}
		}
	}

	private void answer(JsonNode paused) {
		String id = paused.get("requestId").asString();
		Answer answer = this.server.apply(paused.get("request"));
		if (answer.equals(Answer.NONE)) {
			send("Fetch.failRequest", Map.of("requestId", id, "errorReason", "ConnectionRefused"));
			return;
		}
		if (answer.isCut()) {
			this.cutServer.answerWith(answer.status());
			send("Fetch.continueRequest", Map.of("requestId", id));
			return;
		}
		send("Fetch.fulfillRequest",
				Map.of("requestId", id, "responseCode", answer.status(), "responseHeaders",
						List.of(Map.of("name", "Content-Type", "value", answer.type())), "body",
						Base64.getEncoder().encodeToString(answer.body().getBytes(StandardCharsets.UTF_8))));
	}

	/** A status like 404 is none: a lock may be gone when the page asks for its queue. */
	private static boolean isComplaint(JsonNode message) {
		JsonNode entry = message.get("params").path("entry");
		return message.get("method").asString().equals("Log.entryAdded")
				&& entry.get("level").asString().equals("error") && !entry.get("source").asString().equals("network");
	}

	@Override
	public void close() {
		this.closed = true;
		try {
			send("Browser.close", Map.of());
			this.process.onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
		}
		finally {
			this.process.destroyForcibly();
			this.cutServer.close();
		}
		// Its child processes may still be writing
		Awaitility.await()
			.atMost(PATIENCE)
			.ignoreExceptions()
			.until(() -> FileSystemUtils.deleteRecursively(this.profile));
	}

	/**
	 * What a server answers.
	 *
	 * @param status the HTTP status
	 * @param type the type of the content
	 * @param body the content
	 */
	record Answer(int status, String type, String body) {

		/** No server is there. */
		static final Answer NONE = new Answer(0, "", "");

		private static final String CUT = "cut";

		/** The connection ends within the body. */
		static Answer cut(int status) {
			return new Answer(status, CUT, "");
		}

		boolean isCut() {
			return this.type.equals(CUT);
		}

	}

	private final class Listener implements WebSocket.Listener {

		private final StringBuilder text = new StringBuilder();

		@Override
		public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
			this.text.append(data);
			if (last) {
				receive(json.readTree(this.text.toString()));
				this.text.setLength(0);
			}
			webSocket.request(1);
			return null;
		}

	}

}
