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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * A subscription through a connection of Spring's. With Lettuce the call that subscribes
 * returns when the server has confirmed it, or after the command timeout; then Lettuce
 * delivers messages by itself, and subscribes again after its connection broke. With
 * others the call may return at its end only.
 */
final class SpringSubscription implements RedisSubscription, MessageListener, SubscriptionListener {

	/*
	 * The states of one call of listen, all changes under the monitor. Its thread is
	 * interrupted only while it is SUBSCRIBING, and clears its status when it has left
	 * that state, so no interrupt reaches anything else.
	 */
	private enum State {

		IDLE, SUBSCRIBING, LISTENING, ENDED

	}

	private static final Log logger = LogFactory.getLog(SpringSubscription.class);

	private static final long REST_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final RedisConnectionFactory connectionFactory;

	private final byte[] channel;

	private final MessageListener messages;

	private final SubscriptionListener listener;

	/**
	 * Whether a thread that waits for the confirmation can be interrupted. Jedis would
	 * leave its subscription half-way.
	 */
	private final boolean interruptible;

	private State state = State.IDLE;

	private @Nullable Thread thread;

	private @Nullable RedisConnection connection;

	<L extends MessageListener & SubscriptionListener> SpringSubscription(RedisConnectionFactory connectionFactory,
			byte[] channel, L listener, boolean interruptible) {
		this.connectionFactory = connectionFactory;
		this.channel = channel;
		this.messages = listener;
		this.listener = listener;
		this.interruptible = interruptible;
	}

	@Override
	public void listen() {
		begin();
		RedisConnection opened = null;
		try {
			opened = this.connectionFactory.getConnection();
			if (!isEnded(opened)) {
				opened.subscribe(this, this.channel);
			}
			confirmed();
			while (!isEnded(opened) && opened.isSubscribed()) {
				LockSupport.parkNanos(this, REST_NANOS);
			}
		}
		finally {
			finish();
			if (opened != null) {
				opened.close();
			}
		}
	}

	private synchronized void begin() {
		this.state = State.SUBSCRIBING;
		this.thread = Thread.currentThread();
	}

	private synchronized boolean isEnded(RedisConnection opened) {
		this.connection = opened;
		return this.state == State.ENDED;
	}

	private synchronized void confirmed() {
		if (this.state == State.SUBSCRIBING) {
			this.state = State.LISTENING;
		}
	}

	private synchronized void finish() {
		this.state = State.IDLE;
		this.thread = null;
		this.connection = null;
		Thread.interrupted();
	}

	@Override
	public void end() {
		Subscription confirmed;
		synchronized (this) {
			Thread listening = this.thread;
			if (listening == null || this.state == State.ENDED) {
				return;
			}
			confirmed = (this.state == State.LISTENING && !this.interruptible && this.connection != null)
					? this.connection.getSubscription() : null;
			if (this.state == State.SUBSCRIBING && this.interruptible) {
				listening.interrupt();
			}
			this.state = State.ENDED;
			LockSupport.unpark(listening);
		}
		if (confirmed != null) {
			unsubscribe(confirmed);
		}
	}

	/**
	 * Once, and not before the server has confirmed it: a driver may stop reading at the
	 * first answer that says that nothing is subscribed.
	 */
	private static void unsubscribe(Subscription confirmed) {
		try {
			confirmed.unsubscribe();
		}
		catch (RuntimeException ex) {
			logger.debug("The subscription did not end cleanly", ex);
		}
	}

	@Override
	public void onChannelSubscribed(byte[] subscribed, long count) {
		boolean ended;
		Subscription late = null;
		synchronized (this) {
			ended = this.state == State.ENDED;
			confirmed();
			if (ended && !this.interruptible && this.connection != null) {
				late = this.connection.getSubscription();
			}
		}
		if (late != null) {
			unsubscribe(late);
		}
		if (!ended) {
			this.listener.onChannelSubscribed(subscribed, count);
		}
	}

	@Override
	public void onChannelUnsubscribed(byte[] unsubscribed, long count) {
		this.listener.onChannelUnsubscribed(unsubscribed, count);
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		this.messages.onMessage(message, pattern);
	}

}
