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

package io.holdfast.lock.internal.redis;

import java.util.List;
import java.util.stream.IntStream;

import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.testing.RedisCluster;
import io.holdfast.lock.testing.RedisTopology;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * On a cluster.
 */
@ParameterizedClass
@EnumSource
class RedisPortIT extends RedisPortContract {

	private static RedisCluster cluster;

	@BeforeAll
	static void start() {
		cluster = RedisCluster.start();
	}

	@AfterAll
	static void stop() {
		cluster.close();
	}

	@Override
	RedisTopology redis() {
		return cluster;
	}

	@Test
	void nodesAreKnownBeforeTheFirstRenewal() {
		String key = this.one.key(this.name);
		assertThat(this.one.server.nodeOf(key)).endsWith(":" + cluster.masterOf(key).port());
		assertThat(IntStream.range(0, 100).mapToObj((i) -> this.one.server.nodeOf(this.one.key("node" + i))).distinct())
			.hasSize(3);
		PortClient quiet = new PortClient(this.driver.connect(cluster.configuration(), PortClient.PATIENCE), "quiet:");
		assertThat(quiet.server.nodeOf(key)).isEqualTo("none");
		quiet.server.sendTogether(List.of());
		assertThat(quiet.server.nodeOf(key)).isEqualTo(this.one.server.nodeOf(key));
		quiet.close();
	}

	@Test
	void refusalOfOneSlotIsNoneOfTheOthers() {
		String wrong = this.one.key("wrong");
		cluster.masterOf(wrong).command("SET", wrong, "text");
		String held = this.one.take(this.name, PortClient.WRITE);
		List<Command> commands = List.of(this.one.question("wrong", "3:a", PortClient.WRITE, 1),
				this.one.renewal(this.name, held));

		var outcomes = this.one.server.sendTogether(commands);

		assertThat(outcomes.get(0)).isCompletedExceptionally();
		assertThat(PortClient.done(outcomes.get(1)).word()).isEqualTo(Reply.Word.HOLDS);
	}

}
