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

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.notice.TaskQueue;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.protocol.ServerSettings;
import io.holdfast.lock.internal.redis.RedisErrors;
import io.holdfast.lock.internal.redis.RedisLockServer;
import io.holdfast.lock.internal.text.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a quorum, asked all at once, each by threads of its own: all that is
 * about one lock is asked by one of them, in order. Threads without work end.
 */
final class QuorumMembers {

	private static final int STRIPES = 8;

	private static final int MAX_QUEUED = 10_000;

	private static final long IDLE_MILLIS = 10_000;

	final List<RedisLockServer> servers;

	private final List<List<TaskQueue>> stripes;

	private final LockKeys keys;

	private final QuorumSettings quorum;

	final QuorumScripts scripts;

	/** Whether a majority has ever answered. */
	private volatile boolean open;

	QuorumMembers(List<RedisLockServer> servers, ServerSettings settings, QuorumSettings quorum) {
		this.servers = List.copyOf(servers);
		this.keys = settings.keys();
		this.scripts = new QuorumScripts(settings, quorum);
		this.quorum = quorum;
		this.stripes = servers.stream().map((each) -> stripes(servers.indexOf(each) + 1)).toList();
	}

	private static List<TaskQueue> stripes(int number) {
		return IntStream.range(0, STRIPES)
			.mapToObj((i) -> new TaskQueue("holdfast-quorum-" + number + "-" + i, 1, IDLE_MILLIS))
			.toList();
	}

	int majority() {
		return this.servers.size() / 2 + 1;
	}

	/**
	 * How many servers may fail.
	 */
	int minority() {
		return this.servers.size() - majority();
	}

	/**
	 * How long to wait for servers that are asked now: longer if connections may have to
	 * be opened, as in a new JVM. With the second step of an attempt, that is still less
	 * than the engine waits for it.
	 */
	long timeoutNanos() {
		return this.quorum.timeout().toNanos() * (this.open ? 2 : 5) / 2;
	}

	/**
	 * So many have answered.
	 */
	void answered(int servers) {
		this.open |= servers >= majority();
	}

	/**
	 * Asks all servers. Does not wait.
	 * @param poll who counts the answers
	 * @param onFailure what to do before that where a server did not answer
	 */
	<T> void ask(Poll<T> poll, String key, Function<RedisLockServer, T> question,
			BiConsumer<RedisLockServer, LockServerException> onFailure) {
		for (RedisLockServer server : this.servers) {
			tellInTime(server, key, poll.timeoutNanos, () -> poll.add(server, question.apply(server), null),
					(failure) -> {
						onFailure.accept(server, failure);
						poll.add(server, null, failure);
					});
		}
	}

	/**
	 * Does something with a server, unless that comes after all have stopped waiting for
	 * it.
	 */
	void tellInTime(RedisLockServer server, String key, long timeoutNanos, Runnable task,
			Consumer<LockServerException> onFailure) {
		long since = System.nanoTime();
		tell(server, key, () -> {
			if (System.nanoTime() - since > timeoutNanos) {
				throw failure(key, Reason.UNREACHABLE, "one of the Redis servers is too slow", null);
			}
			task.run();
		}, onFailure);
	}

	/**
	 * Asks all servers something that leaves nothing behind, and waits for all that
	 * answer in time. Those that are much slower than a majority do not count.
	 * @throws LockServerException if there is no majority
	 */
	<T> Poll<T> askAll(String key, Function<RedisLockServer, T> question) {
		Poll<T> poll = new Poll<>(this, key, true, (votes) -> votes.answers().size() >= majority());
		ask(poll, key, question, QuorumMembers::leaveNothing);
		return poll.over.join().requireMajority();
	}

	static void leaveNothing(RedisLockServer server, LockServerException failure) {
		// A lost reply needs no clean-up.
	}

	/**
	 * Does something with a server, on the thread that is for the lock.
	 */
	void tell(RedisLockServer server, String key, Runnable task, Consumer<LockServerException> onFailure) {
		TaskQueue stripe = this.stripes.get(this.servers.indexOf(server)).get(stripeOf(key));
		try {
			boolean taken = stripe.offer(() -> {
				try {
					task.run();
				}
				catch (RuntimeException | Error ex) {
					onFailure.accept(RedisErrors.classify(this.keys.nameOf(key), ex));
				}
			}, MAX_QUEUED);
			if (!taken) {
				onFailure.accept(failure(key, Reason.UNAVAILABLE,
						"too many requests wait for one of the Redis servers, or the client is closed", null));
			}
		}
		catch (RuntimeException | Error ex) {
			// The machine has no thread left.
			onFailure.accept(RedisErrors.classify(this.keys.nameOf(key), ex));
		}
	}

	/**
	 * Which of the threads for a server is for a lock.
	 */
	static int stripeOf(String key) {
		return Math.floorMod(key.hashCode(), STRIPES);
	}

	/**
	 * Raises the fencing tokens of a hold on all servers.
	 * @return {@link Word#HOLDS} with these tokens, once a majority has them
	 */
	CompletableFuture<Reply> raise(String key, String id, Vote hold) {
		Poll<Vote> raised = new Poll<>(this, key, false, this::isDecided);
		ask(raised, key, (server) -> this.scripts.takeUp(server, key, id, hold, 0, 0), QuorumMembers::leaveNothing);
		return raised.over.thenApply((votes) -> {
			if (votes.count(Vote::holds) >= majority()) {
				return new Reply(Word.HOLDS, hold.leftMillis(), hold.token(), hold.last(), false, 0, null);
			}
			throw (votes.answers().size() < majority()) ? votes.tooFew(0)
					: failure(key, Reason.UNAVAILABLE, "a majority of its Redis servers granted it, but it was over, "
							+ "or forgotten, before its token was written", null);
		});
	}

	/**
	 * Whether a majority holds, or it is clear that and why none does.
	 */
	boolean isDecided(Poll<Vote> votes) {
		int knowing = votes.count(Vote::knows);
		int held = votes.count(Vote::holds);
		int failed = votes.failed() + votes.answers().size() - knowing;
		return held >= majority() || knowing - held > minority() || failed > minority();
	}

	/**
	 * The hold of a majority: its lease, as far as a majority guarantees it, and its
	 * latest tokens.
	 */
	Vote hold(List<Vote> votes) {
		List<Vote> held = votes.stream()
			.filter(Vote::holds)
			.sorted(Comparator.comparingLong(Vote::leftMillis).reversed())
			.toList();
		long token = held.stream().mapToLong(Vote::token).max().orElseThrow();
		long last = held.stream().mapToLong(Vote::last).max().orElseThrow();
		return new Vote(Word.HOLDS, held.get(majority() - 1).leftMillis(), token, last, "");
	}

	/**
	 * That too few servers have answered.
	 * @param starting how many of those that did may have forgotten who holds the lock
	 * @param timeoutNanos how long they were waited for
	 */
	LockServerException tooFew(String key, List<LockServerException> failures, int starting, long timeoutNanos) {
		StringBuilder message = new StringBuilder(
				"too few of its " + this.servers.size() + " Redis servers take part, " + majority() + " have to");
		if (!failures.isEmpty()) {
			message.append("; " + failures.size() + " failed: " + failures.get(0).getMessage());
		}
		if (starting > 0) {
			message.append("; " + starting + " may have forgotten who holds it, because they were started less than "
					+ DurationText.of(this.quorum.restartGuard()) + " ago");
		}
		if (failures.size() + starting <= minority()) {
			message.append("; others did not answer within " + DurationText.of(Duration.ofNanos(timeoutNanos)));
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

}
