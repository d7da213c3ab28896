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

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnFailure;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * A job that every instance schedules and only one runs: one report in each period, by
 * whoever comes first.
 * <p>
 * The lock keeps two instances from writing at the same time. The look into the database
 * keeps the second one from doing again what the first has just finished. Neither does
 * without the other.
 */
@Component
public class SalesReport {

	private final JdbcClient jdbc;

	private final Instances instances;

	private final SampleProperties properties;

	SalesReport(JdbcClient jdbc, Instances instances, SampleProperties properties) {
		this.jdbc = jdbc;
		this.instances = instances;
		this.properties = properties;
	}

	/**
	 * Writes the report of this period unless it is written already, or is being written.
	 */
	@Scheduled(fixedRateString = "${sample.report-period}")
	@DistributedLock(name = "sales-report", waitTime = 0, onFailure = OnFailure.SKIP)
	@Transactional
	public void write() {
		OffsetDateTime period = currentPeriod();
		if (isWritten(period)) {
			return;
		}
		this.jdbc.sql("""
				insert into sales_report (period, sold, port)
				values (:period, (select count(*) from customer_order), :port)""")
			.param("period", period)
			.param("port", this.instances.self().port())
			.update();
	}

	List<Entry> latest(int limit) {
		return this.jdbc.sql("select period, sold, port from sales_report order by period desc limit :limit")
			.param("limit", limit)
			.query((row, number) -> new Entry(row.getObject("period", OffsetDateTime.class).toInstant(),
					row.getLong("sold"), row.getInt("port")))
			.list();
	}

	private boolean isWritten(OffsetDateTime period) {
		return this.jdbc.sql("select count(*) from sales_report where period = :period")
			.param("period", period)
			.query(Integer.class)
			.single() > 0;
	}

	private OffsetDateTime currentPeriod() {
		long length = this.properties.reportPeriod().toMillis();
		long start = System.currentTimeMillis() / length * length;
		return Instant.ofEpochMilli(start).atOffset(ZoneOffset.UTC);
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

}
