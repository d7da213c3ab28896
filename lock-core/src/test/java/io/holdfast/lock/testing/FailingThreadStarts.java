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

package io.holdfast.lock.testing;

import java.lang.StackWalker.StackFrame;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets the start of threads fail, as it does where a limit of the system is reached: of
 * those that are started by the thread that made this, or by threads that it has started.
 * Those of the drivers start always.
 */
public final class FailingThreadStarts {

	private static final List<String> DRIVERS = List.of("io.netty.", "io.lettuce.", "redis.clients.",
			"org.apache.commons.pool2.");

	private final AtomicInteger succeeding = new AtomicInteger();

	private final AtomicInteger failing = new AtomicInteger();

	/** The only thing of a parent that a new thread asks for. */
	private final InheritableThreadLocal<String> inherited = new InheritableThreadLocal<>() {

		@Override
		protected String childValue(String parentValue) {
			begin();
			return parentValue;
		}

	};

	public FailingThreadStarts() {
		this.inherited.set("fails as it is told");
	}

	private void begin() {
		if (isOfADriver()) {
			return;
		}
		boolean failsYet = this.succeeding.getAndUpdate((left) -> Math.max(left - 1, 0)) == 0;
		if (failsYet && this.failing.getAndUpdate((left) -> Math.max(left - 1, 0)) > 0) {
			throw new OutOfMemoryError("unable to create native thread, on purpose");
		}
	}

	private static boolean isOfADriver() {
		return StackWalker.getInstance()
			.walk((frames) -> frames.map(StackFrame::getClassName)
				.anyMatch((type) -> DRIVERS.stream().anyMatch(type::startsWith)));
	}

	/**
	 * Lets so many threads start, and so many after them not.
	 */
	public void after(int succeed, int fail) {
		this.succeeding.set(succeed);
		this.failing.set(fail);
	}

	/**
	 * Lets all threads start again.
	 */
	public void end() {
		after(0, 0);
	}

	/**
	 * Whether all have failed that were to.
	 */
	public boolean haveFailed() {
		return this.failing.get() == 0;
	}

	/**
	 * Gives the calling thread back as it was.
	 */
	public void remove() {
		end();
		this.inherited.remove();
	}

}
