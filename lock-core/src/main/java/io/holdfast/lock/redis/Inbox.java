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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.lock.LockLoss.Cause;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;
import org.springframework.util.ClassUtils;

/**
 * The one subscription of a client: what the server's scripts tell it, on its own
 * channel. A message only saves time. Nothing depends on it: waiters ask again by
 * themselves, often while there is no subscription, and at once when there is one again.
 * <p>
 * One thread owns the subscription and its connection. With Jedis that comes from a
 * {@link JedisTwin}. Spring's {@code RedisMessageListenerContainer} takes it from the
 * application's pool.
 */
final class Inbox implements Runnable, MessageListener, SubscriptionListener {

	private static final Log logger = LogFactory.getLog(Inbox.class);

	private static final boolean JEDIS = isPresent("redis.clients.jedis.Jedis")
			&& isPresent("org.apache.commons.pool2.impl.GenericObjectPool");

	private static final long RECOVERY_MILLIS = 100;

	private static final long CLOSE_MILLIS = 2000;

	private final RedisConnectionFactory connectionFactory;

	private final LockKeys keys;

	private final byte[] channel;

	private final Thread thread = new Thread(this, "holdfast-inbox");

	private final CountDownLatch closing = new CountDownLatch(1);

	private final AtomicBoolean unsubscribed = new AtomicBoolean();

	private volatile boolean hears;

	private volatile @Nullable Locks locks;

	/**
	 * The connection whose subscription the thread is blocked in, if any.
	 */
	private final AtomicReference<@Nullable RedisConnection> connection = new AtomicReference<>();

	Inbox(RedisConnectionFactory connectionFactory, Settings settings) {
		this.connectionFactory = connectionFactory;
		this.keys = settings.keys();
		this.channel = (this.keys.channelPrefix() + settings.clientId()).getBytes(StandardCharsets.UTF_8);
		this.thread.setDaemon(true);
	}

	/**
	 * Subscribes, in the background and for as long as it takes.
	 */
	void open(Locks locks) {
		this.locks = locks;
		this.thread.start();
	}

	@Override
	public void run() {
		while (!isClosed()) {
			try {
				listen();
			}
			catch (RuntimeException | Error ex) {
				logger.debug("There is no subscription to " + new String(this.channel, StandardCharsets.UTF_8)
						+ "; it is tried again", ex);
			}
			this.hears = false;
			sleep(RECOVERY_MILLIS);
		}
	}

	/**
	 * Returns, or throws, when the subscription has ended.
	 */
	private void listen() {
		JedisTwin twin = JEDIS ? JedisTwin.of(this.connectionFactory) : null;
		if (twin == null) {
			listen(this.connectionFactory.getConnection());
			return;
		}
		try {
			listen(twin.connection());
		}
		finally {
			twin.destroy();
		}
	}

	private void listen(RedisConnection current) {
		try {
			this.connection.set(current);
			if (!isClosed()) {
				current.subscribe(this, this.channel);
			}
			// Jedis has returned when the subscription has ended, Lettuce at once; it
			// subscribes again by itself after its connection broke.
			this.connection.set(null);
			while (!isClosed() && current.isSubscribed()) {
				sleep(TimeUnit.MINUTES.toMillis(1));
			}
		}
		finally {
			this.connection.set(null);
			current.close();
		}
	}

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, Inbox.class.getClassLoader());
	}

	private boolean isClosed() {
		return this.closing.getCount() == 0;
	}

	private void sleep(long millis) {
		try {
			this.closing.await(millis, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			// Nobody interrupts this thread: Jedis would leave its subscription half-way.
		}
	}

	/**
	 * Ends the subscription. If the server does not answer, the thread stays behind with
	 * its connection, which nobody else may use then.
	 */
	void close() {
		this.closing.countDown();
		// Looked at after closing is known: either this or the confirmation unsubscribes.
		if (this.hears) {
			unsubscribe();
		}
		try {
			this.thread.join(CLOSE_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Unsubscribes a thread that is blocked in its subscription; once, and not before the
	 * server has confirmed that, because Jedis stops reading at the first answer that
	 * says that nothing is subscribed.
	 */
	private void unsubscribe() {
		RedisConnection current = this.connection.get();
		Subscription subscription = (current != null) ? current.getSubscription() : null;
		if (subscription == null || !this.unsubscribed.compareAndSet(false, true)) {
			return;
		}
		try {
			subscription.unsubscribe();
		}
		catch (RuntimeException ex) {
			logger.debug("The subscription did not end cleanly", ex);
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
		if (!isClosed() && current != null) {
			askAgain(current);
		}
		else if (Thread.currentThread().equals(this.thread)) {
			// Jedis. With Lettuce nobody is blocked, and its own thread must not wait.
			unsubscribe();
		}
	}

	@Override
	public void onChannelUnsubscribed(byte[] unsubscribed, long count) {
		this.hears = false;
	}

	private void askAgain(Locks current) {
		for (LocalLock lock : current.all()) {
			synchronized (lock) {
				long now = current.now();
				lock.contenders().forEach((contender) -> contender.missedMessages(now));
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
				boolean known = deliver(current, words[6], words[1],
						(contender, now) -> contender.handedOver(Long.parseLong(words[4]), Long.parseLong(words[2]),
								Long.parseLong(words[3]), "1".equals(words[5]), now));
				if (!known) {
					current.leftovers.add(words[6], words[1]);
				}
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

	/**
	 * Lets the contender of a request handle a message.
	 * @return whether there is one
	 */
	private boolean deliver(Locks current, String key, String id, Handler handler) {
		LocalLock lock = current.find(this.keys.nameOf(key));
		if (lock == null) {
			return false;
		}
		synchronized (lock) {
			Contender contender = lock.find(id);
			if (contender != null) {
				handler.handle(contender, current.now());
			}
			return contender != null;
		}
	}

	/**
	 * What a message changes.
	 */
	private interface Handler {

		void handle(Contender contender, long nowNanos);

	}

}
