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

package io.holdfast.lock.internal.operator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockMode;
import io.holdfast.lock.internal.engine.Waiter;
import io.holdfast.lock.internal.protocol.Wish;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which threads of a client are said to wait for each other, and when.
 */
class DeadlocksTests {

	private final TestEngine locks = new TestEngine(Duration.ofSeconds(60));

	private final TooLong tooLong = new TooLong(this.locks.view, Duration.ZERO, Duration.ZERO,
			TimeUnit.SECONDS.toNanos(1));

	private final Thread one = new Thread("one");

	private final Thread two = new Thread("two");

	private final Thread three = new Thread("three");

	private void hold(String name, Thread owner) {
		this.locks.hold(name, owner);
	}

	private void read(String name, Thread... owners) {
		for (Thread owner : owners) {
			this.locks.hold(name, owner, Wish.shared(false), true);
		}
	}

	private Waiter waitFor(String name, Thread owner) {
		return this.locks.waitFor(name, owner);
	}

	/**
	 * The cycles that are told of at a moment, as who waits for what.
	 */
	private List<List<String>> lookAt(long millis) {
		this.locks.at(millis);
		return this.tooLong.look()
			.deadlocks()
			.stream()
			.map((cycle) -> cycle.stream()
				.map((each) -> ((Thread) each.waiter().owner()).getName() + ": " + each.lock().name())
				.toList())
			.toList();
	}

	/**
	 * What is told of that is suspected now.
	 */
	private List<List<String>> look() {
		assertThat(lookAt(1000)).as("suspected").isEmpty();
		return lookAt(2000);
	}

	private static void assertOne(List<List<String>> cycles, String... waits) {
		assertThat(cycles).hasSize(1);
		assertThat(cycles.get(0)).containsExactlyInAnyOrder(waits);
	}

	@Test
	void twoThreadsThatWaitForEachOtherAreToldOfOnce() {
		hold("a", this.one);
		hold("b", this.two);
		waitFor("b", this.one);
		waitFor("a", this.two);

		assertThat(lookAt(1000)).as("suspected").isEmpty();
		assertThat(lookAt(1999)).as("too early").isEmpty();
		assertOne(lookAt(2000), "one: b", "two: a");
		assertThat(lookAt(3000)).isEmpty();
		assertThat(lookAt(4000)).isEmpty();
	}

	@Test
	void threeThreadsAreInTheOrderInWhichTheyWait() {
		hold("a", this.one);
		hold("b", this.two);
		hold("c", this.three);
		waitFor("b", this.one);
		waitFor("c", this.two);
		waitFor("a", this.three);

		List<String> cycle = new ArrayList<>(look().get(0));

		Collections.rotate(cycle, -cycle.indexOf("one: b"));
		assertThat(cycle).containsExactly("one: b", "two: c", "three: a");
	}

	@Test
	void whoWaitsForAThreadThatRunsIsInNone() {
		hold("a", this.one);
		hold("b", this.two);
		waitFor("b", this.one);

		assertThat(look()).isEmpty();
	}

	@Test
	void whoWaitsForACycleIsNotInIt() {
		hold("a", this.one);
		hold("b", this.two);
		waitFor("b", this.one);
		waitFor("a", this.two);
		waitFor("a", this.three);

		assertOne(look(), "one: b", "two: a");
	}

	@Test
	void waitThatEndsMeanwhileClearsTheSuspicion() {
		hold("a", this.one);
		hold("b", this.two);
		waitFor("b", this.one);
		Waiter waiter = waitFor("a", this.two);
		lookAt(1000);
		this.locks.leave("a", waiter);
		waitFor("a", this.two);

		assertThat(lookAt(2000)).as("another wait").isEmpty();
		assertThat(lookAt(3000)).as("the same wait twice").hasSize(1);
	}

	@Test
	void secondCycleWithAWaitThatWasToldOfIsToldOf() {
		hold("a", this.one);
		hold("b", this.two);
		hold("c", this.three);
		Waiter waitsForB = waitFor("b", this.one);
		waitFor("a", this.two);
		assertOne(look(), "one: b", "two: a");

		this.locks.leave("b", waitsForB);
		waitFor("c", this.one);
		waitFor("b", this.three);

		lookAt(3000);
		assertOne(lookAt(4000), "one: c", "two: a", "three: b");
		assertThat(lookAt(5000)).isEmpty();
	}

	@Test
	void writerWaitsForEachReader() {
		read("a", this.one, this.two);
		hold("b", this.three);
		waitFor("b", this.two);
		waitFor("a", this.three);

		assertOne(look(), "two: b", "three: a");
	}

	@Test
	void readerThatWaitsForAThreadThatRunsHidesNoOther() {
		read("a", this.one, this.two);
		hold("b", this.three);
		hold("c", new Thread("four"));
		waitFor("c", this.one);
		waitFor("b", this.two);
		waitFor("a", this.three);

		assertOne(look(), "two: b", "three: a");
	}

	@Test
	void readerDoesNotWaitForReaders() {
		read("a", this.one);
		hold("b", this.two);
		waitFor("b", this.one);
		// Behind a writer of another client.
		this.locks.lock("a").awaited("3:1", 0);
		this.locks.waitFor("a", this.two, Wish.shared(false));

		assertThat(look()).isEmpty();
	}

	@Test
	void whoWaitsForPermitsIsInNone() {
		this.locks.hold("a", this.one, Wish.of(LockMode.permits(1, 2), false), false);
		hold("b", this.two);
		waitFor("b", this.one);
		this.locks.waitFor("a", this.two, Wish.of(LockMode.permits(2, 2), false));

		assertThat(look()).isEmpty();
	}

	@Test
	void lockThatWasLostKeepsNobodyWaiting() {
		hold("a", this.one);
		hold("b", this.two);
		waitFor("b", this.one);
		waitFor("a", this.two);
		lookAt(58_000);

		assertThat(lookAt(60_000)).isEmpty();
	}

}
