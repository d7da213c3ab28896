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
import java.util.concurrent.CountDownLatch;

import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.jdbc.PausedOwner.Step;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The process of an owner stops at any statement of its transaction for longer than its
 * lease, and another owner comes meanwhile: no update is lost.
 */
class PausedOwnerIT {

	/** Its lock was lost, of which it is told when it has committed. */
	private static final String REPORTED = "LockLostException";

	@ParameterizedTest
	@EnumSource
	void ownerThatStopsLosesNoUpdate(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			try (JavaProcess owner = start(scene)) {
				for (Step step : Step.values()) {
					String name = scene.account();

					boolean late = step != Step.COMMIT;
					assertThat(stopAt(step, owner, scene, name)).as(step.name())
						.isEqualTo(late ? "SupersededException" : REPORTED);
					assertThat(scene.balance(name)).as(step.name()).isEqualTo(late ? 1 : 2);
				}
			}
		});
	}

	/** Shows that the test above would notice a lost update. */
	@ParameterizedTest
	@EnumSource
	void withoutTheFenceItLosesOne(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			try (JavaProcess owner = start(scene)) {
				String name = scene.account();

				assertThat(stopAt(Step.WRITE, owner, scene, name)).isEqualTo(REPORTED);
				assertThat(scene.balance(name)).isOne();
			}
		}, "holdfast.lock.fence.enabled=false");
	}

	private static String stopAt(Step step, JavaProcess owner, FenceScene scene, String name) {
		CountDownLatch began = new CountDownLatch(1);
		try (TestThreads threads = new TestThreads()) {
			owner.tell(name + ' ' + step);
			owner.awaitLine("AT " + step, TestThreads.LONG);
			owner.pause();
			TestThreads.Running<Void> later = threads.run(
					() -> scene.locks.locked(name, () -> scene.inTransaction(() -> scene.add(name, began::countDown))));
			Awaitility.await("another owner")
				.atMost(TestThreads.LONG)
				// Before a commit the row is the stopped owner's
				.until(() -> (step == Step.COMMIT) ? isGranted(scene, name) : began.getCount() == 0);
			owner.resume();
			owner.tell("go on");
			String outcome = owner.awaitLine(name, TestThreads.LONG)[1];
			later.result();
			return outcome;
		}
	}

	private static boolean isGranted(FenceScene scene, String name) {
		RedisLockClient client = scene.context.getBean("lockClient", RedisLockClient.class);
		return client.directory()
			.holders("account:" + name)
			.stream()
			.anyMatch((holder) -> holder.client().equals(client.id()));
	}

	private static JavaProcess start(FenceScene scene) {
		List<String> properties = new ArrayList<>(List.of(LockRunner.properties()));
		for (String each : List.of("holdfast.lock.key-prefix", "holdfast.lock.transaction.on-lost-lock",
				"holdfast.lock.fence.enabled")) {
			properties.add(each + '=' + scene.context.getEnvironment().getProperty(each, "true"));
		}
		properties.add("spring.datasource.url="
				+ TestDatabase.sharedUrl(scene.context.getEnvironment().getRequiredProperty("spring.datasource.url")));
		properties.add("holdfast.lock.watchdog-timeout=1s");
		JavaProcess owner = JavaProcess.start("owner", PausedOwner.class, properties.toArray(String[]::new));
		owner.awaitLine("READY", TestThreads.LONG.multipliedBy(2));
		return owner;
	}

}
