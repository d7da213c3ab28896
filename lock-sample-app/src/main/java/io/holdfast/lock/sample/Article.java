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
 * An article and what the order rows in the database say about it.
 *
 * @param id the article's id
 * @param stock the units that were put on sale
 * @param sold the units that customers have bought, over all instances
 * @param oversold the units sold that never existed
 */
record Article(String id, int stock, int sold, int oversold) {

	Article(String id, int stock, int sold) {
		this(id, stock, sold, Math.max(0, sold - stock));
	}

}
