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

import java.util.List;

import io.holdfast.lock.LockClient;

import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * The copies of the shop that run on the same database. Each writes down that it is
 * there, so that the page can show them all.
 */
@Component
class Instances {

	private final JdbcClient jdbc;

	private final LockClient lockClient;

	private final Environment environment;

	Instances(JdbcClient jdbc, LockClient lockClient, Environment environment) {
		this.jdbc = jdbc;
		this.lockClient = lockClient;
		this.environment = environment;
	}

	/** The copy that this is. Its port is known once it serves. */
	Instance self() {
		int port = this.environment.getRequiredProperty("local.server.port", Integer.class);
		return new Instance(this.lockClient.id(), port, ProcessHandle.current().pid());
	}

	List<Instance> alive() {
		return this.jdbc.sql("""
				select client, port, pid from instance
				where seen_at > current_timestamp - interval '4' second order by port""")
			.query((row, number) -> new Instance(row.getString("client"), row.getInt("port"), row.getLong("pid")))
			.list();
	}

	@Scheduled(fixedRate = 1000)
	void signOn() {
		Instance self = self();
		boolean known = this.jdbc.sql("update instance set seen_at = current_timestamp where client = :client")
			.param("client", self.client())
			.update() > 0;
		if (!known) {
			this.jdbc.sql("insert into instance (client, port, pid) values (:client, :port, :pid)")
				.paramSource(self)
				.update();
		}
	}

}
