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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.lock.internal.redis.LockScript;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;

import org.springframework.core.io.ClassPathResource;

/**
 * A command of its own, beside {@link Benchmarks}: what the scripts cost the server, by
 * its own count of the time that {@code EVALSHA} takes ({@code INFO commandstats}): 100
 * keys, one connection, pipelined. Acquires and releases each key by itself, then renews
 * all in one call. Takes the scripts of this version, two minimal ones that only compare
 * an owner, and those of this version with an owner id that they do not have. They take
 * turns; a figure is the median of the rounds, or the least of them, which other work on
 * the machine disturbs least.
 */
public final class ScriptCost {

	private static final int KEYS = 100;

	private static final int PAIRS = 20;

	private static final int RENEWALS = 20;

	private static final String CLIENT = "benchmarks@some-host-name-1/7d3kq0x9ab";

	private static final String SETTINGS = "6000 600000 PUBLISH holdfast:client:";

	private static final String LATER = "99999999999999";

	private static final List<String> NAMES = IntStream.range(0, KEYS)
		.mapToObj((i) -> "holdfast:lock:order:" + i)
		.toList();

	private static final SplittableRandom RANDOM = new SplittableRandom();

	private final RedisServer server;

	private final Jedis jedis;

	private ScriptCost(RedisServer server, Jedis jedis) {
		this.server = server;
		this.jedis = jedis;
	}

	/**
	 * Measures.
	 * @param args nothing
	 */
	public static void main(String[] args) {
		int rounds = Integer.getInteger("rounds", 20);
		List<Scripts> all = List.of(minimal(), current("holdfast", CLIENT),
				current("holdfast, owner ids", CLIENT + " 4f2a"));
		try (RedisServer server = new RedisServer();
				Jedis jedis = new Jedis(server.address().host(), server.address().port(), 60_000)) {
			System.out.printf("Redis %s, medians (least) of %d rounds, server time in microseconds%n%n",
					server.version(), rounds);
			System.out.println("| scripts | acquire | release | pair | renewed lock |\n|---|---|---|---|---|");
			new ScriptCost(server, jedis).measure(all, rounds).forEach(ScriptCost::print);
		}
	}

	private static void print(String name, List<double[]> figures) {
		System.out.println(Stream
			.of((Function<double[], Double>) (each) -> each[0], (each) -> each[1], (each) -> each[0] + each[1],
					(each) -> each[2])
			.map((figure) -> figures.stream().mapToDouble(figure::apply).sorted().toArray())
			.map((sorted) -> String.format("%.1f (%.1f)", sorted[sorted.length / 2], sorted[0]))
			.collect(Collectors.joining(" | ", "| " + name + " | ", " |")));
	}

	private Map<String, List<double[]>> measure(List<Scripts> all, int rounds) {
		Map<String, List<double[]>> figures = new TreeMap<>();
		for (int round = -2; round < rounds; round++) {
			for (Scripts scripts : all) {
				double[] measured = measure(scripts);
				if (round >= 0) {
					figures.computeIfAbsent(scripts.name(), (name) -> new ArrayList<>()).add(measured);
				}
			}
		}
		return figures;
	}

	private double[] measure(Scripts scripts) {
		this.jedis.flushAll();
		String acquire = this.jedis.scriptLoad(scripts.acquire());
		String release = this.jedis.scriptLoad(scripts.release());
		String renew = this.jedis.scriptLoad(scripts.renew());
		double[] micros = new double[3];
		for (int pair = -2; pair < PAIRS; pair++) {
			List<String> ids = ids();
			double acquired = timeEach(acquire, ids, scripts.acquireArgs());
			double released = timeEach(release, ids, scripts.releaseArgs());
			if (pair >= 0) {
				micros[0] += acquired / PAIRS / KEYS;
				micros[1] += released / PAIRS / KEYS;
			}
		}
		List<String> ids = ids();
		timeEach(acquire, ids, scripts.acquireArgs());
		List<String> args = Stream
			.concat(scripts.renewArgs().stream(), ids.stream().flatMap((id) -> scripts.renewEach().apply(id).stream()))
			.toList();
		long before = micros();
		for (int i = 0; i < RENEWALS; i++) {
			check(this.jedis.evalsha(renew, NAMES, args));
		}
		micros[2] = (double) (micros() - before) / RENEWALS / KEYS;
		return micros;
	}

	/**
	 * Runs a script for each key.
	 */
	private double timeEach(String script, List<String> ids, Function<String, List<String>> args) {
		long before = micros();
		try (Pipeline pipeline = this.jedis.pipelined()) {
			for (int i = 0; i < KEYS; i++) {
				pipeline.evalsha(script, List.of(NAMES.get(i)), args.apply(ids.get(i)));
			}
			pipeline.syncAndReturnAll().forEach(ScriptCost::check);
		}
		return (double) micros() - before;
	}

	/**
	 * That nothing is refused or lost: that would cost less.
	 */
	private static void check(Object answer) {
		String text = String.valueOf(answer);
		if (answer == null || answer instanceof Exception || text.contains("NONE") || text.contains("GONE")) {
			throw new IllegalStateException("Answered " + answer);
		}
	}

	private long micros() {
		return this.server.byCommand("usec").getOrDefault("evalsha", 0L);
	}

	private static List<String> ids() {
		return Stream.generate(() -> Long.toHexString(RANDOM.nextLong() | Long.MIN_VALUE)).limit(KEYS).toList();
	}

	private static Scripts minimal() {
		return new Scripts("minimal", fromClassPath("minimal-acquire.lua"),
				fromClassPath("libraries/compare-and-delete.lua"), fromClassPath("minimal-renew.lua"),
				(id) -> List.of(id, "30000"), List::of, List.of("30000"), List::of);
	}

	/**
	 * The scripts of this version.
	 * @param owner what they write as the owner of a hold
	 */
	private static Scripts current(String name, String owner) {
		return new Scripts(name, LockScript.ACQUIRE.getScriptAsString(), LockScript.RELEASE.getScriptAsString(),
				LockScript.RENEW.getScriptAsString(),
				(id) -> List.of("3:" + id, "xr " + owner, "30000", "630000", LATER + "000",
						"1 1 1 1 " + LATER + ' ' + SETTINGS),
				(id) -> List.of("3:" + id, "1795246376145231 " + SETTINGS),
				List.of("6000", "600000", "PUBLISH", "holdfast:client:", "call"),
				(id) -> List.of("3:" + id, "30000", "0"));
	}

	private static String fromClassPath(String file) {
		try {
			return new ClassPathResource(file, ScriptCost.class).getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Scripts that do the same, and how they are called.
	 *
	 * @param name what they are
	 * @param acquire takes a lock
	 * @param release gives it up
	 * @param renew renews many
	 * @param acquireArgs for an id
	 * @param releaseArgs for an id
	 * @param renewArgs for all
	 * @param renewEach for an id
	 */
	private record Scripts(String name, String acquire, String release, String renew,
			Function<String, List<String>> acquireArgs, Function<String, List<String>> releaseArgs,
			List<String> renewArgs, Function<String, List<String>> renewEach) {
	}

}
