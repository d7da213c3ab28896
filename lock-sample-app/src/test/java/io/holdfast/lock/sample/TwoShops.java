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

import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Two instances on the same Redis and database, which the test classes of a JVM share.
 * Spring Boot closes them when the JVM ends.
 */
final class TwoShops {

	static final Shop FIRST;

	static final Shop SECOND;

	static {
		// Not a temporary directory: none that deletes it comes after Spring Boot
		Place place = Place.in(Path.of("target", "shops-" + UUID.randomUUID()).toAbsolutePath());
		String[] settings = { "--sample.report-cron=* * * * * *", "--sample.report-period=1s",
				"--sample.report-time=300ms",
				// Long enough for others to come meanwhile, however busy the machine is
				"--sample.packing-time=20ms",
				// And this for none to lose a lock, or give up, because it is
				"--holdfast.lock.watchdog-timeout=30s", "--holdfast.lock.command-timeout=30s",
				"--holdfast.lock.wait-time=60s" };
		FIRST = Shop.open(place, settings);
		SECOND = Shop.open(place, settings);
	}

	private TwoShops() {
	}

	/** Asks both at the same time. */
	static <T> List<T> askBoth(Function<Shop, T> question) {
		List<CompletableFuture<T>> answers = Stream.of(FIRST, SECOND)
			.map((shop) -> CompletableFuture.supplyAsync(() -> question.apply(shop)))
			.toList();
		return answers.stream().map(CompletableFuture::join).toList();
	}

}
