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

import java.util.Collection;
import java.util.List;
import java.util.Optional;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockClientHealth;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockType;
import io.holdfast.lock.LockedTask;
import io.holdfast.lock.internal.client.ClientSettings;
import io.holdfast.lock.internal.client.DefaultLockClient;
import io.holdfast.lock.internal.client.LockRuntime;
import io.holdfast.lock.internal.memory.MemoryLockServer;
import io.holdfast.lock.internal.server.ServerSettings;
import org.jspecify.annotations.Nullable;

/**
 * A {@link LockClient} whose locks are in the memory of this process, without Redis. No
 * other process sees them. It promises what the client on Redis promises: reentrancy,
 * order of {@link LockType#FAIR} locks, fencing tokens, leases, the watchdog, losses that
 * are told, the directory. Its calls never fail for want of a server.
 * <p>
 * Has a thread that looks after leases, one for actions of {@link Lease#onLost}, and one
 * for each observer.
 */
public final class LocalLockClient implements LockClient {

	private final DefaultLockClient client;

	LocalLockClient(LocalLocks locks, ClientSettings settings, ServerSettings server) {
		LockRuntime runtime = new LockRuntime(settings, (created) -> new MemoryLockServer(locks.memory(), server,
				settings.nanoTime(), created.engine().messages()), (created) -> List.of());
		this.client = new DefaultLockClient(runtime);
		runtime.start();
	}

	/**
	 * Starts to describe a client with locks of its own.
	 * @return the builder
	 */
	public static LocalLockClientBuilder builder() {
		return new LocalLockClientBuilder();
	}

	@Override
	public LeaseLock getLock(String name, LockType type) {
		return this.client.getLock(name, type);
	}

	@Override
	public LeaseLock getLock(Collection<String> names, LockType type) {
		return this.client.getLock(names, type);
	}

	@Override
	public Lease acquire(String name, LockOptions options) throws InterruptedException {
		return this.client.acquire(name, options);
	}

	@Override
	public Optional<Lease> tryAcquire(String name, LockOptions options) throws InterruptedException {
		return this.client.tryAcquire(name, options);
	}

	@Override
	public Lease acquire(Collection<String> names, LockOptions options) throws InterruptedException {
		return this.client.acquire(names, options);
	}

	@Override
	public Optional<Lease> tryAcquire(Collection<String> names, LockOptions options) throws InterruptedException {
		return this.client.tryAcquire(names, options);
	}

	@Override
	@SuppressWarnings("NullAway") // Class files lose the bound of a type variable
	public <T extends @Nullable Object, E extends Throwable> T execute(String name, LockOptions options,
			LockedTask<T, E> task) throws E, InterruptedException {
		return this.client.execute(name, options, task);
	}

	@Override
	public LockDirectory directory() {
		return this.client.directory();
	}

	@Override
	public LockClientHealth health() {
		return this.client.health();
	}

	@Override
	public String id() {
		return this.client.id();
	}

	@Override
	public void close() {
		this.client.close();
	}

	@Override
	public String toString() {
		return "LocalLockClient[" + id() + "]";
	}

}
