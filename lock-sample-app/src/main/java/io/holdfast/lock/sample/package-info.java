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

/**
 * A small shop that charges twice and sells more than it has without the lock, and does
 * neither with it.
 * <p>
 * {@link io.holdfast.lock.sample.PaymentService} and
 * {@link io.holdfast.lock.sample.OrderService} are the point of it all: one method each,
 * with and without the annotation. {@link io.holdfast.lock.sample.ParcelService} and
 * {@link io.holdfast.lock.sample.PriceService} do the same with a limit and with a read
 * lock. {@code PaymentRush} and the like send customers to them, {@code SalesReport} and
 * {@code Stocktaking} are jobs that several instances share. {@code EmbeddedRedis} and
 * {@code Companion} make the shop run without anything installed.
 */
@NullMarked
package io.holdfast.lock.sample;

import org.jspecify.annotations.NullMarked;
