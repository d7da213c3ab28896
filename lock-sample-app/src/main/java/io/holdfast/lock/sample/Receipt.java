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

package io.holdfast.lock.sample;

import org.jspecify.annotations.Nullable;

/**
 * Proof that an order is paid.
 *
 * @param order the order's number
 * @param charged whether this call has charged the customer, and none before
 * @param token the fencing token with which the customer was charged; {@code null} if it
 * was without the lock
 * @param by the port of the instance that charged the customer
 */
public record Receipt(String order, boolean charged, @Nullable Long token, int by) {
}
