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
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.internal.single.RedisLockServer;

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

	QuorumMembers(List<RedisLockServer> servers, LockKeys keys, QuorumSettings quorum) {
		for (RedisLockServer server : servers) {
			this.members.add(new Member(server, keys, this.members.size() + 1));
		}
		this.majority = servers.size() / 2 + 1;
		this.keys = keys;
		this.quorum = quorum;
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

	<T> QuorumCall<T> newCall() {
		return new QuorumCall<>(this.members.size());
	}

	static void leaveNothing(RedisLockServer server, LockServerException failure) {
		// A lost reply needs no clean-up.
	}

	/**
	 * Asks all servers something that leaves nothing behind, and waits for all that
	 * answer in time. Those that are much slower than a majority do not count.
	 * @throws LockServerException if there is no majority
	 */
	<T> QuorumCall<T> askAll(String key, Function<RedisLockServer, T> question) {
		QuorumCall<T> call = send(key, question);
		awaitAll(call, key, (votes) -> votes.answers().size() >= this.majority);
		return call;
	}

	/**
	 * Asks one server something that leaves nothing behind.
	 */
	<T> T askOne(RedisLockServer server, String key, Function<RedisLockServer, T> question) {
		QuorumCall<T> call = new QuorumCall<>(1);
		send(call, key, server::equals, question, QuorumMembers::leaveNothing);
		call.await((votes) -> false, this.quorum.timeout().toNanos(), 0);
		if (call.answers().isEmpty()) {
			throw call.failures().isEmpty() ? tooSlow(key) : call.failures().get(0);
		}
		return call.answers().get(0);
	}

	/**
	 * Asks all servers something that leaves nothing behind. Does not wait.
	 */
	<T> QuorumCall<T> send(String key, Function<RedisLockServer, T> question) {
		QuorumCall<T> call = newCall();
		send(call, key, (server) -> true, question, QuorumMembers::leaveNothing);
		return call;
	}

	/**
	 * Waits for all servers that answer in time, but not much longer than it takes to
	 * have enough answers.
	 * @throws LockServerException if no majority has answered
	 */
	<T> void awaitAll(QuorumCall<T> call, String key, Predicate<QuorumCall<T>> isEnough) {
		long timeout = this.quorum.timeout().toNanos();
		call.await(isEnough, timeout, timeout / 4);
		requireMajority(call, key);
	}

	private void requireMajority(QuorumCall<?> call, String key) {
		if (call.answers().size() < this.majority) {
			throw tooFew(key, call, 0);
		}
	}

	/**
	 * Asks all servers something that leaves nothing behind, and waits for as many
	 * answers as it takes.
	 * @param isDecided whether the answers so far are enough
	 * @throws LockServerException if those that answer in time are no majority
	 */
	<T> QuorumCall<T> askMajority(String key, Function<RedisLockServer, T> question,
			Predicate<QuorumCall<T>> isDecided) {
		QuorumCall<T> call = newCall();
		ask(call, key, question, QuorumMembers::leaveNothing, isDecided);
		requireMajority(call, key);
		return call;
	}

	/**
	 * Asks all servers at once, and waits for as many answers as it takes.
	 * @param onFailure what to do where a server did not answer
	 * @param isDecided whether the answers so far are enough
	 */
	<T> void ask(QuorumCall<T> call, String key, Function<RedisLockServer, T> question,
			BiConsumer<RedisLockServer, LockServerException> onFailure, Predicate<QuorumCall<T>> isDecided) {
		send(call, key, (server) -> true, question, onFailure);
		call.await(isDecided, this.quorum.timeout().toNanos(), 0);
	}

	private <T> void send(QuorumCall<T> call, String key, Predicate<RedisLockServer> whom,
			Function<RedisLockServer, T> question, BiConsumer<RedisLockServer, LockServerException> onFailure) {
		tell(key, whom, (server) -> {
			if (call.isOlderThan(this.quorum.timeout())) {
				throw tooSlow(key);
			}
			call.answer(server, question.apply(server));
		}, (server, ex) -> {
			onFailure.accept(server, ex);
			call.fail(server, ex);
		});
	}

	private LockServerException tooSlow(String key) {
		return RedisErrors.failure(this.keys.nameOf(key), Reason.UNREACHABLE, "one of the Redis servers is too slow",
				null);
	}

	/**
	 * Tells some servers something, without waiting for that.
	 * @param whom which servers
	 * @param onFailure what to do where a server did not answer
	 */
	void tell(String key, Predicate<RedisLockServer> whom, Consumer<RedisLockServer> message,
			BiConsumer<RedisLockServer, LockServerException> onFailure) {
		for (Member member : this.members) {
			if (whom.test(member.server)) {
				member.execute(key, () -> message.accept(member.server), (ex) -> onFailure.accept(member.server, ex));
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
		QuorumCall<LockReply> raised = newCall();
		ask(raised, key, (server) -> server.raise(key, id, token, last), QuorumMembers::leaveNothing, this::isDecided);
		return raised;
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
	 * How long a majority holds at least.
	 */
	long leftOf(List<LockReply> standings) {
		return standings.stream()
			.filter(LockReply::holds)
			.map(LockReply::leftMillis)
			.sorted(Comparator.reverseOrder())
			.skip(this.majority - 1L)
			.findFirst()
			.orElse(0L);
	}

	/**
	 * That too few servers have answered.
	 * @param starting how many of those that did may have forgotten who holds the lock
	 */
	LockServerException tooFew(String key, QuorumCall<?> call, int starting) {
		String name = this.keys.nameOf(key);
		List<LockServerException> failures = call.failures();
		StringBuilder message = new StringBuilder("Lock '" + name + "': too few of its " + this.members.size()
				+ " Redis servers take part, " + this.majority + " have to");
		if (!failures.isEmpty()) {
			message.append("; ").append(failures.size()).append(" failed: ").append(failures.get(0).getMessage());
		}
		if (starting > 0) {
			message.append("; ")
				.append(starting)
				.append(" may have forgotten who holds the lock, because they were started less than ")
				.append(this.quorum.restartGuard())
				.append(" ago");
		}
		if (failures.size() + starting <= minority()) {
			message.append("; others did not answer within ").append(this.quorum.timeout());
		}
		Reason reason = (starting > 0) ? Reason.UNAVAILABLE : Reason.TIMED_OUT;
		for (LockServerException failure : failures) {
			reason = (failure.reason() != Reason.REFUSED) ? failure.reason() : reason;
		}
		if (failures.stream().filter((each) -> each.reason() == Reason.REFUSED).count() > minority()) {
			reason = Reason.REFUSED;
		}
		return new LockServerException(name, reason, message.toString(), failures.isEmpty() ? null : failures.get(0));
	}

	/**
	 * Lets what is under way end, for a while, and closes the servers.
	 */
	void close() {
		this.members.forEach(Member::shutDown);
		long start = System.nanoTime();
		for (Member member : this.members) {
			member.close(this.quorum.timeout().toNanos() - (System.nanoTime() - start));
		}
	}

	/**
	 * A server and the threads that ask it. All that is about one lock is asked by one of
	 * them, in order.
	 */
	private static final class Member {

		final RedisLockServer server;

		private final LockKeys keys;

		private final List<ThreadPoolExecutor> stripes = new ArrayList<>(STRIPES);

		Member(RedisLockServer server, LockKeys keys, int number) {
			this.server = server;
			this.keys = keys;
			CustomizableThreadFactory threads = new CustomizableThreadFactory("holdfast-quorum-" + number + "-");
			threads.setDaemon(true);
			for (int i = 0; i < STRIPES; i++) {
				ThreadPoolExecutor stripe = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS,
						new LinkedBlockingQueue<>(MAX_QUEUED), threads);
				stripe.allowCoreThreadTimeOut(true);
				this.stripes.add(stripe);
			}
		}

		void execute(String key, Runnable task, Consumer<LockServerException> onFailure) {
			try {
				this.stripes.get(stripeOf(key)).execute(() -> {
					try {
						task.run();
					}
					catch (LockServerException ex) {
						onFailure.accept(ex);
					}
				});
			}
			catch (RejectedExecutionException ex) {
				onFailure.accept(RedisErrors.failure(this.keys.nameOf(key), Reason.UNAVAILABLE,
						"too many requests wait for one of the Redis servers", ex));
			}
			catch (RuntimeException | Error ex) {
				// The machine has no thread left.
				onFailure.accept(RedisErrors.classify(this.keys.nameOf(key), ex));
			}
		}

		void shutDown() {
			this.stripes.forEach(ThreadPoolExecutor::shutdown);
		}

		void close(long waitNanos) {
			long start = System.nanoTime();
			try {
				for (ThreadPoolExecutor stripe : this.stripes) {
					stripe.awaitTermination(waitNanos - (System.nanoTime() - start), TimeUnit.NANOSECONDS);
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			this.server.close();
		}

	}

}
