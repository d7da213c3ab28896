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
 * What came out of the orders of one request.
 *
 * @param mode how the orders were kept apart
 * @param stock the units of the article that were put on sale
 * @param orders how many orders this request fired
 * @param sold how many of them got a unit
 * @param rejected how many of them found the article sold out
 * @param oversold the units of the article sold beyond its stock, by everybody so far,
 * counted from the rows in the database
 * @param millis how long the orders took
 */
record SaleResult(SaleMode mode, int stock, int orders, int sold, int rejected, int oversold, long millis) {
}
