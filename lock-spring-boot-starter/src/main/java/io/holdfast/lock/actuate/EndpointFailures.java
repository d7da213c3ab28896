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

package io.holdfast.lock.actuate;

import java.util.function.Supplier;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.actuate.LockDescriptors.FailureDescriptor;
import io.holdfast.lock.internal.notice.LimitedLog;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Turns a failure of Redis into status 503, and an invalid argument into 400.
 */
final class EndpointFailures {

	private final LimitedLog failures = new LimitedLog(LogFactory.getLog(EndpointFailures.class));

	/**
	 * Answers, or says that Redis does not, or refuses an invalid argument.
	 * @param unknown what is not known if Redis gives no answer
	 */
	@Nullable Object orFailure(String unknown, Supplier<@Nullable Object> answer) {
		try {
			return valid(answer);
		}
		catch (LockServerException ex) {
			return warned(unknown, ex);
		}
	}

	WebEndpointResponse<FailureDescriptor> warned(String unknown, LockServerException ex) {
		this.failures.warn("The locks endpoint answers with status 503: " + ex.getMessage()
				+ ". Look at Redis and the network path to it");
		return failed(unknown, ex);
	}

	static <T extends @Nullable Object> T valid(Supplier<T> answer) {
		try {
			return answer.get();
		}
		catch (IllegalArgumentException ex) {
			String reason = String.valueOf(ex.getMessage());
			throw new InvalidEndpointRequestException(reason, reason, ex);
		}
	}

	static WebEndpointResponse<FailureDescriptor> failed(String unknown, LockServerException ex) {
		return new WebEndpointResponse<>(
				new FailureDescriptor(ex.reason(), unknown + ": Redis failed (" + ex.reason() + ")"),
				WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
	}

}
