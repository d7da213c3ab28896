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

import io.holdfast.lock.LockClient;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Closes the clients at the one right moment of a shutdown: after the web server and the
 * schedulers have finished what they were doing, and before the connections go, which is
 * earlier than the destruction of beans. Locked calls on other threads are waited for in
 * the phase before. With {@code await-termination}, a scheduler waits for its tasks only
 * after this phase; they then have neither locks nor connections.
 * <p>
 * A context that is only stopped, or paused by the test framework, may be started again.
 * It keeps its clients, which find their connections again when they are back. The
 * context itself says whether it is closed or only stopped: the event that says so may
 * arrive late, if the application has events delivered by an executor.
 */
final class LockClientShutdown implements SmartLifecycle {

	/** Connection factories have 0; what works for users has more than this. */
	static final int PHASE = 100;

	private final ConfigurableApplicationContext context;

	private final DefaultListableBeanFactory beanFactory;

	private volatile boolean running;

	LockClientShutdown(ConfigurableApplicationContext context, DefaultListableBeanFactory beanFactory) {
		this.context = context;
		this.beanFactory = beanFactory;
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		// Not running yet: another bean failed to start, and the connections go next.
		if (this.context.isClosed() || !this.context.isRunning()) {
			for (String name : this.beanFactory.getBeanNamesForType(LockClient.class, false, false)) {
				if (this.beanFactory.containsBeanDefinition(name)
						&& this.beanFactory.getSingleton(name) instanceof LockClient client) {
					destroy(name, client);
				}
			}
		}
		this.running = false;
	}

	/**
	 * Destroys a client as its definition says, which may be not at all, and not again
	 * with the other beans: a client that an application wrote may not expect that.
	 */
	private void destroy(String name, LockClient client) {
		this.beanFactory.destroyBean(name, client);
		this.beanFactory.registerDisposableBean(name, () -> {
		});
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
