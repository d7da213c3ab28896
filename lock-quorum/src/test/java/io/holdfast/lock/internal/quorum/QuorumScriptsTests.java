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
import java.util.Objects;
import java.util.UUID;

import io.holdfast.lock.internal.protocol.Command.Release;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.protocol.ServerSettings;
import io.holdfast.lock.internal.redis.RedisLockServer;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The scripts of one server of a quorum. A message is an entry of a list here.
 */
class QuorumScriptsTests {

	private static final RedisProcess SERVER = RedisProcess.start();

	private static final RedisConnectionFactory CONNECTIONS = RedisDriver.JEDIS.connect(SERVER.host(), SERVER.port(),
			TestThreads.LONG);

	private static final StringRedisTemplate REDIS = new StringRedisTemplate(CONNECTIONS);

	private static final String LATER = "99999999999999";

	private static final long TOKEN = 4_000_000_000_000_000L;

	private final String prefix = "scripts-" + UUID.randomUUID() + ":";

	private final String key = this.prefix + "lock:a name";

	private final String settings = "10000 300000 RPUSH " + this.prefix + "client:";

	@AfterAll
	static void stop() {
		RedisDriver.disconnect(CONNECTIONS);
		SERVER.close();
	}

	private String run(RedisScript<String> script, String... args) {
		return Objects.requireNonNull(REDIS.execute(script, List.of(this.key), (Object[]) args))
			.replaceFirst(" \\d+", "");
	}

	private String vote(String id, String guard, String notAfter) {
		return run(QuorumScripts.VOTE, id, "one@host/1", "xr 60000 1 1 1 0 " + notAfter, guard, this.settings);
	}

	private String vote(String id) {
		return vote(id, "0", LATER);
	}

	private String takeUp(String id, String guard, String notAfter) {
		return run(QuorumScripts.TAKE_UP, id, "one@host/1", "60000", Long.toString(TOKEN), Long.toString(TOKEN + 9),
				guard, notAfter, this.settings);
	}

	private String raise(String id) {
		return run(QuorumScripts.TAKE_UP, id, "one@host/1", "0", Long.toString(TOKEN), Long.toString(TOKEN + 9),
				"86400", "0", this.settings);
	}

	private Word release(String id) {
		RedisLockServer server = new RedisLockServer(
				io.holdfast.lock.internal.driver.RedisDriver.of(CONNECTIONS, TestThreads.LONG), new ServerSettings(
						new LockKeys(this.prefix), "one@host/1", Duration.ofSeconds(10), Duration.ofMinutes(5)));
		return server.send(new Release(this.key, id, 0, null)).join().word();
	}

	private Map<String, String> hash() {
		return REDIS.<String, String>opsForHash().entries(this.key);
	}

	private long number(String field) {
		return Long.parseLong(hash().get(field));
	}

	/**
	 * Lets the hold be over, without a release.
	 */
	private void endHold() {
		REDIS.opsForHash().put(this.key, "until", "3:1000");
	}

	@Test
	void freeLockIsGrantedAndTheSameSaidTwice() {
		String first = vote("3:a");

		assertThat(first).startsWith("3:a HOLDS 60000 " + number("token"));
		assertThat(vote("3:a")).startsWith("3:a HOLDS ");
		assertThat(hash()).containsEntry("owner", "xr one@host/1");
	}

	@Test
	void lockOfAnotherIsRefusedWithItsNameAndItIsTold() {
		vote("3:a");

		assertThat(vote("3:b")).startsWith("3:b NONE ").endsWith(" 3:a");
		assertThat(REDIS.opsForList().range(this.prefix + "client:one@host/1", 0, -1))
			.containsExactly("3 awaited 3:a " + this.key);
		assertThat(hash()).doesNotContainKeys("head", "tail");
	}

	@Test
	void lateVoteAndVoteOfAReleasedRequestComeToNothing() {
		assertThat(vote("3:a", "0", "1000")).isEqualTo("3:a LATE");
		vote("3:a");
		assertThat(release("3:a")).isEqualTo(Word.RELEASED);

		assertThat(vote("3:a")).isEqualTo("3:a LATE");
	}

	@Test
	void serverThatWasStartedOfLateDoesNotVote() {
		assertThat(vote("3:a", "86400", LATER)).isEqualTo("3:a STARTING");
		assertThat(takeUp("3:a", "86400", LATER)).startsWith("3:a NONE ");
		assertThat(hash()).isEmpty();
	}

	@Test
	void tokensAreRaisedOnlyForWhoHolds() {
		vote("3:a");
		assertThat(raise("3:b")).startsWith("3:b NONE ");
		assertThat(number("token")).isLessThan(TOKEN);

		assertThat(raise("3:a")).contains(" " + TOKEN + " " + (TOKEN + 9) + " ");

		assertThat(raise("3:a")).contains(" " + TOKEN + " " + (TOKEN + 9) + " ");
		release("3:a");
		vote("3:b");
		assertThat(number("token")).isGreaterThan(TOKEN + 9);
	}

	@Test
	void tokensAreNotRaisedForWhoHasOutlastedItsHold() {
		vote("3:a");
		endHold();

		assertThat(raise("3:a")).startsWith("3:a NONE ");
	}

	@Test
	void freeLockIsTakenUpWithItsTokens() {
		assertThat(takeUp("3:a", "0", LATER)).contains(" HOLDS 60000 " + TOKEN + " " + (TOKEN + 9) + " ");
		assertThat(takeUp("3:a", "0", LATER)).contains(" HOLDS ", " " + TOKEN + " " + (TOKEN + 9) + " ");
		assertThat(hash()).containsEntry("owner", "xr one@host/1").containsKey("since");

		release("3:a");
		vote("3:b");
		assertThat(number("token")).isGreaterThan(TOKEN + 9);
	}

	@Test
	void holdOfAnotherIsNotTaken() {
		vote("3:b");
		Map<String, String> before = hash();

		assertThat(takeUp("3:a", "0", LATER)).startsWith("3:a NONE ");

		assertThat(hash()).isEqualTo(before);
	}

	@Test
	void holdThatRanOutIsTakenUpAgain() {
		vote("3:a");
		endHold();

		assertThat(takeUp("3:a", "0", LATER)).startsWith("3:a HOLDS 60000 ");
	}

	@Test
	void whatAnotherHadAndLostIsTakenUp() {
		vote("3:b");
		endHold();

		assertThat(takeUp("3:a", "0", LATER)).startsWith("3:a HOLDS 60000 ");
		assertThat(release("3:b")).isEqualTo(Word.GONE);
	}

	@Test
	void whatWasReleasedIsNotTakenUp() {
		vote("3:a");
		release("3:a");

		assertThat(takeUp("3:a", "0", LATER)).startsWith("3:a NONE ");
		assertThat(takeUp("3:c", "0", "1000")).startsWith("3:c NONE ");
	}

	@Test
	void otherLayoutIsLeftAlone() {
		Map<String, String> other = Map.of("hold", "4:a", "token", "1000");
		REDIS.opsForHash().putAll(this.key, other);

		assertThatThrownBy(() -> vote("3:a")).rootCause()
			.hasMessageContaining("LAYOUT this lock is written in layout 4");
		assertThatThrownBy(() -> takeUp("3:a", "0", LATER)).rootCause().hasMessageContaining("LAYOUT ");
		assertThatThrownBy(() -> raise("3:a")).rootCause().hasMessageContaining("LAYOUT ");
		assertThat(hash()).isEqualTo(other);
	}

}
