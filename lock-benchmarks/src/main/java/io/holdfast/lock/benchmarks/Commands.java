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

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

import io.holdfast.lock.benchmarks.libraries.Library.Session;
import io.holdfast.lock.benchmarks.libraries.Library.Trait;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisMonitor;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * What each library really sends for a lock and an unlock, as {@code MONITOR} sees it,
 * and how many commands the other scenarios count.
 */
final class Commands implements Scenario {

	private static final int PAIRS = 10;

	private static final Duration LIMIT = Duration.ofSeconds(30);

	@Override
	public String name() {
		return "commands";
	}

	@Override
	public Results run(Lab lab) {
		Results results = new Results("Commands of a lock and an unlock");
		lab.once(results, (library) -> !library.traits().contains(Trait.ONLY_RENEWS), (library, recorder) -> {
			try (Crew crew = lab.crew(this, library, 1, 1)) {
				crew.run(Numbers.none(), LIMIT);
				CrewUsage before = CrewUsage.of(crew);
				List<String> seen = monitor(crew.redis(), () -> crew.run(Numbers.none(), LIMIT));
				CrewUsage used = CrewUsage.of(crew).since(before);
				Map<String, Double> measures = new LinkedHashMap<>();
				measures.put("sent", (double) seen.size());
				measures.put("counted", (double) library.commandsSent(used.calls()));
				recorder.record(PAIRS + " pairs", measures);
				results.note(library.name() + " sent " + seen.stream()
					.collect(Collectors.groupingBy((command) -> command, TreeMap::new, Collectors.counting())));
			}
		});
		return results;
	}

	/**
	 * The commands that clients send while something runs; not those inside scripts.
	 */
	static List<String> monitor(RedisServer redis, Runnable action) {
		List<String> lines = new CopyOnWriteArrayList<>();
		Jedis connection = new Jedis(redis.address().host(), redis.address().port());
		Thread thread = new Thread(() -> {
			try {
				connection.monitor(new JedisMonitor() {

					@Override
					public void onCommand(String line) {
						lines.add(line);
					}

				});
			}
			catch (JedisConnectionException ex) {
				// Seen enough
			}
		}, "monitor");
		thread.setDaemon(true);
		thread.start();
		Threads.sleepUntil(System.nanoTime() + 500_000_000);
		action.run();
		Threads.sleepUntil(System.nanoTime() + 500_000_000);
		connection.disconnect();
		return lines.stream()
			.filter((line) -> !line.contains(" lua]"))
			.filter((line) -> line.contains("] \""))
			.map((line) -> line.substring(line.indexOf("] \"") + 3).split("\"", 2)[0].toUpperCase(Locale.ROOT))
			.filter((command) -> !command.equals("INFO"))
			.toList();
	}

	@Override
	public Numbers work(Session session, Journal journal, Numbers job) {
		for (int i = 0; i < PAIRS; i++) {
			session.lock("key:" + i).unlock();
		}
		return Numbers.none();
	}

}
