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

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The book of stocktakings in the database. It is the guarded resource of the fencing
 * tokens: it takes no entry from anyone whose token is older than the last one it saw.
 */
@Repository
class StocktakingBook {

	private final JdbcClient jdbc;

	StocktakingBook(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	Optional<StocktakingProgress> latest() {
		return this.jdbc.sql("""
				select id, shelves, counted, units, token, port, pid
				from stocktaking order by id desc limit 1""").query(StocktakingProgress.class).optional();
	}

	Optional<StocktakingProgress> unfinished() {
		return latest().filter((progress) -> !progress.isFinished());
	}

	void open(int shelves) {
		this.jdbc.sql("insert into stocktaking (shelves) values (:shelves)").param("shelves", shelves).update();
	}

	/**
	 * Enters the state of a stocktaking.
	 * @throws IllegalStateException if a later holder of the lock has made an entry
	 */
	void enter(StocktakingProgress progress) {
		boolean entered = this.jdbc.sql("""
				update stocktaking
				set counted = :counted, units = :units, token = :token, port = :port, pid = :pid
				where id = :id and token <= :token""").paramSource(progress).update() > 0;
		if (!entered) {
			throw new IllegalStateException("Stocktaking %d has entries by a later holder than the one with token %d"
				.formatted(progress.id(), progress.token()));
		}
	}

}
