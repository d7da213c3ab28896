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

package io.holdfast.lock.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import io.holdfast.lock.jdbc.FenceTable.Entry;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the table keeps, whatever the connections of the application are like.
 */
class FenceTableTests {

	private static final int ROUNDS = 50;

	private static FenceTable table(FenceScene scene) {
		return new FenceTable(scene.context.getBean(DataSource.class));
	}

	@ParameterizedTest
	@EnumSource
	void largestTokenStaysWhenFirstRegistrationsMeet(TestDatabase database) {
		FenceScene.run(FenceScene.application(database, "spring.datasource.hikari.auto-commit=false",
				"spring.datasource.hikari.transaction-isolation=TRANSACTION_SERIALIZABLE"), (scene) -> {
					FenceTable table = table(scene);
					try (TestThreads threads = new TestThreads()) {
						CyclicBarrier round = new CyclicBarrier(3);
						List<TestThreads.Running<Void>> owners = new ArrayList<>();
						for (int token = 1; token <= 3; token++) {
							long own = token;
							owners.add(threads.run(() -> {
								for (int i = 0; i < ROUNDS; i++) {
									round.await();
									FenceTable.Row newer = table
										.raise(new Entry("lock-" + i, own, "owner-" + own, false));
									assertThat((newer != null) ? newer.token() : 4).isGreaterThan(own);
								}
							}));
						}
						owners.forEach(TestThreads.Running::result);
					}
					for (int i = 0; i < ROUNDS; i++) {
						assertThat(table.look("lock-" + i)).isEqualTo(new FenceTable.Row(3, "owner-3"));
					}
				});
	}

	@ParameterizedTest
	@EnumSource
	void tokenNeverFallsAndAnEqualOneIsOfOneHolderUnlessItIsShared(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			FenceTable table = table(scene);
			FenceTable.Row row = new FenceTable.Row(5, "a");

			assertThat(table.raise(new Entry("lock", 5, "a", false))).isNull();
			assertThat(table.raise(new Entry("lock", 5, "a", false))).isNull();
			assertThat(table.raise(new Entry("lock", 5, "b", false))).isEqualTo(row);
			assertThat(table.raise(new Entry("lock", 4, "a", false))).isEqualTo(row);
			assertThat(table.raise(new Entry("lock", 4, "a", true))).isEqualTo(row);
			assertThat(table.look("lock")).isEqualTo(row);
			assertThat(table.raise(new Entry("lock", 5, "b", true))).isNull();
			assertThat(table.raise(new Entry("lock", 6, "b", false))).isNull();
			assertThat(table.look("lock")).isEqualTo(new FenceTable.Row(6, "b"));
		});
	}

	@ParameterizedTest
	@EnumSource
	void oldRowsAreRemovedAfterAGrant(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			FenceTable table = table(scene);
			// More than are looked for at once.
			List<Object[]> old = IntStream.range(0, 10_001).mapToObj((i) -> new Object[] { "old" + i }).toList();
			scene.jdbc.batchUpdate("insert into holdfast_fence (name, token, holder, updated_at)"
					+ " values (?, 1, 'a', current_timestamp - interval '31' day)", old);
			table.raise(new Entry("recent", 1, "a", false));
			scene.jdbc.update("update holdfast_fence set updated_at = current_timestamp - interval '29' day"
					+ " where name = 'recent'");

			scene.locks.locked("lock", () -> {
			});

			Awaitility.await()
				.atMost(TestThreads.LONG)
				.untilAsserted(
						() -> assertThat(scene.jdbc.queryForList("select name from holdfast_fence", String.class))
							.hasSize(2)
							.contains("recent"));
		});
	}

}
