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

import java.util.List;

import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.Confirmation;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.LockRequest;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.ReleaseReply;
import io.holdfast.lock.internal.server.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * One request of this client in the queue of a lock in Redis, with the waiters of this
 * client behind it. All methods need the monitor of the {@link LocalLock}.
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
	 * CONFIRMING takes no time where the hold can be used as it came. A grant exists in HOLDING
	 * only. While the phase is CONFIRMING, the first waiter has the hold renewed; if it leaves, the
	 * next one does, and after the last one the hold is released.
	 *
	 * Why a hold may be believed in. A hold that an answer tells of lasts at least from the moment
	 * before its question was sent for as long as the answer says is left: the server measured that
	 * later. A hold that a message tells of was given after the last question was sent that was
	 * answered "still waiting" (notHeldBefore), so it lasts at least from that moment on. Where that
	 * leaves too little, where it has no token left for its next owner, or where replicas have to
	 * acknowledge it, it is confirmed first. Without an answer to that, a watched hold may be used
	 * while it lasts, and the watchdog goes on; an explicit lease would end before its owner expects,
	 * so that is tried again. A message must be about this stay in the queue. An id joins the queue
	 * again only before its first answer, but may have held before that answer, so a message is
	 * believed only if its token is larger than any that an answer has named.
	 *
	 * Why an explicit lease is never exceeded. Its owner believes no longer than the lease from the
	 * moment on at which it got the grant. The renewal of a place, which may arrive when the place
	 * has become a hold, prolongs nothing if the first waiter wants an explicit lease.
	 *
	 * Why fair waiters may pass a hold on. The answer WAITS names the request directly before, and
	 * nobody ever comes between the two: places are only added at the end. So where both are of this
	 * client, the waiter of the second one is whom Redis would give the lock to, and gets the hold of
	 * the first one without asking. Its own request is over then; its place is given up in the same
	 * step as the hold, so that Redis does not hand the lock to it. Neither may be uncertain: a place
	 * that is made once more is made at the end.
	 *
	 * Why nobody waits for ever on a server that is away. What the server did belongs to the request,
	 * not to the waiter who asked: from the first command without an answer (failingSince) until the
	 * next answer it is failing, and all its waiters end together when that has lasted for the
	 * waiter timeout. A renewal counts like a question, so this is noticed while a rival holds.
	 *
	 * Races that remain, and what they do.
	 * - A message may be faster than the answer to the command that caused it. The id is known
	 *   before the command is sent, so the message finds it; the answer is ignored then.
	 * - The answer "has nothing" may be overtaken by a later one that says it holds. The older one,
	 *   by the server's own clock, is ignored.
	 * - A hold that was passed on may end otherwise than by its release. Then Redis may hand the lock
	 *   to a place whose waiter had it already. Nobody has that id any more: LockEngine has it
	 *   released. If it was ended by force just before it was passed on, the next waiter loses it.
	 * - What a request knows of its predecessor may be old: that one left. Then it is asked for in
	 *   vain, and Redis chooses.
	 * - A message may be lost: the next renewal or question finds the hold. It may come when nobody
	 *   waits any more: LockEngine has a grant of an unknown request released.
	 * - A question that failed may be carried out at any time until its deadline. The next one has
	 *   the same id; when that is given up it goes to PendingReleases, which release it twice.
	 * - A thread that ends without leaving (Thread.stop, or an Error that no handler survived) stays
	 *   first in its queue until the next look of the watchdog, which has it leave.
	 * - Nothing here stops a thread that was paused between isValid() and its write. That is what
	 *   the fencing token is for.
	 */
	// @formatter:on

	/**
	 * How many fencing tokens a client with many waiters asks for at most.
	 */
	static final int TOKEN_BLOCK = 1000;

	static final long RETRY_NANOS = Time.nanos(100);

	/**
	 * Bounds of the pause before a waiter that no queue remembers asks again.
	 */
	private static final long FIRST_PAUSE_MILLIS = 5;

	private static final long LONGEST_PAUSE_MILLIS = 40;

	enum Phase {

		IDLE, WAITING, CONFIRMING, HOLDING, RELEASING

	}

	private final LocalLock lock;

	private final LockType type;

	private final boolean alone;

	private final EngineContext context;

	private final EngineSettings settings;

	private final WaitQueue waiters;

	private final ServerHealth health;

	private final Upkeep upkeep;

	private String id;

	private Phase phase = Phase.IDLE;

	/**
	 * Whether a question with this id ever failed, so that it may still be carried out.
	 */
	private boolean uncertain;

	/**
	 * A moment before which this request certainly did not hold.
	 */
	private long notHeldBeforeNanos;

	/**
	 * The largest fencing token that an answer has named while this request waited.
	 */
	private long spentToken;

	/**
	 * The request that is directly before this one, as far as is known.
	 */
	private String predecessor = "";

	/**
	 * The server's time of the latest answer that this request stands.
	 */
	private long repliedServerMillis;

	/**
	 * Whether others began to wait before this client knew that it holds.
	 */
	private boolean awaitedEarly;

	/**
	 * Whether messages may have been lost while a command was on its way, whose answer
	 * may be older.
	 */
	private boolean missedMessages;

	/**
	 * There is one while the phase is CONFIRMING or HOLDING.
	 */
	private @Nullable Hold hold;

	/**
	 * How often in a row it was refused, where no queue remembers it.
	 */
	private int refusals;

	/**
	 * Whether to back off after the release: another client wants the lock, and a quorum
	 * has no queue.
	 */
	private boolean yields;

	QueueEntry(LocalLock lock, LockType type, boolean alone, EngineContext context, long nowNanos) {
		this.lock = lock;
		this.context = context;
		this.id = context.host.nextRequestId();
		this.type = type;
		this.alone = alone;
		this.settings = context.settings;
		this.waiters = new WaitQueue(nowNanos);
		this.health = new ServerHealth(this.settings.waiterTimeout().toNanos());
		this.upkeep = new Upkeep(this, context);
	}

	LocalLock lock() {
		return this.lock;
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

	/**
	 * Whether one waiter has the request to itself.
	 */
	boolean isAlone() {
		return this.alone;
	}

	String id() {
		return this.id;
	}

	/**
	 * The grant of the present owner, if there is one.
	 */
	@Nullable Grant grant() {
		return (this.hold != null) ? this.hold.grant() : null;
	}

	ServerHealth health() {
		return this.health;
	}

	Upkeep upkeep() {
		return this.upkeep;
	}

	Phase phase() {
		return this.phase;
	}

	WaitQueue waiters() {
		return this.waiters;
	}

	/**
	 * Whether a question of it may still be carried out.
	 */
	boolean isUncertain() {
		return this.uncertain;
	}

	boolean hasHold() {
		return this.hold != null;
	}

	/**
	 * Whether it has no hold yet and none on its way out.
	 */
	private boolean isPending() {
		return this.phase == Phase.IDLE || this.phase == Phase.WAITING;
	}

	/**
	 * Whether it stands in the queue, as far as is known here.
	 */
	boolean isWaiting() {
		return this.phase == Phase.WAITING;
	}

	/**
	 * Whether the server has said nothing yet of how it stands, nor that it is away.
	 */
	boolean isUnknown() {
		return this.phase == Phase.IDLE && this.refusals == 0 && this.health.failure() == null;
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
			return new Step.Confirm(confirm(waiter, nowNanos));
		}
		return isPending() ? new Step.Ask(ask(waiter, nowNanos)) : null;
	}

	/**
	 * When a waiter has to look again, at the latest at a given moment.
	 */
	long commandNanos(Waiter waiter, long latestNanos) {
		long until = latestNanos;
		if (this.waiters.isSpeaker(waiter) && (isPending() || this.phase == Phase.CONFIRMING)) {
			until = Time.earlier(until, this.waiters.dueNanos());
		}
		return this.health.isUnanswered() ? Time.earlier(until, this.health.hopelessNanos()) : until;
	}

	/**
	 * Whether the client got the lock for this waiter, who need only have it confirmed.
	 */
	boolean mayStillConfirm(Waiter waiter) {
		return this.phase == Phase.CONFIRMING && !hold().wasTried() && this.waiters.first() == waiter;
	}

	/**
	 * Takes a waiter out that has no grant. Behind the last one the request is given up.
	 * @return what to send for that, or {@code null}
	 */
	@Nullable ReleaseCommand leave(Waiter waiter, long nowNanos) {
		this.waiters.leave(waiter);
		if (!this.waiters.isEmpty() || this.phase == Phase.HOLDING || this.phase == Phase.RELEASING) {
			return null;
		}
		if (this.phase == Phase.IDLE && !this.uncertain) {
			restart(nowNanos);
			return null;
		}
		if (this.health.isAway(nowNanos)) {
			// The caller need not wait for it once more.
			pendAll((this.hold != null) ? this.hold.deadlineNanos() : nowNanos);
			restart(nowNanos);
			return null;
		}
		return depart(0, nowNanos);
	}

	/**
	 * Has the lock released for every request that ends here, in the background.
	 */
	private void pendAll(long heldUntilNanos) {
		this.uncertain = false;
		this.context.pendingReleases.add(this.lock.key(), ids(), heldUntilNanos);
	}

	// Asking

	private AcquireCommand ask(Waiter waiter, long nowNanos) {
		begin(nowNanos);
		waiter.attempted = true;
		if (this.phase == Phase.IDLE && !this.uncertain) {
			this.notHeldBeforeNanos = nowNanos;
		}
		boolean again = this.phase == Phase.WAITING;
		boolean unhurried = !again && this.alone && waiter.waits() && isBehindOthers();
		return new AcquireCommand(this.id, request(waiter), again, unhurried);
	}

	/**
	 * Takes in that the first waiter sends a command.
	 */
	private void begin(long nowNanos) {
		this.waiters.begin();
		this.health.asked(nowNanos);
		if (this.waiters.size() > 1) {
			this.upkeep.reschedule(nowNanos);
		}
	}

	/**
	 * Whether another caller of this client has the lock, or waits for it in fair order:
	 * then this one will not get it at once.
	 */
	private boolean isBehindOthers() {
		return this.lock.findAlone((other) -> other.phase == Phase.WAITING || other.phase == Phase.HOLDING) != null;
	}

	private LockRequest request(Waiter waiter) {
		boolean others = this.alone ? this.lock.findAlone((other) -> other != this) != null : this.waiters.size() > 1;
		return new LockRequest(this.type, waiter.lease.millis(), others ? TOKEN_BLOCK : 1);
	}

	/**
	 * Takes in the answer to a question.
	 */
	void replied(AcquireCommand command, LockReply reply, Waiter asker, long nowNanos) {
		this.waiters.end();
		if (reply.holds() && !this.id.equals(command.id())) {
			// It ran twice, and the first time is over.
			this.context.pendingReleases.add(this.lock.key(), List.of(command.id()), nowNanos);
		}
		if (!isPending() || !this.id.equals(command.id())) {
			// A message was faster.
			return;
		}
		this.health.answered();
		asker.late = switch (reply.state()) {
			case LATE -> asker.late + 1;
			case HOLDS -> asker.late;
			default -> 0;
		};
		asker.split = reply.state() == State.SPLIT;
		switch (reply.state()) {
			case HOLDS -> holds(reply, nowNanos);
			case WAITS -> waits(reply, nowNanos);
			case NONE -> {
				if (asker.waits() && !this.settings.queues()) {
					askLater(nowNanos);
				}
				else {
					asker.refused = true;
				}
			}
			case LATE -> {
				// A place that is gone is no attempt, nor is a late request.
				asker.attempted = false;
				restart(nowNanos);
			}
			case SPLIT -> {
				asker.attempted = false;
				askLater(nowNanos);
			}
			case STARTING, UNKNOWN -> throw new IllegalStateException("No answer to a question: " + reply);
		}
	}

	/**
	 * Begins anew after a pause, where no queue would tell when it is this one's turn.
	 * Its length is random, so that those who were in each other's way once do not meet
	 * again.
	 */
	private void askLater(long nowNanos) {
		long longest = Math.min(FIRST_PAUSE_MILLIS << Math.min(this.refusals++, 10), LONGEST_PAUSE_MILLIS);
		long pause = this.context.host.random(longest / 2, longest + 1);
		restart(nowNanos);
		this.waiters.dueAt(nowNanos + Time.nanos(pause));
	}

	/**
	 * Takes in that a question got no answer.
	 */
	void failed(AcquireCommand command, LockServerException because, long nowNanos) {
		this.waiters.end();
		if (!this.id.equals(command.id())) {
			return;
		}
		if (this.settings.queues()) {
			// Also if a message was faster: the question may be on its way once more.
			this.uncertain |= Failures.mayTakeEffect(because);
		}
		if (!isPending()) {
			return;
		}
		this.health.failed(because);
		if (!this.settings.queues()) {
			// The servers of a quorum are told to release this id, now or later.
			restart(nowNanos);
		}
		this.waiters.dueAt(nowNanos + RETRY_NANOS);
	}

	void waits(LockReply reply, long nowNanos) {
		boolean slept = !isPending();
		this.phase = Phase.WAITING;
		this.notHeldBeforeNanos = reply.sentNanos();
		this.spentToken = reply.last();
		this.predecessor = reply.predecessor();
		this.repliedServerMillis = reply.serverMillis();
		this.upkeep.next(reply.sentNanos(), this.settings.waiterTimeout().toMillis());
		// Those further back ask later, all of them a little apart.
		long spread = this.context.host.random(5, 25) + 2 * Math.min(reply.before(), 500);
		long untilFree = Time.nanos(reply.leftMillis() + spread);
		boolean now = this.missedMessages;
		this.missedMessages = false;
		this.waiters.dueAt(now ? nowNanos : nowNanos + Math.min(untilFree, this.context.pollNanos()));
		if (slept) {
			// It knows of no time at which to ask.
			this.waiters.wakeFirst();
		}
		this.upkeep.reschedule(nowNanos);
	}

	// Getting the hold

	void holds(LockReply reply, long nowNanos) {
		this.repliedServerMillis = reply.serverMillis();
		hold(reply.sentNanos(), reply.leftMillis(), reply.token(), reply.last(), reply.awaited(), nowNanos);
	}

	/**
	 * Takes in a message that the waiting request holds the lock now.
	 */
	void handedOver(long leftMillis, long token, long last, boolean awaited, long nowNanos) {
		boolean expected = this.phase == Phase.WAITING || this.phase == Phase.RELEASING
				|| (this.phase == Phase.IDLE && this.waiters.isBusy());
		if (expected && token > this.spentToken && !this.waiters.isEmpty()) {
			this.health.answered();
			hold(this.notHeldBeforeNanos, leftMillis, token, last, awaited, nowNanos);
		}
	}

	private void hold(long fromNanos, long leftMillis, long token, long last, boolean awaited, long nowNanos) {
		if (!this.lock.supersedes(this, token, nowNanos)) {
			// The lock was given to another request of this client since.
			restart(nowNanos);
			return;
		}
		this.hold = new Hold(this.settings, this.id, token, last, Time.deadline(fromNanos, leftMillis),
				awaited || this.awaitedEarly, nowNanos);
		this.phase = Phase.CONFIRMING;
		this.lock.holder(this);
		this.refusals = 0;
		this.upkeep.next(fromNanos, leftMillis);
		if (this.missedMessages) {
			this.missedMessages = false;
			missedMessages(nowNanos);
		}
		give(nowNanos);
	}

	/**
	 * Gives the hold to the first waiter if it can be used, or has it confirmed first.
	 */
	private void give(long nowNanos) {
		Hold held = hold();
		Waiter next = this.waiters.first();
		if (next == null) {
			return;
		}
		if (held.isUsable(next, nowNanos)) {
			grant(held, next, nowNanos);
		}
		else {
			this.phase = Phase.CONFIRMING;
			this.waiters.dueAt(nowNanos);
			this.waiters.wakeFirst();
		}
	}

	private void grant(Hold held, Waiter next, long nowNanos) {
		Grant granted = held.grantTo(next, this, nowNanos);
		this.waiters.takeFirst();
		this.phase = Phase.HOLDING;
		next.complete(granted);
		this.upkeep.reschedule(nowNanos);
	}

	Hold hold() {
		if (this.hold == null) {
			throw new IllegalStateException("No hold in phase " + this.phase);
		}
		return this.hold;
	}

	// Confirming

	private Renewal confirm(Waiter waiter, long nowNanos) {
		begin(nowNanos);
		waiter.attempted = true;
		hold().tries();
		return new Renewal(this.lock.key(), this.id, waiter.lease.millis(), hold().hasToken() ? 0 : TOKEN_BLOCK);
	}

	/**
	 * Takes in what came of the confirmation of the hold.
	 */
	void confirmed(Renewal sent, Confirmation confirmation, long nowNanos) {
		this.waiters.end();
		if (this.phase != Phase.CONFIRMING || !this.id.equals(sent.id())) {
			return;
		}
		LockServerException failed = confirmation.failure();
		LockReply reply = confirmation.reply();
		if (failed == null) {
			this.health.answered();
		}
		else {
			this.health.failed(failed);
		}
		if (reply != null && reply.state() == State.HOLDS) {
			this.repliedServerMillis = reply.serverMillis();
			this.upkeep.next(reply.sentNanos(), reply.leftMillis());
			hold().takeTokens(reply, nowNanos);
			hold().renewed(reply);
			if (failed == null) {
				hold().acknowledged();
			}
			use(failed == null, nowNanos);
		}
		else if (reply != null && reply.state() != State.UNKNOWN) {
			missed(nowNanos);
		}
		else {
			this.upkeep.dueAt(nowNanos);
			use(false, nowNanos);
		}
	}

	/**
	 * Uses the hold if that is right after a confirmation.
	 * @param confirmed whether the server has said that all is well; if not, nothing may
	 * speak against it
	 */
	private void use(boolean confirmed, long nowNanos) {
		Waiter next = this.waiters.first();
		if (next != null && hold().isConfirmed(nowNanos) && (confirmed || next.lease.watched())) {
			grant(hold(), next, nowNanos);
		}
		else if (hold().isOver(nowNanos)) {
			pendAll(hold().deadlineNanos());
			missed(nowNanos);
		}
		else {
			this.waiters.dueAt(nowNanos + RETRY_NANOS);
		}
	}

	/**
	 * Takes in that the hold was over before its owner could use it, which is tried
	 * again. Nobody else need have the lock, so if the wait ends now "false" would be
	 * wrong.
	 */
	private void missed(long nowNanos) {
		Waiter first = this.waiters.first();
		if (first != null) {
			LockServerException failure = this.health.failure();
			first.missed = (failure != null) ? failure : Failures.overBeforeUse(this.lock.name());
			first.attempted = false;
			first.late++;
		}
		restart(nowNanos);
	}

	// Holding

	/**
	 * Gives back the grant of an owner: passes the hold to the next one without asking
	 * the server, if that is safe, and fair to the clients that wait for it.
	 * @return what to send, or {@code null} if it was passed
	 */
	@Nullable ReleaseCommand release(Grant from, long nowNanos) {
		if (!this.context.closed && pass(hold(), from, nowNanos)) {
			from.release();
			return null;
		}
		ReleaseCommand command = depart(from.token(), nowNanos);
		from.release();
		return command;
	}

	private boolean pass(Hold held, Grant from, long nowNanos) {
		QueueEntry source = this.alone ? directSuccessor(held) : this;
		Waiter next = (source != null) ? source.waiters.first() : null;
		if (source != null && source != this) {
			// Hand-overs count even if no other client waits: places end with the hold
			// only.
			held.awaited(nowNanos);
		}
		if (source == null || next == null || !held.tryPass(from, next, nowNanos)) {
			return false;
		}
		held.endGrant();
		if (source != this) {
			held.addId(source.id);
			source.waiters.takeFirst();
			source.restart(nowNanos);
			next.entry = this;
			this.waiters.joinFirst(next);
		}
		give(nowNanos);
		return true;
	}

	/**
	 * The entry of this client whose request would get the lock next in Redis.
	 */
	private @Nullable QueueEntry directSuccessor(Hold held) {
		if (this.uncertain || !held.takesMoreIds()) {
			return null;
		}
		return this.lock.findAlone((other) -> other.phase == Phase.WAITING && !other.uncertain
				&& !other.waiters.isBusy() && other.predecessor.equals(held.lastId()));
	}

	/**
	 * Its request and those that end with it: those whose waiters had its hold.
	 */
	List<String> ids() {
		return (this.hold != null) ? this.hold.ids() : List.of(this.id);
	}

	/**
	 * Takes in that another client has begun to wait.
	 */
	void awaited(long nowNanos) {
		if (this.hold != null) {
			this.hold.awaited(nowNanos);
		}
		else {
			this.awaitedEarly = true;
		}
	}

	/**
	 * Takes in that messages may have been lost until now.
	 */
	void missedMessages(long nowNanos) {
		if (this.hold != null) {
			this.hold.missedMessages();
			this.upkeep.dueAt(nowNanos);
			this.upkeep.reschedule(nowNanos);
		}
		else if (isBusy()) {
			this.missedMessages = true;
		}
		else {
			this.waiters.dueAt(nowNanos);
		}
	}

	/**
	 * Ends the hold before its owner released it, and lets the next waiter try.
	 */
	void lose(Cause cause, long nowNanos) {
		if (this.hold == null) {
			return;
		}
		Grant owned = this.hold.grant();
		boolean mayLast = cause == Cause.EXPIRED && (owned == null || owned.isWatched() || this.hold.mayOutlast(owned));
		if (mayLast || cause == Cause.FORCED) {
			// What is left of the hold in Redis, if anything, need not be waited for.
			// After
			// a forced release a question that runs twice may have got a second one.
			pendAll(nowNanos);
		}
		if (owned != null) {
			restart(nowNanos);
			this.context.lose(owned, cause, nowNanos);
		}
		else {
			missed(nowNanos);
		}
	}

	/**
	 * Ends the hold because another request of this client got the lock later.
	 * @return whether it was later
	 */
	boolean yieldsTo(long token, long nowNanos) {
		boolean later = hold().firstToken() < token;
		if (later) {
			expire(nowNanos);
			lose(Cause.GONE, nowNanos);
		}
		return later;
	}

	/**
	 * Takes in that an owner has its hold prolonged.
	 */
	void prolongs() {
		hold().prolongs();
	}

	/**
	 * Takes in what another renewal than that of the watchdog told of the grant.
	 */
	void prolonged(Grant granted, LockReply reply) {
		this.repliedServerMillis = reply.serverMillis();
		this.upkeep.next(reply.sentNanos(), reply.leftMillis());
		hold().renewed(reply);
		granted.extend(Time.deadline(reply.sentNanos(), reply.leftMillis()));
		if (reply.awaited()) {
			awaited(reply.sentNanos());
		}
	}

	// Time

	/**
	 * Gives back one acquisition for an owner who could not.
	 */
	void giveBack(Grant owned, long nowNanos) {
		if (owned == grant() && owned.isLive() && !owned.giveBackOne()) {
			ReleaseCommand command = release(owned, nowNanos);
			if (command != null) {
				releaseFailed(command, Failures.noAnswer(name()), nowNanos, nowNanos);
			}
		}
	}

	/**
	 * Has waiters leave whose callers have ended without doing so.
	 */
	void cleanUp(long nowNanos) {
		for (Waiter dead = this.waiters.gone(); dead != null; dead = this.waiters.gone()) {
			if (this.waiters.first() == dead) {
				this.waiters.end();
			}
			ReleaseCommand command = leave(dead, nowNanos);
			if (command != null) {
				releaseFailed(command, Failures.noAnswer(this.lock.name()), nowNanos, nowNanos);
			}
		}
	}

	/**
	 * Whether an answer is later than all that is known.
	 */
	boolean isNews(LockReply reply) {
		return reply.serverMillis() > this.repliedServerMillis;
	}

	/**
	 * Loses the grant if its deadline has passed.
	 */
	void expire(long nowNanos) {
		Grant owned = grant();
		if (owned != null && owned.isOver(nowNanos)) {
			lose(Cause.EXPIRED, nowNanos);
		}
	}

	// Leaving

	private String newRequest() {
		if (this.uncertain) {
			this.context.pendingReleases.add(this.lock.key(), List.of(this.id), this.notHeldBeforeNanos);
		}
		String next = this.context.host.nextRequestId();
		this.lock.rename(this, next);
		this.id = next;
		this.uncertain = false;
		this.health.restart();
		this.spentToken = 0;
		this.predecessor = "";
		this.awaitedEarly = false;
		this.missedMessages = false;
		this.upkeep.end();
		this.hold = null;
		this.lock.noLongerHolder(this);
		return next;
	}

	/**
	 * Forgets the request. The waiters begin with a new one; if there are none, this is
	 * the end.
	 */
	void restart(long nowNanos) {
		newRequest();
		this.phase = Phase.IDLE;
		if (this.waiters.isEmpty()) {
			this.lock.remove(this);
		}
		else {
			this.waiters.dueAt(nowNanos);
			this.waiters.wakeFirst();
			// The first one may have died.
			this.upkeep.reschedule(nowNanos);
		}
	}

	/**
	 * Begins to give the request up. If others wait, the next request is known from now
	 * on: its grant may be told before the release is answered.
	 */
	private ReleaseCommand depart(long token, long nowNanos) {
		List<String> departing = List.copyOf(ids());
		this.yields = this.hold != null && this.hold.isAwaited() && !this.settings.queues();
		boolean rejoins = this.settings.queues() && !this.context.closed;
		Waiter next = rejoins ? this.waiters.first() : null;
		LockRequest wanted = (next != null) ? request(next) : null;
		// Nobody ends a phase whose command was not made, be it for want of memory.
		String nextId = newRequest();
		ReleaseCommand command = new ReleaseCommand(departing, token, (wanted != null) ? nextId : "", wanted);
		this.phase = Phase.RELEASING;
		this.notHeldBeforeNanos = nowNanos;
		return command;
	}

	/**
	 * Whether a release is still on its way; if not, a message was faster than its
	 * answer.
	 */
	private boolean isDeparting(ReleaseCommand command) {
		return this.phase == Phase.RELEASING && (command.next() == null || this.id.equals(command.nextId()));
	}

	/**
	 * Takes in that the request was given up, and how the next one stands.
	 * @return what to send if the next one stands although nobody wants it any more
	 */
	@Nullable ReleaseCommand released(ReleaseCommand command, ReleaseReply reply, long nowNanos) {
		if (!isDeparting(command)) {
			return null;
		}
		this.health.answered();
		LockReply next = reply.next();
		boolean stands = next != null && (next.state() == State.HOLDS || next.state() == State.WAITS);
		if (stands && (this.waiters.isEmpty() || this.context.closed)) {
			return depart(0, nowNanos);
		}
		if (next == null || !stands) {
			boolean backsOff = this.yields;
			restart(nowNanos);
			if (backsOff) {
				// Long enough for every other client to ask once.
				this.waiters.dueAt(nowNanos + Time.nanos(LONGEST_PAUSE_MILLIS));
			}
		}
		else if (next.state() == State.HOLDS) {
			holds(next, nowNanos);
		}
		else {
			waits(next, nowNanos);
		}
		return null;
	}

	/**
	 * Takes in that it is not known whether the request was given up, nor how the next
	 * one stands.
	 */
	void releaseFailed(ReleaseCommand command, LockServerException because, long heldUntilNanos, long nowNanos) {
		if (because.reason() != Reason.REFUSED) {
			this.context.pendingReleases.add(this.lock.key(), command.ids(), heldUntilNanos);
		}
		if (isDeparting(command)) {
			this.uncertain = command.next() != null && Failures.mayTakeEffect(because);
			restart(nowNanos);
		}
	}

	/**
	 * Ends it because the client is closed. A caller whose command is on its way gives up
	 * what the answer brings.
	 * @return the requests to release
	 */
	List<String> close(long nowNanos) {
		Grant owned = grant();
		this.waiters.wakeAll();
		if (isBusy()) {
			return List.of();
		}
		boolean stands = this.phase != Phase.IDLE || this.uncertain;
		List<String> standing = stands ? List.copyOf(ids()) : List.of();
		this.uncertain = false;
		restart(nowNanos);
		if (owned != null) {
			this.context.lose(owned, Cause.CLOSED, nowNanos);
		}
		return standing;
	}

}
