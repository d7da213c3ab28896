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

import io.holdfast.lock.redis.RedisLockClient;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** Checks settings as the start of an application does, for tests of other packages. */
public final class SettingsCheck {

	private SettingsCheck() {
	}

	public static void check(PropertySource<?> settings) {
		LockProperties properties = new Binder(ConfigurationPropertySources.from(settings))
			.bindOrCreate("holdfast.lock", LockProperties.class);
		RedisConnectionFactory server = new JedisConnectionFactory();
		properties.applyTo(RedisLockClient.builder(server));
	}

}
