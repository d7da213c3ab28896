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

package io.holdfast.lock.redis;

import java.time.Duration;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The log of locks that nobody releases fails when it should note who acquires one.
 */
class LeakLogTests extends FaultFixture {

	private final LoggerContext logging = (LoggerContext) LoggerFactory.getILoggerFactory();

	private final TurboFilter failing = new TurboFilter() {

		@Override
		public FilterReply decide(Marker marker, Logger logger, Level level, String format, Object[] params,
				Throwable thrown) {
			if (logger.getName().equals("io.holdfast.lock.leaks")) {
				throw new OutOfMemoryError("test");
			}
			return FilterReply.NEUTRAL;
		}

	};

	LeakLogTests() {
		super(RedisProcess.shared());
	}

	@BeforeEach
	void fail() {
		this.logging.addTurboFilter(this.failing);
	}

	@AfterEach
	void stopFailing() {
		this.logging.getTurboFilterList().remove(this.failing);
	}

	@Test
	void lockOfAThreadIsFreeAgain() {
		LeaseLock lock = openPatient(RedisDriver.JEDIS).getLock("thread");

		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(lock::lock);

		assertThat(lock.isHeldByCurrentThread()).isFalse();
		FaultClients.await("the release", () -> !lock.isLocked());
	}

	@Test
	void lockOfAHandleIsFreeAgain() {
		RedisLockClient client = openPatient(RedisDriver.JEDIS);
		LockOptions options = LockOptions.defaults().waitTime(Duration.ZERO);

		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> client.tryAcquire("handle", options));

		FaultClients.await("the release", () -> !client.getLock("handle").isLocked());
	}

}
