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

package io.holdfast.lock.interceptor;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import io.holdfast.lock.Lease;
import io.holdfast.lock.Leases;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.annotation.DistributedLimit;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.DistributedReadLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.OtherProcess;
import org.junit.jupiter.api.Test;

import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AliasFor;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Beside whom methods run, on a real Redis. */
class LockModeTests {

	private static final LockOptions ONE_OF_TWO = LockOptions.defaults().permits(1, 2);

	private static final LockOptions BOTH = LockOptions.defaults().permits(2, 2);

	@Test
	void readersRunBesideReadersAndNotBesideAWriter() {
		run((world) -> {
			assertThat(world.prices.read(7, () -> world.canGet("price:7", LockOptions.defaults().shared()))).isTrue();
			assertThat(world.prices.read(7, () -> world.canGet("price:7", LockOptions.defaults()))).isFalse();
			assertThat(world.prices.readBySharedMode(7, () -> world.modes("price:7"))).containsExactly(LockMode.SHARED);
			assertThat(world.prices.write(7, () -> world.canGet("price:7", LockOptions.defaults().shared()))).isFalse();
			assertThat(world.canGet("price:7", LockOptions.defaults())).isTrue();
		});
	}

	@Test
	void readersHaveAllLocksOfAListOrNone() {
		run((world) -> {
			assertThat(world.prices.readAll(List.of(7, 8), () -> world.modes("price:8")))
				.containsExactly(LockMode.SHARED);

			world.other.hold("price:8");

			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> world.prices.readAll(List.of(7, 8), () -> null));
			assertThat(world.canGet("price:7", LockOptions.defaults())).isTrue();
		});
	}

	@Test
	void writerMayReadAndWritesOnAfterwards() {
		run((world) -> {
			List<LockMode> modes = world.prices.write(7, () -> {
				long token = Leases.current().token();
				world.prices.read(7, () -> assertThat(Leases.current().token()).isEqualTo(token));
				return world.modes("price:7");
			});

			assertThat(modes).containsExactly(LockMode.EXCLUSIVE);
			assertThat(world.canGet("price:7", LockOptions.defaults())).isTrue();
		});
	}

	@Test
	void readerMayNotWrite() {
		run((world) -> {
			assertThatIllegalStateException()
				.isThrownBy(() -> world.prices.read(7, () -> world.prices.write(7, () -> null)))
				.withMessageContaining("holds lock 'price:7' for reading and cannot also get it for writing");

			assertThat(world.canGet("price:7", LockOptions.defaults())).isTrue();
		});
	}

	@Test
	void methodOfATypeThatReadsMayWrite() {
		run((world) -> {
			assertThat(world.list.size(() -> world.modes("list"))).containsExactly(LockMode.SHARED);
			assertThat(world.list.change(() -> world.modes("list"))).containsExactly(LockMode.EXCLUSIVE);
		});
	}

	@Test
	void limitLetsAsManyRunAsItSays() {
		run((world) -> {
			assertThat(world.mails.send("a", () -> world.modes("mail:a"))).containsExactly(LockMode.permits(1, 2));
			assertThat(world.mails.send("a", () -> world.canGet("mail:a", ONE_OF_TWO))).isTrue();
			assertThat(world.mails.send("a", () -> world.canGet("mail:a", BOTH))).isFalse();
			assertThat(world.mails.send("a", () -> world.canGet("mail:b", BOTH))).isTrue();
			assertThat(world.canGet("mail:a", BOTH)).isTrue();
		});
	}

	@Test
	void callsBeyondTheLimitAreRejectedSkippedOrFallBack() {
		run((world) -> {
			world.hold("mail:a", BOTH);

			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> world.mails.send("a", () -> null))
				.satisfies((ex) -> assertThat(ex.lockName()).isEqualTo("mail:a"));
			assertThat(world.mails.sendOrSkip("a")).isEmpty();
			assertThat(world.mails.sendOrKeep("a")).isEqualTo("kept a");
			assertThat(world.mails.sendUnlimited("a")).isEqualTo("sent a");
		});
	}

	@Test
	void limitMayComeFromAPropertyAndFromAnAnnotationOfTheApplication() {
		run((world) -> {
			assertThat(world.mails.sendByProperty(() -> world.modes("property")))
				.containsExactly(LockMode.permits(1, 7));
			assertThat(world.mails.sendByOwnAnnotation(() -> world.modes("own")))
				.containsExactly(LockMode.permits(1, 3));
		});
	}

	@Test
	void nestedCallUnderTheSameLimitRunsInTheOuterPermit() {
		run((world) -> {
			world.hold("mail:a", ONE_OF_TWO);

			List<LockMode> modes = world.mails.send("a", () -> {
				long token = Leases.current().token();
				return world.mails.send("a", () -> {
					assertThat(Leases.current("mail:a").token()).isEqualTo(token);
					return world.modes("mail:a");
				});
			});

			assertThat(modes).hasSize(2);
			assertThat(world.canGet("mail:a", ONE_OF_TWO)).isTrue();
		});
	}

	@Test
	void nestedCallThatTheOuterPermitIsNotEnoughForIsRefused() {
		run((world) -> {
			assertThatIllegalStateException()
				.isThrownBy(() -> world.mails.send("a", () -> world.mails.sendAlone("a", () -> null)))
				.withMessageContaining("holds 1 of 2 permits of 'mail:a'");

			assertThat(world.mails.sendAlone("a", () -> world.mails.send("a", () -> "sent"))).isEqualTo("sent");
			assertThat(world.canGet("mail:a", BOTH)).isTrue();
		});
	}

	@Test
	void lostPermitEndsTheCallAndNestedOnes() {
		run((world) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> world.mails.send("a", () -> {
				world.lose("mail:a");
				assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> world.mails.send("a", () -> null));
				return null;
			}));

			assertThat(world.mails.send("a", () -> "sent")).isEqualTo("sent");
		});
	}

	@Test
	void transactionKeepsAPermitForAllItsCallsAndDoesNotCommitWithoutIt() {
		run((world) -> {
			world.hold("mail:a", ONE_OF_TWO);
			world.transaction.executeWithoutResult((status) -> {
				world.mails.send("a", () -> null);
				world.mails.send("a", () -> null);
				assertThat(world.canGet("mail:a", ONE_OF_TWO)).isFalse();
			});
			assertThat(world.canGet("mail:a", ONE_OF_TWO)).isTrue();

			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> world.transaction.executeWithoutResult((status) -> {
					world.mails.send("b", () -> null);
					world.lose("mail:b");
				}));
		});
	}

	@Test
	void transactionThatWritesMayReadAndReleasesBoth() {
		run((world) -> {
			world.transaction.executeWithoutResult((status) -> {
				world.prices.write(7, () -> world.prices.read(7, () -> null));
				world.prices.read(7, () -> null);
				assertThat(world.canGet("price:7", LockOptions.defaults().shared())).isFalse();
			});

			assertThat(world.canGet("price:7", LockOptions.defaults())).isTrue();
		});
	}

	@Test
	void writerThatReadsInItsOwnTransactionAcquiresNothingInside() {
		run((world) -> {
			Object result = world.prices.write(7,
					() -> world.transaction.execute((status) -> world.prices.read(7, () -> "read")));

			assertThat(result).isEqualTo("read");
		}, "holdfast.lock.transaction.active=fail");
	}

	private static void run(Scenario scenario, String... properties) {
		TransactionScene.application("mails.limit=7")
			.withBean(Prices.class)
			.withBean(PriceList.class)
			.withBean(Mails.class)
			.withPropertyValues(properties)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
					World world = new World(context, other);
					scenario.run(world);
					world.held.forEach(Lease::close);
				}
			});
	}

	@FunctionalInterface
	private interface Scenario {

		void run(World world);

	}

	private static final class World {

		private final Prices prices;

		private final PriceList list;

		private final Mails mails;

		private final TransactionTemplate transaction;

		private final LockClient own;

		private final OtherProcess other;

		private final List<Lease> held = new ArrayList<>();

		World(ApplicationContext context, OtherProcess other) {
			this.prices = context.getBean(Prices.class);
			this.list = context.getBean(PriceList.class);
			this.mails = context.getBean(Mails.class);
			this.transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
			this.own = context.getBean(LockClient.class);
			this.other = other;
		}

		/** Whether another process could have it just now. */
		boolean canGet(String name, LockOptions options) {
			Optional<Lease> lease = acquire(name, options);
			lease.ifPresent(Lease::close);
			return lease.isPresent();
		}

		void hold(String name, LockOptions options) {
			this.held.add(acquire(name, options).orElseThrow());
		}

		private Optional<Lease> acquire(String name, LockOptions options) {
			try {
				return this.other.client().tryAcquire(name, options.waitTime(Duration.ZERO));
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		List<LockMode> modes(String name) {
			return this.other.client().directory().holders(name).stream().map(HeldLock::mode).toList();
		}

		/** Lets this thread lose its permit, and waits until it knows. */
		void lose(String name) {
			this.other.takeFrom(this.own.getLock(List.of(name), ONE_OF_TWO));
		}

	}

	public static class Prices {

		@DistributedReadLock(name = "price", key = "#id", waitTime = 0)
		public <T> T read(long id, Supplier<T> work) {
			return work.get();
		}

		@DistributedLock(name = "price", key = "#id", waitTime = 0, mode = LockMode.Kind.SHARED)
		public <T> T readBySharedMode(long id, Supplier<T> work) {
			return work.get();
		}

		@DistributedReadLock(name = "price", key = "#ids", waitTime = 0)
		public <T> T readAll(List<Integer> ids, Supplier<T> work) {
			return work.get();
		}

		@DistributedLock(name = "price", key = "#id", waitTime = 0)
		public <T> T write(long id, Supplier<T> work) {
			return work.get();
		}

	}

	@DistributedReadLock("list")
	public static class PriceList {

		public <T> T size(Supplier<T> work) {
			return work.get();
		}

		@DistributedLock("list")
		public <T> T change(Supplier<T> work) {
			return work.get();
		}

	}

	@DistributedLimit(name = "own", permits = 1)
	@Retention(RetentionPolicy.RUNTIME)
	@interface OwnLimit {

		@AliasFor(annotation = DistributedLimit.class, attribute = "permits")
		int value();

	}

	public static class Mails {

		@DistributedLimit(name = "mail", key = "#tenant", permits = 2, waitTime = 0)
		public <T> T send(String tenant, Supplier<T> work) {
			return work.get();
		}

		@DistributedLock(name = "mail", key = "#tenant", waitTime = 0)
		public <T> T sendAlone(String tenant, Supplier<T> work) {
			return work.get();
		}

		@DistributedLimit(name = "mail", key = "#tenant", permits = 2, waitTime = 0, onContention = OnContention.SKIP)
		public Optional<String> sendOrSkip(String tenant) {
			return Optional.of("sent " + tenant);
		}

		@DistributedLimit(name = "mail", key = "#tenant", permits = 2, waitTime = 0, fallbackMethod = "keep")
		public String sendOrKeep(String tenant) {
			return "sent " + tenant;
		}

		String keep(String tenant) {
			return "kept " + tenant;
		}

		@DistributedLimit(name = "mail", key = "#tenant", permits = 2, waitTime = 0, condition = "#tenant == 'b'")
		public String sendUnlimited(String tenant) {
			return "sent " + tenant;
		}

		@DistributedLimit(name = "property", permitsString = "${mails.limit}")
		public <T> T sendByProperty(Supplier<T> work) {
			return work.get();
		}

		@OwnLimit(3)
		public <T> T sendByOwnAnnotation(Supplier<T> work) {
			return work.get();
		}

	}

}
