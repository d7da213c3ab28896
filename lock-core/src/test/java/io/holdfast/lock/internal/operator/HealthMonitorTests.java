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

package io.holdfast.lock.internal.operator;

import java.time.Duration;

import io.holdfast.lock.LockClientHealth;
import io.holdfast.lock.LockClientHealth.Status;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.protocol.LockServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a client makes of the answers and the failures of its server.
 */
class HealthMonitorTests {

	private static final Duration WATCHDOG = Duration.ofMinutes(5);

	private static final String KEY = "order";

	private final TestEngine locks = new TestEngine(WATCHDOG);

	private String nodes = "";

	private final HealthMonitor monitor = new HealthMonitor(this.locks.view,
			(key) -> key.equals(KEY) ? LockServer.ONLY_NODE : this.nodes + key.charAt(0));

	@Test
	void isUpWithoutAnAnswerYet() {
		LockClientHealth health = this.monitor.read();

		assertThat(health).isEqualTo(new LockClientHealth(Status.UP, 0, 0, null, null, null));
	}

	@Test
	void oneFailureSaysNothing() {
		this.monitor.failed(KEY, failure(Reason.TIMED_OUT));
		this.locks.at(59_999);

		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
		assertThat(this.monitor.read().failure()).isEqualTo("TIMED_OUT: no answer");
	}

	@ParameterizedTest
	@EnumSource(Reason.class)
	void failuresFiveSecondsApartAreAnOutageUntilTheNextAnswer(Reason reason) {
		this.monitor.failed(KEY, failure(Reason.UNREACHABLE));
		this.locks.at(4999);
		this.monitor.failed(KEY, failure(reason));
		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
		this.locks.at(5000);
		this.monitor.failed(KEY, failure(reason));

		assertThat(this.monitor.read().status()).isEqualTo(Status.OUT_OF_SERVICE);
		assertThat(this.monitor.read().unavailableFor()).isEqualTo(Duration.ofSeconds(5));

		this.monitor.answered();
		assertThat(this.monitor.read()).isEqualTo(new LockClientHealth(Status.UP, 0, 0, null, null, null));
	}

	@Test
	void newSubscriptionEndsAnOutage() {
		this.monitor.failed(KEY, failure(Reason.UNREACHABLE));
		this.locks.hears(false);
		this.locks.at(6000);
		this.monitor.failed(KEY, failure(Reason.UNREACHABLE));
		assertThat(this.monitor.read().status()).isEqualTo(Status.OUT_OF_SERVICE);

		this.locks.hears(true);
		this.monitor.reachedNode(LockServer.ONLY_NODE);

		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
	}

	@ParameterizedTest
	@EnumSource(Reason.class)
	void serverThatIsReachedMayStillRefuse(Reason reason) {
		this.monitor.failed(KEY, failure(reason));
		this.locks.at(6000);
		this.monitor.failed(KEY, failure(reason));

		this.monitor.reached(KEY);

		boolean answered = reason == Reason.REFUSED || reason == Reason.UNAVAILABLE;
		assertThat(this.monitor.read().status()).isEqualTo(answered ? Status.OUT_OF_SERVICE : Status.UP);
	}

	@Test
	void otherNodeThatIsReachedEndsNoOutage() {
		this.monitor.failed("a1", failure(Reason.UNREACHABLE));
		this.locks.at(6000);
		this.monitor.failed("a1", failure(Reason.UNREACHABLE));

		this.monitor.reached("b1");
		assertThat(this.monitor.read().status()).isEqualTo(Status.OUT_OF_SERVICE);
		// Another server has that slot by now.
		this.nodes = "other";
		this.monitor.reached("a2");
		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
	}

	@ParameterizedTest
	@ValueSource(strings = { "WRONGTYPE Operation against a key holding the wrong kind of value",
			"LAYOUT of the lock is 9", "DAMAGED" })
	void keyThatIsNoLockIsNoOutage(String words) {
		LockServerException noLock = new LockServerException("secret", Reason.REFUSED, "no lock",
				new IllegalStateException(words));

		this.monitor.failed(KEY, noLock);
		this.locks.at(6000);
		this.monitor.failed(KEY, noLock);

		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
	}

	@Test
	void outageIsForgottenAfterAMinuteInWhichNobodyTried() {
		this.monitor.failed(KEY, failure(Reason.REFUSED));
		this.locks.at(6000);
		this.monitor.failed(KEY, failure(Reason.REFUSED));
		this.locks.at(65_999);
		assertThat(this.monitor.read().status()).isEqualTo(Status.OUT_OF_SERVICE);
		this.locks.at(66_000);

		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
		this.monitor.failed(KEY, failure(Reason.TIMED_OUT));
		assertThat(this.monitor.read().unavailableFor()).isEqualTo(Duration.ZERO);
	}

	@Test
	void renewalIsLateAfterTwoThirdsOfTheLease() {
		this.locks.hold("a", true);
		this.locks.hold("b", false);

		this.locks.at(WATCHDOG.toMillis() * 6 / 10);
		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
		this.locks.at(WATCHDOG.toMillis() * 2 / 3);
		assertThat(this.monitor.read().status()).isEqualTo(Status.RENEWALS_LATE);
		assertThat(this.monitor.read().held()).isEqualTo(2);
	}

	@Test
	void subscriptionIsDownAfterThreeSecondsWithoutOne() {
		this.locks.at(1000);
		this.locks.hears(false);
		this.locks.at(3999);
		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
		assertThat(this.monitor.read().subscriptionDownFor()).isEqualTo(Duration.ofMillis(2999));
		this.locks.at(4000);
		assertThat(this.monitor.read().status()).isEqualTo(Status.SUBSCRIPTION_DOWN);

		this.locks.hears(true);
		assertThat(this.monitor.read().status()).isEqualTo(Status.UP);
	}

	@Test
	void closedClientIsOutOfService() {
		this.locks.hears(false);
		this.locks.context.close();

		assertThat(this.monitor.read()).isEqualTo(new LockClientHealth(Status.OUT_OF_SERVICE, 0, 0, null, null, null));
	}

	private static LockServerException failure(Reason reason) {
		return new LockServerException("secret", reason, "Lock 'secret': no answer",
				new IllegalStateException("no answer"));
	}

}
