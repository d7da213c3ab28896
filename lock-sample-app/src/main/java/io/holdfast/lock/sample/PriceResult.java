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
 * What those who read a price list have seen.
 *
 * @param mode how they were kept apart from whoever changed it
 * @param reads how often this request read the list
 * @param torn how often it was half old and half new
 * @param mostAtOnce the most that read at the same time, counted by the provider over all
 * instances
 * @param millis how long it took
 */
record PriceResult(PriceMode mode, int reads, int torn, int mostAtOnce, long millis) {
}
