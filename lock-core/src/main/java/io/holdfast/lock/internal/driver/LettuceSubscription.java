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

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * A subscription of Lettuce. The call that subscribes returns when the server has
 * confirmed it, or after the command timeout; then Lettuce delivers messages by itself,
 * and subscribes again after its connection broke.
 * <p>
 * No thread is interrupted here: Lettuce would go on to connect, and nobody would ever
 * close what it opens. The thread that listens closes the connection, however late that
 * opens.
 */
final class LettuceSubscription implements RedisSubscription, RedisSubscription.Listener {

	private static final long REST_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final Supplier<RedisConnection> source;

	private final byte[] channel;

	private final Listener listener;

	private volatile boolean ended;

	private volatile @Nullable Throwable failure;

	private volatile @Nullable Thread thread;

	LettuceSubscription(Supplier<RedisConnection> source, byte[] channel, Listener listener) {
		this.source = source;
		this.channel = channel;
		this.listener = listener;
	}

	@Override
	public void listen() {
		this.thread = Thread.currentThread();
		try (RedisConnection opened = this.source.get()) {
			if (!this.ended) {
				opened.subscribe(this, this.channel);
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
	 * Tells the listener. If that fails the subscription ends. A thread of Lettuce's own
	 * must not wait for an answer.
	 */
	private void tell(Runnable what) {
		try {
			what.run();
		}
		catch (RuntimeException | Error ex) {
			this.failure = ex;
			end();
		}
	}

	@Override
	public void end() {
		this.ended = true;
		LockSupport.unpark(this.thread);
	}

	@Override
	public void onChannelSubscribed(byte[] subscribed, long count) {
		if (!this.ended) {
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
