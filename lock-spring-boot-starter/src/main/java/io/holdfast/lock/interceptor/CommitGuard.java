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

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.holdfast.lock.LeaseView;
import io.holdfast.lock.internal.notice.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.util.PatternMatchUtils;

/**
 * Lets no transaction commit what was done under a lock that is lost: a locked method's
 * own transaction begins and commits inside of its interceptor, which cannot stop it.
 * <p>
 * Every transaction on a thread that runs under a lost lock counts as guarded, unless the
 * application names it as one that is not. Nothing else tells the two apart: a
 * transaction that records a failure begins in the same place, after the same exception
 * and with the same propagation as the next one of a loop that goes on after failures,
 * and that must not commit.
 * <p>
 * One guard serves all application contexts: a context with locks may use a transaction
 * manager of its parent, and neither the context nor its settings may stay there. So each
 * lock of a thread brings its own settings.
 */
final class CommitGuard implements TransactionExecutionListener, BeanPostProcessor {

	private static final Log logger = LogFactory.getLog(CommitGuard.class);

	private static final LimitedLog refusals = new LimitedLog(logger);

	/** So that refused ones keep back none of these. */
	private static final LimitedLog reports = new LimitedLog(logger);

	static final CommitGuard INSTANCE = new CommitGuard();

	private CommitGuard() {
	}

	/**
	 * Guards all transaction managers of an application and of its parents, also those
	 * that are made later, and makes none. As a bean, the guard has all of its own
	 * context that are made after it.
	 */
	static void install(ConfigurableListableBeanFactory beanFactory) {
		beanFactory.addBeanPostProcessor(INSTANCE);
		for (String name : beanFactory.getBeanNamesForType(ConfigurableTransactionManager.class, false, false)) {
			if (beanFactory.containsSingleton(name)) {
				INSTANCE.postProcessAfterInitialization(beanFactory.getBean(name), name);
			}
		}
		if (beanFactory.getParentBeanFactory() instanceof ConfigurableListableBeanFactory parent) {
			install(parent);
		}
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof ConfigurableTransactionManager manager
				&& !manager.getTransactionExecutionListeners().contains(this)) {
			manager.addListener(this);
		}
		return bean;
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		// The end of a nested one, a savepoint, is no commit.
		if (transaction.isNewTransaction()) {
			askFences(transaction);
		}
		for (Held held : Held.all()) {
			check(transaction.getTransactionName(), held.lease(), held.settings());
		}
		// A reactive one is not that of the thread.
		if (transaction instanceof TransactionStatus && transaction.isNewTransaction()) {
			CompletionRelease.commits();
		}
	}

	private static void askFences(TransactionExecution transaction) {
		Map<LockFence, List<LockFence.Grant>> grants = new LinkedHashMap<>();
		Stream.concat(Held.all().stream(), CompletionRelease.kept())
			.filter((held) -> !isUnguarded(transaction.getTransactionName(), held.settings()))
			.forEach((held) -> held.settings()
				.fences()
				.forEach((fence) -> grants.computeIfAbsent(fence, (key) -> new ArrayList<>()).add(held.grant())));
		try {
			grants.forEach((fence, each) -> fence.beforeCommit(transaction, each));
		}
		catch (TransactionException ex) {
			// Spring would take it for one of a commit that was tried, and not roll back.
			throw new IllegalStateException("The transaction rolls back: " + ex.getMessage(), ex);
		}
	}

	private static boolean isUnguarded(String transaction, LockSettings settings) {
		return PatternMatchUtils.simpleMatch(settings.unguardedTransactions().toArray(String[]::new), transaction);
	}

	/**
	 * Checks a lock before a commit.
	 * @param transaction the name of the transaction, or an empty string
	 */
	static void check(String transaction, LeaseView lease, LockSettings settings) {
		if (isUnguarded(transaction, settings)) {
			return;
		}
		try {
			Held.check(lease);
		}
		catch (RuntimeException ex) {
			boolean refuse = settings.onLostLock() == OnLostLock.REFUSE_COMMIT;
			(refuse ? refusals : reports)
				.warn((transaction.isEmpty() ? "A transaction without a name" : "Transaction '" + transaction + "'")
						+ (refuse ? " is not committed" : " is committed all the same")
						+ " (holdfast.lock.transaction.on-lost-lock): " + ex.getMessage()
						+ (refuse ? ". Check what it did elsewhere before it is done again" : ". Check what it wrote"));
			if (refuse) {
				throw ex;
			}
		}
	}

}
