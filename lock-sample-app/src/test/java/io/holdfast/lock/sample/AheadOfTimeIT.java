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

package io.holdfast.lock.sample;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.redis.RedisLockClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The jar as {@code process-aot} has made it, started with
 * {@code -Dspring.aot.enabled=true}.
 */
class AheadOfTimeIT extends AtOnePlace {

	private static final Pattern LINK = Pattern.compile("(?:src|href)=\"([\\w./-]+)\"");

	@Test
	void processedJarIsTheSameShop() throws Exception {
		try (ShopProcess shop = ShopProcess.launch(this.place,
				List.of("-Dspring.aot.enabled=true", "-cp", classPath(jar())), "--holdfast.lock.wait-time=200ms",
				"--sample.shelf-time=1ms")) {
			shop.awaitSignedOn();
			assertThat(Files.readString(this.directory.resolve("shop-" + shop.port() + ".log")))
				.contains("Starting AOT-processed SampleApplication");

			buyAndPay(shop);
			shipAndRead(Shop.http(shop.port()));
			askForAStocktakingWhileSomebodyElseDoes(shop);
			openThePage(shop.port());

			shop.stop();
			Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> !shop.isAlive() && !this.place.hasRedis());
		}
	}

	private static void buyAndPay(ShopProcess shop) {
		assertThat(shop.sell("mode=FAIR&stock=10&orders=50").oversold()).isZero();
		JsonNode receipt = shop.pay("shoes", 0);
		assertThat(receipt.get("charged").asBoolean()).isTrue();
		assertThat(receipt.get("token").asLong()).isPositive();
		assertThat(shop.pay("shoes", 0).get("charged").asBoolean()).isFalse();
	}

	private static void shipAndRead(RestClient http) {
		JsonNode parcels = Shop.json(http.post().uri("/api/parcels?mode=LIMITED&parcels=20"));
		assertThat(parcels.get("shipped").asInt()).isEqualTo(20);
		JsonNode prices = Shop.json(http.post().uri("/api/prices?mode=READ_LOCKED&reads=40"));
		assertThat(prices.get("torn").asInt()).isZero();
	}

	/**
	 * The key is the method's name, by {@code #root}, and the fallback does nothing.
	 */
	private void askForAStocktakingWhileSomebodyElseDoes(ShopProcess shop) throws InterruptedException {
		JedisConnectionFactory connections = new JedisConnectionFactory(
				new RedisStandaloneConfiguration("localhost", this.place.redisPort()));
		connections.afterPropertiesSet();
		connections.start();
		try (RedisLockClient other = RedisLockClient.builder(connections)
			.keyPrefix("shop:")
			.application("other")
			.build()) {
			try (Lease lease = other.acquire("stocktaking:request", LockOptions.defaults())) {
				JsonNode lock = shop.lock("stocktaking:request").get("lock");
				assertThat(lock.at("/holder/application").asString()).isEqualTo("other");
				assertThat(lock.get("token").asLong()).isEqualTo(lease.token());

				shop.requestStocktaking();

				assertThat(shop.stocktaking()).isNull();
			}
			shop.requestStocktaking();
			Awaitility.await().until(() -> shop.stocktaking().isFinished());
		}
		finally {
			connections.destroy();
		}
	}

	private static void openThePage(int port) {
		RestClient http = Shop.http(port);
		String page = http.get().uri("/").retrieve().body(String.class);
		List<String> links = LINK.matcher(page).results().map((link) -> link.group(1)).toList();

		assertThat(links).hasSizeGreaterThan(3)
			.allSatisfy((link) -> assertThat(http.get().uri("/" + link).retrieve().body(String.class)).isNotEmpty());
		assertThat(Shop.json(http.get().uri("/actuator/locks")).get("locks")).isNotNull();
	}

	/** What the build has packaged before it runs this. */
	private static Path jar() throws IOException {
		try (Stream<Path> files = Files.list(Path.of("target"))) {
			return files
				.filter((file) -> file.getFileName().toString().matches("lock-sample-app-[\\w.-]+(?<!tests)\\.jar"))
				.findFirst()
				.orElseThrow(() -> new IllegalStateException("The jar is not there: mvn package makes it"));
		}
	}

	/**
	 * That of the tests, with the jar in place of what is in it, and without the tests.
	 */
	private static String classPath(Path jar) {
		return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
			.splitAsStream(System.getProperty("java.class.path"))
			.filter((entry) -> !Path.of(entry).endsWith("target/test-classes"))
			.map((entry) -> Path.of(entry).endsWith("lock-sample-app/target/classes") ? jar.toAbsolutePath().toString()
					: entry)
			.collect(Collectors.joining(File.pathSeparator));
	}

}
