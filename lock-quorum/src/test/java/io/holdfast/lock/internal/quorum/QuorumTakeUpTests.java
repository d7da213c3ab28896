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
import java.util.Map;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.internal.protocol.Command.Ask;
import io.holdfast.lock.internal.protocol.Command.Release;
import io.holdfast.lock.internal.protocol.Command.Renew;
import io.holdfast.lock.internal.protocol.LockServer;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.protocol.Wish;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds on a quorum that its servers take up again, and votes that got no answer.
 */
class QuorumTakeUpTests extends QuorumFixture {

	@Test
	void hungMinorityCostsNoHoldAndTakesItUpWhenItsLeaseIsOverThere() {
		RedisLockClient client = client((builder) -> builder);
		LeaseLock lock = client.getLock("a name");
		lock.lock();
		await(() -> assertThat(servers("a name")).isEqualTo(5));
		pause(3, 4);
		awaitLongerThan(WATCHDOG.plusSeconds(1));

		assertThat(lock.isHeldByCurrentThread()).isTrue();
		assertThat(this.elsewhere.tryLock()).isFalse();

		resume(3, 4);
		await(() -> assertThat(SERVERS).allMatch((server) -> isHeldOn(server, "a name", client)));
		assertThat(lock.isHeldByCurrentThread()).isTrue();
		lock.unlock();
	}

	@Test
	void serverThatAnotherHoldsIsTakenOnlyWhenItIsFree() {
		String key = this.prefix + "lock:taken";
		RedisProcess taken = SERVERS.get(4);
		vote(taken, "taken", "other");
		Map<String, String> other = hash(taken, "taken");
		RedisLockClient client = client((builder) -> builder);
		LeaseLock lock = client.getLock("taken");
		lock.lock();
		for (int renewals = 0; renewals < 2; renewals++) {
			Map<String, String> before = hash(SERVERS.get(0), "taken");
			await(() -> assertThat(hash(SERVERS.get(0), "taken")).isNotEqualTo(before));
		}

		assertThat(hash(taken, "taken")).isEqualTo(other);

		ask(taken, (redis) -> redis.delete(key));
		await(() -> assertThat(isHeldOn(taken, "taken", client)).isTrue());
		lock.unlock();
		await(() -> assertThat(servers("taken")).isZero());
	}

	@Test
	void renewalHasAServerTakeUpTheHoldAndItsTokens() {
		String key = this.prefix + "lock:asked";
		LockServer server = server();
		Reply hold = server
			.send(new Ask(key, "3:a", Wish.exclusive(false), 60_000, 1, 1,
					System.nanoTime() + Duration.ofMinutes(1).toNanos(), ""))
			.join();
		await(() -> assertThat(servers("asked")).isEqualTo(5));
		ask(SERVERS.get(0), (redis) -> redis.delete(key));

		Reply renewed = server.sendTogether(List.of(new Renew(key, "3:a", 60_000, 0, 0, 0, ""))).get(0).join();

		await(() -> assertThat(isHeldOn(SERVERS.get(0), "asked")).isTrue());
		assertThat(renewed.word()).isEqualTo(Word.HOLDS);
		await(() -> assertThat(hash(SERVERS.get(0), "asked")).containsEntry("token",
				hash(SERVERS.get(1), "asked").get("token")));
		assertThat(server.send(new Release(key, "3:a", hold.token(), null)).join().word()).isEqualTo(Word.RELEASED);
		await(() -> assertThat(servers("asked")).isZero());
		server.close();
	}

	@Test
	void voteWithoutAnswerIsUndoneWhenItsLockIsReleasedAndNotBefore() {
		List<FaultProxy> links = links();
		LeaseLock lock = clientThrough(links, TIMEOUT).getLock("voted");
		// The text of a script is sent once.
		SERVERS.get(0).command("SCRIPT", "FLUSH");
		FaultProxy.Fault vote = links.get(0).holdReplyTo("lock-vote");
		lock.lock();
		await(() -> assertThat(servers("voted")).isEqualTo(5));
		awaitLongerThan(TIMEOUT);
		vote.release();

		Awaitility.await()
			.pollInSameThread()
			.during(WATCHDOG.plusSeconds(1))
			.atMost(TestThreads.LONG)
			.until(() -> servers("voted") == 5);
		lock.unlock();

		await(() -> assertThat(servers("voted")).isZero());
	}

	@Test
	void releaseAfterAnUnansweredVoteLeavesNothingBehind() {
		List<FaultProxy> links = links();
		RedisLockClient client = clientThrough(links, TIMEOUT);
		LeaseLock lock = client.getLock("unanswered");
		lock.lock();
		await(() -> assertThat(servers("unanswered")).isEqualTo(5));
		kill(0);
		FaultProxy.Fault vote = links.get(0).holdReplyTo("lock-takeup");
		startAgain(0);
		await(() -> assertThat(isHeldOn(SERVERS.get(0), "unanswered", client)).isTrue());

		lock.unlock();
		vote.release();

		await(() -> assertThat(servers("unanswered")).isZero());
	}

	@Test
	void whatIsGrantedAfterAnAttemptFailedIsNotReleasedWithIt() {
		List<FaultProxy> links = links();
		LeaseLock lock = clientThrough(links, TIMEOUT).getLock("again");
		lock.lock();
		lock.unlock();
		links.forEach(FaultProxy::refuse);
		TestThreads.Running<Boolean> holding = this.threads.start(() -> {
			lock.lock();
			Awaitility.await()
				.pollInSameThread()
				.during(Duration.ofSeconds(1))
				.atMost(TestThreads.LONG)
				.until(() -> servers("again") >= 3);
			return lock.isHeldByCurrentThread();
		}).awaitParked();

		links.forEach(FaultProxy::heal);

		assertThat(holding.result()).isTrue();
	}

}
