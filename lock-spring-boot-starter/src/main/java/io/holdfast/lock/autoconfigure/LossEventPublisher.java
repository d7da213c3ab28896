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

import java.time.temporal.ChronoUnit;

import io.holdfast.lock.LockListener;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.interceptor.internal.log.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes each loss as an application event, and logs it. An outage may cost thousands
 * of locks at once: ten in a minute are logged as warnings, the others at the level debug
 * and with their number.
 */
final class LossEventPublisher implements LockListener {

	private static final Log logger = LogFactory.getLog(LossEventPublisher.class);

	private final LimitedLog warnings = new LimitedLog(logger);

	private final ApplicationEventPublisher publisher;

	LossEventPublisher(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
	}

	@Override
	public void onLost(LockLoss loss) {
		this.warnings.warn("Lock '" + loss.name() + "' with fencing token " + loss.token() + " was lost ("
				+ loss.cause() + ") after " + LockOptions.describe(loss.held().truncatedTo(ChronoUnit.MILLIS))
				+ ": another holder may be at work while its owner still is. Check what both of them wrote");
		this.publisher.publishEvent(loss);
	}

}
