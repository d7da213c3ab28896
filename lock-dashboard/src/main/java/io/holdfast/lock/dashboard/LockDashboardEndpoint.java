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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockClientHealth;
import io.holdfast.lock.actuate.LocksEndpoint;
import io.holdfast.lock.dashboard.LockActivity.Incident;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.core.io.ClassPathResource;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;
import org.springframework.util.StringUtils;

/**
 * A page for operators: who holds what, who waits, what is hot, what was lost. The locks
 * themselves the page gets from the {@link LocksEndpoint}, through which it releases
 * them, too.
 */
@WebEndpoint(id = "lockdashboard", defaultAccess = Access.READ_ONLY)
public class LockDashboardEndpoint {

	private static final String HTML = "text/html;charset=UTF-8";

	private static final Set<String> SCRIPTS = Set.of("page.js", "trouble.js", "trend.js", "locks.js", "hot.js",
			"lost.js", "release.js", "plot.js", "http.js", "dom.js");

	private static final int HOT_LIMIT = 10;

	private final LockClient client;

	private final LockActivity activity;

	private final LocksEndpoint locks;

	private final ObjectProvider<PathMappedEndpoints> paths;

	private final boolean releasable;

	/**
	 * Create an endpoint.
	 * @param client the client whose state is shown
	 * @param activity what happened to the locks of this process
	 * @param locks says which names are shown to whom
	 * @param paths where endpoints are; by default they are where their ids say
	 * @param releasable whether locks can be released through that endpoint
	 */
	public LockDashboardEndpoint(LockClient client, LockActivity activity, LocksEndpoint locks,
			ObjectProvider<PathMappedEndpoints> paths, boolean releasable) {
		this.client = client;
		this.activity = activity;
		this.locks = locks;
		this.paths = paths;
		this.releasable = releasable;
	}

	private static @Nullable MimeType typeOf(String file) {
		String type = SCRIPTS.contains(file) ? "text/javascript" : switch (file) {
			case "page.css" -> "text/css";
			case "icon.svg" -> "image/svg+xml";
			default -> null;
		};
		return (type != null) ? new MimeType(MimeTypeUtils.parseMimeType(type), StandardCharsets.UTF_8) : null;
	}

	/**
	 * Returns the page.
	 * @return the page in HTML
	 * @throws IOException if it is not in the jar
	 */
	@ReadOperation(produces = HTML)
	public WebEndpointResponse<byte[]> page() throws IOException {
		String self = path("lockdashboard");
		// The browser is at the last part of the page's own path.
		String up = "../".repeat(StringUtils.countOccurrencesOf(self, "/"));
		String html = new String(read("index.html"), StandardCharsets.UTF_8)
			.replace("{page}", self.substring(self.lastIndexOf('/') + 1))
			.replace("{locks}", up + path("locks"));
		return new WebEndpointResponse<>(html.getBytes(StandardCharsets.UTF_8), MimeTypeUtils.parseMimeType(HTML));
	}

	private String path(String id) {
		PathMappedEndpoints known = this.paths.getIfAvailable();
		String path = (known != null) ? known.getRootPath(EndpointId.of(id)) : null;
		return (path != null) ? path : id;
	}

	/**
	 * Returns what the page is made of: its files; {@code activity}, which is what it
	 * shows besides held locks; and {@code csrf}, the token that Spring Security wants to
	 * see with a release.
	 * @param name the name of the file, or one of those
	 * @param security who asks
	 * @return the file or the values, or {@code null} if there is nothing of that name
	 * @throws IOException if a file is not in the jar
	 */
	@ReadOperation
	public @Nullable WebEndpointResponse<?> resource(@Selector String name, SecurityContext security)
			throws IOException {
		Object values = switch (name) {
			case "activity" -> activity(security);
			case "csrf" -> CsrfTokens.current();
			default -> null;
		};
		if (values != null) {
			return new WebEndpointResponse<>(values);
		}
		MimeType type = typeOf(name);
		return (type != null) ? new WebEndpointResponse<>(read(name), type) : null;
	}

	private static byte[] read(String file) throws IOException {
		return new ClassPathResource("page/" + file, LockDashboardEndpoint.class).getContentAsByteArray();
	}

	private ActivityDescriptor activity(SecurityContext security) {
		List<LockWaits.Snapshot> hot = this.activity.hottest(HOT_LIMIT)
			.stream()
			.map((waits) -> waits.withName(this.locks.shownName(waits.name(), security)))
			.toList();
		List<Incident> incidents = this.activity.incidents()
			.stream()
			.map((incident) -> new Incident(incident.at(), incident.what(),
					incident.names().stream().map((name) -> this.locks.shownName(name, security)).toList(),
					incident.token(), incident.by()))
			.toList();
		return new ActivityDescriptor(this.releasable, client(), this.activity.trend(), hot, incidents,
				LockActivity.MAX_INCIDENTS);
	}

	private ClientDescriptor client() {
		LockClientHealth health = this.client.health();
		return new ClientDescriptor(this.client.id(), health.status().name(), health.unsure(), health.failure(),
				this.activity.isObserved(this.client.id()));
	}

	/**
	 * What the page shows besides held locks.
	 *
	 * @param releasable whether locks can be released
	 * @param client how the client of this process is
	 * @param trend how many locks this process held, and how many callers waited
	 * @param hot the locks with the longest waits
	 * @param incidents the latest losses, releases by force and deadlocks, the latest
	 * first
	 * @param incidentLimit how many of these are remembered at most
	 */
	record ActivityDescriptor(boolean releasable, ClientDescriptor client, LockTrend.Values trend,
			List<LockWaits.Snapshot> hot, List<Incident> incidents,
			int incidentLimit) implements OperationResponseBody {
	}

	/**
	 * How a client is, as its {@link LockClientHealth} says.
	 *
	 * @param id its id
	 * @param status its status
	 * @param unsure how many of the locks that it holds it is not sure of
	 * @param failure the latest failure
	 * @param observed whether its losses and waits are seen
	 */
	record ClientDescriptor(String id, String status, int unsure, @Nullable String failure, boolean observed) {
	}

}
