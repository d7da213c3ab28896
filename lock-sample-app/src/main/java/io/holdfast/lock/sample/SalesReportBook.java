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

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The sales reports in the database, and who has tried to write them.
 */
@Repository
class SalesReportBook {

	private final JdbcClient jdbc;

	SalesReportBook(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	boolean hasReport(Instant period) {
		return this.jdbc.sql("select count(*) from sales_report where period = :period")
			.param("period", toColumn(period))
			.query(Integer.class)
			.single() > 0;
	}

	void addReport(Instant period, int port) {
		this.jdbc.sql("""
				insert into sales_report (period, sold, port)
				values (:period, (select count(*) from customer_order), :port)""")
			.param("period", toColumn(period))
			.param("port", port)
			.update();
	}

	List<Entry> latest(int limit) {
		return this.jdbc.sql("select period, sold, port from sales_report order by period desc limit :limit")
			.param("limit", limit)
			.query((row, number) -> new Entry(toInstant(row, "period"), row.getLong("sold"), row.getInt("port")))
			.list();
	}

	void addAttempt(Attempt attempt) {
		this.jdbc.sql("""
				insert into sales_report_attempt (period, port, outcome, tried_at)
				values (:period, :port, :outcome, :at)""")
			.param("period", toColumn(attempt.period()))
			.param("port", attempt.port())
			.param("outcome", attempt.outcome())
			.param("at", toColumn(attempt.at()))
			.update();
	}

	List<Attempt> latestAttempts(int limit) {
		return this.jdbc.sql("""
				select period, port, outcome, tried_at from sales_report_attempt
				order by period desc, tried_at limit :limit""")
			.param("limit", limit)
			.query((row, number) -> new Attempt(toInstant(row, "period"), row.getInt("port"), row.getString("outcome"),
					toInstant(row, "tried_at")))
			.list();
	}

	private static OffsetDateTime toColumn(Instant time) {
		return time.atOffset(ZoneOffset.UTC);
	}

	private static Instant toInstant(ResultSet row, String column) throws SQLException {
		return row.getObject(column, OffsetDateTime.class).toInstant();
	}

	/**
	 * One report.
	 *
	 * @param period when its period began
	 * @param sold how many units were sold up to then, of all articles
	 * @param port which instance wrote it
	 */
	record Entry(Instant period, long sold, int port) {
	}

	/**
	 * What an instance did when a report was due.
	 *
	 * @param period when the period of the report began
	 * @param port which instance it was
	 * @param outcome {@code wrote it}, {@code skipped it} or {@code found it written}
	 * @param at when it tried
	 */
	record Attempt(Instant period, int port, String outcome, Instant at) {
	}

}
