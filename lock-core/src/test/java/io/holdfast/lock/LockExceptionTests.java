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

package io.holdfast.lock;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.time.Instant;

import io.holdfast.lock.LockLoss.Cause;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What exceptions say, also in another process.
 */
class LockExceptionTests {

	@Test
	void lossIsKnownWhereItsExceptionIsSent() throws Exception {
		LockLoss loss = new LockLoss("orders", true, 17, Instant.parse("2026-01-02T03:04:05.006Z"), Cause.GONE,
				Duration.ofMillis(1234));

		LockLostException received = (LockLostException) sent(new LockLostException(loss));

		assertThat(received.loss()).isEqualTo(loss);
		assertThat(received.lockName()).isEqualTo("orders");
		assertThat(received)
			.hasMessage("Lock 'orders' with fencing token 17 was lost at 2026-01-02T03:04:05.006Z (GONE), after "
					+ "1234ms; another holder may have been at work since then. Redis no longer knows the hold: its data "
					+ "was lost (restart, failover, eviction), the key was deleted, or the lease ended by Redis' clock. "
					+ "Check what was written under it, or have it rolled back");
	}

	private static Object sent(Object thing) throws IOException, ClassNotFoundException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
			out.writeObject(thing);
		}
		return new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
	}

}
