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

package io.holdfast.lock.quorum;

import io.holdfast.lock.autoconfigure.LockAutoConfiguration;
import io.holdfast.lock.autoconfigure.LockConnectionFactory;
import io.holdfast.lock.autoconfigure.LockServers;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration for locks on a quorum. Which servers there are is read at the start:
 * without any, locks are on the application's Redis.
 */
@AutoConfiguration(before = LockAutoConfiguration.class)
@ConditionalOnClass(LockAutoConfiguration.class)
@EnableConfigurationProperties(LockQuorumProperties.class)
public final class LockQuorumAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockServers.class)
	QuorumConnections lockQuorumConnections(@LockConnectionFactory ObjectProvider<RedisConnectionFactory> marked,
			ObjectProvider<RedisConnectionFactory> all, LockQuorumProperties properties) {
		if (!properties.nodes().isEmpty() && marked.getIfUnique() == null) {
			// Made before this bean, so that it ends after it: a Lettuce client may never
			// end once the resources that it shares have ended.
			RedisConnectionFactory unused = all.getIfUnique();
		}
		return new QuorumConnections(properties, () -> LockServers.ofApplication(marked, all));
	}

}
