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

package io.holdfast.lock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.Registration;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * One lease of several, when there is no memory for it.
 */
class MultiLeaseTests {

	private final List<String> closed = new ArrayList<>();

	private final Error outOfMemory = new OutOfMemoryError("thrown on purpose");

	@Test
	void leasesThatCannotBecomeOneAreGivenBack() {
		List<Lease> acquired = List.of(new Acquired("a", null), new Acquired("b", null));

		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> MultiLease.ofAcquired(acquired))
			.isSameAs(this.outOfMemory);

		assertThat(this.closed).containsExactly("b", "a");
	}

	@Test
	void callerIsToldWhatCameFirstIfTheyCannotBeGivenBackEither() {
		List<Lease> acquired = List.of(new Acquired("a", null), new Acquired("b", new StackOverflowError()));

		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> MultiLease.ofAcquired(acquired))
			.isSameAs(this.outOfMemory);

		assertThat(this.closed).containsExactly("b", "a");
	}

	/**
	 * A lease with which nothing can be done but to close it.
	 */
	private final class Acquired implements Lease {

		private final String called;

		private final Error onClose;

		Acquired(String called, Error onClose) {
			this.called = called;
			this.onClose = onClose;
		}

		@Override
		public String name() {
			throw MultiLeaseTests.this.outOfMemory;
		}

		@Override
		public long token() {
			return 1;
		}

		@Override
		public boolean isValid() {
			return true;
		}

		@Override
		public Duration validFor() {
			return Duration.ZERO;
		}

		@Override
		public Registration onLost(Consumer<? super LockLoss> action) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void close() {
			MultiLeaseTests.this.closed.add(this.called);
			if (this.onClose != null) {
				throw this.onClose;
			}
		}

	}

}
