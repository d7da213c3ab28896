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

package io.holdfast.lock.internal.replicas;

import java.util.List;

import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.Confirmation;
import io.holdfast.lock.internal.server.HoldInfo;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockPage;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.ReleaseReply;
import io.holdfast.lock.internal.server.Renewal;
import io.holdfast.lock.internal.server.Topology;
import io.holdfast.lock.internal.server.WaiterInfo;
import io.holdfast.lock.internal.single.RedisLockServer;

/**
 * A server whose replicas acknowledge a hold before its owner runs. In all else it is the
 * one it decorates.
 */
public final class ReplicatedLockServer implements LockServer {

	private final RedisLockServer server;

	private final Replicas replicas;

	/**
	 * Decorate a server.
	 * @param driver what leads to it
	 * @throws IllegalArgumentException if the connections of the factory cannot wait for
	 * replicas
	 */
	public ReplicatedLockServer(RedisLockServer server, RedisDriver driver, LockKeys keys, ReplicaSettings settings) {
		this.server = server;
		this.replicas = new Replicas(driver, keys, settings, server.topology(), server::renewal);
	}

	@Override
	public Confirmation confirm(Renewal renewal, boolean interruptible) {
		return this.replicas.confirm(renewal, interruptible);
	}

	@Override
	public LockReply acquire(String key, AcquireCommand command, boolean waits, long deadlineNanos) {
		return this.server.acquire(key, command, waits, deadlineNanos);
	}

	@Override
	public ReleaseReply release(String key, ReleaseCommand command) {
		return this.server.release(key, command);
	}

	@Override
	public void release(String key, List<String> ids) {
		this.server.release(key, ids);
	}

	@Override
	public List<LockReply> renew(List<Renewal> renewals) {
		return this.server.renew(renewals);
	}

	@Override
	public List<Outcome<List<LockReply>>> renewEach(List<List<Renewal>> groups) {
		return this.server.renewEach(groups);
	}

	@Override
	public boolean evict(String key, String id) {
		return this.server.evict(key, id);
	}

	@Override
	public LockPage list(String cursor, int count) {
		return this.server.list(cursor, count);
	}

	@Override
	public List<HoldInfo> describe(List<String> keys, boolean strict) {
		return this.server.describe(keys, strict);
	}

	@Override
	public List<WaiterInfo> waiters(String key, int limit) {
		return this.server.waiters(key, limit);
	}

	@Override
	public boolean echo(String key) {
		return this.server.echo(key);
	}

	@Override
	public Topology topology() {
		return this.server.topology();
	}

	@Override
	public void close() {
		this.server.close();
		this.replicas.close();
	}

}
