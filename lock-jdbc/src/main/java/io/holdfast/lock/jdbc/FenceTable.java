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

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The table with the latest owner of each lock.
 */
final class FenceTable {

	/*
	 * Algorithm: a row's token never falls. Raise writes it where none or a smaller one
	 * is there, in a transaction of its own, so that it is there before the method reads
	 * anything, and stays if what runs under the lock rolls back. A row that has it
	 * already is left as it is: written again for each reader who joins others, it would
	 * be newer than the snapshots of those. Look locks the row within the transaction
	 * that is about to commit, until it has. Who commits has found its own token there. A
	 * later owner raises the row either before the look, which refuses then, or after the
	 * commit, so that its reads, which begin after its raise, see what was committed.
	 *
	 * Look also refuses where the row is gone or has a smaller token. So a raise may be
	 * lost in a crash, and need not be on disk when it ends, and rows may be purged.
	 */

	private static final String RAISE = "update holdfast_fence set token = ?, holder = ?, updated_at = current_timestamp"
			+ " where name = ? and token < ?";

	private static final String NOT_ON_DISK = " and set_config('synchronous_commit', 'off', true) = 'off'";

	private static final String INSERT = "insert into holdfast_fence (name, token, holder, updated_at)"
			+ " values (?, ?, ?, current_timestamp)";

	private static final String FIND = "select token, holder from holdfast_fence where name = ?";

	private static final String OLD = "updated_at < current_timestamp - interval '30' day";

	/** First registrations may meet, and some isolation levels ask to try again. */
	private static final int ATTEMPTS = 5;

	private static final int TIMEOUT_SECONDS = 30;

	private static final int PURGED_AT_ONCE = 10_000;

	private final DataSource dataSource;

	private final JdbcTemplate jdbc;

	private final String raise;

	/**
	 * Create what works on the table, and fail if it is not there or no row of it can be
	 * locked.
	 */
	FenceTable(DataSource dataSource) {
		this.dataSource = dataSource;
		this.jdbc = new JdbcTemplate(dataSource);
		this.jdbc.setQueryTimeout(TIMEOUT_SECONDS);
		look("");
		String product = this.jdbc
			.execute((Connection connection) -> connection.getMetaData().getDatabaseProductName());
		this.raise = RAISE + ("PostgreSQL".equals(product) ? NOT_ON_DISK : "");
	}

	/**
	 * Makes an owner the latest of its lock, on a connection of its own.
	 * @return the row of the owner that is in the way, or {@code null} if none is
	 */
	@Nullable Row raise(Entry entry) {
		return onOwnConnection((connection) -> {
			for (int attempt = 1;; attempt++) {
				try {
					if (update(connection, this.raise, entry.token(), entry.holder(), entry.name(),
							entry.token()) == 1) {
						return null;
					}
					Row row = find(connection, entry.name());
					if (row == null) {
						update(connection, INSERT, entry.name(), entry.token(), entry.holder());
						return null;
					}
					if (row.isOf(entry)) {
						return null;
					}
					if (row.token() >= entry.token()) {
						return row;
					}
				}
				catch (SQLException ex) {
					DataAccessException translated = translate(ex);
					if (attempt == ATTEMPTS || !(translated instanceof DataIntegrityViolationException
							|| translated instanceof ConcurrencyFailureException)) {
						throw translated;
					}
				}
			}
		});
	}

	/**
	 * Reads the latest owner of a lock within the transaction of the current thread, and
	 * keeps others from taking its place until that ends.
	 */
	@Nullable Row look(String name) {
		return DataAccessUtils.singleResult(this.jdbc.query(FIND + " for update", (rows, number) -> row(rows), name));
	}

	/**
	 * Removes rows that nobody has raised for a long time, one by one: a statement for
	 * all might lock others.
	 */
	void purge() {
		onOwnConnection((connection) -> {
			int removed;
			do {
				removed = 0;
				for (String name : old(connection)) {
					removed += update(connection, "delete from holdfast_fence where name = ? and " + OLD, name);
				}
			}
			while (removed > 0);
			return null;
		});
	}

	private static List<String> old(Connection connection) throws SQLException {
		List<String> names = new ArrayList<>();
		try (PreparedStatement statement = prepare(connection, "select name from holdfast_fence where " + OLD)) {
			statement.setMaxRows(PURGED_AT_ONCE);
			ResultSet rows = statement.executeQuery();
			while (rows.next()) {
				names.add(rows.getString(1));
			}
		}
		return names;
	}

	private <T> @Nullable T onOwnConnection(Work<T> work) {
		try (Connection connection = this.dataSource.getConnection()) {
			boolean autoCommit = connection.getAutoCommit();
			connection.setAutoCommit(true);
			try {
				return work.run(connection);
			}
			finally {
				connection.setAutoCommit(autoCommit);
			}
		}
		catch (SQLException ex) {
			throw translate(ex);
		}
	}

	private DataAccessException translate(SQLException ex) {
		String task = "Fence of locks";
		DataAccessException translated = this.jdbc.getExceptionTranslator().translate(task, null, ex);
		return (translated != null) ? translated : new UncategorizedSQLException(task, null, ex);
	}

	private static int update(Connection connection, String sql, Object... values) throws SQLException {
		try (PreparedStatement statement = prepare(connection, sql, values)) {
			return statement.executeUpdate();
		}
	}

	private static @Nullable Row find(Connection connection, String name) throws SQLException {
		try (PreparedStatement statement = prepare(connection, FIND, name)) {
			ResultSet rows = statement.executeQuery();
			return rows.next() ? row(rows) : null;
		}
	}

	private static PreparedStatement prepare(Connection connection, String sql, Object... values) throws SQLException {
		PreparedStatement statement = connection.prepareStatement(sql);
		statement.setQueryTimeout(TIMEOUT_SECONDS);
		for (int i = 0; i < values.length; i++) {
			statement.setObject(i + 1, values[i]);
		}
		return statement;
	}

	private static Row row(ResultSet rows) throws SQLException {
		return new Row(rows.getLong(1), rows.getString(2));
	}

	/**
	 * What is done on a connection.
	 *
	 * @param <T> what it results in
	 */
	private interface Work<T> {

		@Nullable T run(Connection connection) throws SQLException;

	}

	/**
	 * An owner as the table has it.
	 *
	 * @param name the name of the row
	 * @param token the fencing token
	 * @param holder the client that has it
	 * @param shared whether other clients may have the same token, as readers have
	 */
	record Entry(String name, long token, String holder, boolean shared) {
	}

	/**
	 * The latest owner of a lock.
	 *
	 * @param token its fencing token
	 * @param holder its client
	 */
	record Row(long token, String holder) {

		boolean isOf(Entry entry) {
			return this.token == entry.token() && (entry.shared() || this.holder.equals(entry.holder()));
		}

	}

}
