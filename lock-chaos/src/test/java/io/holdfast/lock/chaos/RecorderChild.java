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
import java.nio.file.Path;

/**
 * A process that is killed while it records.
 */
public final class RecorderChild {

	private RecorderChild() {
	}

	public static void main(String[] args) throws IOException {
		Recorder recorder = Recorder.create(Path.of(args[0]), 3);
		Recorder.Trace trace = recorder.attempt(7, Mode.READER, true, false, 0, 1);
		trace.ended(Outcome.DONE, 100, 2);
		trace.claimed(2, 10);
		trace.releasing(3);
		trace.released(Outcome.LOST, 4);
		recorder.loss(7, 100, 5);
		recorder.attempt(7, Mode.READER, false, true, 0, 6);
		System.out.println("READY");
		while (System.in.read() >= 0) {
			// It is told nothing.
		}
	}

}
