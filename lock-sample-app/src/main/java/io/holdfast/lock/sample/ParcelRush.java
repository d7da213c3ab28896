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

import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.springframework.stereotype.Service;

/**
 * The end of the working day: all parcels are to be shipped now.
 */
@Service
class ParcelRush {

	private final ParcelService service;

	private final Crowd crowd;

	ParcelRush(ParcelService service, Crowd crowd) {
		this.service = service;
		this.crowd = crowd;
	}

	/**
	 * Hands all parcels to the courier and waits for its answers.
	 * @throws ExecutionException if one failed, other than by being refused
	 */
	ParcelResult run(ParcelMode mode, int parcels) throws InterruptedException, ExecutionException {
		Callable<Delivery> wish = switch (mode) {
			case UNLIMITED -> this.service::shipUnlimited;
			case LIMITED -> this.service::ship;
		};
		long start = System.nanoTime();
		List<Delivery> answers = this.crowd.rush(Collections.nCopies(parcels, wish));
		long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
		int shipped = (int) answers.stream().filter(Delivery::shipped).count();
		int mostAtOnce = answers.stream().mapToInt(Delivery::atOnce).max().orElse(0);
		return new ParcelResult(mode, parcels, shipped, parcels - shipped, mostAtOnce, millis);
	}

}
