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

package io.holdfast.lock.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.autoconfigure.LockAnnotationAutoConfiguration;
import io.holdfast.lock.autoconfigure.LockAutoConfiguration;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What {@link Interceptor} measures, in an application as its users have it.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@SuppressWarnings("NullAway.Init")
public class InterceptedCall {

	private static final Duration WAIT = Duration.ofSeconds(10);

	@Param("127.0.0.1")
	String host;

	@Param("6379")
	int port;

	private final Order order = new Order(4711);

	private ConfigurableApplicationContext application;

	private LockClient client;

	private Orders orders;

	private List<LeaseLock> held;

	/**
	 * Starts the application and locks all that the calls will lock.
	 */
	@Setup
	public void start() {
		this.application = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.properties("spring.data.redis.host=" + this.host, "spring.data.redis.port=" + this.port)
			.run();
		this.client = this.application.getBean(LockClient.class);
		this.orders = this.application.getBean(Orders.class);
		this.held = List.of(this.client.getLock("orders"), this.client.getLock("orders:" + this.order.id()));
		this.held.forEach(LeaseLock::lock);
	}

	/**
	 * Ends all of it.
	 */
	@TearDown
	public void stop() {
		this.held.forEach(LeaseLock::unlock);
		this.application.close();
	}

	/**
	 * Without an expression.
	 * @return the order
	 */
	@Benchmark
	public long constant() {
		return this.orders.lockAll(this.order);
	}

	/**
	 * The same by hand.
	 * @return the order
	 * @throws InterruptedException never
	 */
	@Benchmark
	public long constantByHand() throws InterruptedException {
		return locked("orders");
	}

	/**
	 * With a parameter as the key.
	 * @return the order
	 */
	@Benchmark
	public long id() {
		return this.orders.lockById(this.order.id());
	}

	/**
	 * The same by hand.
	 * @return the order
	 * @throws InterruptedException never
	 */
	@Benchmark
	public long idByHand() throws InterruptedException {
		return locked("orders:" + this.order.id());
	}

	/**
	 * With a property of a parameter as the key.
	 * @return the order
	 */
	@Benchmark
	public long orderId() {
		return this.orders.lockByOrder(this.order);
	}

	/**
	 * The same by hand.
	 * @return the order
	 * @throws InterruptedException never
	 */
	@Benchmark
	public long orderIdByHand() throws InterruptedException {
		return locked("orders:" + this.order.id());
	}

	private long locked(String name) throws InterruptedException {
		LeaseLock lock = this.client.getLock(name);
		if (!lock.tryLock(WAIT)) {
			throw new IllegalStateException("Not held");
		}
		try {
			return this.order.id();
		}
		finally {
			lock.unlock();
		}
	}

	/**
	 * An argument of a locked method.
	 *
	 * @param id its id
	 */
	public record Order(long id) {
	}

	static class Orders {

		@DistributedLock(name = "orders")
		long lockAll(Order order) {
			return order.id();
		}

		@DistributedLock(name = "orders", key = "#id")
		long lockById(long id) {
			return id;
		}

		@DistributedLock(name = "orders", key = "#order.id")
		long lockByOrder(Order order) {
			return order.id();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class,
			LockAnnotationAutoConfiguration.class })
	static class Application {

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

}
