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

package io.holdfast.lock.internal.server;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.QueryTimeoutException;

/**
 * Classifies what drivers throw. The server's own words decide: the exception classes of
 * the drivers and of Spring differ for the same answer, and some mislead. Where the
 * server said nothing of the kind, the outcome is unknown.
 */
public final class RedisErrors {

	private static final Set<String> TRANSIENT = Set.of("BUSY", "LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN",
			"READONLY", "NOREPLICAS", "MISCONF", "UNBLOCKED", "MOVED", "ASK");

	/** Errors of Redis and, the last two, of our scripts. */
	private static final Map<String, String> PERMANENT = Map.of( //
			"NOPERM", "the Redis user lacks a permission", "NOAUTH", "Redis asks for a password", "WRONGPASS",
			"Redis refuses the user name or password", "OOM", "Redis has no memory left (maxmemory)", "WRONGTYPE",
			"the key holds something that is not a lock", "CROSSSLOT", "the keys lie in different slots of the cluster",
			"LAYOUT", "another version of Holdfast uses it", "DAMAGED", "the data of the lock are damaged");

	/**
	 * What Redis says when the user may not run a command inside a script. Before 7.2 it
	 * does not say which.
	 */
	private static final Pattern NO_PERMISSION_IN_SCRIPT = Pattern
		.compile("The user executing the script can't run this command|ACL failure in script");

	/** What Redis says of keys; of channels and commands it says something else. */
	private static final Pattern NO_PERMISSION_FOR_KEY = Pattern
		.compile("NOPERM .*access (one of the keys|a key|the '.*' key)");

	private static final int MOST_IN_VAIN = 10;

	private static final String COMMANDS = "+time +hmget +hset +hget +hdel +hlen +pexpire +scan +publish";

	/**
	 * A code of the server: the first word, or behind a hyphen where Redis 6 wraps the
	 * error of a command in that of the script.
	 */
	private static final Pattern CODE = Pattern.compile("(?:^|[\\s:]-)([A-Z]{3,})\\b");

	private static final String UNKNOWN = "Redis refused: ";

	/**
	 * What is certain to have changed nothing: the words of the script engine, and of a
	 * server that has no such command, password or database. Other errors may be a
	 * proxy's, while the server still carries the script out.
	 */
	private static final Pattern CERTAIN = Pattern
		.compile("NOSCRIPT|Error (running|compiling) script|user_script|script: |"
				+ "[Uu]nknown (Redis )?command|ERR AUTH |invalid password|DB index|SELECT is not allowed");

	/** What a server says to a connection that it does not accept. */
	private static final Pattern CONNECTION_REFUSED = Pattern.compile("ERR max number of clients|^-?DENIED ");

	/** Where in which script Redis says that something went wrong. */
	private static final Pattern PLACE_IN_SCRIPT = Pattern
		.compile("\\b(f_)?[0-9a-f]{40}\\b|@?user_script:? ?\\d+|@\\w+:\\d+");

	/**
	 * What Jedis says in a cluster after several attempts. Only the last one is known,
	 * and those before may have been sent.
	 */
	private static final String[] MORE_ATTEMPTS = { "cluster attempts", "cluster retry deadline" };

	private RedisErrors() {
	}

	/**
	 * Whether the call ended because the calling thread was interrupted. If that is a
	 * virtual thread, the JDK closes the socket that it reads from.
	 */
	public static boolean isInterrupt(Throwable thrown) {
		return has(thrown, InterruptedException.class, ClosedByInterruptException.class)
				|| (has(thrown, SocketException.class) && mentions(thrown, "closed by interrupt"));
	}

	/**
	 * Whether a script for one lock may pass where one for many did not: one of them is
	 * at fault, or none of the user's, or they are on two servers while their slot moves.
	 */
	public static boolean mayPassAlone(LockServerException failure) {
		String said = withoutSubject(failure);
		return isAboutOneKey(failure) || NO_PERMISSION_FOR_KEY.matcher(said).find() || said.contains("TRYAGAIN");
	}

	/**
	 * Takes a failed batch apart if one of its members may be at fault. If none of the
	 * first ones passes, which are any of them, it is all. Ends where there is no answer.
	 * @param send sends one alone, and says why it failed, if it did
	 * @return those that were not sent alone
	 */
	public static <T> List<T> takeApart(List<T> batch, LockServerException because,
			Function<T, @Nullable LockServerException> send) {
		if (batch.size() == 1 || !mayPassAlone(because)) {
			return batch;
		}
		List<T> order = new ArrayList<>(batch);
		Collections.shuffle(order);
		boolean passed = false;
		for (int i = 0; i < order.size(); i++) {
			if (!passed && i == MOST_IN_VAIN) {
				return order.subList(i, order.size());
			}
			LockServerException failure = send.apply(order.get(i));
			if (failure != null && failure.reason() != Reason.REFUSED && failure.reason() != Reason.UNAVAILABLE) {
				return order.subList(i + 1, order.size());
			}
			passed |= failure == null;
		}
		return List.of();
	}

	/**
	 * Whether what is stored under one key is at fault, so that other locks work.
	 */
	public static boolean isAboutOneKey(LockServerException failure) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
		return failure.reason() == Reason.REFUSED
				&& Stream.of("WRONGTYPE", "DAMAGED").anyMatch(String.valueOf(cause.getMessage())::contains);
	}

	/**
	 * Whether a server that is no master any more was asked: the connection leads to the
	 * wrong one.
	 */
	public static boolean isOfReplica(Throwable thrown) {
		return Set.of("READONLY", "MASTERDOWN").contains(codeOf(wordsOf(thrown)));
	}

	public static LockServerException classify(String lockName, Throwable thrown) {
		if (thrown instanceof LockServerException classified) {
			return classified;
		}
		String said = wordsOf(thrown);
		if (TRANSIENT.contains(codeOf(said))) {
			return failure(lockName, Reason.UNAVAILABLE, "Redis is not available for now: " + said, thrown);
		}
		if (CONNECTION_REFUSED.matcher(said).find()) {
			return failure(lockName, Reason.UNREACHABLE, "Redis accepts no connection: " + said, thrown);
		}
		String refusal = refusalIn(said);
		if (refusal != null) {
			return failure(lockName, Reason.REFUSED, refusal + said, thrown);
		}
		if (isFailedHandshake(thrown) && !mentions(thrown, MORE_ATTEMPTS)) {
			return failure(lockName, Reason.UNREACHABLE,
					"the TLS handshake failed; look at the certificates, and whether this port speaks TLS: " + said,
					thrown);
		}
		if (has(thrown, NoSuchElementException.class)) {
			return failure(lockName, Reason.UNREACHABLE, "the connection pool has no free connection: " + said, thrown);
		}
		if (isNotConnected(thrown) && !mentions(thrown, MORE_ATTEMPTS)) {
			return failure(lockName, Reason.UNREACHABLE, "Redis cannot be reached: " + said, thrown);
		}
		// Else it is not what our scripts answer, or no answer at all. Lettuce replays a
		// command whose answer was cut off, and puts the second answer behind the half of
		// the first.
		String outcome = isUnanswered(thrown) ? "Redis did not answer: " : "the answer of Redis was lost: ";
		return failure(lockName, Reason.TIMED_OUT, outcome + said, thrown);
	}

	/**
	 * Why the server, or a driver, refuses what was asked; {@code null} if it does not.
	 */
	private static @Nullable String refusalIn(String said) {
		if (NO_PERMISSION_IN_SCRIPT.matcher(said).find()) {
			return "the Redis user lacks a permission for a command that scripts run, of " + COMMANDS + ": ";
		}
		String permanent = PERMANENT.get(codeOf(said));
		if (permanent != null) {
			return permanent + ": ";
		}
		return CERTAIN.matcher(said).find() ? UNKNOWN : null;
	}

	/**
	 * The {@link Error} that was thrown, or has caused what was; {@code null} if none.
	 */
	public static @Nullable Error errorIn(Throwable thrown) {
		for (Throwable at = thrown; at != null; at = at.getCause()) {
			if (at instanceof Error error) {
				return error;
			}
		}
		return null;
	}

	/**
	 * The failure of a call for several locks, as that of another one of them.
	 */
	public static LockServerException alsoOf(String lockName, LockServerException failure) {
		return failure(lockName, failure.reason(), withoutSubject(failure), failure.getCause());
	}

	/**
	 * The failure of a call that was sent before, without an answer: if it could not be
	 * sent again, or was refused then, it may still have taken effect.
	 */
	public static LockServerException ofRepeated(LockServerException failure) {
		return switch (failure.reason()) {
			case UNREACHABLE -> unanswered("Redis did not answer: ", failure);
			case REFUSED -> unanswered("the answer of Redis was lost: ", failure);
			default -> failure;
		};
	}

	/**
	 * Whether that is the failure of a call that was sent again, and refused then.
	 */
	public static boolean isRepeatedAndRefused(LockServerException failure) {
		return failure.reason() == Reason.TIMED_OUT && failure.getCause() instanceof LockServerException last
				&& last.reason() == Reason.REFUSED;
	}

	/**
	 * Whether two calls were refused for the same reason. Where that is of no kind known
	 * here, Redis has to use the same words, wherever in a script.
	 */
	public static boolean isSameRefusal(@Nullable LockServerException first, LockServerException second) {
		return first != null && first.reason() == Reason.REFUSED && second.reason() == Reason.REFUSED
				&& refusalOf(first).equals(refusalOf(second));
	}

	private static String refusalOf(LockServerException refused) {
		Throwable thrown = (refused.getCause() != null) ? refused.getCause() : refused;
		String said = wordsOf(thrown);
		String kind = refusalIn(said);
		return (kind == null || kind.equals(UNKNOWN)) ? PLACE_IN_SCRIPT.matcher(said).replaceAll("") : kind;
	}

	private static LockServerException unanswered(String outcome, LockServerException failure) {
		return failure(failure.lockName(), Reason.TIMED_OUT, outcome + withoutSubject(failure), failure);
	}

	/**
	 * A failure whose message names the lock, unless it is of no lock in particular.
	 */
	public static LockServerException failure(String lockName, Reason reason, String message,
			@Nullable Throwable thrown) {
		return new LockServerException(lockName, reason, subject(lockName) + message, thrown);
	}

	private static String subject(String lockName) {
		return lockName.isEmpty() ? "" : "Lock '" + lockName + "': ";
	}

	private static String withoutSubject(LockServerException failure) {
		String message = String.valueOf(failure.getMessage());
		String subject = subject(failure.lockName());
		return message.startsWith(subject) ? message.substring(subject.length()) : message;
	}

	private static boolean isNotConnected(Throwable thrown) {
		return has(thrown, ConnectException.class, UnknownHostException.class, NoRouteToHostException.class)
				|| mentions(thrown, "unable to connect", "failed to connect", "failed to create socket",
						"could not get a resource", "cannot get jedis connection", "no reachable node",
						"cluster slots cache", "cannot determine a partition", "sentinel", "has been stopped",
						"was stopped", "was never started", "has been destroyed", "was destroyed", "is shutting down");
	}

	/**
	 * Whether a connection ended before anything but TLS was spoken.
	 */
	private static boolean isFailedHandshake(Throwable thrown) {
		return has(thrown, SSLHandshakeException.class, SSLPeerUnverifiedException.class)
				|| mentions(thrown, "not an ssl/tls record", "unrecognized ssl message");
	}

	private static boolean isUnanswered(Throwable thrown) {
		return has(thrown, IOException.class, QueryTimeoutException.class, TimeoutException.class)
				|| isInterrupt(thrown) || mentions(thrown, "unexpected end of stream", "connection reset",
						"connection closed", "broken pipe", "timed out", "connection is closed")
				|| mentions(thrown, MORE_ATTEMPTS);
	}

	/**
	 * The innermost message that starts with a word of the server's, else the innermost
	 * one.
	 */
	private static String wordsOf(Throwable thrown) {
		String innermost = thrown.toString();
		for (Throwable part : partsOf(thrown)) {
			String message = part.getMessage();
			if (message != null) {
				if (!codeOf(message).isEmpty()) {
					return message;
				}
				innermost = message;
			}
		}
		return innermost;
	}

	/**
	 * All that was thrown, from the outside to the inside. When Jedis gives up on a
	 * cluster, the reason is not the cause but suppressed.
	 */
	private static List<Throwable> partsOf(Throwable thrown) {
		List<Throwable> parts = new ArrayList<>();
		for (Throwable at = thrown; at != null; at = at.getCause()) {
			parts.add(at);
			for (Throwable suppressed : at.getSuppressed()) {
				parts.addAll(partsOf(suppressed));
			}
		}
		return parts;
	}

	private static String codeOf(String message) {
		Matcher matcher = CODE.matcher(message);
		while (matcher.find()) {
			String code = matcher.group(1);
			if (TRANSIENT.contains(code) || PERMANENT.containsKey(code)) {
				return code;
			}
		}
		return "";
	}

	private static boolean mentions(Throwable thrown, String... texts) {
		return partsOf(thrown).stream()
			.map((each) -> String.valueOf(each.getMessage()).toLowerCase(Locale.ROOT))
			.anyMatch((message) -> Stream.of(texts).anyMatch(message::contains));
	}

	private static boolean has(Throwable thrown, Class<?>... types) {
		return partsOf(thrown).stream().anyMatch((each) -> Stream.of(types).anyMatch((type) -> type.isInstance(each)));
	}

}
