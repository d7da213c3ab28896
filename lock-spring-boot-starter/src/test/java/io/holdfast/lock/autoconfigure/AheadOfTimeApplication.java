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

package io.holdfast.lock.autoconfigure;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Optional;

import io.holdfast.lock.Lease;
import io.holdfast.lock.Leases;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.actuate.LocksEndpoint;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.BootLine;

import org.springframework.aot.AotDetector;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.AliasFor;

/**
 * Calls locked methods of all kinds and prints what comes of it.
 */
@SpringBootConfiguration
@Import(BootLine.class)
@ImportAutoConfiguration(LockEndpointAutoConfiguration.class)
public class AheadOfTimeApplication {

	public static void main(String[] args) throws IOException, InterruptedException {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(AheadOfTimeApplication.class)
			.web(WebApplicationType.NONE)
			.properties("management.endpoints.web.exposure.include=locks", "spring.main.banner-mode=off")
			.run(args)) {
			print("PROCESSED", AotDetector.useGeneratedArtifacts() && !context
				.containsBeanDefinition(AnnotationConfigUtils.CONFIGURATION_ANNOTATION_PROCESSOR_BEAN_NAME));
			call(context.getBean(Shop.class));
			print("TYPE", context.getBean(Counter.class).count("one"));
			print("ENDPOINTS", context.getBeanNamesForType(LocksEndpoint.class).length);
			try (Lease lease = context.getBean(LockClient.class).acquire("held", LockOptions.defaults())) {
				print("HOLDS", lease.name());
				System.in.read();
			}
		}
	}

	private static void call(Shop shop) {
		print("PROPERTY", shop.byProperty(new Order("4711", new Customer("bob"))));
		print("ROOT", shop.byRoot("4711"));
		print("BEAN", shop.byBean("4711"));
		print("PLACEHOLDER", shop.byPlaceholder());
		print("COMPOSED", shop.byComposedAnnotation("4711"));
		print("LEASE", shop.withLease());
		print("CONDITION", shop.onlyIf(false));
		print("FALLBACK", shop.pay("taken"));
		print("SKIPPED", shop.skip("taken").isEmpty());
	}

	private static void print(String word, Object value) {
		System.out.println(word + " " + value);
	}

	@Bean
	Shop shop() {
		return new Shop();
	}

	@Bean
	Keys keys() {
		return new Keys();
	}

	@Bean
	@Lazy
	Counter counter() {
		return new Counter();
	}

	public static class Shop {

		public String getRegion() {
			return "north";
		}

		@DistributedLock(name = "order", key = "#order.customer.name")
		String byProperty(Order order) {
			return names();
		}

		@DistributedLock(key = "#root.method.name + '-' + #root.args[0] + '-' + #root.target.region")
		String byRoot(String id) {
			return names();
		}

		@DistributedLock(name = "order", key = "@keys.of(#p0)")
		String byBean(String id) {
			return names();
		}

		@DistributedLock(name = "${test.area}", waitTimeString = "${test.wait}")
		String byPlaceholder() {
			return names();
		}

		@Locked("composed")
		String byComposedAnnotation(String id) {
			return names();
		}

		@DistributedLock(name = "leased")
		boolean withLease() {
			return Leases.current().token() > 0;
		}

		@DistributedLock(name = "order", key = "#p0", condition = "#p0")
		String onlyIf(boolean needed) {
			return "unlocked";
		}

		@DistributedLock(name = "order", key = "#id", waitTime = 0, fallbackMethod = "payLater")
		String pay(String id) {
			return "paid";
		}

		@SuppressWarnings({ "UnusedMethod", "UnusedVariable" }) // the lock calls it
		private String payLater(String id, LockNotAcquiredException ex) {
			return "later:" + id;
		}

		@DistributedLock(name = "order", key = "#id", waitTime = 0, onContention = OnContention.SKIP)
		Optional<String> skip(String id) {
			return Optional.of("paid");
		}

		private static String names() {
			return String.join(",", Leases.current().names());
		}

	}

	public static class Keys {

		public String of(String id) {
			return "bean-" + id;
		}

	}

	@DistributedLock(name = "counter", key = "#p0")
	public static class Counter {

		public String count(String id) {
			return String.join(",", Leases.current().names());
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "#id")
	@interface Locked {

		@AliasFor(annotation = DistributedLock.class, attribute = "name")
		String value();

	}

	public record Order(String id, Customer customer) {
	}

	record Customer(String name) {
	}

}
