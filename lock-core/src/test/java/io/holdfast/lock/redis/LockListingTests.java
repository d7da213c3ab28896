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

import java.time.Duration;
import java.time.Instant;
import java.util.TreeSet;
import java.util.function.LongSupplier;

import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockDirectory.Filter;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockDirectory.Page;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks among a million other keys, on a Redis of their own.
 */
class LockListingTests {

	private static final int OTHER_KEYS = 1_000_000;

	private static final String FILL = "for i = tonumber(ARGV[1]), tonumber(ARGV[2]) do redis.call('SET', 'other:' .. i, 'x') end";

	private static RedisProcess server;

	private final RedisConnectionFactory connections = RedisDriver.JEDIS.connect(server);

	private final RedisLockClient holder = client(System::nanoTime);

	/** The time of its pages does not end. */
	private final RedisLockClient observer = client(() -> 0);

	private final LockDirectory directory = this.observer.directory();

	private int held;

	@BeforeAll
	static void fill() {
		server = RedisProcess.start();
		for (int from = 0; from < OTHER_KEYS; from += 20_000) {
			server.command("EVAL", FILL, "0", Integer.toString(from), Integer.toString(from + 19_999));
		}
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	private RedisLockClient client(LongSupplier nanoTime) {
		return RedisLockClient.builder(this.connections)
			.commandTimeout(FaultClients.PATIENCE)
			.watchdogTimeout(Duration.ofMinutes(10))
			.nanoTime(nanoTime)
			.build();
	}

	@AfterEach
	void disconnect() {
		while (this.held > 0) {
			this.holder.getLock("order:" + --this.held).unlock();
		}
		this.holder.close();
		this.observer.close();
		RedisDriver.disconnect(this.connections);
	}

	@Test
	void firstPageOfAThousandLocksIsFullAfterLookingAtFewKeys() {
		hold(1000);
		long before = scans();

		Page page = this.directory.list(null, 100);

		assertThat(scans() - before).isLessThan(40);
		assertThat(page.locks()).hasSizeBetween(100, 300);
		assertThat(page.next()).isNotNull();
	}

	@Test
	void leaseThatItsWatchdogShouldHaveRenewedIsOverdue() {
		String tied = "xr shop@web-1/abc#1.abcdef.cuyo.1jk";

		assertThat(isOverdue(tied, Duration.ofMinutes(8), Duration.ofMinutes(4))).isTrue();
		assertThat(isOverdue(tied, Duration.ofMinutes(8), Duration.ofMinutes(6))).as("renewed").isFalse();
		assertThat(isOverdue(tied, Duration.ofMinutes(2), Duration.ofMinutes(4))).as("new").isFalse();
		assertThat(isOverdue("xr shop@web-1/abc", Duration.ofMinutes(8), Duration.ofMinutes(4))).as("not known")
			.isFalse();
	}

	@Test
	void heldLockIsCompactInRedisWithTheLongestClient() {
		FaultClients.await("holds are tied to a session", () -> {
			this.holder.getLock("order:" + this.held++).lock();
			return owner().contains("#");
		});

		String longest = owner().replaceFirst("\\S+#\\d+", "c".repeat(42) + "#99");
		server.command("HSET", key(), "owner", longest);

		assertThat(server.command("OBJECT", "ENCODING", key())).asString().containsAnyOf("ziplist", "listpack");
	}

	private String key() {
		return this.observer.keyPrefix() + "lock:order:" + (this.held - 1);
	}

	private String owner() {
		return String.valueOf(server.command("HGET", key(), "owner"));
	}

	private boolean isOverdue(String owner, Duration age, Duration left) {
		String key = this.observer.keyPrefix() + "lock:seen";
		Instant now = Instant.now();
		server.command("HSET", key, "hold", "3:a", "owner", owner, "token", now.minus(age).toEpochMilli() + "000",
				"until", "3:" + now.plus(left).toEpochMilli());
		try {
			return this.directory.find("seen").orElseThrow().renewalOverdue();
		}
		finally {
			server.command("DEL", key);
		}
	}

	@Test
	void pagesTogetherHaveAllLocks() {
		hold(1000);
		TreeSet<String> names = new TreeSet<>();
		int pages = 0;
		Page page = this.directory.list(null, 100);
		while (true) {
			page.locks().stream().map(HeldLock::name).forEach(names::add);
			pages++;
			if (page.next() == null) {
				break;
			}
			assertThat(page.locks()).isNotEmpty();
			page = this.directory.list(page.next(), 100);
		}

		assertThat(names).hasSize(1000);
		assertThat(pages).isLessThan(100);
	}

	@Test
	void loneLockIsOnTheFirstPage() {
		hold(1);

		for (int limit : new int[] { 100, 1 }) {
			assertThat(this.directory.list(null, limit).locks()).hasSize(1);
		}
	}

	@Test
	void loneLockAmongManyOthersIsOnTheFirstPageOfItsFilter() {
		hold(1000);

		Page page = this.directory.list(null, 100, new Filter("order:999", null, null, Duration.ZERO));

		assertThat(page.locks()).extracting(HeldLock::name).containsExactly("order:999");
	}

	private void hold(int locks) {
		for (int i = 0; i < locks; i++) {
			this.holder.getLock("order:" + i).lock();
			this.held++;
		}
	}

	/**
	 * How often keys were looked at.
	 */
	private static long scans() {
		String stats = server.info("commandstats", "cmdstat_scan");
		return stats.isEmpty() ? 0 : Long.parseLong(stats.replaceAll("calls=(\\d+),.*", "$1"));
	}

}
