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

import io.holdfast.lock.LockNotAcquiredException
import io.holdfast.lock.annotation.DistributedLock
import io.holdfast.lock.annotation.OnContention
import io.holdfast.lock.fixture.LockRunner
import io.holdfast.lock.fixture.OtherProcess
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.awaitility.Awaitility
import org.junit.jupiter.api.Test
import org.springframework.cache.annotation.Cacheable
import org.springframework.cache.annotation.EnableCaching
import org.springframework.cache.concurrent.ConcurrentMapCacheManager
import org.springframework.context.ApplicationContext
import org.springframework.context.annotation.Configuration
import org.springframework.core.Ordered
import org.springframework.scheduling.annotation.EnableScheduling
import org.springframework.scheduling.annotation.Scheduled
import org.springframework.transaction.TransactionDefinition
import org.springframework.transaction.annotation.EnableTransactionManagement
import org.springframework.transaction.annotation.Transactional
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager
import org.springframework.transaction.reactive.GenericReactiveTransaction
import org.springframework.transaction.reactive.TransactionSynchronizationManager
import reactor.core.publisher.Mono
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.atomic.AtomicInteger

/** What docs/order.md tells, for suspending functions. */
class SuspendingOrderTests {

	@Test
	fun `lock is released after the commit`() = run(Managed::class.java, Transacted::class.java) { shop, other, transactions ->
		val events = transactions.events
		transactions.onEvent = { "$it, held: ${other.sees("order")}" }

		runBlocking { shop.pay { delay(1); events += "work, held: ${other.sees("order")}" } }
		events += "result, held: ${other.sees("order")}"

		assertThat(events).containsExactly("begin, held: true", "work, held: true", "commit, held: true", "result, held: false")
	}

	@Test
	fun `failure rolls back before the release`() = run(Managed::class.java, Transacted::class.java) { shop, other, transactions ->
		transactions.onEvent = { "$it, held: ${other.sees("order")}" }

		assertThatExceptionOfType(IllegalArgumentException::class.java)
			.isThrownBy { runBlocking { shop.pay { throw IllegalArgumentException("no money") } } }

		assertThat(transactions.events).containsExactly("begin, held: true", "rollback, held: true")
		assertThat(other.sees("order")).isFalse()
	}

	@Test
	fun `by default the lock is outside of the cache`() = run(CachesInside::class.java, Cached::class.java) { shop, other, _ ->
		assertThat(shop.priceNow("pen")).isEqualTo("call 1")
		assertThat(shop.priceNow("pen")).isEqualTo("call 1")
		other.hold("price:pen")

		assertThatExceptionOfType(LockNotAcquiredException::class.java).isThrownBy { shop.priceNow("pen") }
	}

	@Test
	fun `hit takes no lock if the cache is outside`() = run(CachesOutside::class.java, Cached::class.java) { shop, other, _ ->
		assertThat(shop.priceNow("pen")).isEqualTo("call 1")
		other.hold("price:pen")
		other.hold("price:ink")

		assertThat(shop.priceNow("pen")).isEqualTo("call 1")
		assertThatExceptionOfType(LockNotAcquiredException::class.java).isThrownBy { shop.priceNow("ink") }
	}

	@Test
	fun `each scheduled run takes the lock`() = run(Schedules::class.java, Cleaner::class.java) { cleaner, other, _ ->
		Awaitility.await().until { cleaner.calls.get() >= 2 }
		val held = Awaitility.await().until({ other.client().tryAcquire("clean").orElse(null) }, { it != null })!!
		val calls = cleaner.calls.get()
		val runs = cleaner.runs.get()
		Awaitility.await().until { cleaner.runs.get() >= runs + 3 }
		assertThat(cleaner.calls).hasValue(calls)

		held.close()

		Awaitility.await().until { cleaner.calls.get() > calls }
	}

	private fun <T : Any> run(configuration: Class<*>, type: Class<T>, check: (T, OtherProcess, Transactions) -> Unit) {
		LockRunner.create()
			.withUserConfiguration(configuration)
			.withBean(ConcurrentMapCacheManager::class.java)
			.withBean(Transactions::class.java)
			.withBean("bean", type)
			.run { context ->
				OtherProcess(context as ApplicationContext).use { other ->
					check(context.getBean(type), other, context.getBean(Transactions::class.java))
				}
			}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	open class Managed

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	open class CachesInside

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(order = Ordered.LOWEST_PRECEDENCE - 100)
	open class CachesOutside

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	open class Schedules

	open class Transacted {

		@DistributedLock(name = "order")
		@Transactional
		open suspend fun pay(work: suspend () -> Unit) = work()

	}

	open class Cached {

		private val calls = AtomicInteger()

		@Cacheable("prices")
		@DistributedLock(name = "price", key = "#article", waitTime = 0)
		open suspend fun price(article: String): String {
			delay(1)
			return "call ${calls.incrementAndGet()}"
		}

	}

	private fun Cached.priceNow(article: String) = runBlocking { price(article) }

	open class Cleaner {

		open val calls = AtomicInteger()

		open val runs = AtomicInteger()

		open fun next() = runs.incrementAndGet()

		@Scheduled(fixedDelay = 5)
		@DistributedLock(name = "clean", condition = "@bean.next() > 0", waitTime = 0, onContention = OnContention.SKIP)
		open suspend fun clean() {
			calls.incrementAndGet()
		}

	}

	/** Transactions of nothing, which tell what becomes of them. */
	open class Transactions : AbstractReactiveTransactionManager() {

		val events = CopyOnWriteArrayList<String>()

		var onEvent: (String) -> String = { it }

		private fun event(what: String): Mono<Void> = Mono.fromRunnable { events += onEvent(what) }

		override fun doGetTransaction(synchronizations: TransactionSynchronizationManager): Any = this

		override fun doBegin(synchronizations: TransactionSynchronizationManager, transaction: Any, definition: TransactionDefinition) =
			event("begin")

		override fun doCommit(synchronizations: TransactionSynchronizationManager, status: GenericReactiveTransaction) = event("commit")

		override fun doRollback(synchronizations: TransactionSynchronizationManager, status: GenericReactiveTransaction) =
			event("rollback")

	}

}
