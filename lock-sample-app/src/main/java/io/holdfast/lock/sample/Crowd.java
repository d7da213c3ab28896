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
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/**
 * Customers who all come at the same time.
 */
@Component
class Crowd {

	private final SampleProperties properties;

	Crowd(SampleProperties properties) {
		this.properties = properties;
	}

	/**
	 * Lets them do what each of them wants and waits for all.
	 * @throws ExecutionException if one of them failed
	 */
	<T> List<T> rush(List<Callable<T>> wishes) throws InterruptedException, ExecutionException {
		ExecutorService buyers = Executors.newFixedThreadPool(this.properties.buyers(),
				new CustomizableThreadFactory("buyer-"));
		try {
			List<T> results = new ArrayList<>();
			for (Future<T> result : buyers.invokeAll(wishes)) {
				results.add(result.get());
			}
			return results;
		}
		finally {
			buyers.shutdownNow();
		}
	}

}
