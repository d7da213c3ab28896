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

package io.holdfast.lock.interceptor;

import io.holdfast.lock.Leases;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.BootLine;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThat;

/** A bean with locked methods that a test replaces. */
@SpringJUnitConfig(ReplacedBeanTests.Application.class)
@TestPropertySource(properties = "holdfast.lock.mode=local")
class ReplacedBeanTests {

	@TestBean
	Payments stubbed;

	@Autowired
	Shop shop;

	static Payments stubbed() {
		return new Payments() {

			@Override
			public String pay() {
				return "stubbed";
			}

		};
	}

	@Test
	void applicationStarts() {
		assertThat(this.shop.payments().pay()).isEqualTo("stubbed");
	}

	@Test
	void otherBeanIsLocked() {
		assertThat(this.shop.visits().visit()).isEqualTo("visit");
	}

	record Shop(Payments payments, Visits visits) {
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ BootLine.class, Payments.class, Visits.class })
	static class Application {

		@Bean
		Shop shop(Payments payments, Visits visits) {
			return new Shop(payments, visits);
		}

	}

	public static class Payments {

		@DistributedLock(name = "payment")
		public String pay() {
			return "payment";
		}

	}

	public static class Visits {

		@DistributedLock(name = "visit")
		public String visit() {
			return Leases.current().name();
		}

	}

}
