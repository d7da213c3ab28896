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

package io.holdfast.lock.internal.engine;

import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.ReleaseCommand;
import org.jspecify.annotations.Nullable;

/**
 * One request of this client in the queue of a lock in Redis, with the waiters of this
 * client behind it. {@link Asking}, {@link Holding} and {@link Leaving} are its work in
 * each phase, {@link Upkeep} is what time demands of it. All methods need the monitor of
 * the {@link LocalLock}.
 */
public final class QueueEntry {

	// @formatter:off
	/*
	 * Algorithm. All waiters of the type REENTRANT for one lock stand in one queue behind one
	 * request; a waiter of the type FAIR is alone behind its own, and so is an attempt that does
	 * not wait while the shared request knows nothing yet.
	 *
	 *            ask: WAITS             message, renewal or ask: HOLDS
	 *    IDLE ----------------> WAITING ----------------> CONFIRMING ---------> HOLDING --+ pass to
	 *     | ^                      |                       |      ^  confirmed   |   ^----+ the next
	 *     | |   last one leaves    v      last one leaves  v      |              |
	 *     | +------------------ RELEASING <----------------+------|--------------+ unlock
	 *     +-- ask: HOLDS -----------------------------------------+
	 *
	 * Where others wait, a release asks for the next request in the same step: from RELEASING it
	 * goes on to WAITING or CONFIRMING then. A hold that is lost, or over before it is confirmed,
	 * goes to IDLE.
	 *
	 * CONFIRMING takes no time where the hold can be used as it came. A grant exists in HOLDING
	 * only. While the phase is CONFIRMING, the first waiter has the hold renewed; if it leaves, the
	 * next one does, and after the last one the hold is released.
	 *
	 * Why a hold may be believed in. A hold that an answer tells of lasts at least from the moment
	 * before its question was sent for as long as the answer says is left: the server measured that
	 * later. A hold that a message tells of was given after the last question was sent that was
	 * answered "still waiting" (notHeldBefore), so it lasts at least from that moment on. Where that
	 * leaves too little, or where it has no token left for its next owner, it is confirmed first.
	 * Without an answer to that, a watched hold may be used while it lasts, and the watchdog goes on; an explicit lease would end before its owner expects,
	 * so that is tried again. A message must be about this stay in the queue. An id joins the queue
	 * again only before its first answer, but may have held before that answer, so a message is
	 * believed only if its token is larger than any that an answer has named.
	 *
	 * Why an explicit lease is never exceeded. Its owner believes no longer than the lease from the
	 * moment on at which it got the grant. The renewal of a place, which may arrive when the place
	 * has become a hold, prolongs nothing if the first waiter wants an explicit lease.
	 *
	 * Why nobody waits indefinitely on a server that is away. What the server did belongs to the request,
	 * not to the waiter who asked: from the first command without an answer (ServerHealth) until the
	 * next answer it is failing, and all its waiters end together when that has lasted for the
	 * waiter timeout. A renewal counts like a question, so this is noticed while a rival holds. While
	 * a caller of this client holds, that is known without the server, and its waiters go on.
	 *
	 * Races that remain, and what they do.
	 * - A message may be faster than the answer to the command that caused it. The id is known
	 *   before the command is sent, so the message finds it; the answer is ignored then.
	 * - The answer "has nothing" may be overtaken by a later one that says it holds. The older one,
	 *   which was neither asked for nor given after that, is ignored.
	 * - A master that lacks the hold of a request of this client may give the lock to another one,
	 *   with a smaller token if its clock is behind. That hold is not believed but released, and the
	 *   server is asked what became of the first.
	 * - A hold that was ended by force just before it was passed on is lost by the next waiter.
	 * - A message may be lost: the next renewal or question finds the hold. It may come when nobody
	 *   waits any more: EngineMessages has a grant of an unknown request released.
	 * - A question that failed, or whose sender went without saying what came of it, may be carried
	 *   out at any time until its deadline. The next one has the same id; when that is given up it
	 *   goes to PendingReleases, which release it twice.
	 * - An Error in the middle of an input leaves a state of which nothing is known. The LocalLock is
	 *   discarded then: its waiters are told, its owner has lost the lock, and whatever may be in
	 *   Redis is pending, or ends with its lease. The next caller has a request of its own, and asks.
	 * - Nothing here stops a thread that was paused between isValid() and its write. That is what
	 *   the fencing token is for.
	 */
	// @formatter:on

	static final long RETRY_NANOS = Time.nanos(100);

	/**
	 * The id of a request that was discarded: no answer is about it.
	 */
	private static final String DISCARDED = "";

	final LocalLock lock;

	private final LockType type;

	private final EngineContext context;

	final WaitQueue waiters;

	final ServerHealth health;

	final Asking asking;

	final Holding holding;

	final Leaving leaving;

	final Upkeep upkeep;

	private String id;

	private Phase phase = Phase.IDLE;

	/**
	 * When the latest answer came that this request stands, by the server's clock and by
	 * the local one.
	 */
	private long repliedServerMillis;

	private long repliedNanos;

	QueueEntry(LocalLock lock, LockType type, EngineContext context, long nowNanos) {
		this.lock = lock;
		this.type = type;
		this.context = context;
		this.id = context.host.nextRequestId();
		this.waiters = new WaitQueue(nowNanos);
		this.health = new ServerHealth(context.settings.waiterTimeout().toNanos());
		this.asking = new Asking(this, context);
		this.holding = new Holding(this, context);
		this.leaving = new Leaving(this, context);
		this.upkeep = new Upkeep(this, context);
	}

	/**
	 * The name of the lock.
	 */
	public String name() {
		return this.lock.name();
	}

	/**
	 * The order for which it asked.
	 */
	public LockType type() {
		return this.type;
	}

	String id() {
		return this.id;
	}

	// Phases

	Phase phase() {
		return this.phase;
	}

	void phase(Phase next) {
		this.phase = next;
	}

	/**
	 * Whether it has no hold yet and none on its way out.
	 */
	boolean isPending() {
		return this.phase == Phase.IDLE || this.phase == Phase.WAITING;
	}

	/**
	 * Whether it stands in the queue, as far as is known here.
	 */
	boolean isWaiting() {
		return this.phase == Phase.WAITING;
	}

	/**
	 * Whether the server has not said yet how it stands, nor failed to.
	 */
	boolean isUnknown() {
		return this.phase == Phase.IDLE && !this.asking.isRefused() && this.health.failure() == null;
	}

	/**
	 * Why nothing is known of the lock; {@code null} if the server answers, or if a
	 * caller of this client has the lock.
	 */
	@Nullable LockServerException noAnswer(long nowNanos) {
		if (this.lock.hasOwner(nowNanos) || !this.health.isAway(nowNanos)) {
			return null;
		}
		LockServerException failure = this.health.failure();
		return (failure != null) ? failure : Failures.noAnswer(name());
	}

	/**
	 * Whether a command of a caller is on its way, which will hand in what came of it.
	 */
	boolean isBusy() {
		return this.phase == Phase.RELEASING || this.waiters.isBusy();
	}

	// Waiters

	void join(Waiter waiter) {
		waiter.entry = this;
		this.waiters.join(waiter);
	}

	/**
	 * What a waiter has to send now, if it is on it.
	 */
	@Nullable Step command(Waiter waiter, long nowNanos) {
		if (!this.waiters.isSpeaker(waiter) || !this.waiters.isDue(nowNanos)) {
			return null;
		}
		if (this.phase == Phase.CONFIRMING) {
			return new Step.Confirm(this.holding.confirm(waiter, nowNanos));
		}
		return isPending() ? new Step.Ask(this.asking.ask(waiter, nowNanos)) : null;
	}

	/**
	 * Takes in that the first waiter sends a command.
	 */
	void begin(long nowNanos) {
		this.waiters.begin();
		this.health.asked(nowNanos);
		if (this.waiters.size() > 1) {
			this.upkeep.reschedule(nowNanos);
		}
	}

	/**
	 * When a waiter has to look again, at the latest at a given moment.
	 */
	long commandNanos(Waiter waiter, long latestNanos, long nowNanos) {
		long until = latestNanos;
		if (this.waiters.isSpeaker(waiter) && (isPending() || this.phase == Phase.CONFIRMING)) {
			until = Time.earlier(until, this.waiters.dueNanos());
		}
		return mayBeHopeless(nowNanos) ? Time.earlier(until, this.health.hopelessNanos()) : until;
	}

	/**
	 * Whether its waiters end when nothing was answered for long enough: not while a
	 * caller of this client has the lock.
	 */
	boolean mayBeHopeless(long nowNanos) {
		return this.health.isUnanswered() && !this.lock.hasOwner(nowNanos);
	}

	boolean isHopeless(long nowNanos) {
		return mayBeHopeless(nowNanos) && this.health.isHopeless(nowNanos);
	}

	/**
	 * Whether the client got the lock for this waiter, who need only have it confirmed.
	 */
	boolean mayStillConfirm(Waiter waiter) {
		return this.phase == Phase.CONFIRMING && !this.holding.hold().wasTried() && this.waiters.first() == waiter;
	}

	/**
	 * Takes a waiter out that has no grant. Behind the last one the request is given up.
	 * @return what to send for that, or {@code null}
	 */
	@Nullable ReleaseCommand leave(Waiter waiter, long nowNanos) {
		this.waiters.leave(waiter);
		boolean stays = !this.waiters.isEmpty() || this.phase == Phase.HOLDING || this.phase == Phase.RELEASING;
		return stays ? null : giveUp(nowNanos);
	}

	private @Nullable ReleaseCommand giveUp(long nowNanos) {
		if (this.phase == Phase.IDLE && !this.asking.isUncertain()) {
			restart(nowNanos);
			return null;
		}
		if (this.health.isSilent(nowNanos)) {
			// The caller need not wait for it once more.
			this.leaving.pend(this.holding.hasHold() ? this.holding.hold().deadlineNanos() : nowNanos);
			restart(nowNanos);
			return null;
		}
		return this.leaving.depart(0, nowNanos);
	}

	// What the server says

	/**
	 * Takes in that the server has told that the request stands.
	 */
	void learned(LockReply reply) {
		this.repliedServerMillis = reply.serverMillis();
		this.repliedNanos = this.context.now();
	}

	/**
	 * Whether an answer is later than all that is known: by the server's clock, or, as
	 * that of a new master may be behind, because it was asked for later.
	 */
	boolean isNews(LockReply reply) {
		return reply.serverMillis() > this.repliedServerMillis || reply.sentNanos() - this.repliedNanos > 0;
	}

	/**
	 * Takes in that messages may have been lost until now.
	 */
	void missedMessages(long nowNanos) {
		if (this.holding.hasHold()) {
			this.holding.missedMessages(nowNanos);
		}
		else {
			this.asking.missedMessages(nowNanos);
		}
	}

	// The end of a request

	/**
	 * Goes on with a new request.
	 */
	void newRequest(String next) {
		if (this.asking.isUncertain()) {
			this.context.pendingReleases.add(this.lock.key(), this.id, this.asking.notHeldBeforeNanos());
		}
		this.lock.rename(this, next);
		this.id = next;
		this.health.restart();
		this.asking.restart();
		this.holding.restart();
	}

	/**
	 * Forgets the request. The waiters begin with a new one; if there are none, this is
	 * the end.
	 */
	void restart(long nowNanos) {
		newRequest(this.context.host.nextRequestId());
		this.phase = Phase.IDLE;
		if (this.waiters.isEmpty()) {
			this.lock.remove(this);
		}
		else {
			this.waiters.dueAt(nowNanos);
			this.waiters.wakeFirst();
		}
		this.upkeep.reschedule(nowNanos);
	}

	/**
	 * Ends it because nothing of it may be believed any more. What it may have in Redis
	 * is released; what an owner has is not, while that one may be at work.
	 */
	void discard(long nowNanos) {
		Grant owned = this.holding.grant();
		if (owned != null && owned.isLive()) {
			this.context.lose(owned, Cause.ERROR, nowNanos);
		}
		else if (this.phase != Phase.IDLE || this.asking.isUncertain() || this.waiters.isBusy()) {
			this.leaving.pend(this.holding.hasHold() ? this.holding.hold().deadlineNanos() : nowNanos);
		}
		this.leaving.discard();
		this.id = DISCARDED;
		this.phase = Phase.IDLE;
		this.asking.restart();
		this.holding.restart();
		this.waiters.wakeAll();
	}

	/**
	 * Ends it because the client is closed. A caller whose command is on its way gives up
	 * what the answer brings. An owner at work is told that it has lost the lock, which
	 * nobody else gets before the owner has given it back or its lease has ended.
	 */
	void close(long nowNanos) {
		Grant owned = this.holding.grant();
		this.waiters.wakeAll();
		if (isBusy()) {
			return;
		}
		if (owned != null) {
			this.context.lose(owned, Cause.CLOSED, nowNanos);
		}
		if (owned != null && !owned.isOrphaned()) {
			this.asking.uncertain(false);
		}
		else if (this.phase != Phase.IDLE || this.asking.isUncertain()) {
			this.leaving.pend(nowNanos);
		}
		restart(nowNanos);
	}

}
