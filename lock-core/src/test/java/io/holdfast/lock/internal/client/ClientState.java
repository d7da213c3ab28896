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

package io.holdfast.lock.internal.client;

import java.util.Collection;
import java.util.List;
import java.util.Objects;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.engine.LockView;
import io.holdfast.lock.internal.protocol.LockServer;

import org.springframework.test.util.ReflectionTestUtils;

/**
 * What tests may know of the inside of a client.
 */
public final class ClientState {

	private ClientState() {
	}

	static LockRuntime runtime(LockClient client) {
		return ((AbstractLockClient) client).runtime;
	}

	public static LockServer server(LockClient client) {
		return runtime(client).server;
	}

	/**
	 * Whether messages reach it, and its watchdog has asked what it may have missed
	 * before.
	 */
	public static boolean hears(LockClient client) {
		Watchdog watchdog = runtime(client).watchdog;
		Thread thread = (Thread) Objects.requireNonNull(ReflectionTestUtils.getField(watchdog, "thread"));
		return runtime(client).hearsMessages()
				&& "false".equals(String.valueOf(ReflectionTestUtils.getField(watchdog, "missedMessages")))
				&& thread.getState() == Thread.State.TIMED_WAITING;
	}

	/**
	 * How many servers have no message for it.
	 */
	public static long deafChannels(LockClient client) {
		return runtime(client).channels.stream().filter((channel) -> !channel.hears()).count();
	}

	/**
	 * How many requests of all clients have a place at the server.
	 */
	public static int queueLength(LockClient client, String name) {
		LockRuntime runtime = runtime(client);
		return runtime.server.directory().waiters(runtime.settings.keys().lock(name), 1000).size();
	}

	public static boolean isClosed(LockClient client) {
		return runtime(client).context.isClosed();
	}

	/**
	 * The locks of which it knows anything.
	 */
	public static Collection<String> names(LockClient client) {
		return runtime(client).table.all().stream().map(LockState::name).toList();
	}

	/**
	 * How many requests are yet to be released.
	 */
	public static int leftovers(LockClient client) {
		return runtime(client).context.owed().size();
	}

	/**
	 * Whether somebody asks for a lock and has no answer yet.
	 */
	public static boolean isAsking(LockClient client, String name) {
		return view(client, name).queues().stream().anyMatch((queue) -> !queue.queued());
	}

	public static boolean holds(LockClient client, String name) {
		return !view(client, name).holds().isEmpty();
	}

	/**
	 * Whether a request of it has a place or a hold at the server.
	 */
	public static boolean stands(LockClient client, String name) {
		return holds(client, name) || view(client, name).queues().stream().anyMatch(LockView.Queue::queued);
	}

	/**
	 * Sets how often the calling thread has acquired a lock.
	 */
	public static void setCount(LockClient client, String name, int count) {
		Object grant = Objects.requireNonNull(runtime(client).table.grant(name, Thread.currentThread()));
		ReflectionTestUtils.setField(grant, "alone", count);
	}

	private static LockView view(LockClient client, String name) {
		LockState state = runtime(client).table.find(name);
		return (state != null) ? state.view() : new LockView(name, List.of(), List.of());
	}

}
