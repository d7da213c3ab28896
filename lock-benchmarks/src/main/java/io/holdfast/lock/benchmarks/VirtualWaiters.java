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
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.holdfast.lock.benchmarks.libraries.Library.Hold;
import io.holdfast.lock.benchmarks.libraries.Library.Session;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * 10,000 virtual threads wait for one held lock; then it is released. None of them may
 * keep the thread that carries it.
 */
final class VirtualWaiters implements Scenario {

	private static final String KEY = "hot";

	private static final String PINNED = "jdk.VirtualThreadPinned";

	private static final String CARRIER = "ForkJoinPool-1-worker-";

	private static final int WAITERS = 10_000;

	private static final int WARM_UP = 100;

	private static final Duration LIMIT = Duration.ofMinutes(2);

	@Override
	public String name() {
		return "virtual-threads";
	}

	@Override
	public Results run(Lab lab) {
		Results results = new Results("Virtual threads that wait for one key");
		if (!VirtualThreads.exist()) {
			results
				.note("Java " + Runtime.version().feature() + " has no virtual threads: set JAVA_HOME to 21 or newer");
			return results;
		}
		lab.eachRound(results, (library) -> library.name().startsWith("holdfast-"), (library, recorder) -> {
			try (Crew crew = lab.crew(this, library, 1, 64)) {
				Numbers answer = crew.run(Numbers.none(), LIMIT).get(0);
				Map<String, Double> measures = new LinkedHashMap<>();
				measures.put("grants/s", WAITERS / (answer.get("nanos") / 1e9));
				measures.put("grants", (double) answer.get("grants"));
				measures.put("pinned events", (double) answer.get("pinned"));
				measures.put("longest pinned ms", answer.get("longest") / 1e6);
				measures.put("carrier threads", (double) answer.get("carriers"));
				measures.put("threads", (double) answer.get("threads"));
				measures.put("heap MB while all wait", answer.get("heap") / 1e6);
				recorder.record(String.format("%,d virtual threads", WAITERS), measures);
			}
		});
		return results;
	}

	@Override
	public Numbers work(Session session, Journal journal, Numbers job) {
		// The JDK pins a thread while it initializes its own poller, at the first read
		// that
		// waits
		List<Thread> first = IntStream.range(0, WARM_UP)
			.mapToObj((number) -> VirtualThreads.start(() -> session.lock("warm-up:" + number).unlock()))
			.toList();
		Threads.await(() -> first.stream().noneMatch(Thread::isAlive));
		try (Recording recording = new Recording()) {
			recording.enable(PINNED).withThreshold(Duration.ZERO).withStackTrace();
			recording.start();
			long before = Heap.usedBytes();
			Hold held = session.lock(KEY);
			AtomicInteger grants = new AtomicInteger();
			List<Thread> waiters = start(session, grants);
			Threads.await(() -> waiters.stream()
				.allMatch((waiter) -> waiter.getState() == Thread.State.WAITING
						|| waiter.getState() == Thread.State.TIMED_WAITING));
			int carriers = carriers();
			long heap = Heap.usedBytes() - before;
			long released = System.nanoTime();
			held.unlock();
			while (grants.get() < WAITERS && System.nanoTime() - released < LIMIT.toNanos() / 2) {
				carriers = Math.max(carriers, carriers());
				Threads.sleepUntil(System.nanoTime() + 10_000_000);
			}
			long nanos = System.nanoTime() - released;
			recording.stop();
			List<RecordedEvent> pinned = pinned(recording);
			pinned.forEach(System.err::println);
			return Numbers.of("nanos", nanos)
				.and("grants", grants.get())
				.and("pinned", pinned.size())
				.and("longest", pinned.stream().mapToLong((event) -> event.getDuration().toNanos()).max().orElse(0))
				.and("carriers", carriers)
				.and("threads", ManagementFactory.getThreadMXBean().getPeakThreadCount())
				.and("heap", heap);
		}
	}

	private static List<Thread> start(Session session, AtomicInteger grants) {
		return IntStream.range(0, WAITERS).mapToObj((number) -> VirtualThreads.start(() -> {
			Hold hold = session.lock(KEY);
			grants.incrementAndGet();
			hold.unlock();
		})).toList();
	}

	private static int carriers() {
		ThreadMXBean threads = ManagementFactory.getThreadMXBean();
		return (int) Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
			.filter(Objects::nonNull)
			.map(ThreadInfo::getThreadName)
			.filter((name) -> name.startsWith(CARRIER))
			.count();
	}

	private static List<RecordedEvent> pinned(Recording recording) {
		try {
			Path file = Files.createTempFile("holdfast-benchmarks", ".jfr");
			try {
				recording.dump(file);
				return RecordingFile.readAllEvents(file)
					.stream()
					.filter((event) -> event.getEventType().getName().equals(PINNED))
					.toList();
			}
			finally {
				Files.delete(file);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
