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

import java.util.Set;

import io.holdfast.lock.internal.notice.LimitedLog;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/**
 * Which names of locks are shown to whom.
 */
final class ShownNames {

	private final LimitedLog failures = new LimitedLog(LogFactory.getLog(ShownNames.class));

	private final Sanitizer sanitizer;

	private final boolean masksSome;

	private final Show show;

	private final Set<String> roles;

	ShownNames(Iterable<SanitizingFunction> functions, Show show, Set<String> roles) {
		this.sanitizer = new Sanitizer(functions);
		this.masksSome = functions.iterator().hasNext();
		this.show = show;
		this.roles = Set.copyOf(roles);
	}

	/**
	 * Whether some names may be masked and others not.
	 */
	boolean masksSome() {
		return this.masksSome;
	}

	boolean areShownTo(SecurityContext security) {
		return this.show.isShown(security, this.roles);
	}

	/**
	 * What somebody may see of a name. All of it is masked where a function of the
	 * application cannot say: it must not take the other names, or the news of a release,
	 * with it.
	 */
	String of(String name, SecurityContext security) {
		SanitizableData data = new SanitizableData(null, LocksEndpoint.NAME_KEY, name);
		try {
			return String.valueOf(this.sanitizer.sanitize(data, areShownTo(security)));
		}
		catch (Throwable ex) {
			this.failures
				.warn("A SanitizingFunction threw an exception, so the name of a lock is masked. Correct it: it is "
						+ "asked for the key '" + LocksEndpoint.NAME_KEY + "', without a property source", ex);
			return SanitizableData.SANITIZED_VALUE;
		}
	}

}
