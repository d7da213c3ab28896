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
import java.util.Optional;

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;

import org.springframework.stereotype.Component;

/**
 * A job that every instance schedules and only one runs: at most one report in each
 * period, by whoever comes first.
 * <p>
 * The lock keeps two instances from writing at the same time. The look into the book
 * keeps the second one from doing again what the first has just finished. Both are
 * needed.
 */
@Component
public class SalesReport {

	private final SalesReportBook book;

	private final Instances instances;

	private final SampleProperties properties;

	SalesReport(SalesReportBook book, Instances instances, SampleProperties properties) {
		this.book = book;
		this.instances = instances;
		this.properties = properties;
	}

	/**
	 * Writes the report of a period unless it is written already, or is being written.
	 * @param period when the period began
	 * @return whether it was written by this call; empty if the call was skipped, because
	 * another instance has the lock
	 * @throws InterruptedException if this instance stops meanwhile
	 */
	@DistributedLock(name = "sales-report", onContention = OnContention.SKIP)
	public Optional<Boolean> write(Instant period) throws InterruptedException {
		if (this.book.hasReport(period)) {
			return Optional.of(false);
		}
		Thread.sleep(this.properties.reportTime().toMillis());
		this.book.addReport(period, this.instances.self().port());
		return Optional.of(true);
	}

}
