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
import java.text.Normalizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockDirectory.Filter;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.testing.Fuzz;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * A thousand odd names: each is a lock of its own, or refused before anything is sent.
 */
class LockNameFuzzTests {

	private static final int NAMES = 1_000;

	@Test
	void everyNameIsLockOfItsOwn() throws Exception {
		RedisConnectionFactory lettuce = RedisDriver.LETTUCE.connect(RedisProcess.shared());
		RedisConnectionFactory jedis = RedisDriver.JEDIS.connect(RedisProcess.shared());
		try {
			Fuzz.forAbout(Duration.ofSeconds(1), (random) -> {
				String prefix = "names" + random.nextLong() + ":";
				try (RedisLockClient here = open(lettuce, prefix); RedisLockClient elsewhere = open(jedis, prefix)) {
					assertLocksOfTheirOwn(new Names(random).legal(NAMES), random, here, elsewhere);
				}
			});
		}
		finally {
			RedisDriver.disconnect(lettuce);
			RedisDriver.disconnect(jedis);
		}
	}

	private static RedisLockClient open(RedisConnectionFactory connections, String prefix) {
		return RedisLockClient.builder(connections)
			.keyPrefix(prefix)
			.commandTimeout(FaultClients.PATIENCE)
			.watchdogTimeout(Duration.ofMinutes(10))
			.build();
	}

	private static void assertLocksOfTheirOwn(Set<String> names, Random random, RedisLockClient here,
			RedisLockClient elsewhere) {
		for (String name : names) {
			assertThat(lock(here, name).tryLock()).as(() -> escape(name)).isTrue();
		}
		assertThat(LockContract.listed(elsewhere.directory(), LockDirectory.MAX_LIMIT, Filter.ALL))
			.containsExactlyInAnyOrderElementsOf(names);

		Set<String> released = new HashSet<>(names);
		released.removeIf((name) -> random.nextBoolean());
		released.forEach((name) -> lock(here, name).unlock());

		for (String name : names) {
			assertThat(lock(elsewhere, name).tryLock()).as(() -> escape(name)).isEqualTo(released.contains(name));
		}
		for (String name : names) {
			lock(released.contains(name) ? elsewhere : here, name).unlock();
		}
		assertThat(LockContract.listed(elsewhere.directory(), LockDirectory.MAX_LIMIT, Filter.ALL)).isEmpty();
	}

	private static LeaseLock lock(LockClient client, String name) {
		return client.getLock(name, LockOptions.defaults().fair(name.length() % 2 == 0));
	}

	/**
	 * There is no server, so a name that was sent would be a failure of another kind.
	 */
	@Test
	void otherNamesAreRefusedAndNotSent() throws Exception {
		RedisConnectionFactory nowhere = RedisDriver.JEDIS.connect("127.0.0.1", 1, Duration.ofSeconds(2));
		try (RedisLockClient client = RedisLockClient.builder(nowhere).build()) {
			Fuzz.forAbout(Duration.ofSeconds(1), (random) -> {
				Names names = new Names(random);
				String illegal = names.illegal();
				assertThatIllegalArgumentException().as(() -> escape(illegal))
					.isThrownBy(() -> client.getLock(illegal));
				assertThatExceptionOfType(LockServerException.class)
					.isThrownBy(() -> client.getLock(names.legal(1).iterator().next()).tryLock());
			});
		}
		finally {
			RedisDriver.disconnect(nowhere);
		}
	}

	private static String escape(String name) {
		StringBuilder text = new StringBuilder();
		name.chars().forEach((c) -> text.append(String.format("\\u%04x", c)));
		return text.toString();
	}

	/**
	 * Odd names, many of them nearly the same as another.
	 */
	private static final class Names {

		private static final String SIGNS = "{}*?[]^-\\:'\"%$!|/.,;#@&<>()=+~` \t\r\n";

		private static final String INVISIBLE = "\u0000\u0001\u001b\u007f\u0085\u00a0\u00ad\u200b\u200d\u200e\u202e\u2028\ufeff\ufffd\uffff";

		private static final String NEARLY_SAME = "aAäÄåÅa\u0308A\u030a\u212bßẞſsSıiIİKk\u212aéÉe\u0301ﬁfiσςΣµμ１1²2";

		private static final String BLANK = " \t\n\r\f\u000b\u001c\u2003\u2028\u3000";

		private final Random random;

		Names(Random random) {
			this.random = random;
		}

		Set<String> legal(int count) {
			Set<String> names = new LinkedHashSet<>();
			List<String> latest = new ArrayList<>(List.of("a"));
			while (names.size() < count) {
				String name = (this.random.nextInt(3) == 0) ? variant(latest.get(this.random.nextInt(latest.size())))
						: text(lengthInBytes());
				if (isLegal(name) && names.add(name)) {
					latest.add(name);
				}
			}
			return names;
		}

		/**
		 * Says it in another way than {@link LockKeys}.
		 */
		private static boolean isLegal(String name) {
			byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
			return !name.isBlank() && bytes.length <= LockClient.MAX_NAME_BYTES
					&& new String(bytes, StandardCharsets.UTF_8).equals(name);
		}

		String illegal() {
			String name = switch (this.random.nextInt(4)) {
				case 0 -> text(1 + this.random.nextInt(1000), BLANK);
				case 1 -> text(LockClient.MAX_NAME_BYTES) + character();
				case 2 -> text(20) + (char) (Character.MIN_HIGH_SURROGATE + this.random.nextInt(1024)) + "x" + text(9);
				default -> text(20) + "x" + (char) (Character.MIN_LOW_SURROGATE + this.random.nextInt(1024)) + text(9);
			};
			assertThat(isLegal(name)).as(() -> escape(name)).isFalse();
			return name;
		}

		private int lengthInBytes() {
			return switch (this.random.nextInt(50)) {
				case 0 -> LockClient.MAX_NAME_BYTES;
				case 1 -> 1 + this.random.nextInt(LockClient.MAX_NAME_BYTES);
				default -> 1 + this.random.nextInt(12);
			};
		}

		private String variant(String name) {
			return switch (this.random.nextInt(9)) {
				case 0 -> name.toUpperCase(Locale.ROOT);
				case 1 -> name.toLowerCase(Locale.ROOT);
				case 2 -> Normalizer.normalize(name, Normalizer.Form.NFC);
				case 3 -> Normalizer.normalize(name, Normalizer.Form.NFD);
				case 4 -> Normalizer.normalize(name, Normalizer.Form.NFKC);
				case 5 -> name + character();
				case 6 -> character() + name;
				case 7 -> "{" + name + "}";
				default -> name.strip();
			};
		}

		/**
		 * A text of so many bytes in UTF-8.
		 */
		private String text(int bytes) {
			StringBuilder text = new StringBuilder();
			int left = bytes;
			while (left > 0) {
				String next = (left >= 4) ? character() : text(1, "xyz{*");
				text.append(next);
				left -= next.getBytes(StandardCharsets.UTF_8).length;
			}
			return text.toString();
		}

		private String text(int length, String characters) {
			StringBuilder text = new StringBuilder();
			for (int i = 0; i < length; i++) {
				text.append(characters.charAt(this.random.nextInt(characters.length())));
			}
			return text.toString();
		}

		private String character() {
			return switch (this.random.nextInt(6)) {
				case 0 -> text(1, SIGNS);
				case 1 -> text(1, INVISIBLE);
				case 2 -> text(1, NEARLY_SAME);
				case 3 -> Character.toString(0x10000 + this.random.nextInt(0x100000));
				case 4 -> Character.toString(0x80 + this.random.nextInt(Character.MIN_SURROGATE - 0x80));
				default -> text(1, "abcABC012");
			};
		}

	}

}
