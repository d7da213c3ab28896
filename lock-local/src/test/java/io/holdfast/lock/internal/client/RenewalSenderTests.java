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

package io.holdfast.lock.internal.client;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.engine.EngineSettings;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.Renewal;
import io.holdfast.lock.internal.server.Topology;
import io.holdfast.lock.local.LocalClients;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What holds are told of renewals that fail in groups. */
class RenewalSenderTests {

	private static final LockKeys KEYS = new LockKeys("renewed:");

	private final Map<String, LockServerException> failures = new ConcurrentHashMap<>();

	@Test
	void holdIsToldWhyTheRenewalOfItsOwnGroupFailed() throws Exception {
		EngineSettings engine = new EngineSettings(Duration.ofSeconds(1), Duration.ofSeconds(1), 16, true);
		LockObserver observer = new LockObserver() {
			@Override
			public void renewalFailed(String name, LockServerException reason) {
				RenewalSenderTests.this.failures.put(name, reason);
			}
		};
		ClientSettings settings = new ClientSettings(KEYS, "test@host/1", Duration.ofSeconds(10), LockOptions.WATCHDOG,
				(lease) -> {
				}, UnaryOperator.identity(), engine, List.of(observer), System::nanoTime);
		LockRuntime runtime = new LockRuntime(settings, RenewalSenderTests::server, (created) -> List.of());
		runtime.start();
		try (DefaultLockClient client = new DefaultLockClient(runtime)) {
			client.acquire("a", LockOptions.defaults());
			client.acquire("b", LockOptions.defaults());

			Awaitility.await().until(() -> this.failures.size() == 2);

			this.failures.forEach((name, reason) -> assertThat(reason).hasMessage("of " + KEYS.lock(name)));
		}
	}

	/**
	 * A server that renews nothing, and has a group for each lock.
	 */
	private static LockServer server(LockRuntime created) {
		LockServer server = LocalClients.server(created.settings().clientId(), created.keys(),
				created.engine().messages());
		return (LockServer) Proxy.newProxyInstance(LockServer.class.getClassLoader(),
				new Class<?>[] { LockServer.class }, (proxy, method, args) -> switch (method.getName()) {
					case "topology" -> new Slots();
					case "renewEach" -> ((List<?>) args[0]).stream().map(RenewalSenderTests::failure).toList();
					default -> method.invoke(server, args);
				});
	}

	private static Outcome<?> failure(Object group) {
		Renewal renewal = (Renewal) ((List<?>) group).get(0);
		return new Outcome<>(null, new LockServerException("", Reason.REFUSED, "of " + renewal.key(), null));
	}

	private static final class Slots implements Topology {

		@Override
		public <T> List<List<T>> group(List<T> items, Function<T, String> keyOf) {
			return items.stream().map(List::of).toList();
		}

	}

}
