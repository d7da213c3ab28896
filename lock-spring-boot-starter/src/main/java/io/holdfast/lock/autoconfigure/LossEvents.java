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

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.internal.notice.LimitedLog;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;

/**
 * Publishes each loss of the clients that it observes as an application event, also to
 * listeners in the contexts below, as long as those live. The topmost one does it for
 * all.
 */
final class LossEvents implements LockObserver, SmartInitializingSingleton, DisposableBean {

	private static final LimitedLog logger = new LimitedLog(LossEvents.class);

	private final ApplicationContext context;

	private final @Nullable LossEvents above;

	private final List<LossEvents> below = new CopyOnWriteArrayList<>();

	LossEvents(ApplicationContext context) {
		this.context = context;
		ApplicationContext parent = context.getParent();
		this.above = (parent != null) ? parent.getBeanProvider(LossEvents.class).getIfAvailable() : null;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.above != null) {
			this.above.below.add(this);
		}
	}

	@Override
	public void lost(LockLoss loss, Attempt attempt) {
		if (this.above != null) {
			this.above.lost(loss, attempt);
			return;
		}
		try {
			this.context.publishEvent(loss);
		}
		finally {
			publishBelow(loss);
		}
	}

	/**
	 * A context whose listeners fail, or which ends, keeps no other from being told.
	 */
	private void publishBelow(LockLoss loss) {
		for (LossEvents each : this.below) {
			try {
				each.publishHere(loss);
			}
			catch (RuntimeException ex) {
				logger.error("A child context was not told of a lost lock, or its listeners failed", ex);
			}
		}
	}

	/**
	 * Publishes a loss to listeners of this context only, and below.
	 */
	private void publishHere(LockLoss loss) {
		this.context
			.getBean(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
					ApplicationEventMulticaster.class)
			.multicastEvent(new PayloadApplicationEvent<>(this.context, loss));
		publishBelow(loss);
	}

	@Override
	public void destroy() {
		if (this.above != null) {
			this.above.below.remove(this);
		}
	}

}
