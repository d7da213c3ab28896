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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * What the owners of one hot lock write down, in memory that all processes share.
 * <p>
 * Each owner claims the journal, writes its grant behind the others and gives the journal
 * back, all of it without any atomic step: only the lock that is measured keeps them
 * apart. Who finds the journal claimed by another, or no longer claimed by itself, counts
 * a violation.
 */
final class Journal {

	private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private static final int OWNER = 0;

	private static final int VIOLATIONS = 64;

	private static final int COUNT = 128;

	private static final int FIRST = 192;

	private static final int GRANT_BYTES = 4 * Long.BYTES;

	/**
	 * More grants are counted, but not written down.
	 */
	private static final int CAPACITY = 1 << 22;

	private static final long FREE = 0;

	private final ByteBuffer memory;

	Journal(Path file) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			this.memory = channel.map(MapMode.READ_WRITE, 0, FIRST + (long) CAPACITY * GRANT_BYTES);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void clear() {
		set(OWNER, FREE);
		set(VIOLATIONS, 0);
		set(COUNT, 0);
	}

	/**
	 * To call as soon as the lock is held.
	 */
	void granted(int process, int thread, long calledNanos) {
		long grantedNanos = System.nanoTime();
		if (get(OWNER) != FREE) {
			LONG.getAndAdd(this.memory, VIOLATIONS, 1L);
		}
		set(OWNER, owner(process, thread));
		long count = get(COUNT);
		if (count < CAPACITY) {
			int at = FIRST + (int) count * GRANT_BYTES;
			set(at, owner(process, thread));
			set(at + Long.BYTES, calledNanos);
			set(at + 2 * Long.BYTES, grantedNanos);
		}
	}

	/**
	 * To call just before the lock is released.
	 */
	void releasing(int process, int thread) {
		if (get(OWNER) != owner(process, thread)) {
			LONG.getAndAdd(this.memory, VIOLATIONS, 1L);
		}
		long count = get(COUNT);
		set(COUNT, count + 1);
		set(OWNER, FREE);
		if (count < CAPACITY) {
			set(FIRST + (int) count * GRANT_BYTES + 3 * Long.BYTES, System.nanoTime());
		}
	}

	private static long owner(int process, int thread) {
		return ((long) process << 32) + thread + 1;
	}

	/**
	 * How often two owners met.
	 */
	long violations() {
		return get(VIOLATIONS);
	}

	/**
	 * How often the lock was granted.
	 */
	long count() {
		return get(COUNT);
	}

	Grants grants() {
		List<Grants.Grant> grants = new ArrayList<>();
		for (int i = 0; i < Math.min(count(), CAPACITY); i++) {
			int at = FIRST + i * GRANT_BYTES;
			long owner = get(at) - 1;
			grants.add(new Grants.Grant((int) (owner >> 32), (int) owner, get(at + Long.BYTES),
					get(at + 2 * Long.BYTES), get(at + 3 * Long.BYTES)));
		}
		return new Grants(grants);
	}

	private long get(int at) {
		return (long) LONG.getVolatile(this.memory, at);
	}

	private void set(int at, long value) {
		LONG.setVolatile(this.memory, at, value);
	}

}
