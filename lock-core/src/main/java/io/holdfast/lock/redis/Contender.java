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

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.redis.LockServer.Wish;
import io.holdfast.lock.redis.Standing.State;
import org.jspecify.annotations.Nullable;

/**
 * One request of this client in Redis, and the local waiters behind it. All methods need
 * the monitor of the {@link LocalLock}; none asks the server.
 */
final class Contender {

	/*
	 * Algorithm. All waiters of the type REENTRANT for one lock stand in one line behind
	 * one request, a waiter of the type FAIR is alone behind its own. The first in line
	 * speaks for the request: it asks the server when askAt has come, everyone else
	 * sleeps. Whoever leaves the line wakes the new first.
	 *
	 * ask: WAITS message, heartbeat or ask: HOLDS IDLE ------------------> WAITING
	 * ------------------> HOLDING --+ pass to the next in line | ^ | | ^----+ | | last
	 * one leaves, v | | +----------------- RELEASING <---------------------+ unlock +--
	 * ask: HOLDS --> HOLDING
	 *
	 * Why a grant is safe to believe in. A hold that an answer tells of ends no earlier
	 * than the moment before its question was sent, plus what the answer says is left:
	 * the server measured "left" later than that moment. A hold that a message tells of
	 * was given after the last question that was answered "still waiting" was sent, so it
	 * lasts at least from that moment on; if that leaves too little, the grant is
	 * unconfirmed and its owner renews it before it runs. The server's clock and ours may
	 * differ in rate, so a thousandth is taken off.
	 *
	 * Races that remain, and what they do. - A message may be faster than the answer to
	 * the question that caused it: an answer is ignored if the request already holds, or
	 * is not the current one any more. - An answer "has nothing" may be overtaken by one
	 * that says it holds: the older one, by the server's own clock, is ignored. - A
	 * message may be lost, or come when nobody waits any more: then the hold belongs to a
	 * request that the last waiter withdraws, or that the next heartbeat finds holding. -
	 * A request whose question failed may stand in Redis or not. The next question has
	 * the same id, and a waiter that gives up leaves it to Leftovers. - Nothing here can
	 * stop a thread that was paused between isValid() and its write; that is what the
	 * fencing token is for.
	 */

	/**
	 * How long threads may pass a hold to each other while another client waits for it.
	 */
	private static final long MAX_LOCAL_RUN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/**
	 * How many fencing tokens a client with many waiting threads asks for at most.
	 */
	private static final int TOKEN_BLOCK = 1000;

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	enum Phase {

		IDLE, WAITING, HOLDING, RELEASING

	}

	final LocalLock lock;

	private final LockType type;

	private final Settings settings;

	private final Deque<Waiter> line = new ArrayDeque<>(2);

	private String id = LockServer.newId();

	private Phase phase = Phase.IDLE;

	private boolean asking;

	private long askAtNanos;

	/**
	 * Whether a question with this id failed, so that the request may stand in Redis.
	 */
	private boolean unsure;

	/**
	 * Before when this request certainly did not hold: when the last question was sent
	 * that was answered "still waiting", or its first.
	 */
	private long believedFromNanos;

	/**
	 * The server's time of the latest answer that this request stands.
	 */
	private long confirmedServerMillis;

	private boolean awaited;

	private int handOvers;

	private long runSinceNanos;

	private long lastToken;

	private long nextToken;

	private @Nullable Grant grant;

	/**
	 * When the watchdog gives the next sign of life, and whether one is on its way.
	 */
	private long signAtNanos;

	private boolean signing;

	Contender(LocalLock lock, LockType type, Settings settings, long nowNanos) {
		this.lock = lock;
		this.type = type;
		this.settings = settings;
		this.askAtNanos = nowNanos;
	}

	boolean isFair() {
		return this.type == LockType.FAIR;
	}

	String id() {
		return this.id;
	}

	Phase phase() {
		return this.phase;
	}

	@Nullable Grant grant() {
		return this.grant;
	}

	boolean isUnsure() {
		return this.unsure;
	}

	// The line

	void join(Waiter waiter) {
		this.line.addLast(waiter);
	}

	/**
	 * Takes a waiter out of the line.
	 * @return whether nobody is left
	 */
	boolean leave(Waiter waiter) {
		this.line.remove(waiter);
		wakeFirst();
		return this.line.isEmpty();
	}

	/**
	 * Puts a waiter back whose grant turned out to be no good, and begins with a new
	 * request.
	 */
	void rejoin(Waiter waiter, long nowNanos) {
		this.line.addFirst(waiter);
		restart(nowNanos);
	}

	boolean hasWaiters() {
		return !this.line.isEmpty();
	}

	Waiter first() {
		return this.line.getFirst();
	}

	void wakeFirst() {
		Waiter first = this.line.peekFirst();
		if (first != null) {
			LockSupport.unpark(first.thread);
		}
	}

	void wakeAll() {
		this.line.forEach((waiter) -> LockSupport.unpark(waiter.thread));
	}

	// Asking

	private boolean speaks(Waiter waiter) {
		return this.line.peekFirst() == waiter && !this.asking
				&& (this.phase == Phase.IDLE || this.phase == Phase.WAITING);
	}

	/**
	 * Whether it is on this waiter to ask the server now.
	 */
	boolean mayAsk(Waiter waiter, long nowNanos) {
		return speaks(waiter) && nowNanos - this.askAtNanos >= 0;
	}

	/**
	 * How long this waiter may sleep before it has to ask.
	 */
	long sleepNanos(Waiter waiter, long nowNanos) {
		return speaks(waiter) ? this.askAtNanos - nowNanos : Long.MAX_VALUE;
	}

	Wish ask(Waiter waiter, long nowNanos) {
		this.asking = true;
		waiter.attempted = true;
		if (this.phase == Phase.IDLE && !this.unsure) {
			this.believedFromNanos = nowNanos;
		}
		return wishOf(waiter);
	}

	Wish wishOf(Waiter waiter) {
		return new Wish(this.type, waiter.lease.millis(), (this.line.size() > 1) ? TOKEN_BLOCK : 1);
	}

	void askAgainAt(long nanos) {
		this.askAtNanos = nanos;
		wakeFirst();
	}

	/**
	 * Takes in how the request stands, by an acquisition.
	 * @param pollNanos the longest sleep before asking again
	 */
	void answered(String askedId, Standing standing, Waiter asker, long nowNanos, long pollNanos) {
		this.asking = false;
		asker.failure = null;
		if (!isPending(askedId)) {
			return;
		}
		switch (standing.state()) {
			case HOLDS -> hold(standing, nowNanos);
			case WAITS -> waits(standing, nowNanos, pollNanos);
			case NONE -> {
				asker.refused = true;
				this.unsure = false;
			}
			case LATE -> {
				asker.late++;
				restart(nowNanos);
			}
		}
	}

	/**
	 * Takes in that the server did not answer an acquisition.
	 */
	void unanswered(String askedId, Waiter asker, LockServerException failure, long nowNanos) {
		if (asker.failure == null) {
			asker.failingSinceNanos = nowNanos;
		}
		asker.failure = failure;
		unanswered(askedId, nowNanos);
	}

	/**
	 * Takes in that it is not known what became of an acquisition.
	 */
	void unanswered(String askedId, long nowNanos) {
		this.asking = false;
		if (isPending(askedId)) {
			this.unsure = true;
			this.askAtNanos = nowNanos + RETRY_NANOS;
		}
	}

	private boolean isPending(String askedId) {
		return this.id.equals(askedId) && (this.phase == Phase.IDLE || this.phase == Phase.WAITING);
	}

	private void waits(Standing standing, long nowNanos, long pollNanos) {
		this.phase = Phase.WAITING;
		this.unsure = false;
		this.believedFromNanos = standing.sentNanos();
		this.confirmedServerMillis = standing.serverMillis();
		this.signAtNanos = standing.sentNanos() + this.settings.waiterTimeout().toNanos() / 3;
		// Those further back ask later, all of them a little apart.
		long spread = ThreadLocalRandom.current().nextLong(5, 25) + 2 * Math.min(standing.number(), 500);
		long untilFree = TimeUnit.MILLISECONDS.toNanos(standing.leftMillis() + spread);
		this.askAtNanos = nowNanos + Math.min(untilFree, pollNanos);
	}

	private void newRequest() {
		this.lock.remove(this);
		this.id = LockServer.newId();
		this.lock.add(this);
		this.unsure = false;
		this.signing = false;
		this.grant = null;
	}

	/**
	 * Forgets the request, and begins with a new one.
	 */
	void restart(long nowNanos) {
		newRequest();
		idle(nowNanos);
	}

	private void idle(long nowNanos) {
		this.phase = Phase.IDLE;
		this.askAtNanos = nowNanos;
		wakeFirst();
	}

	// Holding

	private long deadline(long fromNanos, long leftMillis) {
		long left = TimeUnit.MILLISECONDS.toNanos(leftMillis);
		return fromNanos + left - left / 1000 - TimeUnit.MILLISECONDS.toNanos(1);
	}

	private void hold(Standing standing, long nowNanos) {
		this.confirmedServerMillis = standing.serverMillis();
		hold(standing.sentNanos(), standing.leftMillis(), standing.number(), standing.last(), standing.awaited(),
				nowNanos);
	}

	/**
	 * Takes in a message that the waiting request holds the lock now.
	 */
	void handedOver(long leftMillis, long token, long last, boolean awaited, long nowNanos) {
		boolean expected = this.phase == Phase.WAITING || this.phase == Phase.RELEASING
				|| (this.phase == Phase.IDLE && this.asking);
		if (expected && !this.line.isEmpty()) {
			hold(this.believedFromNanos, leftMillis, token, last, awaited, nowNanos);
		}
	}

	private void hold(long fromNanos, long leftMillis, long token, long last, boolean awaited, long nowNanos) {
		this.phase = Phase.HOLDING;
		this.unsure = false;
		this.nextToken = token;
		this.lastToken = last;
		this.awaited = awaited;
		this.handOvers = 0;
		this.runSinceNanos = nowNanos;
		this.signAtNanos = fromNanos + TimeUnit.MILLISECONDS.toNanos(leftMillis) / 3;
		grantFirst(deadline(fromNanos, leftMillis), nowNanos);
	}

	private Grant grantFirst(long holdDeadlineNanos, long nowNanos) {
		Waiter waiter = this.line.removeFirst();
		long deadline = holdDeadlineNanos;
		long leaseNanos = TimeUnit.MILLISECONDS.toNanos(waiter.lease.millis());
		long enough = minLeftNanos();
		if (!waiter.lease.watched()) {
			deadline = Math.min(deadline - nowNanos, leaseNanos) + nowNanos;
			enough = leaseNanos - leaseNanos / 10;
		}
		boolean hasToken = this.nextToken <= this.lastToken;
		Grant granted = new Grant(this.lock, this, waiter, hasToken ? this.nextToken++ : 0, deadline);
		granted.unconfirmed = !hasToken || deadline - nowNanos < enough;
		this.grant = granted;
		this.lock.add(granted);
		waiter.grant = granted;
		LockSupport.unpark(waiter.thread);
		return granted;
	}

	/**
	 * What must be left of a watched hold for it to be used or passed on unrenewed.
	 */
	private long minLeftNanos() {
		return this.settings.handOverLease().toNanos() / 3;
	}

	/**
	 * Passes the hold of a released grant to the next in line without asking the server,
	 * if that is safe and fair to the clients that wait for it.
	 * @return whether it was passed
	 */
	boolean pass(Grant from, long nowNanos) {
		Waiter next = this.line.peekFirst();
		if (next == null || isFair() || !from.watched || !next.lease.watched()
				|| from.deadlineNanos() - nowNanos < minLeftNanos()) {
			return false;
		}
		if (this.awaited) {
			boolean spent = this.handOvers >= this.settings.maxLocalHandoffs()
					|| nowNanos - this.runSinceNanos > MAX_LOCAL_RUN_NANOS || this.nextToken > this.lastToken;
			if (spent) {
				return false;
			}
			this.handOvers++;
		}
		grantFirst(from.deadlineNanos(), nowNanos);
		return true;
	}

	/**
	 * Takes in a message that another client has begun to wait.
	 */
	void awaited(long nowNanos) {
		if (!this.awaited) {
			this.awaited = true;
			this.handOvers = 0;
			this.runSinceNanos = nowNanos;
		}
	}

	/**
	 * Begins to give the request up. If others are in the line, the next request is known
	 * from now on: its grant may be told before the release is answered.
	 */
	Departure depart(long nowNanos) {
		String departing = this.id;
		newRequest();
		this.phase = Phase.RELEASING;
		this.believedFromNanos = nowNanos;
		Waiter next = this.line.peekFirst();
		return (next != null) ? new Departure(departing, this.id, wishOf(next))
				: new Departure(departing, "", Wish.NOTHING);
	}

	/**
	 * Whether a departure is still on its way; if not, a message was faster than its
	 * answer.
	 */
	boolean isDeparting(Departure departure) {
		return this.phase == Phase.RELEASING && (departure.nextId().isEmpty() || this.id.equals(departure.nextId()));
	}

	/**
	 * Takes in that the request was given up, and how the next one stands.
	 * @return whether the next one stands in Redis although nobody waits any more
	 */
	boolean departed(Standing next, long nowNanos, long pollNanos) {
		boolean stands = next.state() == State.HOLDS || next.state() == State.WAITS;
		if (stands && this.line.isEmpty()) {
			return true;
		}
		if (next.state() == State.HOLDS) {
			hold(next, nowNanos);
		}
		else if (next.state() == State.WAITS) {
			waits(next, nowNanos, pollNanos);
			wakeFirst();
		}
		else {
			idle(nowNanos);
		}
		return false;
	}

	// Signs of life

	/**
	 * Whether the request needs a sign of life from the watchdog now.
	 */
	boolean needsSign(long nowNanos) {
		return wantsSigns() && !this.signing && nowNanos - this.signAtNanos >= 0;
	}

	boolean wantsSigns() {
		Grant held = this.grant;
		return this.phase == Phase.WAITING
				|| (this.phase == Phase.HOLDING && held != null && held.watched && !held.unconfirmed);
	}

	long signAtNanos() {
		return this.signAtNanos;
	}

	boolean isSigning() {
		return this.signing;
	}

	LockServer.Sign sign() {
		this.signing = true;
		return new LockServer.Sign(this.lock.key, this.id, signLeaseMillis(), 0);
	}

	private long signLeaseMillis() {
		// A waiter that turns out to hold the lock gets a first lease, as by a message.
		return (this.phase == Phase.HOLDING) ? this.settings.watchdogTimeout().toMillis()
				: this.settings.handOverLease().toMillis();
	}

	/**
	 * A sign of life for a grant before its owner uses it, with a token if it has none.
	 */
	LockServer.Sign confirmation(Grant unconfirmed) {
		return new LockServer.Sign(this.lock.key, this.id, unconfirmed.lease.millis(),
				(unconfirmed.token == 0) ? TOKEN_BLOCK : 0);
	}

	/**
	 * Takes in that a sign of life got no answer, which says nothing about the hold.
	 */
	void unsigned(String signedId, long nowNanos) {
		if (this.id.equals(signedId)) {
			this.signing = false;
			this.signAtNanos = nowNanos + RETRY_NANOS;
		}
	}

	/**
	 * Takes in the answer to a sign of life.
	 * @return whether the hold is lost
	 */
	boolean signed(String signedId, Standing standing, long nowNanos, long pollNanos) {
		if (!this.id.equals(signedId)) {
			return false;
		}
		this.signing = false;
		if (this.phase == Phase.WAITING) {
			switch (standing.state()) {
				case HOLDS -> hold(standing, nowNanos);
				case WAITS -> waits(standing, nowNanos, pollNanos);
				default -> forgotten(standing, nowNanos);
			}
			return false;
		}
		if (this.phase != Phase.HOLDING || this.grant == null) {
			return false;
		}
		if (standing.state() == State.HOLDS) {
			renewed(this.grant, standing);
			return false;
		}
		return standing.state() == State.NONE && standing.serverMillis() > this.confirmedServerMillis;
	}

	private void forgotten(Standing standing, long nowNanos) {
		if (!this.asking && standing.serverMillis() > this.confirmedServerMillis) {
			restart(nowNanos);
		}
	}

	/**
	 * Takes in that the hold of a grant was renewed.
	 */
	void renewed(Grant renewed, Standing standing) {
		this.confirmedServerMillis = standing.serverMillis();
		this.signAtNanos = standing.sentNanos() + TimeUnit.MILLISECONDS.toNanos(standing.leftMillis()) / 3;
		if (standing.awaited()) {
			awaited(standing.sentNanos());
		}
		renewed.extend(deadline(standing.sentNanos(), standing.leftMillis()));
		if (renewed.token == 0 && standing.last() > this.lastToken) {
			this.nextToken = this.lastToken + 1;
			this.lastToken = standing.last();
			renewed.token = this.nextToken++;
		}
	}

	/**
	 * A request that is given up, and the one that takes its place.
	 *
	 * @param id the request to release
	 * @param nextId the new request, or empty if nobody waits
	 * @param next what the new request wants
	 */
	record Departure(String id, String nextId, Wish next) {
	}

}
