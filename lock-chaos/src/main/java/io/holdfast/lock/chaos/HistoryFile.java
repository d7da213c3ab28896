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

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Records of fixed size in a file that is mapped into memory: what was written stays when
 * the process is killed. A record is sixteen numbers, filled in as things happen; the
 * first is never zero.
 */
final class HistoryFile {

	static final int FIELDS = 16;

	private static final int RECORD_BYTES = FIELDS * Long.BYTES;

	private static final VarHandle NUMBERS = MethodHandles.byteBufferViewVarHandle(long[].class,
			ByteOrder.nativeOrder());

	private final ByteBuffer buffer;

	private final AtomicInteger size = new AtomicInteger();

	private HistoryFile(ByteBuffer buffer) {
		this.buffer = buffer;
	}

	/**
	 * Creates a file. It takes room on the disk only as it fills.
	 */
	static HistoryFile create(Path path, int capacity) throws IOException {
		try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			return new HistoryFile(channel.map(MapMode.READ_WRITE, 0, (long) capacity * RECORD_BYTES));
		}
	}

	/**
	 * Opens a file that another process may still write to.
	 */
	static HistoryFile open(Path path) throws IOException {
		try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
			HistoryFile file = new HistoryFile(channel.map(MapMode.READ_ONLY, 0, channel.size()));
			int count = 0;
			int capacity = (int) (channel.size() / RECORD_BYTES);
			while (count < capacity && file.get(count, 0) != 0) {
				count++;
			}
			file.size.set(count);
			return file;
		}
	}

	/**
	 * Adds a record.
	 * @param numbers its first fields
	 * @return its place
	 */
	int add(long... numbers) {
		int record = this.size.getAndIncrement();
		for (int field = numbers.length - 1; field >= 0; field--) {
			put(record, field, numbers[field]);
		}
		return record;
	}

	void put(int record, int field, long number) {
		NUMBERS.setRelease(this.buffer, record * RECORD_BYTES + field * Long.BYTES, number);
	}

	long get(int record, int field) {
		return (long) NUMBERS.getAcquire(this.buffer, record * RECORD_BYTES + field * Long.BYTES);
	}

	int size() {
		return this.size.get();
	}

}
