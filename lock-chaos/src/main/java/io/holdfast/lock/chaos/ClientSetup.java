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

package io.holdfast.lock.chaos;

import java.time.Duration;
import java.util.List;

import io.holdfast.lock.testing.RedisDriver;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * What a client process is told on its command line.
 *
 * @param process its number
 * @param library which lock library it uses
 * @param driver which Redis client library
 * @param topology what kind of Redis
 * @param address where Redis is, as {@link Servers} write it
 * @param resourcePort where the resource is
 * @param history directory of the history
 * @param seed of its random choices
 * @param threads how many work
 * @param locks how many locks they share
 * @param use how long a lock is mostly used at most
 * @param singles how many percent of the calls want a lock that nobody else wants
 */
record ClientSetup(int process, Library library, RedisDriver driver, Topology topology, String address,
		int resourcePort, String history, long seed, int threads, int locks, Duration use, int singles) {

	static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

	static ClientSetup of(String[] args) {
		return new ClientSetup(Integer.parseInt(args[0]), Library.valueOf(args[1]), RedisDriver.valueOf(args[2]),
				Topology.valueOf(args[3]), args[4], Integer.parseInt(args[5]), args[6], Long.parseLong(args[7]),
				Integer.parseInt(args[8]), Integer.parseInt(args[9]), Duration.parse(args[10]),
				Integer.parseInt(args[11]));
	}

	/**
	 * A client that only looks, when all is over.
	 */
	static ClientSetup observer(Plan plan, String address) {
		return new ClientSetup(0, plan.library(), RedisDriver.JEDIS, plan.topology(), address, 0, "", 0, 0, 0,
				Duration.ZERO, 0);
	}

	/**
	 * Whether locks can be held in other ways than alone.
	 */
	boolean hasModes() {
		return this.library == Library.HOLDFAST && !this.topology.votes();
	}

	String[] arguments() {
		return new String[] { Integer.toString(this.process), this.library.name(), this.driver.name(),
				this.topology.name(), this.address, Integer.toString(this.resourcePort), this.history,
				Long.toString(this.seed), Integer.toString(this.threads), Integer.toString(this.locks),
				this.use.toString(), Integer.toString(this.singles) };
	}

	List<RedisConnectionFactory> connect() {
		return this.topology.connect(this.driver, this.address, COMMAND_TIMEOUT);
	}

}
