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

package io.holdfast.lock.jdbc;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * Properties of the fence in the database: all that there are under
 * {@code holdfast.lock.fence}.
 *
 * @param enabled Whether the database refuses commits under a lock that has a later
 * owner.
 * @param initializeSchema When to create the table holdfast_fence.
 */
@ConfigurationProperties("holdfast.lock.fence")
record LockFenceProperties(@DefaultValue("true") boolean enabled,
		@DefaultValue("embedded") DatabaseInitializationMode initializeSchema) {
}
