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

package io.holdfast.lock.internal.server;

import java.util.function.BiConsumer;

import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What the clients of this process have to log, on a thread of its own: a log may block,
 * and no thread that renews, hears messages or holds a monitor is to wait for it. Without
 * a client there is no such thread, and who logs does it itself. Thread-safe.
 */
public final class LogQueue {

	static final int MOST = 1_000;

	private static int clients;

	private static volatile @Nullable NoticeQueue queue;

	private LogQueue() {
	}

	/**
	 * A client begins to log.
	 */
	public static synchronized void open() {
		if (clients == 0) {
			NoticeQueue opened = new NoticeQueue("holdfast-log", MOST);
			opened.start();
			queue = opened;
		}
		clients++;
	}

	/**
	 * A client has nothing to log any more. What waits is logged.
	 */
	public static synchronized void close() {
		NoticeQueue present = queue;
		if (--clients == 0 && present != null) {
			queue = null;
			present.close();
		}
	}

	/**
	 * Whether all is logged.
	 */
	public static boolean isDone() {
		NoticeQueue present = queue;
		return present == null || present.isDone();
	}

	static void add(Runnable line) {
		add(line, NoticeQueue::add);
	}

	/**
	 * The same for a line that leaves half of the room to others.
	 */
	static void addMinor(Runnable line) {
		add(line, NoticeQueue::addMinor);
	}

	private static void add(Runnable line, BiConsumer<NoticeQueue, Runnable> how) {
		NoticeQueue present = queue;
		if (present == null) {
			line.run();
			return;
		}
		how.accept(present, () -> {
			try {
				line.run();
			}
			finally {
				int dropped = present.takeDropped();
				if (dropped > 0) {
					LogFactory.getLog(LogQueue.class)
						.warn(dropped + " messages of Holdfast are not in the log, which was too slow for them");
				}
			}
		});
	}

}
