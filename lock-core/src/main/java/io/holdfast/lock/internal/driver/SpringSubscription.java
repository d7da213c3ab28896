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
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.Subscription;

/**
 * A subscription through a connection of Spring's. With Lettuce the call that subscribes
 * returns when the server has confirmed it, or after the command timeout; then Lettuce
 * delivers messages by itself, and subscribes again after its connection broke. With
 * others the call may return at its end only.
 */
final class SpringSubscription implements RedisSubscription, RedisSubscription.Listener {

	/*
	 * No thread is interrupted here: Lettuce would go on to connect, and nobody would
	 * ever close what it opens. The thread that listens closes the connection, however
	 * late that opens.
	 */

	private static final Log logger = LogFactory.getLog(SpringSubscription.class);

	private static final long REST_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final Supplier<RedisConnection> source;

	private final byte[] channel;

	private final Listener listener;

	/**
	 * Whether the call that subscribes may last as long as the subscription.
	 */
	private final boolean blocks;

	private volatile boolean ended;

	/** Guarded by the monitor. */
	private boolean confirmed;

	/** Whether the call that subscribes is over. Guarded by the monitor. */
	private boolean returned;

	private volatile @Nullable Throwable failure;

	private volatile @Nullable Thread thread;

	private volatile @Nullable RedisConnection connection;

	SpringSubscription(Supplier<RedisConnection> source, byte[] channel, Listener listener, boolean blocks) {
		this.source = source;
		this.channel = channel;
		this.listener = listener;
		this.blocks = blocks;
	}

	@Override
	public void listen() {
		this.thread = Thread.currentThread();
		try (RedisConnection opened = this.source.get()) {
			this.connection = opened;
			if (!this.ended) {
				opened.subscribe(this, this.channel);
			}
			synchronized (this) {
				this.returned = true;
			}
			while (!this.ended && opened.isSubscribed()) {
				LockSupport.parkNanos(this, REST_NANOS);
			}
		}
		Throwable thrown = this.failure;
		if (thrown != null) {
			throw new IllegalStateException("A message could not be dealt with", thrown);
		}
	}

	/**
	 * Tells the listener. If that fails the subscription ends in order: a driver that
	 * listens on this thread would give the connection back to the application's pool as
	 * it is, subscribed. A thread of the driver's own must not wait for an answer.
	 */
	private void tell(Runnable what) {
		try {
			what.run();
		}
		catch (RuntimeException | Error ex) {
			this.failure = ex;
			if (Thread.currentThread() == this.thread) {
				end();
			}
			else {
				this.ended = true;
				LockSupport.unpark(this.thread);
			}
		}
	}

	@Override
	public void end() {
		boolean subscribed;
		synchronized (this) {
			// Else the thread that listens closes the connection, which may take long.
			subscribed = this.confirmed && !this.ended && !this.returned;
			this.ended = true;
		}
		LockSupport.unpark(this.thread);
		if (subscribed) {
			unsubscribe();
		}
	}

	/**
	 * Has a call that lasts as long as the subscription return. Once, and not before the
	 * server has confirmed it: a driver may stop reading at the first answer that says
	 * that nothing is subscribed.
	 */
	private void unsubscribe() {
		RedisConnection opened = this.connection;
		Subscription subscribed = (this.blocks && opened != null) ? opened.getSubscription() : null;
		try {
			if (subscribed != null) {
				subscribed.unsubscribe();
			}
		}
		catch (RuntimeException ex) {
			logger.debug("The subscription did not end cleanly", ex);
		}
	}

	@Override
	public void onChannelSubscribed(byte[] subscribed, long count) {
		boolean late;
		synchronized (this) {
			late = this.ended;
			this.confirmed = true;
		}
		if (late && Thread.currentThread() == this.thread) {
			unsubscribe();
		}
		else if (!late) {
			tell(() -> this.listener.onChannelSubscribed(subscribed, count));
		}
	}

	@Override
	public void onChannelUnsubscribed(byte[] unsubscribed, long count) {
		if (!this.ended) {
			this.listener.onChannelUnsubscribed(unsubscribed, count);
		}
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		tell(() -> this.listener.onMessage(message, pattern));
	}

}
