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

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Lets no transaction commit what was done under a lock that is lost: a locked method's
 * own transaction begins and commits inside of its interceptor, which cannot stop it.
 */
final class CommitGuard implements TransactionExecutionListener {

	/**
	 * Guards all transaction managers of an application.
	 */
	static void install(ListableBeanFactory beanFactory) {
		CommitGuard guard = new CommitGuard();
		beanFactory.getBeanProvider(ConfigurableTransactionManager.class)
			.forEach((transactionManager) -> transactionManager.addListener(guard));
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		HeldLocks.check();
	}

}
