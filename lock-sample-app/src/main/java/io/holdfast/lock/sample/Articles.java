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

import java.util.Optional;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The articles in the database. Nothing in here locks anything.
 */
@Repository
class Articles {

	private final JdbcClient jdbc;

	private final SampleProperties properties;

	Articles(JdbcClient jdbc, SampleProperties properties) {
		this.jdbc = jdbc;
		this.properties = properties;
	}

	/**
	 * Puts an article on sale, unless it is on sale already: then its stock stays as it
	 * was.
	 */
	void putOnSale(String id, int stock) {
		int shelf = Math.floorMod(id.hashCode(), this.properties.shelves());
		try {
			this.jdbc.sql("insert into article (id, shelf, stock, available) values (:id, :shelf, :stock, :stock)")
				.param("id", id)
				.param("shelf", shelf)
				.param("stock", stock)
				.update();
		}
		catch (DuplicateKeyException ex) {
			// Another request was first, here or in another instance
		}
	}

	Optional<Article> find(String id) {
		return this.jdbc.sql("""
				select stock, (select count(*) from customer_order where article_id = article.id) as sold
				from article where id = :id""")
			.param("id", id)
			.query((row, number) -> new Article(id, row.getInt("stock"), row.getInt("sold")))
			.optional();
	}

	/** How many units are left, as far as the shop knows. */
	int available(String id) {
		return this.jdbc.sql("select available from article where id = :id")
			.param("id", id)
			.query(Integer.class)
			.single();
	}

	/** Hands one unit to a customer and writes down how many are left. */
	void sell(String id, int left) {
		this.jdbc.sql("update article set available = :left where id = :id")
			.param("left", left)
			.param("id", id)
			.update();
		this.jdbc.sql("insert into customer_order (article_id) values (:id)").param("id", id).update();
	}

	/** How many units lie on a shelf. */
	int unitsOn(int shelf) {
		return this.jdbc.sql("select coalesce(sum(available), 0) from article where shelf = :shelf")
			.param("shelf", shelf)
			.query(Integer.class)
			.single();
	}

}
