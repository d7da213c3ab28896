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

package io.holdfast.lock.chaos;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/**
 * Which fault happens when: in an order that the seed repeats, alone or two together, and
 * each once before any happens again. Two of the same group never happen together,
 * because one would undo the other.
 */
final class Schedule {

	private final List<Map<Fault, Nemesis>> groups;

	private final Random random;

	private final Conditions conditions;

	private final Recorder recorder;

	private final Deque<Fault> deck = new ArrayDeque<>();

	private int decks;

	Schedule(List<Map<Fault, Nemesis>> groups, Plan plan, Recorder recorder) {
		this.groups = groups;
		this.random = new Random(plan.seed());
		this.conditions = plan.conditions();
		this.recorder = recorder;
	}

	/**
	 * Lets faults happen.
	 * @param over whether it is time to end
	 */
	void run(Clients clients, BooleanSupplier over) throws InterruptedException {
		ExecutorService threads = Executors.newCachedThreadPool((task) -> {
			Thread thread = new Thread(task, "nemesis");
			thread.setDaemon(true);
			return thread;
		});
		try {
			while (!over.getAsBoolean()) {
				Nemesis.last(this.random, this.conditions.calm().dividedBy(4), this.conditions.calm());
				if (over.getAsBoolean()) {
					return;
				}
				List<CompletableFuture<Void>> striking = new ArrayList<>();
				for (Fault fault : next()) {
					long seed = this.random.nextLong();
					striking.add(CompletableFuture.runAsync(() -> strike(fault, clients, new Random(seed)), threads));
				}
				striking.forEach(CompletableFuture::join);
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

	/**
	 * Whether each fault has happened.
	 */
	boolean isComplete() {
		return this.decks > 1 || (this.decks == 1 && this.deck.isEmpty());
	}

	private List<Fault> next() {
		Fault favourite = this.conditions.favourite();
		if (!this.conditions.others()) {
			return (favourite != null) ? List.of(favourite) : List.of();
		}
		Fault first = draw();
		if (this.random.nextBoolean()) {
			return List.of(first);
		}
		Fault second = draw();
		if (groupOf(first) == groupOf(second)) {
			this.deck.push(second);
			return List.of(first);
		}
		return List.of(first, second);
	}

	private Fault draw() {
		Fault favourite = this.conditions.favourite();
		if (favourite != null && this.random.nextBoolean()) {
			return favourite;
		}
		if (this.deck.isEmpty()) {
			List<Fault> all = new ArrayList<>();
			this.groups.forEach((group) -> all.addAll(group.keySet()));
			Collections.shuffle(all, this.random);
			this.deck.addAll(all);
			this.decks++;
		}
		return this.deck.pop();
	}

	private int groupOf(Fault fault) {
		for (int i = 0; i < this.groups.size(); i++) {
			if (this.groups.get(i).containsKey(fault)) {
				return i;
			}
		}
		throw new IllegalArgumentException(fault.words());
	}

	private void strike(Fault fault, Clients clients, Random choices) {
		Nemesis nemesis = this.groups.get(groupOf(fault)).get(fault);
		List<Integer> window = new ArrayList<>();
		try {
			if (nemesis != null) {
				nemesis.strike(clients, choices,
						(process) -> window.add(this.recorder.fault(fault, process, System.nanoTime())));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new CompletionException(ex);
		}
		finally {
			window.forEach((each) -> this.recorder.faultEnded(each, System.nanoTime()));
		}
	}

}
