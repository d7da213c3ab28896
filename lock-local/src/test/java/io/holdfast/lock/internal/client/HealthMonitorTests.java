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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

import io.holdfast.lock.LockClientHealth;
import io.holdfast.lock.LockClientHealth.Status;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.engine.EngineSettings;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.MessageChannel;
import io.holdfast.lock.local.LocalClients;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a client makes of the answers and the failures of its server. Nobody looks at the
 * time here but the test: the client is not started.
 */
class HealthMonitorTests {

	private final AtomicLong clock = new AtomicLong();

	private boolean hears = true;

	private final LockRuntime runtime = runtime();

	private final HealthMonitor monitor = new HealthMonitor(this.runtime);

	@AfterEach
	void close() {
		this.runtime.close();
	}

	@Test
	void isUpWithoutAnAnswerYet() {
		LockClientHealth health = this.monitor.read();

		assertThat(health.status()).isEqualTo(Status.UP);
		assertThat(health.lastAnswer()).isNull();
		assertThat(health.unavailableFor()).isNull();
		assertThat(health.held()).isZero();
	}

	@Test
	void saysWhenTheServerAnsweredLast() {
		this.monitor.answered();
		at(2000);

		assertThat(this.monitor.read().lastAnswer()).isEqualTo(Duration.ofSeconds(2));
	}

	@Test
	void oneFailureSaysNothing() {
		this.monitor.acquisitionFailed(failure(Reason.TIMED_OUT));
		at(59_999);

		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
		assertThat(this.monitor.read().failure()).isEqualTo("TIMED_OUT: no answer");
	}

	@Test
	void failuresFiveSecondsApartAreAnOutageUntilTheNextAnswer() {
		this.monitor.acquisitionFailed(failure(Reason.UNREACHABLE));
		at(4999);
		this.monitor.failed(failure(Reason.TIMED_OUT));
		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
		at(5000);
		this.monitor.failed(failure(Reason.TIMED_OUT));

		assertThat(this.monitor.read().status()).isEqualTo(Status.OUT_OF_SERVICE);
		assertThat(this.monitor.read().unavailableFor()).isEqualTo(Duration.ofSeconds(5));

		this.monitor.answered();
		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
		assertThat(this.monitor.read().failure()).isNull();
	}

	@Test
	void answerBetweenFailuresEndsThem() {
		this.monitor.failed(failure(Reason.UNREACHABLE));
		at(2000);
		this.monitor.answered();
		at(6000);
		this.monitor.failed(failure(Reason.UNREACHABLE));

		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
	}

	@Test
	void acquisitionsThatAreRefusedAreAnOutageWhateverElseIsAnswered() {
		this.monitor.acquisitionFailed(failure(Reason.REFUSED));
		at(6000);
		this.monitor.acquisitionFailed(failure(Reason.REFUSED));
		this.monitor.answered();
		assertThat(this.monitor.read().status()).isEqualTo(Status.OUT_OF_SERVICE);

		this.monitor.acquisitionAnswered();
		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
	}

	@Test
	void keyThatIsNoLockIsNoOutage() {
		LockServerException noLock = new LockServerException("secret", Reason.REFUSED, "no lock",
				new IllegalStateException("WRONGTYPE Operation against a key holding the wrong kind of value"));

		this.monitor.acquisitionFailed(noLock);
		at(6000);
		this.monitor.acquisitionFailed(noLock);

		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
		assertThat(this.monitor.read().lastAnswer()).isZero();
	}

	@ParameterizedTest
	@EnumSource(names = { "REFUSED", "UNREACHABLE" })
	void outageIsForgottenAfterAMinuteInWhichNobodyAsked(Reason reason) {
		this.monitor.acquisitionFailed(failure(reason));
		at(6000);
		this.monitor.acquisitionFailed(failure(reason));
		at(65_999);
		assertThat(this.monitor.read().status()).isEqualTo(Status.OUT_OF_SERVICE);
		at(66_000);

		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
		this.monitor.acquisitionFailed(failure(Reason.TIMED_OUT));
		assertThat(this.monitor.read().unavailableFor()).isEqualTo(Duration.ZERO);
	}

	@Test
	void refusalOfARenewalOrAReleaseIsAnAnswer() {
		this.monitor.failed(failure(Reason.REFUSED));

		assertThat(this.monitor.read().unavailableFor()).isNull();
		assertThat(this.monitor.read().lastAnswer()).isZero();
	}

	@Test
	void subscriptionIsDownAfterThreeSecondsWithoutOne() {
		this.monitor.tick();
		this.hears = false;
		at(2999);
		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
		assertThat(this.monitor.read().subscriptionDownFor()).isEqualTo(Duration.ofMillis(2999));
		at(3000);
		assertThat(this.monitor.read().status()).isEqualTo(Status.SUBSCRIPTION_DOWN);

		this.hears = true;
		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
	}

	@Test
	void serverIsAskedIfNobodyElseDoesAndSomebodyWantsToKnow() {
		this.monitor.read();
		at(1000);

		this.monitor.tick();

		Awaitility.await("an answer").until(() -> this.monitor.read().lastAnswer() != null);
	}

	@Test
	void closedClientIsOutOfService() {
		this.runtime.close();

		assertThat(this.monitor.read().status()).isEqualTo(Status.OUT_OF_SERVICE);
	}

	private void at(long millis) {
		this.clock.set(TimeUnit.MILLISECONDS.toNanos(millis));
	}

	private static LockServerException failure(Reason reason) {
		return new LockServerException("secret", reason, "Lock 'secret': no answer",
				new IllegalStateException("no answer"));
	}

	private LockRuntime runtime() {
		EngineSettings engine = new EngineSettings(Duration.ofSeconds(30), Duration.ofSeconds(10), 16, true);
		LockKeys keys = new LockKeys("health:");
		ClientSettings settings = new ClientSettings(keys, "test@host/1", Duration.ZERO, LockOptions.WATCHDOG,
				(lease) -> {
				}, UnaryOperator.identity(), engine, List.of(), this.clock::get);
		return new LockRuntime(settings, HealthMonitorTests::server, (created) -> List.of(new Channel()));
	}

	private static LockServer server(LockRuntime created) {
		return LocalClients.server(created.settings().clientId(), created.keys(), created.engine().messages());
	}

	private final class Channel implements MessageChannel {

		@Override
		public void open() {
		}

		@Override
		public boolean hears() {
			return HealthMonitorTests.this.hears;
		}

		@Override
		public long subscriptions() {
			return 1;
		}

		@Override
		public void check(String waitedFor, Executor executor) {
		}

		@Override
		public void close() {
		}

	}

}
