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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The alerts in a real Prometheus. Skipped where there is none.
 */
@EnabledIf(value = "io.holdfast.lock.sample.Prometheus#isInstalled", disabledReason = "no Prometheus on the PATH")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class AlertsIT {

	@Test
	void alertsFireWhenTheirTestsSaySo() throws IOException, InterruptedException {
		Process promtool = new ProcessBuilder("promtool", "test", "rules", "alerts.test.yml")
			.directory(Prometheus.FILES.toFile())
			.redirectErrorStream(true)
			.start();
		String output = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

		assertThat(promtool.waitFor()).as(output).isZero();
	}

	@Test
	void lostLockFires(@TempDir Path directory) throws IOException {
		Place place = Place.in(directory);
		try (ShopProcess shop = ShopProcess.launch(place)) {
			shop.awaitSignedOn();
			try (Prometheus prometheus = Prometheus.start(directory, List.of(shop.port()))) {
				loseLock(shop, prometheus);
			}
		}
		finally {
			place.endRedis();
			place.awaitEndOfCompanion();
		}
	}

	private static void loseLock(ShopProcess shop, Prometheus prometheus) {
		assertThat(prometheus.firing()).isEmpty();

		// Its lease of 6 seconds is over when the process wakes up
		JsonNode problem = shop.pay("boots", 8);

		assertThat(problem.path("detail").asString("")).startsWith("The lock was lost meanwhile");
		JsonNode alert = Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> find(prometheus, "HoldfastLockLost", "order"), Optional::isPresent)
			.orElseThrow();
		assertThat(alert.at("/labels/severity").asString()).isEqualTo("critical");
		assertThat(alert.at("/annotations/summary").asString())
			.isEqualTo("localhost:" + shop.port() + " lost lock order while it worked (expired)");
	}

	/** The sample may lose the lock of a report, too. */
	private static Optional<JsonNode> find(Prometheus prometheus, String alertName, String lockName) {
		return prometheus.firing()
			.stream()
			.filter((alert) -> alert.at("/labels/alertname").asString().equals(alertName)
					&& alert.at("/labels/name").asString("").equals(lockName))
			.findFirst();
	}

}
