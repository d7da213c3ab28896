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

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LeaseView;
import io.holdfast.lock.Leases;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockNotAcquiredException;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tasks that run while their thread holds a lock.
 */
class LockExecuteTests extends LockContract {

	@Test
	void taskRunsWhileItsThreadHoldsTheLockAndItsResultIsReturned() throws Exception {
		String result = this.here.execute(this.name, options(), (lease) -> {
			assertThat(lock().isHeldByCurrentThread()).isTrue();
			assertThat(isFreeFor(this.elsewhere)).isFalse();
			return "done";
		});

		assertThat(result).isEqualTo("done");
		assertThat(isFreeFor(this.elsewhere)).isTrue();
		awaitForgotten(this.here);
	}

	@Test
	void nullResultIsReturned() throws Exception {
		Object result = this.here.execute(this.name, options(), (lease) -> null);

		assertThat(result).isNull();
	}

	@Test
	void taskIsGivenTheLeaseOfItsThread() throws Exception {
		long token = this.here.execute(this.name, (lease) -> {
			assertThat(lease.isValid()).isTrue();
			assertThat(lease.token()).isEqualTo(lock().token());
			return lease.token();
		});

		assertThat(token).isPositive();
		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void codeFindsTheInnermostLeaseWithWhichItIsCalled() {
		List<String> names = List.of(this.name, this.name + "b");
		try (Lease outer = this.here.acquireAsync(names.get(0), options()).toCompletableFuture().join();
				Lease inner = this.here.acquireAsync(names.get(1), options()).toCompletableFuture().join()) {
			String seen = Leases.call(outer, (same) -> {
				assertThat(same).isSameAs(outer);
				assertThat(Leases.current()).isSameAs(outer);
				assertThatIllegalStateException().isThrownBy(() -> Leases.current(names.get(1)))
					.withMessageContaining(
							"is in no method with @DistributedLock that holds lock '" + names.get(1) + "'");
				assertThatExceptionOfType(IOException.class).isThrownBy(() -> Leases.call(inner, (again) -> {
					assertThat(Leases.current()).isSameAs(inner);
					assertThat(Leases.current(names.get(0))).isSameAs(outer);
					throw new IOException("thrown on purpose");
				}));
				return Leases.current().name();
			});
			assertThat(seen).isEqualTo(this.name);
		}
		assertThatIllegalStateException().isThrownBy(Leases::current);
	}

	@Test
	void leaseIsTakenAlongToAnotherThread() {
		this.here.executeWithoutResult(this.name, options(), (lease) -> {
			assertThatIllegalStateException().isThrownBy(Leases::current);
			long token = this.threads.start(() -> Leases.call(lease, (same) -> Leases.current().token())).result();
			assertThat(token).isEqualTo(lease.token());
		});
	}

	@Test
	void actionWithoutResultRunsUnderTheLock() throws IOException {
		List<LeaseView> given = new ArrayList<>();

		this.here.executeWithoutResult(this.name, (lease) -> {
			assertThat(lock().isHeldByCurrentThread()).isTrue();
			given.add(lease);
		});

		assertThat(given).singleElement().matches((lease) -> !lease.isHeld());
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.here.executeWithoutResult(this.name, options(), (lease) -> {
				throw new IOException("thrown on purpose");
			}));
		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void threadHasAllOfSeveralLocksOrNone() {
		List<String> names = List.of(this.name, this.name + "b", this.name);
		LeaseLock all = this.here.getLock(names);

		long tokens = this.here.execute(names, options(), (lease) -> {
			assertThat(all.isHeldByCurrentThread()).isTrue();
			return lease.names().stream().map(lease::token).distinct().count();
		});
		this.here.executeWithoutResult(names, options(), (lease) -> assertThat(all.isHeldByCurrentThread()).isTrue());

		assertThat(tokens).isEqualTo(2);
		this.elsewhere.getLock(this.name + "b").lock();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.here.executeWithoutResult(names, options().waitTime(Duration.ZERO), (lease) -> {
				throw new AssertionError("The action ran");
			}))
			.withMessageContaining("'" + this.name + "b'");
		assertThat(lock().holdCount()).isZero();
		assertThat(isFreeFor(this.elsewhere)).isTrue();
		awaitForgotten(this.here);
	}

	@Test
	void severalLocksAreReleasedAlthoughTheTaskUnlockedOneItself() {
		List<String> names = List.of(this.name, this.name + "b");

		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(() -> this.here.executeWithoutResult(names, (lease) -> lock().unlock()));
		assertThat(this.elsewhere.getLock(names).tryLock()).isTrue();
		this.elsewhere.getLock(names).unlock();

		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.here.execute(names, (lease) -> {
			this.here.getLock(this.name + "b").unlock();
			throw new IOException("thrown on purpose");
		}));

		assertThat(this.elsewhere.getLock(names).tryLock()).isTrue();
		awaitForgotten(this.here);
	}

	@Test
	void callsOfOneThreadNest() throws Exception {
		int depth = this.here.execute(this.name, options(),
				(outer) -> this.here.execute(this.name, options(), (inner) -> lock().holdCount()));

		assertThat(depth).isEqualTo(2);
		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	@Test
	void exceptionOfTheTaskIsThrownAsItIsAndTheLockIsReleased() {
		IOException thrown = new IOException("thrown on purpose");

		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.here.execute(this.name, options(), (lease) -> {
				throw thrown;
			}))
			.isSameAs(thrown);
		assertThat(isFreeFor(this.elsewhere)).isTrue();
	}

	/**
	 * What the JVM throws when it has no stack, or no memory, left.
	 */
	@Test
	void errorOfTheTaskIsThrownAndTheLockIsReleased() {
		assertThatExceptionOfType(StackOverflowError.class)
			.isThrownBy(() -> this.here.execute(this.name, options(), (lease) -> overflow()));
		assertThat(isFreeFor(this.elsewhere)).isTrue();

		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> this.here.execute(this.name, options(), (lease) -> new long[Integer.MAX_VALUE]));
		assertThat(isFreeFor(this.elsewhere)).isTrue();
		awaitForgotten(this.here);
	}

	@SuppressWarnings("InfiniteRecursion")
	private static int overflow() {
		return 1 + overflow();
	}

	@Test
	void failureOfTheReleaseIsSuppressedByTheExceptionOfTheTask() {
		StringRedisTemplate redis = redis();
		IOException thrown = new IOException("thrown on purpose");

		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.here.execute(this.name, options(), (lease) -> {
				redis.delete(key());
				throw thrown;
			}))
			.isSameAs(thrown);
		assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
	}

	@Test
	void taskThatUnlockedItselfStillThrowsItsOwnException() {
		IOException thrown = new IOException("thrown on purpose");

		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.here.execute(this.name, options(), (lease) -> {
				lock().unlock();
				throw thrown;
			}))
			.isSameAs(thrown);
		assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(IllegalMonitorStateException.class);
	}

	@Test
	void lossDuringTheTaskIsThrownAlthoughTheTaskReturned() {
		StringRedisTemplate redis = redis();

		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.here.execute(this.name, options(), (lease) -> redis.delete(key())));
	}

	@Test
	void taskDoesNotRunIfTheLockIsHeldByAnother() {
		lock(this.elsewhere).lock();

		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.here.execute(this.name, options().waitTime(Duration.ZERO), (lease) -> {
				throw new AssertionError("The task ran");
			}));
		awaitForgotten(this.here);
	}

}
