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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockRequest;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.Renewal;
import io.holdfast.lock.internal.server.ServerSettings;
import io.holdfast.lock.internal.single.LockScript;
import io.holdfast.lock.internal.single.RedisLockServer;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds on a quorum that its servers take up again, and votes that got no answer.
 */
class QuorumTakeUpTests extends QuorumFixture {

	/**
	 * Of three, as each that is away leaves no more than a majority.
	 */
	@Test
	void holdOutlastsTheRestartOfEachServer() {
		List<RedisProcess> servers = SERVERS.subList(0, 3);
		List<LockLoss> losses = new CopyOnWriteArrayList<>();
		RedisLockClient client = client(connect(servers), WATCHDOG,
				(builder) -> builder.observer(new LossObserver(losses::add)));
		RedisLockClient others = client(connect(servers), WATCHDOG, (builder) -> builder);
		LeaseLock held = client.getLock("rolling");
		LeaseLock wanted = others.getLock("rolling");
		// So far that no clock says it.
		setToken(servers.get(0), "rolling", (System.currentTimeMillis() + 3_600_000) * 1000);
		held.lock();
		long token = held.token();
		// A majority is enough to begin with, and no longer one without its first server.
		servers.forEach((server) -> await(() -> assertThat(isHeldOn(server, "rolling", client)).isTrue()));
		AtomicBoolean over = new AtomicBoolean();
		TestThreads.Running<Void> trying = this.threads.run(() -> {
			while (!over.get()) {
				assertThat(isHad(wanted)).as(() -> "the other has it; losses: " + losses).isFalse();
			}
		});

		for (RedisProcess server : servers) {
			server.kill();
			server.startAgain();
			await(() -> {
				assertThat(losses).isEmpty();
				assertThat(isHeldOn(server, "rolling", client)).isTrue();
			});
		}

		assertThat(held.isHeldByCurrentThread()).isTrue();
		assertThat(held.token()).isEqualTo(token);
		over.set(true);
		trying.result();
		held.unlock();
		wanted.lock();
		assertThat(wanted.token()).isGreaterThan(token);
		wanted.unlock();
	}

	private static boolean isHad(LeaseLock lock) throws InterruptedException {
		try {
			return lock.tryLock(Duration.ofMillis(100));
		}
		catch (LockServerException ex) {
			return false;
		}
	}

	@Test
	void serverThatWasAwayForLongerThanALeaseTakesTheHoldUp() {
		RedisLockClient client = client((builder) -> builder);
		LeaseLock lock = client.getLock("away");
		lock.lock();
		await(() -> assertThat(servers("away")).isEqualTo(5));
		SERVERS.get(0).pause();
		long since = System.nanoTime();
		Awaitility.await()
			.atMost(TestThreads.LONG)
			.until(() -> System.nanoTime() - since > WATCHDOG.plusSeconds(1).toNanos());

		SERVERS.get(0).resume();

		await(() -> assertThat(isHeldOn(SERVERS.get(0), "away", client)).isTrue());
		assertThat(lock.isHeldByCurrentThread()).isTrue();
		lock.unlock();
	}

	@Test
	void serverThatAnotherHoldsIsTakenOnlyWhenItIsFree() {
		String key = this.prefix + "lock:taken";
		RedisProcess taken = SERVERS.get(4);
		ask(taken, (redis) -> redis.execute(QuorumScripts.VOTE, List.of(key), "rival", "10000", "300000",
				this.prefix + "client:", "2:other", "1", "600000", "0", "99999999999999"));
		Map<String, String> other = hash(taken, "taken");
		RedisLockClient client = client((builder) -> builder);
		LeaseLock lock = client.getLock("taken");
		lock.lock();
		for (int renewals = 0; renewals < 2; renewals++) {
			Map<String, String> before = hash(SERVERS.get(0), "taken");
			await(() -> assertThat(hash(SERVERS.get(0), "taken")).isNotEqualTo(before));
		}

		assertThat(hash(taken, "taken")).isEqualTo(other);

		ask(taken, (redis) -> redis.execute(LockScript.REQUESTS, List.of(key), "rival", "10000", "300000",
				this.prefix + "client:", "release 2:other 0"));
		await(() -> assertThat(isHeldOn(taken, "taken", client)).isTrue());
		lock.unlock();
		await(() -> assertThat(servers("taken")).isZero());
	}

	@Test
	void onlyRenewalsOfWhatIsStillHeldAreTakenUp() {
		String key = this.prefix + "lock:asked";
		ServerSettings settings = new ServerSettings(new LockKeys(this.prefix), "app@host/1", Duration.ofSeconds(10),
				Duration.ofMinutes(5));
		List<RedisConnectionFactory> own = connect(SERVERS);
		this.connections.addAll(own);
		AtomicBoolean held = new AtomicBoolean(true);
		LockServer server = new QuorumLockServer(
				own.stream()
					.map(io.holdfast.lock.internal.driver.RedisDriver::of)
					.map((each) -> new RedisLockServer(each, settings, System::nanoTime))
					.toList(),
				settings, new QuorumSettings(TIMEOUT, Duration.ZERO), System::nanoTime, (member, lock, id) -> {
				}, (lock, id) -> held.get());
		Renewal renewal = new Renewal(key, "2:a", 60_000, 0);
		server.acquire(key, new AcquireCommand("2:a", new LockRequest(LockType.REENTRANT, 60_000, 1), false), false, 0);
		await(() -> assertThat(servers("asked")).isEqualTo(5));
		ask(SERVERS.get(0), (redis) -> redis.delete(key));

		// Each answers after what the one before it has told the servers.
		server.renewEach(List.of(List.of(new Renewal(key, "2:a", Renewal.ONLY_ASKS, 0))));
		server.renew(renewal);
		held.set(false);
		server.renewEach(List.of(List.of(renewal)));
		server.renew(renewal);
		assertThat(isHeldOn(SERVERS.get(0), "asked")).isFalse();

		held.set(true);
		List<LockReply> standings = server.renewEach(List.of(List.of(renewal))).get(0).value();
		server.renew(renewal);
		assertThat(isHeldOn(SERVERS.get(0), "asked")).isTrue();
		assertThat(standings).singleElement().satisfies((each) -> assertThat(each.holds()).isTrue());
		assertThat(hash(SERVERS.get(0), "asked")).containsEntry("token", hash(SERVERS.get(1), "asked").get("token"));
		assertThat(server.release(key, ReleaseCommand.of("2:a")).had()).isTrue();
		server.close();
	}

	@Test
	void voteWithoutAnswerIsUndoneWhenItsLockIsReleasedAndNotBefore() {
		List<FaultProxy> links = SERVERS.stream().map(FaultProxy::new).toList();
		try {
			LeaseLock lock = client(connectThrough(links), (builder) -> builder).getLock("voted");
			// The text of a script is sent once.
			SERVERS.get(0).command("SCRIPT", "FLUSH");
			FaultProxy.Fault vote = links.get(0).holdReplyTo("mutex-vote");
			lock.lock();
			await(() -> assertThat(servers("voted")).isEqualTo(5));
			long since = System.nanoTime();
			await(() -> assertThat(System.nanoTime() - since).isGreaterThan(TIMEOUT.toNanos()));
			vote.release();

			Awaitility.await()
				.pollInSameThread()
				.during(Duration.ofSeconds(6))
				.atMost(TestThreads.LONG)
				.until(() -> servers("voted") == 5);

			lock.unlock();
			await(() -> assertThat(servers("voted")).isZero());
		}
		finally {
			links.forEach(FaultProxy::close);
		}
	}

	@Test
	void releaseAfterAnUnansweredVoteLeavesNothingBehind() {
		List<FaultProxy> links = SERVERS.stream().map(FaultProxy::new).toList();
		try {
			RedisLockClient client = client(connectThrough(links), (builder) -> builder);
			LeaseLock lock = client.getLock("unanswered");
			lock.lock();
			await(() -> assertThat(servers("unanswered")).isEqualTo(5));
			SERVERS.get(0).kill();
			FaultProxy.Fault vote = links.get(0).holdReplyTo("mutex-takeup");
			SERVERS.get(0).startAgain();
			await(() -> assertThat(isHeldOn(SERVERS.get(0), "unanswered", client)).isTrue());

			lock.unlock();
			vote.release();

			await(() -> assertThat(servers("unanswered")).isZero());
		}
		finally {
			links.forEach(FaultProxy::close);
		}
	}

	@Test
	void whatIsGrantedAfterAnAttemptFailedIsNotReleasedWithIt() {
		List<FaultProxy> links = SERVERS.stream().map(FaultProxy::new).toList();
		try {
			LeaseLock lock = client(connectThrough(links), (builder) -> builder).getLock("again");
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
		finally {
			links.forEach(FaultProxy::close);
		}
	}

}
