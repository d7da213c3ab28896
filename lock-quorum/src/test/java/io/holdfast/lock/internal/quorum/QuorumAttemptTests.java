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
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.LockRequest;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.redis.FaultClients;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * What an attempt says when the servers of a quorum do not agree, or do not answer.
 */
class QuorumAttemptTests extends QuorumFixture {

	private void vote(RedisProcess server, String id) {
		ask(server, (redis) -> redis.execute(QuorumScripts.VOTE, List.of(this.prefix + "lock:a name"), "rival", "10000",
				"300000", this.prefix + "client:", "2:" + id, "1", "600000", "0", "99999999999999"));
	}

	private static void assertFails(Reason reason, ThrowingCallable call) {
		assertThatExceptionOfType(LockServerException.class).isThrownBy(call)
			.returns(reason, LockServerException::reason);
	}

	@Test
	void splitVotesAreNoLockOfAnother() {
		vote(SERVERS.get(0), "one");
		vote(SERVERS.get(1), "one");
		vote(SERVERS.get(2), "two");
		vote(SERVERS.get(3), "two");

		assertFails(Reason.UNAVAILABLE, this.here::tryLock);
		assertFails(Reason.UNAVAILABLE, () -> this.here.tryLock(Duration.ofMillis(300)));
		await(() -> assertThat(servers("a name")).isEqualTo(4));
	}

	@Test
	void splitVotesAreNoLockOfAnotherHoweverLongTheCallerWaits() {
		for (int i = 0; i < 4; i++) {
			vote(SERVERS.get(i), (i < 2) ? "one" : "two");
		}
		LockServer server = FaultClients.server(this.clients.get(0));

		LockReply reply = server.acquire(this.prefix + "lock:a name",
				new AcquireCommand("2:new", new LockRequest(LockType.REENTRANT, 1000, 1), false), true,
				System.nanoTime() + Duration.ofMinutes(1).toNanos());

		assertThat(reply.state()).isEqualTo(State.SPLIT);
	}

	@Test
	void attemptWhoseVotesWereSplitGoesOnForAMoment() {
		vote(SERVERS.get(0), "one");
		vote(SERVERS.get(1), "one");
		vote(SERVERS.get(2), "two");
		String key = this.prefix + "lock:a name";

		TestThreads.Running<Boolean> attempt = ask(SERVERS.get(4), (free) -> ask(SERVERS.get(2), (taken) -> {
			TestThreads.Running<Boolean> trying = this.threads.start(this.here::tryLock);
			while (!free.hasKey(key)) {
				Thread.onSpinWait();
			}
			taken.delete(key);
			return trying;
		}));

		assertThat(attempt.result()).isTrue();
	}

	@Test
	void lockOfAnotherIsFalse() throws Exception {
		for (int i = 0; i < 3; i++) {
			vote(SERVERS.get(i), "one");
		}

		assertThat(this.here.tryLock()).isFalse();
		assertThat(this.here.tryLock(Duration.ofMillis(300))).isFalse();
	}

	@Test
	void lockOfAnotherIsFalseAtOnceAlthoughServersHang() {
		for (int i = 0; i < 3; i++) {
			vote(SERVERS.get(i), "one");
		}
		SERVERS.get(3).pause();
		SERVERS.get(4).pause();
		assertThat(this.here.tryLock()).isFalse();
		long start = System.nanoTime();

		assertThat(this.here.tryLock()).isFalse();

		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(TIMEOUT);
	}

	@Test
	void refusalOfOneServerIsNotThatOfItsQuorum() throws Exception {
		try {
			ask(SERVERS.get(0), (redis) -> {
				redis.getConnectionFactory().getConnection().serverCommands().setConfig("maxmemory", "1");
				return true;
			});
			SERVERS.get(1).pause();
			SERVERS.get(2).pause();

			assertFails(Reason.TIMED_OUT, this.here::tryLock);

			TestThreads.Running<Boolean> waiting = this.threads.start(() -> this.here.tryLock(TestThreads.LONG))
				.awaitParked();
			SERVERS.get(1).resume();
			SERVERS.get(2).resume();
			assertThat(waiting.result()).isTrue();
		}
		finally {
			SERVERS.get(0).command("CONFIG", "SET", "maxmemory", "0");
		}
	}

	@Test
	void tooFewAnswersToAReEntryAreNoLoss() throws Exception {
		SERVERS.get(0).kill();
		SERVERS.get(1).kill();
		LeaseLock lock = client((builder) -> builder).getLock("outer");
		assertThat(lock.tryLock(Duration.ZERO, Duration.ofSeconds(20))).isTrue();
		SERVERS.get(0).startAgain();
		SERVERS.get(1).startAgain();
		SERVERS.get(2).pause();

		assertFails(Reason.TIMED_OUT, () -> lock.tryLock(Duration.ZERO, Duration.ofMinutes(1)));

		assertThat(lock.isHeldByCurrentThread()).isTrue();
		SERVERS.get(2).resume();
		lock.unlock();
		await(() -> assertThat(servers("outer")).isZero());
	}

	@Test
	void directoryOfDeadServersIsNotEmpty() {
		RedisLockClient client = client((builder) -> builder);
		SERVERS.get(0).kill();
		SERVERS.get(1).kill();
		assertThat(client.directory().list(null, 10).locks()).isEmpty();
		SERVERS.get(2).kill();

		assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> client.directory().list(null, 10));
		assertThatIllegalArgumentException().isThrownBy(() -> client.directory().list("", 10));
		assertThatIllegalArgumentException().isThrownBy(() -> client.directory().list("9", 10));
	}

	@Test
	void attemptsLeaveNothingToReleaseOnServersThatWereNotThere() {
		// Lettuce keeps what it cannot send, so it may still be sent.
		assumeThat(this.driver).isEqualTo(RedisDriver.JEDIS);
		SERVERS.get(0).kill();
		this.elsewhere.lock();
		for (int i = 0; i < 20; i++) {
			assertThat(this.here.tryLock()).isFalse();
		}

		// The release of the last attempt is behind all others.
		this.clients.get(0).directory().list(null, 10);
		assertThat(FaultClients.leftovers(this.clients.get(0))).isZero();
	}

}
