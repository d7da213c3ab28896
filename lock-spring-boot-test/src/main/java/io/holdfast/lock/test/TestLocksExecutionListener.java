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

package io.holdfast.lock.test;

import java.util.function.Consumer;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Lets each test method start clean.
 */
final class TestLocksExecutionListener extends AbstractTestExecutionListener {

	/**
	 * After the end of a test: later than the transaction of the test, with which locks
	 * are released, and earlier than the end of the application context.
	 */
	private static final int ORDER = 3500;

	@Override
	public int getOrder() {
		return ORDER;
	}

	/**
	 * What the application did at its start is no part of the test.
	 */
	@Override
	public void beforeTestMethod(TestContext testContext) {
		withLocks(testContext, TestLocks::begin);
	}

	@Override
	public void afterTestMethod(TestContext testContext) {
		withLocks(testContext, TestLocks::reset);
	}

	private static void withLocks(TestContext testContext, Consumer<TestLocks> action) {
		if (testContext.hasApplicationContext()) {
			testContext.getApplicationContext().getBeanProvider(TestLocks.class).ifUnique(action);
		}
	}

}
