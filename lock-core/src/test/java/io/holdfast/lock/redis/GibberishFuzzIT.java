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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.Fuzz;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.assertj.core.util.Throwables;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A server that speaks gibberish for a while: nobody believes to hold a lock, every call
 * ends with the exception that says so, and when it speaks properly again nothing is left
 * of it.
 */
@Timeout(300)
class GibberishFuzzIT extends FaultFixture {

	/**
	 * Shorter than {@link FaultClients#PATIENCE}: where a server says that it refused
	 * what it has done, the lease ends that. Nothing renews it meanwhile, so a round
	 * breaks things for half of it.
	 */
	private static final Duration LEASE = Duration.ofSeconds(15);

	private static final AtomicInteger NUMBER = new AtomicInteger();

	GibberishFuzzIT() {
		super(RedisProcess.shared());
	}

	@ParameterizedTest
	@EnumSource
	void nothingOfItIsBelieved(RedisDriver driver) {
		RedisLockClient direct = this.clients.open(RedisDriver.JEDIS, RedisProcess.shared());
		Duration timeout = Duration.ofMillis(200);
		RedisLockClient client = this.clients.open(driver.connect(this.proxy.host(), this.proxy.port(), timeout),
				(builder) -> builder.watchdogTimeout(LEASE));
		FaultClients.awaitHears(client, direct);

		Fuzz.forAbout(Duration.ofSeconds(6), (random) -> {
			boolean withErrors = random.nextBoolean();
			Gibberish gibberish = new Gibberish(random, withErrors);
			List<String> names = new ArrayList<>();
			for (int i = 0; i < 8; i++) {
				names.add("orders-" + NUMBER.incrementAndGet());
			}
			LeaseLock held = client.getLock("held-" + names.get(0));
			this.proxy.garble(gibberish::remember);
			held.lock();
			long locked = System.nanoTime();

			this.proxy.garble(gibberish::insteadOf);
			for (String name : names) {
				if (System.nanoTime() - locked < LEASE.toNanos() / 2) {
					refuses(client.getLock(name), client, random, withErrors);
				}
			}
			assertThat(held.isHeldByCurrentThread()).isTrue();
			long start = System.nanoTime();
			Throwable thrown = catchThrowable(held::unlock);
			assertAnswerIsLost(thrown, withErrors, start);
			assertThat(held.isHeldByCurrentThread()).isFalse();

			this.proxy.heal();
			this.proxy.cut();
			assertWorks(client, direct, names.get(0));
			names.forEach(this.clients::awaitFree);
			this.clients.awaitFree(held.name());
			FaultClients.awaitForgotten(client);
		});
	}

	/**
	 * Tries to get a lock in some way.
	 */
	private static void refuses(LeaseLock lock, RedisLockClient client, Random random, boolean withErrors) {
		long start = System.nanoTime();
		LockDirectory directory = client.directory();
		switch (random.nextInt(8)) {
			case 0, 1 ->
				assertAnswerIsLost(catchThrowable(() -> assertThat(lock.tryLock()).isFalse()), withErrors, start);
			case 2 ->
				assertAnswerIsLost(catchThrowable(() -> assertThat(lock.tryLock(Duration.ofMillis(200))).isFalse()),
						withErrors, start);
			case 3 -> assertAnswerIsLost(catchThrowable(() -> {
				try (Lease lease = client.acquire(lock.name(), LockOptions.defaults().waitTime(Duration.ofMillis(1)))) {
					throw new AssertionError("There is a " + lease);
				}
			}), withErrors, start);
			case 4 -> assertFailsProperly(catchThrowable(lock::forceUnlock), start);
			case 5 -> assertFailsProperly(catchThrowable(lock::isLocked), start);
			case 6 -> assertFailsProperly(catchThrowable(() -> directory.list(null, 10)), start);
			default -> assertFailsProperly(catchThrowable(() -> directory.queue(lock.name(), 10)), start);
		}
		assertThat(lock.isHeldByCurrentThread()).isFalse();
	}

	private static void assertAnswerIsLost(Throwable thrown, boolean withErrors, long start) {
		assertThat(thrown).isNotNull();
		assertFailsProperly(thrown, start);
		if (!withErrors && thrown instanceof LockServerException ex) {
			assertThat(ex.reason()).as(() -> stackTrace(thrown)).isNotEqualTo(Reason.REFUSED);
		}
	}

	/**
	 * What has no id may be believed, if it is what such an answer looks like. A driver
	 * believes the length of a text, and asks for the memory.
	 */
	private static void assertFailsProperly(Throwable thrown, long start) {
		if (thrown != null) {
			assertThat(thrown).as(() -> stackTrace(thrown))
				.isInstanceOfAny(LockServerException.class, OutOfMemoryError.class);
		}
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(FaultClients.PATIENCE);
	}

	private static String stackTrace(Throwable thrown) {
		return Throwables.getStackTrace(thrown);
	}

	/**
	 * Lettuce connects again the later the longer it failed to.
	 */
	private void assertWorks(RedisLockClient client, RedisLockClient other, String name) throws Exception {
		LeaseLock lock = client.getLock("next-" + name);
		Throwable[] thrown = new Throwable[1];
		try {
			Awaitility.await().pollInSameThread().atMost(FaultClients.PATIENCE.multipliedBy(3)).until(() -> {
				thrown[0] = catchThrowable(() -> lockAndUnlock(lock));
				return thrown[0] == null;
			});
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError("The client does not work", thrown[0]);
		}
		FaultClients.awaitHears(client);
		LeaseLock held = other.getLock(lock.name());
		held.lock();
		Crew.Member waiter = this.crew.start("waiter", () -> lockAndUnlock(lock));
		this.clients.awaitWaiters(lock.name(), 1);
		held.unlock();
		waiter.join(FaultClients.PATIENCE);
	}

	private static void lockAndUnlock(LeaseLock lock) throws InterruptedException {
		assertThat(lock.tryLock(FaultClients.PATIENCE)).isTrue();
		assertThat(lock.holdCount()).isEqualTo(1);
		try {
			lock.unlock();
		}
		catch (LockServerException ex) {
			// A busy machine may not answer in time.
			assertThat(ex.reason()).isEqualTo(Reason.TIMED_OUT);
		}
	}

	/**
	 * What a server says that has lost its mind: nothing of it is the answer to the
	 * request.
	 */
	private static final class Gibberish {

		private static final String[] HUGE = { "$2147483647\r\n", "*2147483647\r\n", "*200000000\r\n",
				"$99999999999999\r\n", "*99999999999999\r\n", "$-7\r\n", "*-7\r\n", "%2147483647\r\n",
				"~2147483647\r\n", ">2147483647\r\n", "=2147483647\r\n", "$\r\n", "*\r\n", "$x\r\n", "$1000\r\n",
				"*3\r\n" };

		private static final String[] TYPES = { ":1\r\n", ":-1\r\n", ":99999999999999999999\r\n", "$-1\r\n", "*-1\r\n",
				"_\r\n", "#t\r\n", ",1.5\r\n", "(12345678901234567890\r\n", "+OK\r\n", "+\r\n", "*0\r\n", "%0\r\n",
				"$0\r\n\r\n", "~1\r\n:1\r\n", "%1\r\n+a\r\n:1\r\n", ">2\r\n+message\r\n+x\r\n", "=5\r\ntxt:x\r\n",
				"\r\n", "*2\r\n$-1\r\n$-1\r\n", "*1\r\n*1\r\n*1\r\n:1\r\n", "*3\r\n:1\r\n:2\r\n:3\r\n",
				"*3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n", "*3\r\n$7\r\nmessage\r\n$1\r\nx\r\n$7\r\ngranted\r\n" };

		private static final String[] ERRORS = { "-\r\n", "-x\r\n", "-ERR nonsense\r\n", "-LOADING soon\r\n",
				"-NOSCRIPT No matching script\r\n", "-MOVED 1 127.0.0.1:1\r\n", "-ASK 1 \r\n", "-WRONGTYPE no\r\n",
				"-NOAUTH no\r\n", "-BUSY no\r\n" };

		private final Random random;

		private final boolean withErrors;

		/**
		 * Replies to other requests.
		 */
		private final List<byte[]> others = new CopyOnWriteArrayList<>();

		/**
		 * Prepare to speak.
		 * @param withErrors whether the server may say that it refuses
		 */
		Gibberish(Random random, boolean withErrors) {
			this.random = random;
			this.withErrors = withErrors;
		}

		byte[] remember(byte[] reply) {
			if (this.withErrors || reply[0] != '-') {
				this.others.add(reply);
			}
			return reply;
		}

		synchronized byte[] insteadOf(byte[] reply) {
			return switch (this.random.nextInt(8)) {
				case 0 -> noise();
				case 1 -> cutOff(reply);
				case 2 -> bytes(Fuzz.oneOf(this.random, HUGE));
				case 3 -> bytes(Fuzz.oneOf(this.random, TYPES));
				case 4 -> this.others.get(this.random.nextInt(this.others.size()));
				case 5 -> bytes(this.withErrors ? Fuzz.oneOf(this.random, ERRORS) : Fuzz.oneOf(this.random, TYPES));
				case 6 -> bulk(words());
				default -> mutilate(reply);
			};
		}

		private byte[] noise() {
			byte[] noise = new byte[1 + this.random.nextInt(200)];
			this.random.nextBytes(noise);
			if (!this.withErrors && noise[0] == '-') {
				noise[0] = 0;
			}
			if (this.random.nextInt(3) == 0) {
				noise[noise.length - 1] = '\n';
			}
			return noise;
		}

		private byte[] cutOff(byte[] reply) {
			return (reply.length > 3) ? Arrays.copyOf(reply, this.random.nextInt(reply.length - 2)) : reply;
		}

		/**
		 * The words of another request, or of none.
		 */
		private String words() {
			List<String> words = new ArrayList<>();
			for (int left = this.random.nextInt(10); left > 0; left--) {
				words.add(Fuzz.oneOf(this.random, "0123456789abc", "1795246376145", "HOLDS", "WAITS", "NONE", "LATE",
						"RELEASED", "GONE", "30000", "-1", "0", "1", "", "99999999999999999999", "ä\u0000"));
			}
			return String.join(" ", words);
		}

		/**
		 * An answer of which only the beginning is right: an id and what does not follow
		 * it.
		 */
		private byte[] mutilate(byte[] reply) {
			String text = new String(reply, StandardCharsets.UTF_8);
			if (!text.startsWith("$")) {
				return bulk(words());
			}
			String[] words = text.substring(text.indexOf('\n') + 1).trim().split(" ", -1);
			if (words.length < 8) {
				return bulk(
						words[0] + " " + Fuzz.oneOf(this.random, "", "x", "HOLDS", "RELEASEDX", "released", "GONEX"));
			}
			int at = 1 + this.random.nextInt(7);
			if (this.random.nextBoolean()) {
				return bulk(String.join(" ", List.of(words).subList(0, at)));
			}
			words[at] = Fuzz.oneOf(this.random, "", "x", "1e5", "99999999999999999999", "0x1", "HOLDS.", "1.5", "--1");
			return bulk(String.join(" ", words));
		}

		private static byte[] bulk(String text) {
			byte[] bytes = bytes(text);
			return bytes("$" + bytes.length + "\r\n" + text + "\r\n");
		}

		private static byte[] bytes(String text) {
			return text.getBytes(StandardCharsets.UTF_8);
		}

	}

}
