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

package io.holdfast.lock.autoconfigure;

import java.util.Collection;
import java.util.List;

import io.holdfast.lock.LockClient;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Closes the clients at the one right moment of a shutdown: after the web server and the
 * schedulers have finished what they were doing, and before the connections go, which is
 * earlier than the destruction of beans. Schedulers that wait for their tasks no earlier
 * than that ({@code await-termination}) run them without locks then, and without
 * connections.
 * <p>
 * A context that is only stopped, or paused by the test framework, may be started again.
 * It keeps its clients, which find their connections again when they are back.
 */
final class LockClientShutdown
		implements SmartLifecycle, ApplicationListener<ContextClosedEvent>, ApplicationContextAware {

	/** Connection factories have 0; what works for users has more than this. */
	static final int PHASE = 100;

	private final List<LockClient> clients;

	private volatile @Nullable ApplicationContext context;

	private volatile boolean running;

	private volatile boolean closing;

	LockClientShutdown(Collection<LockClient> clients) {
		this.clients = List.copyOf(clients);
	}

	@Override
	public void setApplicationContext(ApplicationContext context) {
		this.context = context;
	}

	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		if (event.getApplicationContext().equals(this.context)) {
			this.closing = true;
		}
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		if (this.closing) {
			this.clients.forEach(LockClient::close);
		}
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isPauseable() {
		return false;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
