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

package io.holdfast.lock.dashboard;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Reads Spring Security's CSRF token of the current servlet request. There is none in an
 * application without Spring Security, or in a reactive one.
 */
final class CsrfTokens {

	private static final boolean PRESENT = isPresent("org.springframework.security.web.csrf.CsrfToken")
			&& isPresent("org.springframework.web.context.request.RequestContextHolder");

	private CsrfTokens() {
	}

	private static boolean isPresent(String name) {
		return ClassUtils.isPresent(name, CsrfTokens.class.getClassLoader());
	}

	/**
	 * Returns the token of the session whose request runs on this thread.
	 */
	static @Nullable CsrfDescriptor current() {
		return PRESENT ? Servlet.current() : null;
	}

	/**
	 * What to send with a request that changes something.
	 *
	 * @param header the name of the header
	 * @param token its value
	 */
	record CsrfDescriptor(String header, String token) implements OperationResponseBody {
	}

	/**
	 * Loaded only where both classes are there.
	 */
	private static final class Servlet {

		static @Nullable CsrfDescriptor current() {
			RequestAttributes request = RequestContextHolder.getRequestAttributes();
			Object token = (request != null)
					? request.getAttribute(CsrfToken.class.getName(), RequestAttributes.SCOPE_REQUEST) : null;
			return (token instanceof CsrfToken known) ? new CsrfDescriptor(known.getHeaderName(), known.getToken())
					: null;
		}

	}

}
