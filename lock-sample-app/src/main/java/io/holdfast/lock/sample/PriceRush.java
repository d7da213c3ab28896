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

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.springframework.stereotype.Service;

/**
 * Many who read a price list at the same time. Every twentieth changes it first.
 */
@Service
class PriceRush {

	private final PriceService service;

	private final Crowd crowd;

	PriceRush(PriceService service, Crowd crowd) {
		this.service = service;
		this.crowd = crowd;
	}

	/**
	 * Lets them read and change the list and waits for all.
	 * @throws ExecutionException if one of them failed
	 */
	PriceResult run(PriceMode mode, String list, int reads) throws InterruptedException, ExecutionException {
		List<Callable<PriceList>> wishes = IntStream.rangeClosed(1, reads)
			.<Callable<PriceList>>mapToObj((n) -> () -> changeSometimesAndRead(mode, list, n))
			.toList();
		long start = System.nanoTime();
		List<PriceList> seen = this.crowd.rush(wishes);
		long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
		int torn = (int) seen.stream().filter(PriceList::isTorn).count();
		int mostAtOnce = seen.stream().mapToInt(PriceList::atOnce).max().orElse(0);
		return new PriceResult(mode, reads, torn, mostAtOnce, millis);
	}

	private PriceList changeSometimesAndRead(PriceMode mode, String list, int n) {
		if (n % 20 == 0) {
			change(mode, list, n);
		}
		return switch (mode) {
			case UNLOCKED -> this.service.readUnlocked(list);
			case LOCKED -> this.service.readAlone(list);
			case READ_LOCKED -> this.service.read(list);
		};
	}

	private void change(PriceMode mode, String list, int cents) {
		switch (mode) {
			case UNLOCKED -> this.service.changeUnlocked(list, cents);
			case LOCKED, READ_LOCKED -> this.service.change(list, cents);
		}
	}

}
