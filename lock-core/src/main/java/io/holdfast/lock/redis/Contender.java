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

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.Confirmation;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.LockRequest;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.Renewal;
import io.holdfast.lock.internal.server.RequestIds;
import org.jspecify.annotations.Nullable;

/**
 * One request of this client in Redis, with the local waiters behind it. All methods need
 * the monitor of the {@link LocalLock}; none asks the server.
 */
final class Contender {

	// @formatter:off
	/*
	 * Algorithm. All waiters of the type REENTRANT for one lock stand in one line behind one
	 * request; a waiter of the type FAIR is alone behind its own, and so is an attempt that does
	 * not wait while the line knows nothing yet.
	 *
	 *             ask: WAITS              message, sign or ask: HOLDS
	 *    IDLE ------------------> WAITING ---------------------> HOLDING --+ pass to the
	 *     | ^                        |                            |   ^----+ next in line
	 *     | |    last one leaves     v                            |
	 *     | +------------------ RELEASING <-----------------------+ unlock
	 *     +-- ask: HOLDS --> HOLDING
	 *
	 * Why a grant may be believed in. A hold that an answer tells of lasts at least from the
	 * moment before its question was sent for as long as the answer says is left: the server
	 * measured that later. A hold that a message tells of was given after the last question
	 * was sent that was answered "still waiting" (believedFrom), so it lasts at least from that
	 * moment on; where that leaves too little the grant is unconfirmed, and its owner renews it
	 * before it runs, as it does with the first one of a hold that replicas have to acknowledge.
	 * Without an answer to that, a watched hold may be used while it lasts, and the watchdog goes
	 * on; one with a lease of its own would end before its owner expects, so that is tried again.
	 * This needs the message to be about this stay in the queue. An id joins the queue again only
	 * before its first answer, but may have held before that answer, so a message is believed only
	 * if its token is larger than any that an answer has named.
	 *
	 * Why fair waiters may pass a hold on. The answer WAITS names the request directly before, and
	 * nobody ever comes between the two: places are only added at the end. So where both are of this
	 * client, the waiter of the second one is whom Redis would give the lock to, and gets the hold of
	 * the first one without asking. Its own request is over then; its place is given up in the same
	 * step as the hold, so that Redis does not hand the lock to it. Neither may be doubtful: a place
	 * that is made once more is made at the end.
	 *
	 * Races that remain, and what they do.
	 * - A message may be faster than the answer to the question or release that caused it. The
	 *   id is known before it is sent, so the message finds it; the answer is ignored then.
	 * - The answer "has nothing" may be overtaken by a later one that says it holds. The older
	 *   one, by the server's own clock, is ignored.
	 * - A hold that was passed on may end otherwise than by its release. Then Redis may hand the lock
	 *   to a place whose waiter had it already. Nobody has that id any more: Messages has it released.
	 *   If it was ended by force just before it was passed on, the next waiter loses it.
	 * - What a waiter knows of the one before it may be old: that one left. Then it is asked for in
	 *   vain, and Redis chooses.
	 * - A message may be lost: the next sign of life or question finds the hold. It may come when
	 *   nobody waits any more: Messages has a grant of an unknown request released.
	 * - A question that failed may be carried out at any time until its deadline. The next one
	 *   has the same id; when that is given up it goes to Leftovers, which release it twice.
	 * - Nothing here stops a thread that was paused between isValid() and its write. That is
	 *   what the fencing token is for.
	 */
	// @formatter:on

	/**
	 * How many fencing tokens a client with many waiting threads asks for at most.
	 */
	private static final int TOKEN_BLOCK = 1000;

	/**
	 * How many fair waiters may have a hold after the first one: their places end in one
	 * step of the server, which is not to be long.
	 */
	private static final int MAX_PASSED = 100;

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/**
	 * Bounds of the pause before a waiter that no queue remembers asks again.
	 */
	private static final long FIRST_PAUSE_MILLIS = 5;

	private static final long LONGEST_PAUSE_MILLIS = 40;

	enum Phase {

		IDLE, WAITING, HOLDING, RELEASING

	}

	final LocalLock lock;

	private final LockType type;

	private final boolean alone;

	private final Settings settings;

	private final Leftovers leftovers;

	private final Line line;

	private String id = RequestIds.next();

	private Phase phase = Phase.IDLE;

	/**
	 * Whether a question with this id ever failed, so that it may still be carried out.
	 */
	private boolean doubtful;

	/**
	 * Why the latest question got no answer; {@code null} if it got one, or if its asker
	 * was interrupted: that tells the others nothing of the server.
	 */
	private @Nullable LockServerException failure;

	/**
	 * A moment before which this request certainly did not hold.
	 */
	private long believedFromNanos;

	/**
	 * The largest fencing token that an answer has named while this request waited.
	 */
	private long spentToken;

	/**
	 * The request that is directly before this one, as far as is known.
	 */
	private String behind = "";

	/**
	 * The server's time of the latest answer that this request stands.
	 */
	private long confirmedServerMillis;

	/**
	 * Whether others began to wait before this client knew that it holds.
	 */
	private boolean awaitedEarly;

	/**
	 * There is one while the phase is HOLDING.
	 */
	private @Nullable Hold hold;

	private final Heartbeat heartbeat;

	/**
	 * How often in a row it was refused, where no queue remembers it.
	 */
	private int refusals;

	/**
	 * Whether to back off: another client wants the lock, and a quorum has no queue.
	 */
	private boolean yields;

	Contender(LocalLock lock, LockType type, boolean alone, Settings settings, Leftovers leftovers, long nowNanos) {
		this.lock = lock;
		this.type = type;
		this.alone = alone;
		this.settings = settings;
		this.leftovers = leftovers;
		this.line = new Line(nowNanos);
		this.heartbeat = new Heartbeat(Tenure.minLeftNanos(settings));
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

	Line line() {
		return this.line;
	}

	@Nullable Grant grant() {
		return (this.hold != null) ? this.hold.grant() : null;
	}

	@Nullable LockServerException failure() {
		return this.failure;
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
	 * Whether the server has said nothing yet of how it stands, nor that it is away.
	 */
	boolean isUnknown() {
		return this.phase == Phase.IDLE && this.refusals == 0 && this.failure == null;
	}

	/**
	 * Whether a question of its request may still be carried out.
	 */
	boolean isDoubtful() {
		return this.doubtful;
	}

	/**
	 * Whether it has, or may have, a place in Redis.
	 */
	boolean stands() {
		return this.phase != Phase.IDLE || this.doubtful;
	}

	// Asking

	boolean mayAsk(Waiter waiter, long nowNanos) {
		return isPending() && this.line.isTurnOf(waiter, nowNanos);
	}

	long sleepNanos(Waiter waiter, long nowNanos) {
		return isPending() ? this.line.sleepNanos(waiter, nowNanos) : Long.MAX_VALUE;
	}

	AcquireCommand ask(Waiter waiter, long nowNanos) {
		this.line.asks();
		waiter.attempted = true;
		if (this.phase == Phase.IDLE && !this.doubtful) {
			this.believedFromNanos = nowNanos;
		}
		boolean again = this.phase == Phase.WAITING;
		return new AcquireCommand(this.id, wishOf(waiter), again,
				!again && this.alone && waiter.waits && isBehindOthers());
	}

	/**
	 * Whether another thread of this client has the lock, or waits for it in fair order:
	 * then this one will not get it at once.
	 */
	private boolean isBehindOthers() {
		return this.lock.findAlone((other) -> other.phase == Phase.WAITING || other.phase == Phase.HOLDING) != null;
	}

	private LockRequest wishOf(Waiter waiter) {
		boolean others = this.alone ? this.lock.findAlone((other) -> other != this) != null : this.line.size() > 1;
		return new LockRequest(this.type, waiter.lease.millis(), others ? TOKEN_BLOCK : 1);
	}

	/**
	 * Takes in the answer to a question.
	 * @param pollNanos the longest sleep before asking again
	 */
	void answered(AcquireCommand question, LockReply standing, Waiter asker, long nowNanos, long pollNanos) {
		this.line.hasAsked();
		this.failure = null;
		asker.failure = null;
		if (!isPending() || !this.id.equals(question.id())) {
			return;
		}
		asker.late = (standing.state() == State.LATE) ? asker.late + 1 : 0;
		asker.split = standing.state() == State.SPLIT;
		switch (standing.state()) {
			case HOLDS -> hold(standing, nowNanos);
			case WAITS -> waits(standing, nowNanos, pollNanos);
			case NONE -> {
				if (asker.waits && !this.settings.queues()) {
					askLater(nowNanos);
				}
				else {
					asker.refuse();
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
			case STARTING, UNKNOWN -> throw new IllegalStateException("No answer to a question: " + standing);
		}
	}

	/**
	 * Begins anew after a pause, where no queue would tell when it is this one's turn.
	 * Its length is random, so that those who were in each other's way once do not meet
	 * again.
	 */
	private void askLater(long nowNanos) {
		long longest = Math.min(FIRST_PAUSE_MILLIS << Math.min(this.refusals++, 10), LONGEST_PAUSE_MILLIS);
		long pause = ThreadLocalRandom.current().nextLong(longest / 2, longest + 1);
		restart(nowNanos);
		this.line.askAt(nowNanos + TimeUnit.MILLISECONDS.toNanos(pause));
	}

	/**
	 * Takes in that a question got no answer.
	 */
	void unanswered(AcquireCommand question, Waiter asker, LockServerException failed, long nowNanos) {
		this.line.hasAsked();
		asker.failed(failed, nowNanos);
		boolean current = this.id.equals(question.id());
		if (current && this.settings.queues()) {
			// Also if a message was faster: the question may be on its way once more.
			this.doubtful = true;
		}
		else if (current && isPending()) {
			// The servers of a quorum are told to release this id, now or later.
			restart(nowNanos);
		}
		if (current && isPending()) {
			this.line.askAt(nowNanos + RETRY_NANOS);
		}
		if (!RedisErrors.isInterrupt(failed)) {
			this.failure = failed;
		}
	}

	private void waits(LockReply standing, long nowNanos, long pollNanos) {
		boolean waited = this.phase == Phase.WAITING;
		this.phase = Phase.WAITING;
		this.believedFromNanos = standing.sentNanos();
		this.spentToken = standing.last();
		this.behind = standing.predecessor();
		this.confirmedServerMillis = standing.serverMillis();
		this.heartbeat.next(standing.sentNanos(), this.settings.waiterTimeout().toMillis());
		// Those further back ask later, all of them a little apart.
		long spread = ThreadLocalRandom.current().nextLong(5, 25) + 2 * Math.min(standing.before(), 500);
		long untilFree = TimeUnit.MILLISECONDS.toNanos(standing.leftMillis() + spread);
		long askAtNanos = nowNanos + Math.min(untilFree, pollNanos);
		if (waited) {
			this.line.moveAskTo(askAtNanos);
		}
		else {
			this.line.askAt(askAtNanos);
		}
	}

	// Holding

	private void hold(LockReply standing, long nowNanos) {
		this.confirmedServerMillis = standing.serverMillis();
		hold(standing.sentNanos(), standing.leftMillis(), standing.token(), standing.last(), standing.awaited(),
				nowNanos);
	}

	/**
	 * Takes in a message that the waiting request holds the lock now.
	 */
	void handedOver(long leftMillis, long token, long last, boolean awaited, long nowNanos) {
		boolean expected = this.phase == Phase.WAITING || this.phase == Phase.RELEASING
				|| (this.phase == Phase.IDLE && this.line.isAsking());
		if (expected && token > this.spentToken && !this.line.isEmpty()) {
			hold(this.believedFromNanos, leftMillis, token, last, awaited, nowNanos);
		}
	}

	private void hold(long fromNanos, long leftMillis, long token, long last, boolean awaited, long nowNanos) {
		this.phase = Phase.HOLDING;
		this.failure = null;
		this.refusals = 0;
		this.heartbeat.next(fromNanos, leftMillis);
		this.hold = new Hold(this, this.settings,
				new Tenure(this.settings, token, last, awaited || this.awaitedEarly, nowNanos), this.line.takeFirst(),
				Tenure.deadline(fromNanos, leftMillis), nowNanos);
	}

	/**
	 * Passes the hold of a released grant to the next in line without asking the server,
	 * if that is safe, and fair to the clients that wait for it.
	 * @return whether it was passed
	 */
	boolean pass(Grant from, long nowNanos) {
		if (this.hold == null) {
			return false;
		}
		if (this.alone) {
			return passBehind(this.hold, from, nowNanos);
		}
		Waiter next = this.line.first();
		if (next == null || !this.hold.tryPass(from, next, nowNanos)) {
			return false;
		}
		this.hold.giveTo(this.line.takeFirst(), from.deadlineNanos(), nowNanos);
		return true;
	}

	/**
	 * Passes the hold to the thread of the request that is directly behind in Redis, if
	 * that is one of this client. The request goes with it, its place ends with the hold.
	 */
	private boolean passBehind(Hold held, Grant from, long nowNanos) {
		Contender next = directlyBehind(held);
		if (next == null) {
			return false;
		}
		// Hand-overs count even if no other client waits: places end with the hold only.
		held.awaited(nowNanos);
		Waiter waiter = next.line.first();
		if (waiter == null || !held.tryPass(from, waiter, nowNanos)) {
			return false;
		}
		String passed = next.id;
		next.line.takeFirst();
		next.restart(nowNanos);
		held.giveTo(passed, waiter, from.deadlineNanos(), nowNanos);
		return true;
	}

	/**
	 * The contender of this client whose request would get the lock next in Redis.
	 */
	private @Nullable Contender directlyBehind(Hold held) {
		List<String> ids = held.ids();
		String last = ids.get(ids.size() - 1);
		if (this.doubtful || ids.size() > MAX_PASSED) {
			return null;
		}
		return this.lock.findAlone((other) -> other.phase == Phase.WAITING && !other.doubtful && !other.line.isAsking()
				&& other.behind.equals(last));
	}

	/**
	 * Its request and those that end with it: those whose owners had its hold.
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
		this.line.askAt(nowNanos);
		if (this.hold != null) {
			this.hold.missedMessages();
			this.heartbeat.at(nowNanos);
		}
	}

	// Signs of life

	/**
	 * Whether the request needs a sign of life from the watchdog now.
	 */
	boolean needsSign(long nowNanos) {
		return wantsSigns() && this.heartbeat.isDue(nowNanos);
	}

	private boolean wantsSigns() {
		return this.phase == Phase.WAITING || (this.hold != null && this.hold.wantsSigns());
	}

	/**
	 * When the watchdog has to look at it again at the latest.
	 */
	long nextLookNanos(long latestNanos) {
		long next = (this.hold != null) ? this.hold.nextLookNanos(latestNanos) : latestNanos;
		return wantsSigns() ? this.heartbeat.nextLookNanos(next) : next;
	}

	Renewal sign(long nowNanos) {
		this.heartbeat.begin(nowNanos);
		// A waiter that turns out to hold the lock gets a first lease, as by a message.
		long lease = (this.hold != null) ? this.hold.signLeaseMillis() : this.settings.handOverLease().toMillis();
		return new Renewal(this.lock.key, this.id, lease, 0);
	}

	/**
	 * A sign of life for a grant before its owner uses it, with a token if it has none.
	 */
	Renewal confirmation(Grant unconfirmed) {
		return new Renewal(this.lock.key, this.id, unconfirmed.lease.millis(),
				(unconfirmed.token == 0) ? TOKEN_BLOCK : 0);
	}

	/**
	 * Takes in that a sign of life got no answer, which says nothing about the hold.
	 */
	void unsigned(String signedId, long nowNanos) {
		if (this.id.equals(signedId)) {
			this.heartbeat.end();
			this.heartbeat.at(nowNanos + RETRY_NANOS);
		}
	}

	/**
	 * Takes in the answer to a sign of life.
	 * @return whether the hold is lost
	 */
	boolean signed(String signedId, LockReply standing, long nowNanos, long pollNanos) {
		if (!this.id.equals(signedId)) {
			return false;
		}
		if (standing.state() == State.UNKNOWN) {
			unsigned(signedId, nowNanos);
			return false;
		}
		this.heartbeat.end();
		boolean gone = standing.state() == State.NONE && standing.serverMillis() > this.confirmedServerMillis;
		if (this.phase == Phase.WAITING) {
			if (standing.state() == State.HOLDS) {
				hold(standing, nowNanos);
			}
			else if (standing.state() == State.WAITS) {
				waits(standing, nowNanos, pollNanos);
			}
			else if (gone && !this.line.isAsking()) {
				restart(nowNanos);
			}
			return false;
		}
		if (this.hold == null) {
			return false;
		}
		// An answer of the same millisecond says nothing: the next one will.
		if (standing.state() != State.NONE || gone) {
			this.hold.heard();
		}
		if (standing.state() == State.HOLDS && this.hold.grant().watched) {
			renewed(this.hold.grant(), standing);
		}
		return gone;
	}

	/**
	 * Takes in that the hold of a grant was renewed.
	 */
	void renewed(Grant renewed, LockReply standing) {
		this.confirmedServerMillis = standing.serverMillis();
		this.heartbeat.next(standing.sentNanos(), standing.leftMillis());
		renewed.extend(Tenure.deadline(standing.sentNanos(), standing.leftMillis()));
		if (standing.awaited()) {
			awaited(standing.sentNanos());
		}
		if (this.hold != null) {
			this.hold.addTokens(renewed, standing);
		}
	}

	/**
	 * Takes in that a hold which is not confirmed yet was ended by force.
	 */
	void forced() {
		if (this.hold != null) {
			this.hold.forced();
		}
	}

	/**
	 * Takes in the answer to the confirmation of a grant.
	 * @return whether its owner may run
	 */
	boolean confirmed(Grant granted, Confirmation confirmation, long nowNanos) {
		LockReply standing = confirmation.reply();
		if (this.hold == null) {
			// The client was closed.
			return false;
		}
		// Without an answer nothing may speak against it, and the watchdog has to go on.
		boolean usable = granted.watched && this.hold.isReplicated() && !this.hold.isForced();
		if (standing != null) {
			boolean holds = this.hold.isProvenBy(standing);
			usable = holds && confirmation.failure() == null;
			if (holds) {
				this.hold.correct(granted, standing, nowNanos);
				renewed(granted, standing);
			}
			if (usable) {
				this.hold.replicated();
			}
		}
		granted.unconfirmed = !usable || granted.token == 0 || !granted.isValid(nowNanos);
		LockServerException failed = confirmation.failure();
		boolean concernsOthers = granted.unconfirmed && failed != null && !RedisErrors.isInterrupt(failed);
		this.failure = concernsOthers ? failed : null;
		return !granted.unconfirmed;
	}

	// Leaving

	private void newRequest() {
		if (this.doubtful) {
			this.leftovers.add(this.lock.key, this.id);
		}
		this.id = RequestIds.next();
		this.doubtful = false;
		this.failure = null;
		this.spentToken = 0;
		this.behind = "";
		this.awaitedEarly = false;
		this.heartbeat.end();
		this.hold = null;
	}

	/**
	 * Forgets the request. Those in the line begin with a new one; if there are none,
	 * this is the end.
	 */
	void restart(long nowNanos) {
		this.lock.remove(this);
		newRequest();
		this.phase = Phase.IDLE;
		if (!this.line.isEmpty()) {
			this.lock.add(this);
			this.line.askAt(nowNanos);
		}
	}

	/**
	 * Begins to give the request up. If others are in the line, the next request is known
	 * from now on: its grant may be told before the release is answered.
	 */
	ReleaseCommand depart(long token, long nowNanos) {
		List<String> departing = ids();
		this.yields = this.hold != null && this.hold.isAwaited() && !this.settings.queues();
		this.lock.remove(this);
		newRequest();
		this.lock.add(this);
		this.phase = Phase.RELEASING;
		this.believedFromNanos = nowNanos;
		// Where nobody queues, no server would take a next request along.
		Waiter next = this.settings.queues() ? this.line.first() : null;
		return (next != null) ? new ReleaseCommand(departing, token, this.id, wishOf(next))
				: new ReleaseCommand(departing, token, "", null);
	}

	/**
	 * Whether a departure is still on its way; if not, a message was faster than its
	 * answer.
	 */
	boolean isDeparting(ReleaseCommand departure) {
		return this.phase == Phase.RELEASING && (departure.nextId().isEmpty() || this.id.equals(departure.nextId()));
	}

	/**
	 * Takes in that the request was given up, and how the next one stands.
	 * @return whether the next one stands in Redis although nobody waits any more
	 */
	boolean departed(@Nullable LockReply next, long nowNanos, long pollNanos) {
		boolean stands = next != null && (next.state() == State.HOLDS || next.state() == State.WAITS);
		if (stands && this.line.isEmpty()) {
			return true;
		}
		if (next == null || !stands) {
			restart(nowNanos);
			if (this.yields) {
				// Long enough for every other client to ask once.
				this.line.askAt(nowNanos + TimeUnit.MILLISECONDS.toNanos(LONGEST_PAUSE_MILLIS));
			}
		}
		else if (next.state() == State.HOLDS) {
			hold(next, nowNanos);
		}
		else {
			Waiter first = this.line.first();
			if (first != null) {
				first.failure = null;
			}
			waits(next, nowNanos, pollNanos);
		}
		return false;
	}

	/**
	 * Takes in that it is not known whether the request was given up, nor how the next
	 * one stands.
	 */
	void departedUnanswered(ReleaseCommand departure, long nowNanos) {
		this.doubtful = departure.next() != null;
		restart(nowNanos);
	}

}
