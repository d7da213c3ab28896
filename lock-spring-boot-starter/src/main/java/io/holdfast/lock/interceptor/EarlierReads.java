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

package io.holdfast.lock.interceptor;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import io.holdfast.lock.internal.notice.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Tells of calls under which data may be older than the lock: what a transaction or an
 * {@code EntityManager} has read before.
 */
final class EarlierReads {

	private static final Log logger = LogFactory.getLog(EarlierReads.class);

	private static final String ENTITY_MANAGER = "org.springframework.orm.jpa.EntityManagerHolder";

	private final Set<Method> warnedOfTransaction = ConcurrentHashMap.newKeySet();

	private final Set<Method> warnedOfView = ConcurrentHashMap.newKeySet();

	/**
	 * Whether an {@code EntityManager} of JPA is open on the thread, which joins the
	 * transactions to come: Spring Boot has one opened for each request. That of a
	 * transaction which is just completed is none.
	 */
	static boolean isInView() {
		return !TransactionSynchronizationManager.isSynchronizationActive()
				&& !TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.getResourceMap().values().stream().anyMatch((resource) -> {
					Class<?> type = resource.getClass();
					// That of Hibernate is a subclass.
					return type.getName().equals(ENTITY_MANAGER)
							|| (type != Object.class && type.getSuperclass().getName().equals(ENTITY_MANAGER));
				});
	}

	/**
	 * Checks a call that does not hold its lock yet.
	 * @param lock the name of that
	 * @param inTransaction whether it is inside a transaction; else it is in a view
	 * @throws IllegalStateException if the application wants that
	 */
	void check(LockedMethod method, String lock, boolean inTransaction, ActiveTransaction active) {
		boolean fails = active == ActiveTransaction.FAIL;
		Set<Method> warned = inTransaction ? this.warnedOfTransaction : this.warnedOfView;
		if (!fails && ((inTransaction && active != ActiveTransaction.WARN) || !warned.add(method.method()))) {
			return;
		}
		String problem = "Lock '" + lock + "' of " + method + " is asked for " + (inTransaction
				? "inside a transaction. What that has read before may be stale. Call the method before the transaction "
						+ "begins"
				: "while an EntityManager is open on the thread (spring.jpa.open-in-view). Entities that it has loaded "
						+ "before are older than the lock, and the method gets them as they were: updates of others are "
						+ "lost. Set spring.jpa.open-in-view to false, or load nothing before the method, or have the "
						+ "method call EntityManager.refresh");
		if (fails) {
			throw new IllegalStateException(problem + " (holdfast.lock.transaction.active is fail)");
		}
		new LimitedLog(logger).warn(problem);
	}

}
