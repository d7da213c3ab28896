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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.redis.LockScript;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.Fuzz;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Threads of two clients lock, enter again and unlock at random while replies are lost
 * and connections cut. Each keeps count of what it must hold, a referee per lock sees
 * that never two hold it, and afterwards nothing is left. A seed repeats what the threads
 * do and what breaks, not how they meet.
 */
class LostReplyFuzzIT extends FaultFixture {

	private static final int THREADS = 4;

	/** By the clock of the machine. */
	private static final long FAR = System.nanoTime() + Long.MAX_VALUE / 2;

	private static final AtomicInteger NUMBER = new AtomicInteger();

	LostReplyFuzzIT() {
		super(RedisProcess.shared());
	}

	@ParameterizedTest
	@EnumSource
	void threadsHoldWhatTheyCount(RedisDriver driver) {
		List<RedisLockClient> both = List.of(behindProxy(driver), behindProxy(driver));
		RedisLockClient direct = this.clients.open(RedisDriver.JEDIS, RedisProcess.shared());

		Fuzz.forAbout(Duration.ofSeconds(6), (random) -> {
			this.losses.clear();
			List<Referee> referees = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				referees.add(new Referee("orders-" + NUMBER.incrementAndGet()));
			}
			List<Crew.Member> members = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				Player player = new Player(new Random(random.nextLong()), both.get(i % 2), referees);
				members.add(this.crew.start("player-" + i, () -> {
					try {
						player.play();
					}
					catch (AssertionError ex) {
						throw new AssertionError(ex.getMessage() + "\nafter " + this.losses, ex);
					}
				}));
			}
			for (Crew.Member member : members) {
				member.join(FaultClients.PATIENCE.multipliedBy(3));
			}
			this.proxy.heal();

			for (Referee referee : referees) {
				this.clients.awaitFree(referee.name);
				LeaseLock lock = direct.getLock(referee.name);
				assertThat(lock.tryLock(FaultClients.PATIENCE)).isTrue();
				assertThat(lock.token()).isGreaterThan(referee.lastToken());
				lock.unlock();
			}
			both.forEach(FaultClients::awaitForgotten);
		});
	}

	/**
	 * A client whose leases, also the first one after a hand-over, last so long that no
	 * hold that is renewed may be lost.
	 */
	private RedisLockClient behindProxy(RedisDriver driver) {
		return open(this.clients.connect(driver, this.proxy.host(), this.proxy.port()),
				(builder) -> builder.watchdogTimeout(LONG_LEASE).waiterTimeout(LONG_LEASE));
	}

	/**
	 * One thread and what it must hold.
	 */
	private final class Player {

		private final Random random;

		private final RedisLockClient client;

		private final List<Referee> referees;

		private final Map<Referee, Counted> counted = new HashMap<>();

		Player(Random random, RedisLockClient client, List<Referee> referees) {
			this.random = random;
			this.client = client;
			this.referees = referees;
		}

		void play() throws Exception {
			for (int left = 25; left > 0; left--) {
				if (this.random.nextInt(4) == 0) {
					breakSomething();
				}
				step(this.referees.get(this.random.nextInt(this.referees.size())));
			}
			for (Referee referee : this.referees) {
				Counted own = of(referee);
				while (own.count + own.owed > 0) {
					unlock(own);
				}
				unlock(own);
				closeLease(own);
			}
		}

		private void breakSomething() {
			FaultProxy faults = LostReplyFuzzIT.this.proxy;
			switch (this.random.nextInt(8)) {
				case 0 -> faults.cut();
				case 1 -> faults.cutAfter(this.random.nextInt(300));
				case 2 -> faults.loseReplyTo(LockScript.RENEW.getSha1());
				case 3 -> faults.loseReplyTo("acquire ");
				case 4, 5 -> faults.loseReplyTo(LockScript.ACQUIRE.getSha1());
				case 6 -> faults.loseReplyTo(LockScript.RELEASE.getSha1());
				default -> faults.loseReplyTo("release ");
			}
		}

		private Counted of(Referee referee) {
			return this.counted.computeIfAbsent(referee,
					(each) -> new Counted(each, this.client.getLock(each.name, each.options)));
		}

		private void step(Referee referee) throws Exception {
			Counted own = of(referee);
			switch (this.random.nextInt(10)) {
				case 0, 1, 2, 3 -> lock(own);
				case 4 -> openLease(own);
				case 5 -> closeLease(own);
				default -> unlock(own);
			}
			int count = own.lock.holdCount();
			assertThat(count == own.count || (own.mayExpire && count == 0)).as("%s, not %s", count, own.count).isTrue();
			assertThat(own.lock.isHeldByCurrentThread()).isEqualTo(own.lock.holdCount() > 0);
		}

		private void lock(Counted own) {
			boolean leased = this.random.nextInt(5) == 0;
			Duration lease = leased ? Duration.ofMillis(20 + this.random.nextInt(200)) : LockOptions.WATCHDOG;
			Duration wait = Duration.ofMillis(Fuzz.oneOf(this.random, 0, 0, 1, 20, 100));
			boolean[] granted = new boolean[1];
			LeaseLock lock = this.client.getLock(own.referee.name, own.referee.options.leaseTime(lease));
			Throwable thrown = catchThrowable(() -> granted[0] = lock.tryLock(wait));
			boolean wasRefused = thrown == null && !granted[0];
			if (own.mayExpire && own.count > 0 && (wasRefused || (granted[0] && !own.isSameHold()))) {
				// Its lease was over, so this was no attempt to enter again.
				own.owed += own.count;
				own.count = 0;
			}
			if (thrown != null) {
				assertFailure(thrown, own);
			}
			else if (granted[0]) {
				own.count++;
				if (own.count == 1) {
					own.mayExpire = leased;
					own.hold = leased ? new Referee.Hold(own.lock.token(), end(own.lock))
							: new Referee.Hold(own.lock.token(), FAR);
					own.referee.granted(own.hold, own.lock::isHeldByCurrentThread);
				}
			}
			else {
				assertThat(own.count).as("refused to enter again").isZero();
			}
		}

		/**
		 * When a lease ends, or a little earlier.
		 */
		private static long end(LeaseLock lock) {
			long before = System.nanoTime();
			return before + lock.validFor().toNanos();
		}

		private static void assertFailure(Throwable thrown, Counted own) {
			if (!own.mayExpire || own.count == 0) {
				assertUnanswered(thrown);
			}
			else {
				assertThat(thrown).isInstanceOfAny(LockServerException.class, LockLostException.class);
			}
		}

		/**
		 * A release that Lettuce repeats late may be told as a loss, see
		 * docs/guarantees.md.
		 */
		private static void assertUnanswered(Throwable thrown) {
			if (thrown instanceof LockLostException lost) {
				assertThat(lost.loss().cause()).isEqualTo(LockLoss.Cause.GONE);
			}
			else {
				assertThat(thrown).isInstanceOf(LockServerException.class);
			}
		}

		private void unlock(Counted own) {
			if (own.count == 1) {
				own.referee.releases(own.hold);
			}
			Throwable thrown = catchThrowable(own.lock::unlock);
			if (own.count == 0) {
				assertThat(thrown)
					.isInstanceOf((own.owed > 0) ? LockLostException.class : IllegalMonitorStateException.class);
				own.owed = Math.max(own.owed - 1, 0);
				return;
			}
			if (thrown != null) {
				assertFailure(thrown, own);
				assertThat(own.count == 1 || thrown instanceof LockLostException).isTrue();
			}
			own.count--;
		}

		private void openLease(Counted own) throws Exception {
			if (own.lease != null) {
				return;
			}
			LockOptions options = own.referee.options.waitTime(Duration.ofMillis(this.random.nextInt(30)));
			try {
				Optional<Lease> lease = this.client.tryAcquire(own.referee.name, options);
				if (lease.isPresent()) {
					assertThat(own.lock.isHeldByCurrentThread()).isFalse();
					own.lease = lease.get();
					own.leaseHold = new Referee.Hold(own.lease.token(), FAR);
					own.referee.granted(own.leaseHold, own.lease::isValid);
				}
			}
			catch (LockServerException ex) {
				// It holds nothing.
			}
		}

		private void closeLease(Counted own) {
			Lease lease = own.lease;
			if (lease == null) {
				return;
			}
			assertThat(lease.isValid()).isTrue();
			own.referee.releases(own.leaseHold);
			Throwable thrown = catchThrowable(lease::close);
			if (thrown != null) {
				assertUnanswered(thrown);
			}
			assertThat(lease.isValid()).isFalse();
			lease.close();
			own.lease = null;
		}

	}

	/**
	 * What a thread must hold of one lock.
	 */
	private static final class Counted {

		private final Referee referee;

		private final LeaseLock lock;

		private int count;

		/**
		 * How often it has to give back leases that ended before it had the lock anew.
		 */
		private int owed;

		private boolean mayExpire;

		private Referee.Hold hold;

		private Lease lease;

		private Referee.Hold leaseHold;

		Counted(Referee referee, LeaseLock lock) {
			this.referee = referee;
			this.lock = lock;
		}

		/**
		 * Whether the lock knows of the hold that was counted, held or lost.
		 */
		private boolean isSameHold() {
			try {
				return this.lock.token() == this.hold.token();
			}
			catch (IllegalMonitorStateException ex) {
				return false;
			}
		}

	}

	/**
	 * Sees who believes to hold a lock.
	 */
	private static final class Referee {

		final String name;

		final LockOptions options;

		private final List<Hold> holds = new ArrayList<>();

		private long lastToken;

		Referee(String name) {
			this.name = name;
			this.options = LockOptions.defaults().fair(name.hashCode() % 2 == 0);
		}

		/**
		 * Takes in a grant, unless it is over already.
		 */
		synchronized void granted(Hold hold, BooleanSupplier stillHeld) {
			if (stillHeld.getAsBoolean()) {
				this.holds.removeIf(Hold::isOver);
				assertThat(this.holds).as("others, when %s begins", hold).isEmpty();
				assertThat(hold.token()).isGreaterThan(this.lastToken);
				this.holds.add(hold);
				this.lastToken = hold.token();
			}
		}

		/**
		 * Notes that an owner is about to release.
		 */
		synchronized void releases(Hold hold) {
			this.holds.remove(hold);
		}

		synchronized long lastToken() {
			return this.lastToken;
		}

		/**
		 * What an owner believes.
		 *
		 * @param token its fencing token
		 * @param endNanos until when it believes so, by the clock of the machine
		 */
		record Hold(long token, long endNanos) {

			boolean isOver() {
				return System.nanoTime() - this.endNanos >= 0;
			}

		}

	}

}
