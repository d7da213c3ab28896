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

package io.holdfast.lock.internal.single;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.SubscriptionListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code mutex-ask.lua}, which finds the clients that are subscribed.
 */
class MutexAskScriptTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return run(LockScript.ASK, lock, this.channels, this.channels + "*", "one", "question", "2");
	}

	@Override
	void refusesOtherTypes() {
		assertThat(runOn(this.key)).isEqualTo(List.of(0L));
	}

	@Test
	void othersAreAskedButNotTheAsker() throws Exception {
		try (Listening one = new Listening(this.channels + "one");
				Listening two = new Listening(this.channels + "two");
				Listening foreign = new Listening(this.prefix + "other:three")) {
			assertThat(one.isThere() && two.isThere() && foreign.isThere()).isTrue();

			assertThat(runOn(this.key)).isEqualTo(List.of(1L, "two"));
		}
		assertThat(messages()).containsExactly("two: asked one question");
	}

	@Test
	void noMoreAreAskedThanTheLimitSays() throws Exception {
		try (Listening one = new Listening(this.channels + "a");
				Listening two = new Listening(this.channels + "b");
				Listening three = new Listening(this.channels + "c")) {
			assertThat(one.isThere() && two.isThere() && three.isThere()).isTrue();

			assertThat(runOn(this.key)).hasSize(3).first().isEqualTo(3L);
		}
		assertThat(messages()).hasSize(2);
	}

	/** A connection that is subscribed to a channel. */
	private static final class Listening implements AutoCloseable {

		private final CountDownLatch subscribed = new CountDownLatch(1);

		private final RedisConnection connection = redis.getRequiredConnectionFactory().getConnection();

		private final Thread thread;

		Listening(String channel) {
			this.thread = new Thread(() -> this.connection.subscribe(new Told(this.subscribed),
					channel.getBytes(StandardCharsets.UTF_8)));
			this.thread.start();
		}

		boolean isThere() throws InterruptedException {
			return this.subscribed.await(20, TimeUnit.SECONDS);
		}

		@Override
		public void close() throws InterruptedException {
			this.connection.getSubscription().unsubscribe();
			this.thread.join(20_000);
			this.connection.close();
		}

	}

	private record Told(CountDownLatch subscribed) implements MessageListener, SubscriptionListener {

		@Override
		public void onMessage(Message message, byte[] pattern) {
		}

		@Override
		public void onChannelSubscribed(byte[] channel, long count) {
			this.subscribed.countDown();
		}

	}

}
