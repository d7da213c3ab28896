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

import java.util.ArrayList;
import java.util.List;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockListener;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;

/**
 * Has the losses of each client of the application reported and its {@link LockListener}
 * beans told of them, whoever made the client.
 * <p>
 * Listeners may need a client themselves. So a client gets them when all singletons are
 * there, and the report, which needs no other bean, at once.
 */
final class LockListenerRegistrar implements BeanPostProcessor, SmartInitializingSingleton, PriorityOrdered {

	private final LossEventPublisher report;

	private final ObjectProvider<LockListener> beans;

	/** Those that were made before the listeners were known. Guarded by the monitor. */
	private final List<LockClient> clients = new ArrayList<>();

	/** Guarded by the monitor. */
	private @Nullable List<LockListener> listeners;

	LockListenerRegistrar(LossEventPublisher report, ObjectProvider<LockListener> beans) {
		this.report = report;
		this.beans = beans;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		// The proxy of a scope may have nobody behind it yet, and that one comes here
		// too.
		if (bean instanceof LockClient client && !(bean instanceof ScopedObject)) {
			client.addListener(this.report);
			addListeners(client);
		}
		return bean;
	}

	private synchronized void addListeners(LockClient client) {
		if (this.listeners != null) {
			this.listeners.forEach(client::addListener);
		}
		else {
			this.clients.add(client);
		}
	}

	@Override
	public void afterSingletonsInstantiated() {
		List<LockListener> found = this.beans.orderedStream().toList();
		synchronized (this) {
			this.listeners = found;
			this.clients.forEach(this::addListeners);
			this.clients.clear();
		}
	}

	/**
	 * Before those for which a client may be made.
	 */
	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

}
