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

import ch.qos.logback.classic.Level
import io.holdfast.lock.annotation.DistributedLimit
import io.holdfast.lock.annotation.DistributedLock
import io.holdfast.lock.annotation.DistributedReadLock
import io.holdfast.lock.fixture.LockRunner
import io.holdfast.lock.fixture.LogCapture
import io.holdfast.lock.fixture.OtherProcess
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.context.ApplicationContext

/** What Kotlin makes of classes, parameters and annotations, on a real Redis. */
class KotlinClassTests {

	@Test
	fun `key is a property of a data class`() = run { shop, other ->
		assertThat(shop.pay(Order(1, "pen")) { other.sees("order:1") }).isTrue()
		assertThat(shop.payIfAny(null) { other.sees("order:none") }).isTrue()
		assertThat(shop.payIfAny(Order(2, "ink")) { other.sees("order:2") }).isTrue()
	}

	@Test
	fun `keys of several orders are locked together`() = run { shop, other ->
		assertThat(shop.payAll(listOf(Order(1, "pen"), Order(2, "ink"))) { other.sees("order:1") && other.sees("order:2") })
			.isTrue()
	}

	@Test
	fun `default of a parameter is a key`() = run { shop, other ->
		assertThat(shop.ship { other.sees("shop:7") }).isTrue()
		assertThat(shop.ship(8) { other.sees("shop:8") }).isTrue()
	}

	@Test
	fun `default of a parameter is no call of the class itself`() {
		LogCapture.of("io.holdfast.lock.interceptor.SelfCalls", Level.WARN).use { log ->
			run { shop, _ -> assertThat(shop.shipTwice()).isTrue() }

			assertThat(log.lines()).singleElement().asString().contains("Shop.shipTwice calls ship").doesNotContain("default")
		}
	}

	@Test
	fun `key is what a value class wraps`() = run { shop, other ->
		assertThat(shop.cancel(OrderId(3)) { other.sees("order:3") }).isTrue()
	}

	@Test
	fun `fallback with a value class is called`() = run { shop, other ->
		other.hold("order:3")

		assertThat(shop.send(OrderId(3)) { throw AssertionError() }).isFalse()
		assertThat(shop.ship(3)).isFalse()
	}

	@Test
	fun `readers share, and permits are counted`() = run { shop, other ->
		assertThat(shop.read { shop.read { other.sees("price") } }).isTrue()
		assertThat(shop.mail { other.sees("mail") }).isTrue()
	}

	@Test
	fun `final class or function stops the application`() {
		assertStops(FinalShop::class.java, "the class is final, so no proxy can lock its calls")
		assertStops(FinalFunction::class.java, "the method is final, so no proxy can lock its calls")
	}

	private fun assertStops(type: Class<*>, message: String) {
		LockRunner.create().withBean("bean", type).run { context ->
			assertThat(context.startupFailure).hasStackTraceContaining(message).hasStackTraceContaining("kotlin-spring")
		}
	}

	private fun run(check: (Shop, OtherProcess) -> Unit) {
		LockRunner.create().withBean(Shop::class.java).run { context ->
			OtherProcess(context as ApplicationContext).use { check(context.getBean(Shop::class.java), it) }
		}
	}

	data class Order(val id: Int, val article: String)

	@JvmInline
	value class OrderId(val number: Int)

	open class Shop {

		@DistributedLock(name = "order", key = "#order.id")
		open fun pay(order: Order, work: () -> Boolean): Boolean = work()

		@DistributedLock(name = "order", key = "#order?.id ?: 'none'")
		open fun payIfAny(order: Order?, work: () -> Boolean): Boolean = work()

		@DistributedLock(name = "order", key = "#orders.![id]")
		open fun payAll(orders: List<Order>, work: () -> Boolean): Boolean = work()

		@DistributedLock(name = "shop", key = "#id")
		open fun ship(id: Int = 7, work: () -> Boolean): Boolean = work()

		open fun shipTwice(): Boolean = ship(1) { true } && ship(2) { true }

		@DistributedLock(name = "order", key = "#id")
		open fun cancel(id: OrderId, work: () -> Boolean): Boolean = work()

		@DistributedLock(name = "order", key = "#id", waitTime = 0, fallbackMethod = "sendLater")
		open fun send(id: OrderId, work: () -> Boolean): Boolean = work()

		open fun sendLater(id: OrderId, work: () -> Boolean): Boolean {
			val isInside = { id.number < 0 && work() }
			return isInside()
		}

		@DistributedLock(name = "order", key = "#id", waitTime = 0, fallbackMethod = "shipLater")
		open fun ship(id: Long): Boolean = true

		open fun shipLater(id: Long): Boolean {
			val isInside = { id < 0 }
			return isInside()
		}

		@DistributedReadLock("price")
		open fun read(work: () -> Boolean): Boolean = work()

		@DistributedLimit("mail", permits = 2)
		open fun mail(work: () -> Boolean): Boolean = work()

	}

	class FinalShop {

		@DistributedLock("x")
		fun run() = Unit

	}

	open class FinalFunction {

		@DistributedLock("x")
		fun run() = Unit

	}

}
