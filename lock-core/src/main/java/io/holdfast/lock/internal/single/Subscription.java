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

package io.holdfast.lock.internal.single;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.driver.RedisSubscription;
import io.holdfast.lock.internal.server.LimitedLog;
import io.holdfast.lock.internal.server.LockMessages;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.LogText;
import io.holdfast.lock.internal.server.MessageChannel;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.internal.server.ServerSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.Message;

/**
 * The one subscription of a client to a server: what its scripts tell the client, on its
 * own channel. A message only saves time. Nothing depends on it: waiters ask again by
 * themselves, often while there is no subscription, and at once when there is one again.
 * <p>
 * One thread owns the subscription and its connection, which is made again whenever it
 * ends, is not confirmed in time, or hears nothing. A thread whose driver still connects
 * then is left to itself: it closes what it opens, and another one takes its place.
 */
public final class Subscription implements MessageChannel, Runnable, RedisSubscription.Listener {

	private final LimitedLog logger = new LimitedLog(Subscription.class);

	private final LimitedLog unread = new LimitedLog(Subscription.class);

	private static final long RECOVERY_MILLIS = 100;

	private static final long CLOSE_MILLIS = 500;

	private static final long MOST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

	/**
	 * How long a subscription may take to be confirmed while somebody waits: long enough
	 * for a driver to find that a node hangs and to try another one.
	 */
	private static final long CONFIRMATION_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final RedisDriver driver;

	private final LockServer server;

	private final LockMessages messages;

	private final byte[] channel;

	/**
	 * How long a subscription may be quiet while somebody waits, and how long it has to
	 * pass on a message.
	 */
	private final long patienceNanos;

	private volatile boolean closed;

	/**
	 * The thread that owns the subscription.
	 */
	private volatile @Nullable Thread thread;

	private volatile @Nullable RedisSubscription current;

	private volatile boolean hears;

	/**
	 * Whether scripts of the server may not send messages. Then waiters ask often, as
	 * without a subscription.
	 */
	private volatile boolean mute;

	/**
	 * Whether there was a warning that the server refuses the subscription, since it last
	 * accepted one.
	 */
	private volatile boolean warned;

	/**
	 * When the thread began to subscribe.
	 */
	private volatile long listenedNanos;

	/**
	 * When anything arrived last.
	 */
	private volatile long heardNanos;

	private final AtomicBoolean echoing = new AtomicBoolean();

	private final AtomicLong subscriptions = new AtomicLong();

	/**
	 * The latest message of this client to itself that a server has sent.
	 */
	private volatile @Nullable Echo echo;

	/**
	 * Prepare the subscription.
	 * @param server what sends this client a message to see whether it arrives
	 * @param messages who is told
	 */
	public Subscription(RedisDriver driver, LockServer server, ServerSettings settings, LockMessages messages) {
		this.server = server;
		this.messages = messages;
		this.channel = (settings.keys().channelPrefix() + settings.clientId()).getBytes(StandardCharsets.UTF_8);
		this.driver = driver;
		this.patienceNanos = Math.min(settings.waiterTimeout().toNanos() / 3, MOST_PATIENCE_NANOS);
	}

	/**
	 * Subscribes, in the background and for as long as it takes.
	 */
	@Override
	public synchronized void open() {
		Thread owner = new Thread(this, "holdfast-subscription");
		owner.setDaemon(true);
		this.thread = owner;
		owner.start();
	}

	@Override
	public void run() {
		while (isOwned()) {
			try {
				RedisSubscription subscription = begin();
				if (subscription != null) {
					subscription.listen();
				}
			}
			catch (RuntimeException | Error ex) {
				logFailure(ex);
			}
			over();
			if (isOwned()) {
				LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(RECOVERY_MILLIS));
			}
		}
	}

	/**
	 * Whether the calling thread owns the subscription, and there is to be one.
	 */
	private boolean isOwned() {
		return !this.closed && Thread.currentThread() == this.thread;
	}

	private synchronized @Nullable RedisSubscription begin() {
		if (!isOwned()) {
			return null;
		}
		this.listenedNanos = System.nanoTime();
		RedisSubscription subscription = this.driver.subscription(this.channel, this);
		this.current = subscription;
		return subscription;
	}

	private synchronized void over() {
		if (Thread.currentThread() == this.thread) {
			this.hears = false;
			this.current = null;
		}
	}

	/**
	 * Warns once of what does not pass by itself.
	 */
	private void logFailure(Throwable failure) {
		String text = "There is no subscription to " + new String(this.channel, StandardCharsets.UTF_8)
				+ "; it is tried again, and waiters ask often meanwhile";
		boolean refused = RedisErrors.classify("", failure).reason() == Reason.REFUSED;
		if (refused && !this.warned && !this.closed) {
			this.warned = true;
			this.logger.warn(text + ". Redis refuses it; let its user subscribe to that channel: "
					+ NestedExceptionUtils.getMostSpecificCause(failure).getMessage());
		}
		else if (!this.logger.warnOfError(text, failure)) {
			this.logger.debug(text, failure);
		}
	}

	/**
	 * Ends the subscription, and waits a moment for its thread. If the driver still
	 * connects, the thread stays behind and closes what it opens.
	 */
	@Override
	public void close() {
		Thread owner;
		synchronized (this) {
			this.closed = true;
			owner = this.thread;
			RedisSubscription subscription = this.current;
			if (subscription != null) {
				subscription.end();
			}
		}
		if (owner == null) {
			return;
		}
		LockSupport.unpark(owner);
		try {
			owner.join(CLOSE_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Ends a subscription and begins another one, unless that was done.
	 */
	private synchronized void replace(RedisSubscription subscription) {
		if (subscription.equals(this.current)) {
			this.hears = false;
			this.current = null;
			subscription.end();
			open();
		}
	}

	/**
	 * Goes on if there is no thread any more, because it could not be started.
	 */
	private synchronized void openAgain() {
		Thread owner = this.thread;
		if (!this.closed && this.current == null && (owner == null || !owner.isAlive())) {
			open();
		}
	}

	/**
	 * Whether messages reach this client, as far as it knows.
	 */
	@Override
	public boolean hears() {
		return this.hears && !this.mute;
	}

	@Override
	public long subscriptions() {
		return this.subscriptions.get();
	}

	/**
	 * Makes sure that messages arrive: a server may hang, or have lost touch with the
	 * others, without the connection to it breaking. If nothing was heard for a while,
	 * the server that has a lock sends this client a message. If that does not arrive,
	 * the subscription is made again.
	 * @param waitedFor the key of the lock
	 * @param executor where to ask the server
	 */
	@Override
	public void check(String waitedFor, Executor executor) {
		RedisSubscription subscription = this.current;
		Echo sent = this.echo;
		if (subscription == null) {
			openAgain();
		}
		else if (!this.hears) {
			if (isPast(this.listenedNanos, CONFIRMATION_NANOS)) {
				this.logger.debug("The subscription is not confirmed; subscribing again", null);
				replace(subscription);
			}
		}
		else if (sent != null && sent.sentNanos() - this.heardNanos > 0) {
			if (isPast(sent.confirmedNanos(), this.patienceNanos)) {
				this.logger.warn(
						"Messages do not arrive any more; subscribing again. If this is frequent, look for a firewall "
								+ "that drops quiet connections");
				replace(subscription);
			}
		}
		else if (isPast(this.heardNanos, this.patienceNanos)) {
			askForEcho(waitedFor, executor);
		}
	}

	private static boolean isPast(long sinceNanos, long patienceNanos) {
		return System.nanoTime() - sinceNanos >= patienceNanos;
	}

	private void askForEcho(String waitedFor, Executor executor) {
		if (!this.echoing.compareAndSet(false, true)) {
			return;
		}
		try {
			executor.execute(() -> sendEcho(waitedFor));
		}
		catch (RuntimeException | Error ex) {
			this.echoing.set(false);
			throw ex;
		}
	}

	private void sendEcho(String waitedFor) {
		try {
			long now = System.nanoTime();
			boolean sent = this.server.echo(waitedFor);
			if (sent) {
				this.echo = new Echo(now, System.nanoTime());
			}
			else {
				// The next one is asked for as late as if this one had come.
				this.heardNanos = now;
			}
			becomes(!sent);
		}
		catch (LockServerException ex) {
			this.logger.debug("Whether messages arrive is not known", ex);
		}
		finally {
			this.echoing.set(false);
		}
	}

	private void becomes(boolean nowMute) {
		if (nowMute == this.mute) {
			return;
		}
		this.mute = nowMute;
		this.messages.missedMessages();
		if (nowMute) {
			this.logger.warn("Redis refuses PUBLISH in scripts, so waiters ask it often. Let its user publish to "
					+ new String(this.channel, StandardCharsets.UTF_8));
		}
	}

	@Override
	public void onChannelSubscribed(byte[] subscribed, long count) {
		this.heardNanos = System.nanoTime();
		this.warned = false;
		this.subscriptions.incrementAndGet();
		this.hears = true;
		this.messages.missedMessages();
	}

	@Override
	public void onChannelUnsubscribed(byte[] unsubscribed, long count) {
		this.hears = false;
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		this.heardNanos = System.nanoTime();
		String text = new String(message.getBody(), StandardCharsets.UTF_8);
		try {
			MessageReader.read(text, this.messages, this.unread);
		}
		catch (RuntimeException ex) {
			this.unread.warn("A message was not understood. Find out who else publishes to the channels of Holdfast: "
					+ LogText.excerpt(text));
			this.logger.debug("Why it was not understood", ex);
		}
	}

	/**
	 * A message of this client to itself.
	 *
	 * @param sentNanos a moment before it was sent
	 * @param confirmedNanos when the server had said that it was
	 */
	private record Echo(long sentNanos, long confirmedNanos) {
	}

}
