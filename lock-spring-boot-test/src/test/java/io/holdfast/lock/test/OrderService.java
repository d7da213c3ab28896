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

package io.holdfast.lock.test;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.holdfast.lock.annotation.DistributedLimit;
import io.holdfast.lock.annotation.DistributedLock;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** The code under test. */
class OrderService {

	private final JdbcTemplate jdbc;

	OrderService(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	@DistributedLock(name = "order", key = "#id")
	@Transactional
	void pay(String id, Consumer<String> meanwhile) {
		this.jdbc.update("insert into payment values (?)", id);
		meanwhile.accept(id);
	}

	@DistributedLock(name = "order", key = "#id")
	CompletionStage<String> ship(String id, CompletionStage<String> meanwhile) {
		return meanwhile;
	}

	@DistributedLimit(name = "mail", permits = 2)
	void mail(Runnable meanwhile) {
		meanwhile.run();
	}

	int payments() {
		Integer count = this.jdbc.queryForObject("select count(*) from payment", Integer.class);
		return (count != null) ? count : 0;
	}

}
