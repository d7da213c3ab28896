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

import java.time.Duration;

import io.holdfast.lock.redis.RedisLockClient;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Gives the check of Redis at the start more time than applications do: a busy machine
 * may need it, and what the check does not find in its time keeps nobody from starting.
 */
class PatientCheck implements BeanPostProcessor {

	private final BeanFactory beans;

	PatientCheck(BeanFactory beans) {
		this.beans = beans;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		return (bean instanceof StartUpCheck) ? new StartUpCheck(this.beans.getBeanProvider(RedisLockClient.class),
				this.beans.getBean(LockServers.class), Duration.ofSeconds(60)) : bean;
	}

}
