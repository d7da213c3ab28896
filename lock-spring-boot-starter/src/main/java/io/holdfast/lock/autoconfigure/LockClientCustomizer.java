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

import io.holdfast.lock.redis.RedisLockClientBuilder;

/**
 * Changes the {@link RedisLockClientBuilder} beans that the starter has set up from the
 * properties, each before somebody gets it; so also the application's
 * {@link io.holdfast.lock.LockClient}. Beans of this type are called in their order.
 * <p>
 * Wait and lease times of annotated methods come from the properties all the same. A
 * {@link io.holdfast.lock.LockObserver} needs no customizer: it is enough to make it a
 * bean; one that is added here as well is told everything twice.
 */
@FunctionalInterface
public interface LockClientCustomizer {

	/**
	 * Customizes a client.
	 * @param builder describes the client, with the properties applied
	 */
	void customize(RedisLockClientBuilder builder);

}
