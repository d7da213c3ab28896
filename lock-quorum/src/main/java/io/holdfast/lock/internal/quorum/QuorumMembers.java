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

package io.holdfast.lock.internal.quorum;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.internal.server.ServerSettings;
import io.holdfast.lock.internal.single.RedisLockServer;
import io.holdfast.lock.internal.text.DurationText;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The servers of a quorum, asked all at once, each by threads of its own.
 */
final class QuorumMembers {

	private static final int STRIPES = 8;

	private static final int MAX_QUEUED = 10_000;

	private final List<Member> members = new ArrayList<>();

	private final int majority;

	private final LockKeys keys;

	private final QuorumSettings quorum;

	private final LongSupplier nanoTime;

	private final QuorumScripts scripts;

	QuorumMembers(List<RedisLockServer> servers, ServerSettings settings, QuorumSettings quorum,
			LongSupplier nanoTime) {
		this.majority = servers.size() / 2 + 1;
		this.keys = settings.keys();
		this.scripts = new QuorumScripts(settings, quorum);
		this.quorum = quorum;
		this.nanoTime = nanoTime;
		for (RedisLockServer server : servers) {
			this.members.add(new Member(server, this.members.size() + 1));
		}
	}

	QuorumScripts scripts() {
		return this.scripts;
	}

	List<RedisLockServer> servers() {
		return this.members.stream().map((each) -> each.server).toList();
	}

	int majority() {
		return this.majority;
	}

	/**
	 * How many servers may fail.
	 */
	int minority() {
		return this.members.size() - this.majority;
	}

	/**
	 * How long to wait for servers.
	 */
	long timeoutNanos() {
		return this.quorum.timeout().toNanos();
	}

	static void leaveNothing(RedisLockServer server, LockServerException failure) {
		// A lost reply needs no clean-up.
	}

	/**
	 * Asks all servers something that leaves nothing behind. Does not wait.
	 */
	<T> QuorumCall<T> send(String key, Function<RedisLockServer, T> question) {
		return new QuorumCall<T>(this, key).send((server) -> true, question, QuorumMembers::leaveNothing);
	}

	/**
	 * Asks all servers something that leaves nothing behind, and waits for all that
	 * answer in time. Those that are much slower than a majority do not count.
	 * @throws LockServerException if there is no majority
	 */
	<T> QuorumCall<T> askAll(String key, Function<RedisLockServer, T> question) {
		return send(key, question).awaitAll((votes) -> votes.answers().size() >= this.majority).requireMajority();
	}

	/**
	 * Tells some servers something, without waiting for that.
	 * @param whom which servers
	 * @param onContention what to do where a server did not answer
	 */
	void tell(String key, Predicate<RedisLockServer> whom, Consumer<RedisLockServer> message,
			BiConsumer<RedisLockServer, LockServerException> onContention) {
		for (Member member : this.members) {
			if (whom.test(member.server)) {
				member.execute(key, () -> message.accept(member.server),
						(ex) -> onContention.accept(member.server, ex));
			}
		}
	}

	/**
	 * Groups what is to be asked about many locks by the threads that ask it.
	 */
	static <T> Collection<List<T>> group(List<T> all, Function<T, String> key) {
		return all.stream().collect(Collectors.groupingBy((each) -> stripeOf(key.apply(each)))).values();
	}

	private static int stripeOf(String key) {
		return Math.floorMod(key.hashCode(), STRIPES);
	}

	/**
	 * Raises the fencing tokens of a hold on all servers.
	 */
	QuorumCall<LockReply> raise(String key, String id, long token, long last) {
		return this.<LockReply>send(key, (server) -> this.scripts.raise(server, key, id, token, last))
			.await(this::isDecided);
	}

	/**
	 * Whether a majority holds, or it is clear that and why none does.
	 */
	boolean isDecided(QuorumCall<LockReply> votes) {
		int knowing = votes.count(LockReply::knows);
		int held = votes.count(LockReply::holds);
		int failed = votes.failed() + votes.answers().size() - knowing;
		return held >= this.majority || knowing - held > minority() || failed > minority();
	}

	/**
	 * The hold of a majority: its lease, as far as a majority guarantees it, and its
	 * latest tokens.
	 */
	LockReply hold(List<LockReply> replies, long sentNanos) {
		List<LockReply> held = replies.stream()
			.filter(LockReply::holds)
			.sorted(Comparator.comparingLong(LockReply::leftMillis).reversed())
			.toList();
		long token = held.stream().mapToLong(LockReply::token).max().orElseThrow();
		long last = held.stream().mapToLong(LockReply::last).max().orElseThrow();
		return new LockReply(State.HOLDS, held.get(this.majority - 1).leftMillis(), token, last, false, 0, millis(),
				sentNanos);
	}

	/**
	 * That no majority holds.
	 */
	LockReply without(State state, long sentNanos) {
		return new LockReply(state, 0, 0, 0, false, 0, millis(), sentNanos);
	}

	/**
	 * A time that only orders answers: the servers' clocks differ.
	 */
	private long millis() {
		return TimeUnit.NANOSECONDS.toMillis(this.nanoTime.getAsLong());
	}

	/**
	 * That too few servers have answered.
	 * @param starting how many of those that did may have forgotten who holds the lock
	 */
	LockServerException tooFew(String key, List<LockServerException> failures, int starting) {
		StringBuilder message = new StringBuilder(
				"too few of its " + this.members.size() + " Redis servers take part, " + this.majority + " have to");
		if (!failures.isEmpty()) {
			message.append("; " + failures.size() + " failed: " + failures.get(0).getMessage());
		}
		if (starting > 0) {
			message
				.append("; " + starting + " may have forgotten who holds the lock, because they were started less than "
						+ DurationText.of(this.quorum.restartGuard()) + " ago");
		}
		if (failures.size() + starting <= minority()) {
			message.append("; others did not answer within " + DurationText.of(this.quorum.timeout()));
		}
		return failure(key, reasonOf(failures, starting), message.toString(),
				failures.isEmpty() ? null : failures.get(0));
	}

	/**
	 * A refusal counts only where enough servers refuse, or it is all that is known.
	 */
	private Reason reasonOf(List<LockServerException> failures, int starting) {
		if (failures.stream().filter((each) -> each.reason() == Reason.REFUSED).count() > minority()) {
			return Reason.REFUSED;
		}
		Reason reason = (starting > 0) ? Reason.UNAVAILABLE : Reason.TIMED_OUT;
		for (LockServerException failure : failures) {
			reason = (failure.reason() != Reason.REFUSED) ? failure.reason() : reason;
		}
		return reason;
	}

	LockServerException failure(String key, Reason reason, String message, @Nullable Throwable cause) {
		return RedisErrors.failure(this.keys.nameOf(key), reason, message, cause);
	}

	/**
	 * Lets what is under way end, for a while, and closes the servers.
	 */
	void close() {
		this.members.forEach(Member::shutDown);
		long end = System.nanoTime() + timeoutNanos();
		this.members.forEach((each) -> each.close(end));
	}

	/**
	 * A server and the threads that ask it. All that is about one lock is asked by one of
	 * them, in order.
	 */
	private final class Member {

		final RedisLockServer server;

		private final List<ThreadPoolExecutor> stripes = new ArrayList<>(STRIPES);

		Member(RedisLockServer server, int number) {
			this.server = server;
			CustomizableThreadFactory threads = new CustomizableThreadFactory("holdfast-quorum-" + number + "-");
			threads.setDaemon(true);
			for (int i = 0; i < STRIPES; i++) {
				ThreadPoolExecutor stripe = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS,
						new LinkedBlockingQueue<>(MAX_QUEUED), threads);
				stripe.allowCoreThreadTimeOut(true);
				this.stripes.add(stripe);
			}
		}

		void execute(String key, Runnable task, Consumer<LockServerException> onContention) {
			try {
				this.stripes.get(stripeOf(key)).execute(() -> {
					try {
						task.run();
					}
					catch (LockServerException ex) {
						onContention.accept(ex);
					}
				});
			}
			catch (RejectedExecutionException ex) {
				onContention.accept(
						failure(key, Reason.UNAVAILABLE, "too many requests wait for one of the Redis servers", ex));
			}
			catch (RuntimeException | Error ex) {
				// The machine has no thread left.
				onContention.accept(RedisErrors.classify(QuorumMembers.this.keys.nameOf(key), ex));
			}
		}

		void shutDown() {
			this.stripes.forEach(ThreadPoolExecutor::shutdown);
		}

		void close(long endNanos) {
			try {
				for (ThreadPoolExecutor stripe : this.stripes) {
					stripe.awaitTermination(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			this.server.close();
		}

	}

}
