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
 * What came out of the parcels of one request.
 *
 * @param mode how many parcels were handed to the courier at a time
 * @param parcels how many there were to ship
 * @param shipped how many of them the courier took
 * @param refused how many of them it refused
 * @param mostAtOnce the most requests that were at the courier at the same time, from all
 * instances, refused ones included
 * @param millis how long it took
 */
record ParcelResult(ParcelMode mode, int parcels, int shipped, int refused, int mostAtOnce, long millis) {
}
