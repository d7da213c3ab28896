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

import java.util.List;
import java.util.stream.IntStream;

import io.holdfast.lock.LockObserver;
import io.holdfast.lock.internal.server.LimitedLog;
import org.apache.commons.logging.LogFactory;

/**
 * What waits for the observers of a client, each of which has a queue of its own: one
 * that never returns keeps nothing from the others, such as metrics. Thread-safe.
 */
final class ObserverQueues {

	private final LimitedLog slow = new LimitedLog(LogFactory.getLog(ObserverQueues.class));

	private final List<NoticeQueue> queues;

	private final SafeObserver observer;

	ObserverQueues(List<LockObserver> observers) {
		this.queues = observers.stream().map((each) -> new NoticeQueue("holdfast-observer-")).toList();
		List<SafeObserver> members = IntStream.range(0, observers.size())
			.mapToObj((i) -> new SafeObserver(observers.get(i), this.queues.get(i), this.queues.get(i)::executeMinor))
			.toList();
		this.observer = SafeObserver.of(members);
	}

	/**
	 * Tells all of them.
	 */
	SafeObserver observer() {
		return this.observer;
	}

	/**
	 * Makes sure that what waits is told, and warns of what is not.
	 */
	void look() {
		for (NoticeQueue each : this.queues) {
			each.deliverSoon();
			int dropped = each.takeDropped();
			if (dropped > 0) {
				this.slow.warn("A LockObserver is too slow: it is not told of " + dropped
						+ " lost lock(s), deadlock(s) or renewal(s) that failed, as too many such notices wait for it. Have it "
						+ "do its work on a thread of its own");
			}
		}
	}

	boolean isDone() {
		return this.queues.stream().allMatch(NoticeQueue::isDone);
	}

	void close() {
		this.queues.forEach(NoticeQueue::close);
	}

}
