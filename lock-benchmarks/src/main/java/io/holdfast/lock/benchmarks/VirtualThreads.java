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

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Starts virtual threads, although this is compiled for a Java that has none.
 */
final class VirtualThreads {

	private static final int FIRST_JAVA = 21;

	private VirtualThreads() {
	}

	static boolean exist() {
		return Runtime.version().feature() >= FIRST_JAVA;
	}

	static Thread start(Runnable work) {
		try {
			MethodHandle start = MethodHandles.publicLookup()
				.findStatic(Thread.class, "startVirtualThread", MethodType.methodType(Thread.class, Runnable.class));
			return (Thread) start.invokeExact(work);
		}
		catch (Throwable ex) {
			throw new IllegalStateException(ex);
		}
	}

}
