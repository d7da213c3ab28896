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

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What {@code @DistributedLock} itself costs: calls through the interceptor beside calls
 * that lock by hand, of a lock that the thread holds already, so that none reaches Redis.
 */
final class Interceptor implements Scenario {

	/**
	 * The benchmarks in {@link InterceptedCall}: annotated, and by hand.
	 */
	private static final Map<String, String[]> PAIRS = new LinkedHashMap<>();

	static {
		PAIRS.put("name only", new String[] { "constant", "constantByHand" });
		PAIRS.put("#id", new String[] { "id", "idByHand" });
		PAIRS.put("#order.id", new String[] { "orderId", "orderIdByHand" });
	}

	@Override
	public String name() {
		return "interceptor";
	}

	@Override
	public Results run(Lab lab) {
		Results results = Results.by("key", "The interceptor's own cost per call");
		try (RedisServer redis = new RedisServer()) {
			Map<String, Double> micros = Jmh.run(lab, redis.address(), InterceptedCall.class, Map.of())
				.stream()
				.collect(Collectors.toMap((result) -> result.getPrimaryResult().getLabel(), Jmh::median));
			PAIRS.forEach((key, benchmarks) -> {
				double annotated = micros.getOrDefault(benchmarks[0], Double.NaN);
				double byHand = micros.getOrDefault(benchmarks[1], Double.NaN);
				Map<String, Double> measures = new LinkedHashMap<>();
				measures.put("annotated µs", annotated);
				measures.put("by hand µs", byHand);
				measures.put("difference µs", annotated - byHand);
				results.of(key, 1).record("1 thread", measures);
			});
		}
		return results;
	}

}
