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

import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockDirectory.Filter;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.actuate.LockDescriptors.FailureDescriptor;
import io.holdfast.lock.actuate.LockDescriptors.LockDescriptor;
import io.holdfast.lock.actuate.LockDescriptors.LocksDescriptor;
import io.holdfast.lock.actuate.LockDescriptors.QueuedLockDescriptor;
import io.holdfast.lock.actuate.LockDescriptors.ReleaseDescriptor;
import io.holdfast.lock.convert.LockTime;
import io.holdfast.lock.internal.notice.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationEventPublisherAware;

/**
 * Shows the locks that all applications hold which share this one's Redis and key prefix,
 * and releases one by force where {@code management.endpoint.locks.access} is
 * {@code unrestricted}.
 * <p>
 * The name of a lock may stand in the path, with its slashes, or in the parameter
 * {@code name}, which takes every name: firewalls and servers refuse some in a path.
 * <p>
 * The parameter overrides the path, also in a {@code DELETE}: whoever may call one path
 * of this endpoint reaches every lock. So authorize the endpoint as a whole, and by
 * method ({@code GET} looks, {@code DELETE} releases), never by the names in its paths.
 * <p>
 * Where Redis does not answer, the status is 503, with a {@link FailureDescriptor}.
 */
@WebEndpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public class LocksEndpoint implements ApplicationEventPublisherAware {

	/**
	 * The key under which a {@link SanitizingFunction} is asked about the name of a lock.
	 */
	public static final String NAME_KEY = "holdfast.lock.name";

	/**
	 * The type of the {@link AuditEvent} of a release by force.
	 */
	public static final String FORCED_EVENT = "LOCK_RELEASED_BY_FORCE";

	private static final Log logger = LogFactory.getLog(LocksEndpoint.class);

	private static final int DEFAULT_LIMIT = 100;

	private static final int QUEUE_LIMIT = 100;

	private static final int STATUS_CONFLICT = 409;

	private final LockDirectory directory;

	private final EndpointFailures failures = new EndpointFailures();

	private final ShownNames names;

	private @Nullable ApplicationEventPublisher events;

	/**
	 * Create an endpoint.
	 * @param directory where the locks are listed
	 * @param sanitizingFunctions which names to mask of those that may be shown
	 * @param showValues when to show names at all
	 * @param roles who sees them if only those who are authorized do; all who are
	 * authenticated if it is empty
	 */
	public LocksEndpoint(LockDirectory directory, Iterable<SanitizingFunction> sanitizingFunctions, Show showValues,
			Set<String> roles) {
		this.directory = directory;
		this.names = new ShownNames(sanitizingFunctions, showValues, roles);
	}

	@Override
	public void setApplicationEventPublisher(ApplicationEventPublisher publisher) {
		this.events = publisher;
	}

	/**
	 * Lists held locks, a page at a time, or shows one. All conditions have to be
	 * fulfilled.
	 * @param name the name of the one lock to show
	 * @param cursor the {@code next} of the page before; none to start
	 * @param limit about how many locks a page has, 100 unless given; less than 1 or more
	 * than {@value LockDirectory#MAX_LIMIT} is a bad request
	 * @param prefix what the names begin with, of those that may be shown
	 * @param holder the client, the application or the host of the holder
	 * @param fair whether the holder asked to be served first come, first served
	 * @param heldLongerThan for how long its present owner has it at least, with a unit
	 * @param security who asks
	 * @return a {@link LocksDescriptor}; for one name a {@link QueuedLockDescriptor}, or
	 * {@code null} if nobody holds it; with status 503 a {@link FailureDescriptor}
	 */
	@ReadOperation
	@SuppressWarnings("deprecation") // Spring Boot 3.5 knows an optional parameter by
										// Spring's own annotation only
	public @Nullable Object locks(@org.springframework.lang.Nullable @Nullable String name,
			@org.springframework.lang.Nullable @Nullable String cursor,
			@org.springframework.lang.Nullable @Nullable Integer limit,
			@org.springframework.lang.Nullable @Nullable String prefix,
			@org.springframework.lang.Nullable @Nullable String holder,
			@org.springframework.lang.Nullable @Nullable Boolean fair,
			@org.springframework.lang.Nullable @Nullable LockTime heldLongerThan, SecurityContext security) {
		if (name != null) {
			return find(name, security);
		}
		String start = (prefix != null) ? prefix : "";
		if (!start.isEmpty() && !this.names.areShownTo(security)) {
			String reason = "Names of locks are not shown, so locks cannot be chosen by them";
			throw new InvalidEndpointRequestException(reason, reason);
		}
		// If names may be masked, do not filter in Redis: page boundaries would reveal
		// matches.
		Filter filter = new Filter(this.names.masksSome() ? "" : start, holder, fair,
				(heldLongerThan != null) ? heldLongerThan.duration() : Duration.ZERO);
		return this.failures.orFailure("The held locks could not be read", () -> {
			LockDirectory.Page page = this.directory.list(cursor, (limit != null) ? limit : DEFAULT_LIMIT, filter);
			List<LockDescriptor> shown = page.locks()
				.stream()
				.map((lock) -> describe(lock, security))
				.filter((lock) -> lock.name().startsWith(start))
				.toList();
			return new LocksDescriptor(shown, page.next());
		});
	}

	/**
	 * Shows one lock and the head of its queue.
	 * @param name the lock's name, in the parts between its slashes
	 * @param security who asks
	 * @return a {@link QueuedLockDescriptor}, or {@code null} if nobody holds it; with
	 * status 503 a {@link FailureDescriptor}
	 */
	@ReadOperation
	public @Nullable Object lock(@Selector(match = Match.ALL_REMAINING) String[] name, SecurityContext security) {
		return find(String.join("/", name), security);
	}

	private @Nullable Object find(String name, SecurityContext security) {
		return this.failures.orFailure("It is not known who holds lock '" + name + "'", () -> this.directory.find(name)
			.map((lock) -> new QueuedLockDescriptor(describe(lock, security), this.directory.queue(name, QUEUE_LIMIT)))
			.orElse(null));
	}

	/**
	 * Releases a lock by force if it is held as the caller saw it.
	 * @param name the lock's name, in the parts between its slashes
	 * @param token the fencing token that was seen
	 * @param security who asks
	 * @return what was released; with status 409 who holds it under another token, with
	 * 404 that nobody does; with 503 a {@link FailureDescriptor}
	 */
	@DeleteOperation
	public WebEndpointResponse<?> release(@Selector(match = Match.ALL_REMAINING) String[] name, long token,
			SecurityContext security) {
		return releaseNamed(String.join("/", name), token, security);
	}

	/**
	 * Releases a lock by force if it is held as the caller saw it.
	 * @param name the lock's name
	 * @param token the fencing token that was seen
	 * @param security who asks
	 * @return what was released; with status 409 who holds it under another token, with
	 * 404 that nobody does; with 503 a {@link FailureDescriptor}
	 */
	@DeleteOperation
	public WebEndpointResponse<?> releaseNamed(String name, long token, SecurityContext security) {
		Optional<HeldLock> released;
		try {
			released = EndpointFailures.valid(() -> this.directory.forceUnlock(name, token));
		}
		catch (LockServerException ex) {
			logger.warn("It is not known whether lock '" + LimitedLog.onOneLine(name) + "' with fencing token " + token
					+ " was taken from its owner by force, through the locks endpoint, by " + userOf(security)
					+ ". Look at who holds it now: " + LimitedLog.onOneLine(String.valueOf(ex.getMessage())));
			return EndpointFailures.failed("It is not known whether lock '" + name + "' was released", ex);
		}
		if (released.isEmpty()) {
			return notReleased(name, token, security);
		}
		HeldLock lock = released.get();
		String from = (lock.mode().kind() == LockMode.Kind.SHARED && lock.holders() > 1)
				? lock.holders() + " readers, among them client " + lock.client() : "client " + lock.client();
		// Not limited: the log must show every forced release.
		logger.warn("Lock '" + LimitedLog.onOneLine(name) + "' with fencing token " + lock.token() + " was taken from "
				+ from + " by force, through the locks endpoint, by " + userOf(security)
				+ ". Its owner is told, and may still be at work: check what it writes");
		audit(lock, security);
		return respond(WebEndpointResponse.STATUS_OK, "Lock '" + name + "' was taken from " + from,
				describe(lock, security));
	}

	private WebEndpointResponse<?> notReleased(String name, long token, SecurityContext security) {
		try {
			return this.directory.find(name)
				.map((held) -> respond(STATUS_CONFLICT,
						"Lock '" + name + "' was not released: client " + held.client()
								+ " holds it now, with fencing token " + held.token(),
						describe(held, security)))
				.orElseGet(
						() -> respond(WebEndpointResponse.STATUS_NOT_FOUND, "Nobody holds lock '" + name + "'", null));
		}
		catch (LockServerException ex) {
			return this.failures.warned("Lock '" + name + "' was not found under fencing token " + token
					+ ", and who holds it now is not known", ex);
		}
	}

	private static String userOf(SecurityContext security) {
		Principal user = security.getPrincipal();
		return (user != null) ? "user '" + LimitedLog.onOneLine(user.getName()) + "'" : "a user who is not known";
	}

	private void audit(HeldLock lock, SecurityContext security) {
		if (this.events != null) {
			Principal user = security.getPrincipal();
			try {
				this.events
					.publishEvent(new AuditApplicationEvent((user != null) ? user.getName() : "", FORCED_EVENT, Map
						.of("lock", shownName(lock.name(), security), "token", lock.token(), "client", lock.client())));
			}
			catch (RuntimeException ex) {
				logger.warn("A listener to audit events failed. The lock is released", ex);
			}
		}
	}

	private static WebEndpointResponse<ReleaseDescriptor> respond(int status, String message,
			@Nullable LockDescriptor lock) {
		boolean released = status == WebEndpointResponse.STATUS_OK;
		return new WebEndpointResponse<>(new ReleaseDescriptor(released, message, lock), status);
	}

	private LockDescriptor describe(HeldLock lock, SecurityContext security) {
		return LockDescriptor.of(lock, shownName(lock.name(), security));
	}

	/**
	 * Says what somebody may see of a lock's name.
	 * @param name the lock's name
	 * @param security who asks
	 * @return the name, or what stands for it
	 */
	public String shownName(String name, SecurityContext security) {
		return this.names.of(name, security);
	}

}
