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

package io.holdfast.lock.redis;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.LockLoss.Cause;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.SubscriptionListener;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.util.backoff.FixedBackOff;

/**
 * The one subscription of a client: what the server's scripts tell it, on its own
 * channel. A message only saves time. Nothing depends on it: waiters ask again by
 * themselves, often while there is no subscription, and at once when there is one again.
 */
final class Inbox implements MessageListener, SubscriptionListener {

	private static final Log logger = LogFactory.getLog(Inbox.class);

	private static final long RECOVERY_MILLIS = 100;

	private static final long MAX_CLOSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long CLOSE_CHECK_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

	private final RedisMessageListenerContainer container = new RedisMessageListenerContainer();

	/**
	 * Serves the subscription, and waits between attempts to have it again.
	 */
	private final ScheduledThreadPoolExecutor subscriber;

	private final String channel;

	private final LockKeys keys;

	private volatile boolean hears;

	private volatile boolean closed;

	private volatile @Nullable Thread closer;

	private volatile @Nullable Locks locks;

	Inbox(RedisConnectionFactory connectionFactory, Settings settings) {
		this.keys = settings.keys();
		this.channel = this.keys.channelPrefix() + settings.clientId();
		this.container.setConnectionFactory(connectionFactory);
		this.container.setRecoveryBackoff(new FixedBackOff(RECOVERY_MILLIS, FixedBackOff.UNLIMITED_ATTEMPTS));
		this.container.setMaxSubscriptionRegistrationWaitingTime(TimeUnit.SECONDS.toMillis(2));
		CustomizableThreadFactory threads = new CustomizableThreadFactory("holdfast-inbox-");
		threads.setDaemon(true);
		this.subscriber = new ScheduledThreadPoolExecutor(1, threads);
		this.subscriber.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		this.container.setSubscriptionExecutor(this.subscriber);
		// Messages are handled where they arrive: a thread for each would cost more than
		// they do.
		this.container.setTaskExecutor(new SyncTaskExecutor());
		this.container.addMessageListener(this, new ChannelTopic(this.channel));
	}

	/**
	 * Subscribes, in the background and for as long as it takes.
	 */
	void open(Locks locks) {
		this.locks = locks;
		Thread thread = new Thread(this::subscribe, "holdfast-inbox-start");
		thread.setDaemon(true);
		thread.start();
	}

	private void subscribe() {
		try {
			this.container.afterPropertiesSet();
			while (!this.closed) {
				try {
					this.container.start();
					return;
				}
				catch (RuntimeException ex) {
					logger.debug("Subscription to " + this.channel + " failed and is tried again", ex);
					this.container.stop();
				}
				TimeUnit.MILLISECONDS.sleep(RECOVERY_MILLIS);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	void close() {
		this.closed = true;
		this.closer = Thread.currentThread();
		this.hears = false;
		// First, or an attempt that meets the end of the container waits for ever.
		this.subscriber.shutdown();
		try {
			this.container.destroy();
		}
		catch (Exception ex) {
			logger.debug("The subscription to " + this.channel + " did not end cleanly", ex);
		}
	}

	/**
	 * Whether messages reach this client, as far as it knows.
	 */
	boolean hears() {
		return this.hears;
	}

	@Override
	public void onChannelSubscribed(byte[] subscribed, long count) {
		this.hears = true;
		Locks current = this.locks;
		if (current != null) {
			askAgain(current);
		}
	}

	@Override
	public void onChannelUnsubscribed(byte[] unsubscribed, long count) {
		this.hears = false;
		awaitCloser();
	}

	/**
	 * Waits until the thread that closes sleeps, which it does when it has written the
	 * command to unsubscribe. With Jedis this thread gives the connection back to the
	 * pool next, and the other may not have returned from its write yet: the end of that
	 * would spoil what the next user of the connection writes, who would then read the
	 * answers to other commands.
	 */
	private void awaitCloser() {
		Thread waited = this.closer;
		long start = System.nanoTime();
		while (waited != null && waited != Thread.currentThread() && waited.getState() == Thread.State.RUNNABLE
				&& System.nanoTime() - start < MAX_CLOSE_NANOS) {
			LockSupport.parkNanos(this, CLOSE_CHECK_NANOS);
		}
	}

	private void askAgain(Locks current) {
		for (LocalLock lock : current.all()) {
			synchronized (lock) {
				long now = current.now();
				lock.contenders().forEach((contender) -> contender.doubt(now));
			}
		}
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		Locks current = this.locks;
		if (current == null) {
			return;
		}
		String text = new String(message.getBody(), StandardCharsets.UTF_8);
		try {
			handle(current, text);
		}
		catch (RuntimeException ex) {
			logger.warn("A message was not understood: " + text, ex);
		}
	}

	private void handle(Locks current, String text) {
		String kind = text.substring(0, Math.max(text.indexOf(' '), 0));
		switch (kind) {
			case "granted" -> {
				String[] words = text.split(" ", 7);
				deliver(current, words[6], words[1], (contender, now) -> contender.handedOver(Long.parseLong(words[4]),
						Long.parseLong(words[2]), Long.parseLong(words[3]), "1".equals(words[5]), now));
			}
			case "awaited" -> {
				String[] words = text.split(" ", 3);
				deliver(current, words[2], words[1], Contender::awaited);
			}
			case "forced" -> {
				String[] words = text.split(" ", 3);
				deliver(current, words[2], words[1], (contender, now) -> current.lose(contender, Cause.FORCED, now));
			}
			default -> logger.debug("A message of a kind that this version does not know: " + text);
		}
	}

	private void deliver(Locks current, String key, String id, Handler handler) {
		LocalLock lock = current.find(this.keys.nameOf(key));
		if (lock == null) {
			return;
		}
		synchronized (lock) {
			Contender contender = lock.find(id);
			if (contender != null) {
				handler.handle(contender, current.now());
			}
		}
	}

	/**
	 * What a message changes.
	 */
	private interface Handler {

		void handle(Contender contender, long nowNanos);

	}

}
