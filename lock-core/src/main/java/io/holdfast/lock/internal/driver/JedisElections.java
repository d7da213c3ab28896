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

package io.holdfast.lock.internal.driver;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisSentinelPool;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Where the master is, whoever that is: of a pool of Jedis only the listeners are used,
 * to which sentinels tell of each new master. Their connections are mostly quiet, and
 * nobody sees that one has died. So in doubt the sentinels are asked anew; until one
 * answers, the last master is remembered.
 */
@SuppressWarnings("deprecation")
final class JedisElections implements JedisServer.Address {

	private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final Supplier<JedisSentinelPool> source;

	/** Written in the monitor, which guards the other two. */
	private volatile JedisSentinelPool present;

	private long askedNanos = System.nanoTime();

	private boolean closed;

	/**
	 * Asks the sentinels.
	 * @throws JedisException if none answers
	 */
	JedisElections(Supplier<JedisSentinelPool> source) {
		this.source = source;
		this.present = source.get();
	}

	@Override
	public HostAndPort get() {
		return this.present.getCurrentHostMaster();
	}

	@Override
	public synchronized void doubt() {
		if (!this.closed && System.nanoTime() - this.askedNanos >= PAUSE_NANOS) {
			this.askedNanos = System.nanoTime();
			Link.startThread(this::askAgain);
		}
	}

	private void askAgain() {
		try {
			replace(this.source.get()).close();
		}
		catch (JedisException ex) {
			// None answers, or none knows a master.
		}
	}

	/** Returns the one to close. */
	private synchronized JedisSentinelPool replace(JedisSentinelPool next) {
		if (this.closed) {
			return next;
		}
		JedisSentinelPool before = this.present;
		this.present = next;
		return before;
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		this.present.close();
	}

}
