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

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.springframework.stereotype.Component;

/**
 * How long buyers at this instance waited for their answers, in the latest sales.
 */
@Component
class Waits {

	private static final int SALES = 20;

	private final Map<String, List<Wait>> byArticle = new LinkedHashMap<>();

	<T> T measure(String articleId, Supplier<T> order) {
		long start = System.nanoTime();
		T answer = order.get();
		long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
		add(articleId, new Wait(System.currentTimeMillis(), millis));
		return answer;
	}

	private synchronized void add(String articleId, Wait wait) {
		this.byArticle.computeIfAbsent(articleId, (id) -> new ArrayList<>()).add(wait);
		if (this.byArticle.size() > SALES) {
			this.byArticle.remove(this.byArticle.keySet().iterator().next());
		}
	}

	synchronized List<Wait> of(String articleId) {
		return List.copyOf(this.byArticle.getOrDefault(articleId, List.of()));
	}

	/**
	 * One buyer.
	 *
	 * @param at when the answer came, in milliseconds of the clock
	 * @param millis how long it took, from the moment its thread began
	 */
	record Wait(long at, long millis) {
	}

}
