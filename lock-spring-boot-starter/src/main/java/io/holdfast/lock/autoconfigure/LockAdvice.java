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

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * How methods with {@link io.holdfast.lock.annotation.DistributedLock @DistributedLock}
 * get their locks.
 */
public enum LockAdvice {

	/**
	 * Proxies of beans lock the calls that come through them.
	 */
	PROXY,

	/**
	 * AspectJ weaves the locks into the methods, so that calls within a class are locked
	 * as well.
	 */
	ASPECTJ;

	/**
	 * Matches if it is set to one of them.
	 */
	private abstract static class OnAdvice extends SpringBootCondition {

		private final LockAdvice advice;

		OnAdvice(LockAdvice advice) {
			this.advice = advice;
		}

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			String property = LockProperties.PREFIX + "advice";
			LockAdvice found = Binder.get(context.getEnvironment()).bind(property, LockAdvice.class).orElse(PROXY);
			return new ConditionOutcome(found == this.advice,
					ConditionMessage.forCondition("Lock advice").because(property + " is " + found));
		}

	}

	static final class OnProxy extends OnAdvice {

		OnProxy() {
			super(PROXY);
		}

	}

	static final class OnAspectJ extends OnAdvice {

		OnAspectJ() {
			super(ASPECTJ);
		}

	}

}
