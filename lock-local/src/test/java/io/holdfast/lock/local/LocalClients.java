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

package io.holdfast.lock.local;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.holdfast.lock.internal.memory.MemoryLockServer;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.LockMessages;
import io.holdfast.lock.internal.protocol.LockServer;
import io.holdfast.lock.internal.protocol.ServerSettings;

/**
 * What tests in other packages need of a local client.
 */
public final class LocalClients {

	private LocalClients() {
	}

	/**
	 * Sets the clock of a client.
	 */
	public static void setNanoTime(LocalLockClientBuilder builder, LongSupplier nanoTime) {
		builder.nanoTime(nanoTime);
	}

	/**
	 * A server in memory, with locks of its own.
	 */
	public static LockServer server(String clientId, LockKeys keys, LockMessages messages) {
		ServerSettings settings = new ServerSettings(keys, clientId, Duration.ofSeconds(10), Duration.ofMinutes(5));
		return new MemoryLockServer(new LocalLocks().memory(), settings, System::nanoTime, messages);
	}

}
