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

package io.holdfast.lock.internal.driver;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * A subscription of Lettuce, which delivers messages by itself. It ends when its
 * connection breaks: Lettuce connects again ever more rarely.
 * <p>
 * To connect may take any time, so another thread does that, and nobody interrupts it:
 * Lettuce would go on, and nobody would ever close what it opens. Instead that is closed
 * whenever it opens after the end.
 */
final class LettuceSubscription extends RedisPubSubAdapter<byte[], byte[]> implements RedisSubscription {

	private final Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> source;

	private final List<String> channels;

	private final Listener listener;

	/** Completed by whatever ends the subscription first. */
	private final CompletableFuture<Void> end = new CompletableFuture<>();

	LettuceSubscription(Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> source, List<String> channels,
			Listener listener) {
		this.source = source;
		this.channels = channels;
		this.listener = listener;
	}

	@Override
	public void listen() {
		CompletableFuture<StatefulRedisPubSubConnection<byte[], byte[]>> opened = CompletableFuture
			.supplyAsync(this.source, Link::startThread);
		CompletableFuture<Void> unused = opened.thenCompose(this::subscribe).whenComplete((done, failure) -> {
			if (failure != null) {
				this.end.completeExceptionally(failure);
			}
		});
		unused = this.end.exceptionally((failure) -> null)
			.thenCompose((ended) -> opened)
			.thenCompose(StatefulConnection::closeAsync);
		this.end.join();
	}

	private CompletionStage<Void> subscribe(StatefulRedisPubSubConnection<byte[], byte[]> connection) {
		connection.addListener(new RedisConnectionStateListener() {

			@Override
			public void onRedisDisconnected(RedisChannelHandler<?, ?> broken) {
				// Closes it here, before Lettuce subscribes again.
				end();
			}

		});
		connection.addListener(this);
		return connection.async()
			.subscribe(
					this.channels.stream().map((each) -> each.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new));
	}

	/**
	 * Tells the listener. If that fails the subscription ends.
	 */
	private void tell(Runnable what) {
		try {
			if (!this.end.isDone()) {
				what.run();
			}
		}
		catch (RuntimeException | Error ex) {
			this.end.completeExceptionally(ex);
		}
	}

	@Override
	public void end() {
		this.end.complete(null);
	}

	@Override
	public void subscribed(byte[] confirmed, long count) {
		if (count == this.channels.size()) {
			tell(this.listener::onSubscribed);
		}
	}

	@Override
	public void message(byte[] heard, byte[] message) {
		tell(() -> this.listener.onMessage(message));
	}

}
