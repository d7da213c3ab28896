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
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.Registration;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.PriorityOrdered;

/**
 * Has the losses of each client of the application reported and its {@link LockListener}
 * beans told of them, whoever made the client.
 * <p>
 * Listeners may need a client themselves. So a client gets them when all singletons are
 * there, and the report, which needs no other bean, at once. The clients of parent
 * contexts tell those of this context as long as it lives.
 */
final class LockListenerRegistrar
		implements BeanPostProcessor, SmartInitializingSingleton, DisposableBean, PriorityOrdered {

	private final ConfigurableApplicationContext context;

	/** Publishes each loss as an application event. */
	private final LockListener report;

	private final ObjectProvider<LockListener> beans;

	/** Those that were made before the listeners were known. Guarded by the monitor. */
	private final List<LockClient> clients = new ArrayList<>();

	/** Guarded by the monitor. */
	private @Nullable List<LockListener> listeners;

	/** With clients of parent contexts. */
	private final List<Registration> withParents = new ArrayList<>();

	LockListenerRegistrar(ConfigurableApplicationContext context, ObjectProvider<LockListener> beans) {
		this.context = context;
		this.report = context::publishEvent;
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
		BeanFactory parent = this.context.getBeanFactory().getParentBeanFactory();
		while (parent instanceof ConfigurableListableBeanFactory beanFactory) {
			for (String name : beanFactory.getBeanNamesForType(LockClient.class, false, false)) {
				if (beanFactory.getSingleton(name) instanceof LockClient client) {
					found.forEach((listener) -> this.withParents.add(client.addListener(listener)));
					this.withParents.add(client.addListener(this::publishHere));
				}
			}
			parent = beanFactory.getParentBeanFactory();
		}
	}

	/**
	 * Publishes a loss of a parent's client to listeners of this context only: the parent
	 * publishes it to its own.
	 */
	private void publishHere(LockLoss loss) {
		this.context
			.getBean(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
					ApplicationEventMulticaster.class)
			.multicastEvent(new PayloadApplicationEvent<>(this.context, loss));
	}

	@Override
	public void destroy() {
		this.withParents.forEach(Registration::remove);
	}

	/**
	 * Before those for which a client may be made.
	 */
	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

}
