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

import java.util.Arrays;
import java.util.List;

/**
 * Many numbers, of which a percentile is wanted. Not for use by more than one thread.
 */
final class Samples {

	private long[] values = new long[1024];

	private int size;

	void add(long value) {
		if (this.size == this.values.length) {
			this.values = Arrays.copyOf(this.values, this.size * 2);
		}
		this.values[this.size++] = value;
	}

	int size() {
		return this.size;
	}

	/**
	 * The value that so many hundredths of all do not exceed; 0 if there is none.
	 */
	long percentile(double percent) {
		if (this.size == 0) {
			return 0;
		}
		Arrays.sort(this.values, 0, this.size);
		return this.values[(int) Math.min(this.size - 1, Math.floor(this.size * percent / 100))];
	}

	static Samples merge(List<Samples> parts) {
		Samples all = new Samples();
		for (Samples part : parts) {
			for (int i = 0; i < part.size; i++) {
				all.add(part.values[i]);
			}
		}
		return all;
	}

}
