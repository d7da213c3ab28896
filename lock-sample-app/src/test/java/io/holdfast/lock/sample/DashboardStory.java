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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientPauseMode;

import org.springframework.web.client.RestClientException;

/**
 * Takes the picture of the Grafana dashboard for the documentation: lets two instances
 * work, and things go wrong, while Prometheus scrapes them.
 */
public final class DashboardStory {

	private DashboardStory() {
	}

	/**
	 * Takes three and a half minutes.
	 * @param arguments the file to write
	 */
	public static void main(String[] arguments) throws Exception {
		Path directory = Files.createTempDirectory("holdfast-dashboard");
		System.out.println("Logs and data are in " + directory);
		Place place = Place.in(directory);
		try (ShopProcess first = ShopProcess.launch(place); ShopProcess second = ShopProcess.launch(place)) {
			first.awaitSignedOn();
			second.awaitSignedOn();
			draw(place, first, second, Path.of(arguments[0]));
		}
		finally {
			place.endRedis();
			place.awaitEndOfCompanion();
		}
	}

	private static void draw(Place place, ShopProcess first, ShopProcess second, Path picture) throws Exception {
		try (Prometheus prometheus = Prometheus.start(place.directory(), List.of(first.port(), second.port()))) {
			Instant from = Instant.now();
			tell(place, first, second);
			Instant to = Instant.now();
			System.out.println("From " + from + " to " + to);
			prometheus.firing().forEach((alert) -> System.out.println("fires: " + alert.get("annotations")));
			Files.writeString(picture, new DashboardPicture(prometheus, from, to).draw());
		}
	}

	private static void tell(Place place, ShopProcess first, ShopProcess second)
			throws IOException, InterruptedException {
		keepBusy(first);
		keepBusy(second);
		TimeUnit.SECONDS.sleep(30);
		first.requestStocktaking();
		TimeUnit.SECONDS.sleep(20);
		first.pay("boots", 8);
		TimeUnit.SECONDS.sleep(25);
		try (Jedis jedis = new Jedis(place.redis())) {
			jedis.keys("*" + Stocktaking.LOCK + "*").forEach(jedis::del);
			TimeUnit.SECONDS.sleep(30);
			jedis.clientPause(Duration.ofSeconds(8).toMillis(), ClientPauseMode.ALL);
		}
		TimeUnit.SECONDS.sleep(50);
	}

	/** Sells and pays until this program ends. */
	private static void keepBusy(ShopProcess shop) {
		Thread thread = new Thread(() -> {
			for (int round = 1; shop.isAlive(); round++) {
				try {
					shop.sell("mode=" + ((round % 3 == 0) ? "FAIR" : "LOCKED") + "&stock=60&orders=80&article=round-"
							+ round);
					shop.payMany("mode=LOCKED&orders=20&batch=round-" + round);
					TimeUnit.SECONDS.sleep(1);
				}
				catch (RestClientException ex) {
					System.out.println(ex.getMessage());
				}
				catch (InterruptedException ex) {
					return;
				}
			}
		}, "buyers of " + shop.port());
		thread.setDaemon(true);
		thread.start();
	}

}
