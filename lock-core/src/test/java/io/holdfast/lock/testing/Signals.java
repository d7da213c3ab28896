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

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Sends signals to processes that a test has started.
 */
public final class Signals {

	private Signals() {
	}

	/**
	 * Sends a signal.
	 * @param name as of {@code kill}, such as {@code STOP} or {@code CONT}
	 */
	public static void send(ProcessHandle process, String name) {
		try {
			int code = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
			if (code != 0) {
				throw new IllegalStateException("kill -" + name + " " + process.pid() + " ended with code " + code);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
