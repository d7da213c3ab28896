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

package io.holdfast.lock.internal.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Classifies what drivers throw. The server's own words decide: the exception classes of
 * the drivers and of Spring differ for the same answer, and some mislead. Where nobody
 * said anything that is known here, the outcome is unknown.
 */
public final class RedisErrors {

	private static final String PASSING = "BUSY|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|READONLY|NOREPLICAS|MISCONF"
			+ "|UNBLOCKED|MOVED|ASK";

	/** Words of Redis and, the last two, of our scripts. */
	private static final String LASTING = "NOPERM|NOAUTH|WRONGPASS|OOM|WRONGTYPE|CROSSSLOT|LAYOUT|DAMAGED";

	private static final Pattern CODE = code(PASSING + "|" + LASTING);

	private static final Pattern OF_REPLICA = code("READONLY|MASTERDOWN");

	/** If that is a virtual thread, the JDK closes the socket that it reads from. */
	private static final Pattern INTERRUPT = Pattern
		.compile("(?m)^(InterruptedException|ClosedByInterruptException)$|(?i:closed by interrupt)");

	/** What is said of one key: a script for another one may pass. */
	private static final Pattern ABOUT_ONE_KEY = Pattern.compile(
			"WRONGTYPE|LAYOUT|DAMAGED|TRYAGAIN|CROSSSLOT" + "|NOPERM .*access (one of the keys|a key|the '.*' key)");

	/**
	 * The first that is found decides. What the server refuses for a reason that is not
	 * known here is certain to have changed nothing if the script engine says it, or a
	 * server that has no such command, password or database. Other errors may be a
	 * proxy's, while the server still carries the script out. When Jedis gives up on a
	 * cluster after several attempts, those before the last one may have been sent.
	 */
	private static final List<Rule> RULES = List.of(
			new Rule(Reason.UNAVAILABLE, "Redis is not available for now", code(PASSING)),
			new Rule(Reason.UNREACHABLE, "Redis accepts no connection", "ERR max number of clients|(?m:^-?DENIED )"),
			new Rule(Reason.REFUSED,
					"the Redis user lacks a permission for a command that scripts run, of "
							+ "+time +hmget +hgetall +hset +hget +hdel +hlen +pexpire +scan +publish",
					"The user executing the script can't run this command|ACL failure in script"),
			new Rule(Reason.REFUSED, "the Redis user lacks a permission", code("NOPERM")),
			// The second where a command is too long for a client without one.
			new Rule(Reason.REFUSED, "Redis asks for a password",
					code("NOAUTH").pattern() + "|unauthenticated (multi)?bulk length"),
			new Rule(Reason.REFUSED, "Redis refuses the user name or password", code("WRONGPASS")),
			new Rule(Reason.REFUSED, "Redis has no memory left (maxmemory)", code("OOM")),
			new Rule(Reason.REFUSED, "the key holds something that is not a lock", code("WRONGTYPE")),
			new Rule(Reason.REFUSED, "the keys lie in different slots of the cluster", code("CROSSSLOT")),
			new Rule(Reason.REFUSED, "another version of Holdfast uses it", code("LAYOUT")),
			new Rule(Reason.REFUSED, "the data of the lock are damaged", code("DAMAGED")),
			new Rule(Reason.REFUSED, "Redis refused",
					"NOSCRIPT|Error (running|compiling) script|user_script|script: |[Uu]nknown (Redis )?command"
							+ "|ERR AUTH |invalid password|DB index|SELECT is not allowed"
							// Proxies, which then do not pass a command on
							+ "|(?i:unsupported command|command is not (allowed|supported)|bad lua script"
							+ "|command '\\w+' is not allowed)"),
			new Rule(Reason.UNREACHABLE, "the connection pool has no free connection", "(?m)^NoSuchElementException$"),
			new Rule(Reason.TIMED_OUT, "Redis did not answer",
					// Lettuce says the last one of a connection that it had opened.
					"(?i)cluster attempts|cluster retry deadline|initialization timed out"),
			new Rule(Reason.UNREACHABLE,
					"the TLS handshake failed; look at the certificates, and whether this port speaks TLS",
					"(?im)^(SSLHandshakeException|SSLPeerUnverifiedException)$|not an ssl/tls record"
							+ "|unrecognized ssl message"),
			new Rule(Reason.UNREACHABLE, "Redis cannot be reached",
					"(?im)^(ConnectException|UnknownHostException|NoRouteToHostException)$|unable to connect"
							+ "|failed to connect|failed to create socket|could not get a resource"
							+ "|cannot get jedis connection|no reachable node|cluster slots cache"
							+ "|cannot determine a partition|sentinel|has been stopped|was stopped"
							+ "|was never started|(has been|was) destroyed|is shutting down"
							+ "|commands are (rejected|not accepted)"),
			new Rule(Reason.TIMED_OUT, "Redis did not answer",
					"(?im)^(IOException|QueryTimeoutException|TimeoutException|InterruptedException)$"
							+ "|unexpected end of stream|connection (is )?closed|connection reset|broken pipe"
							+ "|timed out"),
			new Rule(Reason.UNREACHABLE, "Redis was not asked", "(?m)^NotSentException$"),
			// Or no answer at all. Lettuce replays a command whose answer was cut off,
			// and
			// puts the second answer behind the half of the first.
			new Rule(Reason.TIMED_OUT, "the answer of Redis was lost", ""));

	private RedisErrors() {
	}

	private static Pattern code(String words) {
		// The first word, or behind a hyphen where Redis 6 wraps the error of a command
		// in
		// that of the script.
		return Pattern.compile("(?:(?m:^)|[\\s:]-)(" + words + ")\\b");
	}

	/**
	 * What has failed, in our words and those of the server.
	 */
	public static LockServerException classify(String lockName, Throwable thrown) {
		if (thrown instanceof LockServerException classified) {
			return classified;
		}
		String said = wordsOf(thrown);
		String all = said + '\n' + textOf(thrown);
		Rule rule = RULES.stream().filter((each) -> each.pattern.matcher(all).find()).findFirst().orElseThrow();
		return failure(lockName, rule.reason, rule.text + ": " + said, thrown);
	}

	/**
	 * A failure whose message names the lock, unless it is of no lock in particular.
	 */
	public static LockServerException failure(String lockName, Reason reason, String message,
			@Nullable Throwable cause) {
		return new LockServerException(lockName, reason, subject(lockName) + message, cause);
	}

	/**
	 * The failure of a call for several locks, as that of another one of them.
	 */
	static LockServerException alsoOf(String lockName, LockServerException failure) {
		return failure(lockName, failure.reason(), withoutSubject(failure), failure.getCause());
	}

	private static String withoutSubject(LockServerException failure) {
		String message = String.valueOf(failure.getMessage());
		String subject = subject(failure.lockName());
		return message.startsWith(subject) ? message.substring(subject.length()) : message;
	}

	private static String subject(String lockName) {
		return lockName.isEmpty() ? "" : "Lock '" + lockName + "': ";
	}

	/**
	 * The failure of a call that was sent before, without an answer: if it could not be
	 * sent again, or was refused then, it may still have taken effect.
	 */
	static LockServerException ofRepeated(LockServerException failure) {
		return (failure.reason() == Reason.UNREACHABLE || failure.reason() == Reason.REFUSED)
				? failure(failure.lockName(), Reason.TIMED_OUT, "Redis did not answer: " + withoutSubject(failure),
						failure)
				: failure;
	}

	/**
	 * Whether a script for one lock may pass where one for many did not: one of them is
	 * at fault, or none of the user's, or they are on two servers while their slot moves.
	 */
	static boolean mayPassAlone(LockServerException failure) {
		return (failure.reason() == Reason.REFUSED || failure.reason() == Reason.UNAVAILABLE)
				&& ABOUT_ONE_KEY.matcher(withoutSubject(failure)).find();
	}

	/**
	 * Whether a call failed because the server did not answer.
	 */
	static boolean isSilence(@Nullable LockServerException failure) {
		return failure != null && (failure.reason() == Reason.TIMED_OUT || failure.reason() == Reason.UNREACHABLE);
	}

	/**
	 * Whether the call ended because the calling thread was interrupted.
	 */
	static boolean isInterrupt(Throwable thrown) {
		return INTERRUPT.matcher(textOf(thrown)).find();
	}

	/**
	 * Whether a server that is no master any more was asked: the connection leads to the
	 * wrong one.
	 */
	static boolean isOfReplica(Throwable thrown) {
		return OF_REPLICA.matcher(wordsOf(thrown)).find();
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
				innermost = message;
				if (CODE.matcher(message).find()) {
					return message;
				}
			}
		}
		return innermost;
	}

	/**
	 * All that was thrown: a line for each class, also for those that it extends, and the
	 * messages.
	 */
	private static String textOf(Throwable thrown) {
		StringBuilder text = new StringBuilder();
		for (Throwable part : partsOf(thrown)) {
			for (Class<?> type = part.getClass(); type != Throwable.class; type = type.getSuperclass()) {
				text.append(type.getSimpleName()).append('\n');
			}
			text.append(part.getMessage()).append('\n');
		}
		return text.toString();
	}

	/**
	 * From the outside to the inside. When Jedis gives up on a cluster, the reason is not
	 * the cause but suppressed.
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

	/**
	 * How a failure is known and told.
	 *
	 * @param reason what kind of failure it is
	 * @param text what to say of it
	 * @param pattern what is found in what was thrown
	 */
	private record Rule(Reason reason, String text, Pattern pattern) {

		Rule(Reason reason, String text, String pattern) {
			this(reason, text, Pattern.compile(pattern));
		}

	}

}
