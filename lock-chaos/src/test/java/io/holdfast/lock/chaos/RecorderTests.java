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
import java.time.Duration;

import io.holdfast.lock.testing.JavaProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a process has recorded is there after it was killed, in the middle of an attempt.
 */
class RecorderTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	@TempDir
	private Path directory;

	@Test
	void recordsOutliveTheirProcess() throws IOException {
		try (JavaProcess process = JavaProcess.start("recorder", RecorderChild.class, this.directory.toString())) {
			process.awaitLine("READY", PATIENCE);
			process.kill();
		}
		History history = History.read(this.directory);
		assertThat(history.attempts()).hasSize(2);
		Attempt first = history.attempts().get(0);
		assertThat(first.process()).isEqualTo(3);
		assertThat(first.lock()).isEqualTo(7);
		assertThat(first.mode()).isEqualTo(Mode.READER);
		assertThat(first.fair()).isTrue();
		assertThat(first.watched()).isFalse();
		assertThat(first.token()).isEqualTo(100);
		assertThat(first.claimedUntil()).isEqualTo(12);
		assertThat(first.release()).isEqualTo(Outcome.LOST);
		assertThat(history.attempts().get(1).outcome()).isEqualTo(Outcome.NONE);
		assertThat(history.losses()).hasSize(1);
	}

	@Test
	void theResourceRefusesWhatIsTooLate() throws IOException {
		try (JavaProcess process = JavaProcess.start("resource", Resource.class, this.directory.toString())) {
			int port = Integer.parseInt(process.awaitLine("READY", PATIENCE)[1]);
			try (Resource.Client client = new Resource.Client(port)) {
				assertThat(client.write(1, 20, 1, 0)).isTrue();
				assertThat(client.write(1, 0, 2, 0)).isTrue();
				assertThat(client.write(1, 19, 2, 0)).isFalse();
				assertThat(client.write(1, 20, 1, 0)).isTrue();
				assertThat(client.write(2, 19, 2, 1)).isTrue();
			}
		}
		assertThat(History.read(this.directory).writes()).extracting(History.Write::accepted)
			.containsExactly(true, true, false, true, true);
	}

}
