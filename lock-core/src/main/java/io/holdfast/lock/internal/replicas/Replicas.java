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

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.driver.DedicatedConnection;
import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.server.Confirmation;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.internal.server.Renewal;
import io.holdfast.lock.internal.server.Topology;
import io.holdfast.lock.internal.single.Confirmer;
import io.holdfast.lock.internal.single.RedisLockServer;
import io.holdfast.lock.internal.single.ScriptRunner;
import io.holdfast.lock.internal.single.ScriptRunner.Call;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Has replicas acknowledge holds before their owners run.
 */
public final class Replicas implements Confirmer {

	// @formatter:off
	/*
	 * Algorithm. WAIT counts the replicas that have all that its own connection has written. Most
	 * holds were written by another connection, often that of the client which handed the lock
	 * over. So a hold is renewed, which always writes, on the connection that then waits. If the
	 * master says that the request holds, and enough replicas have that write, they have the hold.
	 * Scripts and WAIT go over one connection to one server: a DedicatedConnection, thrown away whenever
	 * anything was not as it should be, be it only that it leads to a server that is no longer the
	 * master.
	 *
	 * There is one connection to each master. Who comes while it is busy waits for it, and the
	 * next one to have it asks for all of them: their renewals, and one WAIT. If its thread is
	 * interrupted, the others ask again.
	 *
	 * What remains. Replicas that have a hold do not decide which of them takes over. A renewal of
	 * the watchdog and a release are not waited for: a new master may end a hold at the time that
	 * it knew before, and may know one that was released.
	 */
	// @formatter:on

	private static final int MAX_TOGETHER = 64;

	private final RedisDriver driver;

	private final RedisLockServer server;

	private final LockKeys keys;

	private final ReplicaSettings settings;

	private final ConcurrentMap<String, Master> masters = new ConcurrentHashMap<>();

	private volatile boolean closed;

	/**
	 * Prepare to ask the replicas of a server.
	 * @param driver what leads to it
	 * @throws IllegalArgumentException if the connections of the factory cannot wait for
	 * replicas
	 */
	public Replicas(RedisDriver driver, RedisLockServer server, LockKeys keys, ReplicaSettings settings) {
		driver.checkDedicated();
		this.driver = driver;
		this.server = server;
		this.keys = keys;
		this.settings = settings;
	}

	/**
	 * Renews a hold and waits until replicas have it.
	 */
	@Override
	public Confirmation confirm(Renewal renewal, boolean interruptible) {
		Topology topology = this.server.topology();
		if (!topology.isKnown()) {
			topology.refresh();
		}
		Master master = this.masters.computeIfAbsent(topology.nodeOf(renewal.key()), Master::new);
		Confirmation confirmation = master.confirm(renewal, interruptible);
		if (confirmation.failure() != null) {
			topology.refresh();
		}
		return confirmation;
	}

	/**
	 * Closes what is not in use. Whoever uses a connection closes it afterwards.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.masters.values().forEach(Master::close);
	}

	/**
	 * The connection to one server.
	 */
	private final class Master {

		private final String node;

		private final Queue<Pending> queue = new ConcurrentLinkedQueue<>();

		private final ReentrantLock turn = new ReentrantLock();

		// Guarded by the turn
		private @Nullable DedicatedConnection connected;

		Master(String node) {
			this.node = node;
		}

		Confirmation confirm(Renewal renewal, boolean interruptible) {
			Pending pending = new Pending(renewal, Replicas.this.keys.nameOf(renewal.key()));
			this.queue.add(pending);
			try {
				if (interruptible) {
					this.turn.lockInterruptibly();
				}
				else {
					this.turn.lock();
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				this.queue.remove(pending);
				return new Confirmation(null, failure(pending, ex));
			}
			try {
				while (pending.confirmation == null) {
					if (!confirmWaiting()) {
						// Another thread had taken it, and died of an Error.
						pending.fail(RedisErrors.failure(pending.lockName, Reason.TIMED_OUT,
								"nobody knows whether replicas have it", null));
					}
				}
				return pending.confirmation;
			}
			finally {
				this.turn.unlock();
				if (Replicas.this.closed) {
					close();
				}
			}
		}

		/**
		 * Confirms those that came first, each of them in any case.
		 * @return whether there were any
		 */
		private boolean confirmWaiting() {
			List<Pending> together = new ArrayList<>();
			for (Pending next = this.queue.poll(); next != null; next = this.queue.poll()) {
				together.add(next);
				if (together.size() == MAX_TOGETHER) {
					break;
				}
			}
			if (together.isEmpty()) {
				return false;
			}
			boolean sound = false;
			try {
				sound = confirm(together);
			}
			catch (RuntimeException | Error ex) {
				together.forEach((each) -> each.fail(failure(each, ex)));
			}
			if (!sound) {
				disconnect();
			}
			return true;
		}

		private static LockServerException failure(Pending pending, Throwable thrown) {
			return RedisErrors.classify(pending.lockName, thrown);
		}

		/**
		 * Confirms some.
		 * @return whether all went well
		 */
		private boolean confirm(List<Pending> together) {
			DedicatedConnection to = connect();
			// A cluster takes several locks in one script only if they share a slot, and
			// not while that moves.
			List<List<Pending>> groups = this.node.equals(Topology.ONLY_NODE) ? List.of(together)
					: together.stream().map(List::of).toList();
			List<Call<List<?>, List<LockReply>>> calls = groups.stream()
				.map((group) -> Replicas.this.server.renewal(group.stream().map((each) -> each.renewal).toList()))
				.toList();
			LockKeys keys = Replicas.this.keys;
			return new ScriptRunner(to, keys).session(together.get(0).renewal.key(), (connection) -> {
				List<Outcome<List<LockReply>>> outcomes = ScriptRunner.on(connection, keys).runEach(calls);
				boolean any = outcomes.stream().anyMatch((each) -> each.failure() == null);
				int wanted = any ? wanted(connection) : 0;
				long acknowledged = any ? to.waitForReplicas(connection, wanted, Replicas.this.settings.timeout()) : 0;
				boolean sound = true;
				for (int i = 0; i < groups.size(); i++) {
					sound &= tell(groups.get(i), outcomes.get(i), acknowledged, wanted);
				}
				return sound;
			});
		}

		private DedicatedConnection connect() {
			DedicatedConnection present = this.connected;
			if (present == null) {
				present = Replicas.this.driver.dedicated(this.node);
				this.connected = present;
			}
			return present;
		}

		/**
		 * How many replicas have to acknowledge: at least one, so that a master without
		 * replicas grants nothing.
		 */
		private int wanted(RedisConnection connection) {
			if (!Replicas.this.settings.majority()) {
				return 1;
			}
			Properties replication = Objects.requireNonNull(connection.serverCommands().info("replication"));
			return Integer.parseInt(replication.getProperty("connected_slaves", "0")) / 2 + 1;
		}

		private boolean tell(List<Pending> group, Outcome<List<LockReply>> outcome, long acknowledged, int wanted) {
			boolean sound = true;
			for (int i = 0; i < group.size(); i++) {
				Pending each = group.get(i);
				if (outcome.failure() != null) {
					each.fail(outcome.failure());
				}
				else {
					LockReply reply = Objects.requireNonNull(outcome.value()).get(i);
					each.confirmation = new Confirmation(reply,
							(acknowledged < wanted) ? tooFew(each, acknowledged, wanted) : null);
					sound &= reply.state() == LockReply.State.HOLDS;
				}
			}
			return sound && outcome.failure() == null && acknowledged >= wanted;
		}

		private LockServerException tooFew(Pending pending, long acknowledged, int wanted) {
			return RedisErrors
				.failure(pending.lockName, Reason.UNAVAILABLE,
						acknowledged + " replicas acknowledged it within "
								+ LockOptions.describe(Replicas.this.settings.timeout()) + ", wanted were " + wanted,
						null);
		}

		void close() {
			if (this.turn.tryLock()) {
				try {
					disconnect();
				}
				finally {
					this.turn.unlock();
				}
			}
		}

		private void disconnect() {
			if (this.connected != null) {
				this.connected.close();
				this.connected = null;
			}
		}

	}

	/**
	 * A hold to confirm. Guarded by the turn of its master.
	 */
	private static final class Pending {

		private final Renewal renewal;

		private final String lockName;

		private @Nullable Confirmation confirmation;

		Pending(Renewal renewal, String lockName) {
			this.renewal = renewal;
			this.lockName = lockName;
		}

		void fail(LockServerException failure) {
			this.confirmation = new Confirmation(null, failure);
		}

	}

}
