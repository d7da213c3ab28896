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

/**
 * What came out of a rush of payments.
 *
 * @param mode how payments of the same order were kept apart
 * @param orders how many orders there were to pay
 * @param charges how often customers were charged for them, by everybody so far, counted
 * in the ledger of the payment provider
 * @param chargedTwice how many of the orders were charged more than once
 * @param millis how long the payments took
 */
record PaymentResult(PaymentMode mode, int orders, int charges, int chargedTwice, long millis) {
}
