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
import java.util.List;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.protocol.Command.Ask;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.protocol.Wish;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.TestThreads;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What an attempt says when the servers of a quorum do not agree, or do not answer.
 */
class QuorumAttemptTests extends QuorumFixture {

	private static void assertFails(Reason reason, ThrowingCallable call) {
		assertThatExceptionOfType(LockServerException.class).isThrownBy(call)
			.returns(reason, LockServerException::reason);
	}

	@Test
	void splitVotesAreNoLockOfAnother() {
		vote("a name", "one", "one", "two", "two");

		assertFails(Reason.UNAVAILABLE, this.here::tryLock);
		assertFails(Reason.UNAVAILABLE, () -> this.here.tryLock(Duration.ofMillis(300)));
		await(() -> assertThat(servers("a name")).isEqualTo(4));
	}

	@Test
	void splitVotesAreNoLockOfAnotherHoweverLongTheCallerWaits() {
		vote("a name", "one", "one", "two", "two");

		Reply reply = server()
			.send(new Ask(this.prefix + "lock:a name", "3:new", Wish.exclusive(false), 1000, 1, 1,
					System.nanoTime() + Duration.ofMinutes(1).toNanos(), ""))
			.join();

		assertThat(reply.word()).isEqualTo(Word.SPLIT);
	}

	@Test
	void attemptWhoseVotesWereSplitGoesOnForAMoment() throws Exception {
		vote("a name", "one", "one", "two");
		List<FaultProxy> links = links();
		LeaseLock lock = clientThrough(links, PATIENCE).getLock("a name");
		FaultProxy.Fault vote = links.get(2).holdReplyTo("lock:a name");

		TestThreads.Running<Boolean> attempt = this.threads.start(() -> lock.tryLock());
		vote.awaitCaught();
		ask(SERVERS.get(2), (redis) -> redis.delete(this.prefix + "lock:a name"));
		vote.release();

		assertThat(attempt.result()).isTrue();
	}

	@Test
	void lockOfAnotherIsFalse() throws Exception {
		vote("a name", "one", "one", "one");

		assertThat(this.here.tryLock()).isFalse();
		assertThat(this.here.tryLock(Duration.ofMillis(300))).isFalse();
	}

	@Test
	void lockOfAnotherIsFalseAtOnceAlthoughServersHang() {
		vote("a name", "one", "one", "one");
		LeaseLock lock = patientClient().getLock("a name");
		pause(3, 4);

		long start = System.nanoTime();
		assertThat(lock.tryLock()).isFalse();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PATIENCE);
		resume(3, 4);
	}

	@Test
	void refusalOfOneServerIsNotThatOfItsQuorum() throws Exception {
		try {
			SERVERS.get(0).command("CONFIG", "SET", "maxmemory", "1");
			pause(1, 2);

			assertFails(Reason.TIMED_OUT, this.here::tryLock);

			TestThreads.Running<Boolean> waiting = this.threads.start(() -> this.here.tryLock(TestThreads.LONG))
				.awaitParked();
			resume(1, 2);
			assertThat(waiting.result()).isTrue();
		}
		finally {
			SERVERS.get(0).command("CONFIG", "SET", "maxmemory", "0");
		}
	}

	@Test
	void tooFewAnswersToAReEntryAreNoLoss() throws Exception {
		kill(0, 1);
		RedisLockClient client = client((builder) -> builder);
		LeaseLock lock = client.getLock("outer", LockOptions.defaults().leaseTime(Duration.ofMinutes(2)));
		LeaseLock longer = client.getLock("outer", LockOptions.defaults().leaseTime(Duration.ofMinutes(4)));
		assertThat(lock.tryLock(TestThreads.LONG)).isTrue();
		pause(2);

		assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> longer.tryLock(Duration.ZERO))
			.satisfies((ex) -> assertThat(ex.reason()).isIn(Reason.TIMED_OUT, Reason.UNREACHABLE));
		assertThat(lock.isHeldByCurrentThread()).isTrue();

		resume(2);
		startAgain(0, 1);
		lock.unlock();
		await(() -> assertThat(servers("outer")).isZero());
	}

	@Test
	void directoryOfDeadServersIsNotEmpty() {
		RedisLockClient client = patientClient();
		kill(0, 1);
		assertThat(client.directory().list(null, 10).locks()).isEmpty();
		kill(2);

		assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> client.directory().list(null, 10));
		assertThatIllegalArgumentException().isThrownBy(() -> client.directory().list("", 10));
		assertThatIllegalArgumentException().isThrownBy(() -> client.directory().list("9", 10));
	}

}
