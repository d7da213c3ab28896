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

package io.holdfast.lock.internal.redis;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.driver.RedisSubscription;
import io.holdfast.lock.internal.notice.LimitedLog;
import io.holdfast.lock.internal.protocol.LockMessages;
import io.holdfast.lock.internal.protocol.MessageChannel;
import io.holdfast.lock.internal.protocol.ServerSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * The one subscription of a client to a server: what its scripts tell the client, on its
 * own channel. A message only saves time. Nothing depends on it: waiters ask again by
 * themselves, often while there is no subscription, and at once when there is one again.
 * <p>
 * One thread listens, and subscribes again whenever that ends. Others only end what
 * listens: the watchdog if it is not confirmed in time or hears nothing, and whoever
 * closes. The thread first notes what it will listen to and then looks whether this is
 * closed, and who closes does it the other way round, so one of the two sees the other. A
 * late callback of an ended subscription may be mistaken for the next one's, and the
 * outcome of an echo for that of the next one; the next check corrects both.
 */
public final class Subscription implements MessageChannel, RedisSubscription.Listener {

	/** Doubled with each subscription that ends soon. */
	private static final long RECOVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long MOST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

	private static final long CONFIRMATION_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** Longer than the time-out of any driver. */
	private static final long MOST_CONFIRMATION_NANOS = TimeUnit.MINUTES.toNanos(5);

	private final LimitedLog logger = new LimitedLog(Subscription.class);

	private final RedisLockServer server;

	private final LockMessages messages;

	private final MessageReader reader;

	private final RedisSessions sessions;

	private final String channel;

	/** How long it may be quiet while somebody waits, and an echo may take. */
	private final long patienceNanos;

	/** How long it may pause: sessions have to be back before others take over. */
	private final long mostPauseNanos;

	/**
	 * How long a subscription may take to be confirmed while somebody waits. It doubles
	 * with each that is not: drivers have time-outs of their own, some of a minute.
	 */
	private volatile long confirmationNanos = CONFIRMATION_NANOS;

	private final AtomicLong subscriptions = new AtomicLong();

	private volatile boolean closed;

	/** The thread that listens; none if it could not be started. */
	private volatile @Nullable Thread thread;

	private volatile @Nullable RedisSubscription current;

	private volatile boolean hears;

	/** Whether scripts may not send messages. Then waiters ask often. */
	private volatile boolean mute;

	/** Whether there was a warning that the server refuses, since it last accepted. */
	private volatile boolean warned;

	/** When anything arrived last, or the thread began to subscribe. */
	private volatile long heardNanos;

	/** When the server was asked for an echo last. */
	private volatile long askedNanos = System.nanoTime();

	/** When it said that it has sent that echo; 0 if it did not. */
	private volatile long echoedNanos;

	/**
	 * Prepare the subscription.
	 * @param watchdog the lease of holds that are tied to its sessions
	 * @param grace of its sessions; zero for none
	 */
	public Subscription(RedisLockServer server, ServerSettings settings, Duration watchdog, Duration grace,
			LockMessages messages) {
		this.server = server;
		this.messages = messages;
		this.reader = new MessageReader(messages);
		this.sessions = new RedisSessions(server, settings, watchdog, grace);
		this.channel = settings.keys().channelPrefix() + settings.clientId();
		this.mostPauseNanos = grace.isZero() ? MOST_PATIENCE_NANOS : Math.min(grace.toNanos() / 4, MOST_PATIENCE_NANOS);
		this.patienceNanos = Math.min(settings.waiterTimeout().toNanos() / 3, MOST_PATIENCE_NANOS);
	}

	@Override
	public synchronized void open() {
		Thread owner = this.thread;
		if (!this.closed && (owner == null || !owner.isAlive())) {
			owner = new Thread(this::listen, "holdfast-subscription");
			owner.setDaemon(true);
			owner.start();
			this.thread = owner;
		}
	}

	private void listen() {
		long pauseNanos = RECOVERY_NANOS;
		while (!this.closed) {
			long began = System.nanoTime();
			listenOnce();
			boolean late = !this.hears && System.nanoTime() - this.heardNanos >= this.confirmationNanos;
			this.confirmationNanos = late ? Math.min(2 * this.confirmationNanos, MOST_CONFIRMATION_NANOS)
					: CONFIRMATION_NANOS;
			pauseNanos = (this.hears && System.nanoTime() - began > MOST_PATIENCE_NANOS) ? RECOVERY_NANOS : pauseNanos;
			this.hears = false;
			this.current = null;
			this.sessions.end();
			if (!this.closed) {
				LockSupport.parkNanos(this, pauseNanos);
				pauseNanos = Math.min(2 * pauseNanos, this.mostPauseNanos);
			}
		}
	}

	private void listenOnce() {
		this.heardNanos = System.nanoTime();
		try {
			// Before the first renewal needs them.
			this.server.findNodes(false);
			this.heardNanos = System.nanoTime();
			RedisSubscription subscription = this.server.driver.subscription(this.sessions.next(), this);
			this.current = subscription;
			if (!this.closed) {
				subscription.listen();
			}
		}
		catch (RuntimeException | Error ex) {
			logFailure(ex);
		}
	}

	/** Warns once of what does not pass by itself. */
	private void logFailure(Throwable failure) {
		try {
			boolean refused = RedisErrors.classify("", failure).reason() == Reason.REFUSED;
			String text = "There is no subscription to " + this.channel
					+ "; it is tried again, and waiters ask often meanwhile";
			if (!this.warned && refused) {
				this.warned = true;
				String words = String.valueOf(NestedExceptionUtils.getMostSpecificCause(failure).getMessage());
				this.logger.warn(text + ". Redis refuses it"
						+ (words.contains("NOPERM") ? "; let its user subscribe to that channel: " : ": ") + words);
			}
			else if (!this.logger.warnOfError(text, failure)) {
				this.logger.debug(text, failure);
			}
		}
		catch (Throwable ex) {
			// There may be no memory to tell of it; then the next time tells.
		}
	}

	@Override
	public void close() {
		this.closed = true;
		endCurrent();
		LockSupport.unpark(this.thread);
	}

	/** Ends what the thread listens to, so that it subscribes anew. */
	private void endCurrent() {
		RedisSubscription subscription = this.current;
		if (subscription != null) {
			subscription.end();
		}
	}

	@Override
	public boolean hears() {
		return this.hears && !this.mute;
	}

	@Override
	public long subscriptions() {
		return this.subscriptions.get();
	}

	/**
	 * A server may hang, or have lost touch with the others, without the connection to it
	 * breaking. If nothing was heard for a while, the server that has a lock sends this
	 * client a message. If that does not arrive, the subscription is made again.
	 */
	@Override
	public void check(String waitedFor, Executor executor) {
		open();
		long now = System.nanoTime();
		long quiet = now - this.heardNanos;
		long echoed = this.echoedNanos;
		if (!this.hears) {
			if (quiet >= this.confirmationNanos) {
				this.logger.debug("The subscription is not confirmed; subscribing again", null);
				endCurrent();
			}
		}
		else if (echoed != 0 && this.askedNanos - this.heardNanos > 0) {
			if (now - echoed >= this.patienceNanos) {
				this.logger.warn("Messages do not arrive any more; subscribing again. If this is frequent, look for a "
						+ "firewall that drops quiet connections");
				endCurrent();
			}
		}
		else if (quiet >= this.patienceNanos && now - this.askedNanos >= this.patienceNanos) {
			this.echoedNanos = 0;
			this.askedNanos = now;
			executor.execute(() -> sendEcho(waitedFor));
		}
	}

	private void sendEcho(String waitedFor) {
		try {
			String said = this.server.echo(waitedFor, this.channel, this.reader.echoes.incrementAndGet());
			boolean refused = !said.equals("OK");
			this.echoedNanos = refused ? 0 : System.nanoTime();
			if (refused != this.mute) {
				this.mute = refused;
				this.messages.missedMessages();
				if (refused) {
					this.logger
						.warn("Redis refuses PUBLISH in scripts, so waiters ask it often. Let its user publish to "
								+ this.channel + ": " + said);
				}
			}
		}
		catch (LockServerException ex) {
			this.logger.debug("Whether messages arrive is not known", ex);
		}
	}

	@Override
	public @Nullable String session() {
		return this.sessions.present(this::endCurrent);
	}

	@Override
	public long look(String key) {
		return this.sessions.look(key);
	}

	@Override
	public void onSubscribed() {
		this.heardNanos = System.nanoTime();
		this.warned = false;
		this.sessions.begin();
		this.subscriptions.incrementAndGet();
		this.hears = true;
		this.messages.missedMessages();
	}

	@Override
	public void onMessage(byte[] body) {
		this.heardNanos = System.nanoTime();
		this.reader.read(body);
	}

}
