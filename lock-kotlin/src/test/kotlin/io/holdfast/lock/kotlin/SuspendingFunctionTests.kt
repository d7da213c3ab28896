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

package io.holdfast.lock.kotlin

import io.holdfast.lock.LockLostException
import io.holdfast.lock.LockNotAcquiredException
import io.holdfast.lock.annotation.DistributedLock
import io.holdfast.lock.annotation.OnContention
import io.holdfast.lock.fixture.LockRunner
import io.holdfast.lock.fixture.OtherProcess
import io.holdfast.lock.interceptor.LockAdvisor
import io.holdfast.lock.interceptor.ReactiveLeases
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CompletableJob
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.awaitility.Awaitility
import org.junit.jupiter.api.Test
import org.springframework.context.ApplicationContext
import java.util.concurrent.atomic.AtomicInteger

/** A suspending function has its lock until it returns, on a real Redis. */
class SuspendingFunctionTests {

	@Test
	fun `lock is held until the function returns`() = run { shop, other ->
		assertThat(shop.pay(1) { delay(20); "paid, held: ${other.sees("order:1")}" }).isEqualTo("paid, held: true")

		assertThat(other.sees("order:1")).isFalse()
		shop.finish { assertThat(other.sees("finish")).isTrue() }
		assertThat(other.sees("finish")).isFalse()
	}

	@Test
	fun `failure is that of the function`() = run { shop, other ->
		assertThatExceptionOfType(IllegalArgumentException::class.java)
			.isThrownBy { runBlocking { shop.pay(1) { throw IllegalArgumentException("no money") } } }

		assertThat(other.sees("order:1")).isFalse()
	}

	@Test
	fun `coroutines of one thread exclude each other`() = run { shop, _ ->
		val inside = AtomicInteger()
		val all = (1..20).map {
			this.async {
				shop.pay(1) {
					val now = inside.incrementAndGet()
					delay(1)
					inside.decrementAndGet()
					"$now"
				}
			}
		}

		assertThat(all.map { it.await() }).hasSize(20).containsOnly("1")
	}

	@Test
	fun `nested call of the same coroutine enters again`() = run { shop, _ ->
		val tokens = mutableListOf<Long>()

		shop.pay(1) {
			tokens += token()
			shop.pay(1) { tokens += token(); "inner" }
		}

		assertThat(tokens).hasSize(2).containsOnly(tokens[0])
	}

	private suspend fun token() = ReactiveLeases.current().awaitSingle().token()

	@Test
	fun `flow is locked to its end`() = run { shop, other ->
		assertThat(shop.steps { other.sees("steps") }.toList()).containsExactly(true, true, true)
		assertThat(shop.stepsLater { other.sees("steps") }.toList()).containsExactly(true, true, true)

		assertThat(other.sees("steps")).isFalse()
	}

	@Test
	fun `lost lock cancels the function`() = run { shop, other ->
		val begun = CompletableDeferred<Unit>()
		val cancelled = CompletableDeferred<Unit>()
		val result = this.async(Dispatchers.Default) {
			runCatching {
				shop.pay(1) {
					try {
						begun.complete(Unit)
						awaitCancellation()
					}
					catch (ex: CancellationException) {
						cancelled.complete(Unit)
						throw ex
					}
				}
			}
		}
		// Redis knows of the lock before the function runs.
		begun.await()

		other.takeByForce("order:1")

		assertThat(result.await().exceptionOrNull()).isInstanceOf(LockLostException::class.java)
		cancelled.await()
	}

	@Test
	fun `cancel ends the wait, and releases the lock`() = run { shop, other ->
		val held = other.hold("order:1")
		val waiting = this.launch(Dispatchers.Default) { shop.pay(1) { "paid" } }
		Awaitility.await().until { other.client().directory().queue("order:1", 1).isNotEmpty() }
		waiting.cancelAndJoin()
		Awaitility.await().until { other.client().directory().queue("order:1", 1).isEmpty() }
		held.close()

		val working = this.launch(Dispatchers.Default) { shop.pay(1) { awaitCancellation() } }
		Awaitility.await().until { other.sees("order:1") }
		working.cancelAndJoin()
		Awaitility.await().until { !other.sees("order:1") }
	}

	@Test
	fun `other holder is an exception or null`() = run { shop, other ->
		other.hold("busy")

		assertThat(runCatching { shop.busy() }.exceptionOrNull()).isInstanceOf(LockNotAcquiredException::class.java)
		assertThat(shop.skipped()).isNull()
		shop.skippedUnit()
	}

	@Test
	fun `what cannot be skipped, fall back or be awaited stops the application`() {
		assertStops(SkippedNumber::class.java, "a call that was skipped has no Integer to return")
		assertStops(WithFallback::class.java, "fallbackMethod is set, and the method is a suspending function")
		assertStops(ReturnsDeferred::class.java, "what it returns brings a Deferred")
		assertStops(ReturnsDeferredAtOnce::class.java, "it returns a Deferred")
		assertStops(ReturnsJob::class.java, "it returns a CompletableJob")
		assertStops(ReturnsSequence::class.java, "it returns a Sequence")
		assertStops(ReturnsStateFlow::class.java, "it returns a StateFlow")
		assertStops(ReturnsFlowOfDeferred::class.java, "what it returns brings a Deferred")
	}

	@Test
	fun `flow of a type argument is a failure`() {
		LockRunner.create().withBean(UntoldFlow::class.java).run { context ->
			assertThatExceptionOfType(IllegalStateException::class.java)
				.isThrownBy { runBlocking { context.getBean(UntoldFlow::class.java).run() } }
				.withMessageContaining("whose work is not done yet")
		}
	}

	private fun assertStops(type: Class<*>, message: String) {
		LockRunner.create().withBean("bean", type).run { context ->
			assertThat(context.startupFailure).hasStackTraceContaining(message)
		}
	}

	@Test
	fun `what the compiler adds to a function is no mistake`() {
		val added = Shop::class.java.declaredMethods.filter { it.isSynthetic && it.isAnnotationPresent(DistributedLock::class.java) }
		assertThat(added).isNotEmpty()

		LockRunner.create().run { context ->
			val advisor = context.getBean(LockAdvisor::class.java)
			assertThat(added).noneMatch { advisor.matches(it, Shop::class.java) }
		}
	}

	private fun run(check: suspend CoroutineScope.(Shop, OtherProcess) -> Unit) {
		LockRunner.create().withBean(Shop::class.java).run { context ->
			OtherProcess(context as ApplicationContext).use { other ->
				runBlocking { check(context.getBean(Shop::class.java), other) }
			}
		}
	}

	open class Shop {

		@DistributedLock(name = "order", key = "#id")
		open suspend fun pay(id: Int, work: suspend () -> String): String = work()

		@DistributedLock(name = "finish")
		open suspend fun finish(work: suspend () -> Unit) = work()

		@DistributedLock(name = "steps")
		open fun steps(work: () -> Boolean): Flow<Boolean> = flow { repeat(3) { emit(work()) } }

		@DistributedLock(name = "steps")
		open suspend fun stepsLater(work: () -> Boolean): Flow<Boolean> {
			delay(1)
			return flow { repeat(3) { emit(work()) } }
		}

		@DistributedLock(name = "busy", waitTime = 0)
		open suspend fun busy(): String = "done"

		@DistributedLock(name = "busy", waitTime = 0, onContention = OnContention.SKIP)
		open suspend fun skipped(): String? = throw AssertionError()

		@DistributedLock(name = "busy", waitTime = 0, onContention = OnContention.SKIP)
		open suspend fun skippedUnit() {
			throw AssertionError()
		}

	}

	open class SkippedNumber {

		@DistributedLock(name = "x", onContention = OnContention.SKIP)
		open suspend fun run(): Int = 1

	}

	open class WithFallback {

		@DistributedLock(name = "x", fallbackMethod = "other")
		open suspend fun run(): String = "x"

		open suspend fun other(): String = "y"

	}

	open class ReturnsDeferred {

		@DistributedLock(name = "x")
		open suspend fun run(): Deferred<String> = CompletableDeferred("x")

	}

	open class ReturnsDeferredAtOnce {

		@DistributedLock(name = "x")
		open fun run(): Deferred<String> = CompletableDeferred("x")

	}

	open class ReturnsJob {

		@DistributedLock(name = "x")
		open fun run(): CompletableJob = Job()

	}

	open class ReturnsSequence {

		@DistributedLock(name = "x")
		open fun run(): Sequence<String> = sequenceOf("x")

	}

	open class ReturnsStateFlow {

		@DistributedLock(name = "x")
		open fun run(): StateFlow<Int> = MutableStateFlow(1)

	}

	open class Untold<T>(private val value: T) {

		@DistributedLock(name = "untold")
		open suspend fun run(): T = value

	}

	open class UntoldFlow : Untold<Flow<Int>>(flow { emit(1) })

	open class ReturnsFlowOfDeferred {

		@DistributedLock(name = "x")
		open suspend fun run(): Flow<Deferred<String>> = flow { emit(CompletableDeferred("x")) }

	}

}
