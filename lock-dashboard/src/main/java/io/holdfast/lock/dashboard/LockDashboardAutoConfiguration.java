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

import io.holdfast.lock.LockClient;
import io.holdfast.lock.actuate.LocksEndpoint;
import io.holdfast.lock.autoconfigure.LockEndpointAutoConfiguration;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the {@link LockDashboardEndpoint}. It is there only with the
 * {@link LocksEndpoint}, which says who may see what.
 */
@AutoConfiguration(after = LockEndpointAutoConfiguration.class)
@ConditionalOnAvailableEndpoint(endpoint = LockDashboardEndpoint.class)
@ConditionalOnSingleCandidate(LockClient.class)
@ConditionalOnBean(LocksEndpoint.class)
public final class LockDashboardAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockActivity lockActivity() {
		return new LockActivity();
	}

	@Bean
	@ConditionalOnMissingBean
	LockDashboardEndpoint lockDashboardEndpoint(LockClient lockClient, LockActivity activity, LocksEndpoint locks,
			ObjectProvider<PathMappedEndpoints> paths, ObjectProvider<EndpointAccessResolver> access) {
		EndpointAccessResolver resolver = access.getIfAvailable();
		boolean releasable = resolver != null
				&& resolver.accessFor(EndpointId.of("locks"), Access.READ_ONLY) == Access.UNRESTRICTED;
		return new LockDashboardEndpoint(lockClient, activity, locks, paths, releasable);
	}

}
