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

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class StocktakingBookTests {

	EmbeddedDatabase database;

	StocktakingBook book;

	@BeforeEach
	void openBook() {
		this.database = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
			.generateUniqueName(true)
			.addScript("schema.sql")
			.build();
		this.book = new StocktakingBook(JdbcClient.create(this.database));
		this.book.open(10);
	}

	@AfterEach
	void closeDatabase() {
		this.database.shutdown();
	}

	@Test
	void latestIsWhatWasEnteredLast() {
		StocktakingProgress progress = progress(3, 70L);

		this.book.enter(progress);

		assertThat(this.book.latest()).hasValue(progress);
	}

	@Test
	void entryWithAnOlderTokenIsRefused() {
		this.book.enter(progress(3, 71L));

		assertThatIllegalStateException().isThrownBy(() -> this.book.enter(progress(4, 70L)))
			.withMessageContaining("70");
		assertThat(this.book.latest()).hasValue(progress(3, 71L));
	}

	@Test
	void stocktakingIsUnfinishedUntilTheLastShelfIsCounted() {
		this.book.enter(progress(9, 70L));
		assertThat(this.book.unfinished()).isPresent();

		this.book.enter(progress(10, 70L));
		assertThat(this.book.unfinished()).isEmpty();
	}

	private StocktakingProgress progress(int counted, long token) {
		long id = this.book.latest().orElseThrow().id();
		return new StocktakingProgress(id, 10, counted, 0, token, 8080, 1L);
	}

}
