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

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.notice.LimitedLog;
import io.holdfast.lock.internal.protocol.ServerSettings;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of this client, one after another, and a look after those of others. A
 * session is a channel of its own beside that of the client, on the same connection, and
 * the run of the server that has it. None is ever subscribed to again, so what was once
 * seen to be gone stays so, however late the news of it arrives.
 * <p>
 * A session is used only after scripts have seen it. So where they see another server
 * than the subscription, or may not ask, holds end with their leases and not before.
 */
final class RedisSessions {

	/**
	 * A client and its session, as scripts know it: client, number, run, and in base 36
	 * lease and grace.
	 */
	private static final Pattern SESSION = Pattern.compile("(.*#\\d+)\\.(\\p{XDigit}+)\\.\\w+\\.\\w+");

	private final LimitedLog logger = new LimitedLog(RedisSessions.class);

	private final RedisLockServer server;

	private final ServerSettings settings;

	private final String channel;

	private final String times;

	private final long graceMillis;

	private int number;

	/** Whether it is subscribed to, as far as is known. */
	private boolean subscribed;

	/** The server on which scripts have seen the present one; "" if they have not. */
	private String run = "";

	/** Whether scripts have ever seen one. */
	private volatile boolean seen;

	/** Whether there was a warning that there are none. */
	private boolean warned;

	RedisSessions(RedisLockServer server, ServerSettings settings, Duration watchdog, Duration grace) {
		this.server = server;
		this.settings = settings;
		this.channel = settings.keys().channelPrefix() + settings.clientId();
		this.graceMillis = grace.toMillis();
		this.times = '.' + Long.toString(watchdog.toMillis(), 36) + '.' + Long.toString(this.graceMillis, 36);
	}

	/**
	 * The channels to subscribe to: that of the next session, which replaces the one
	 * before and in a cluster is mostly on another node, and last that of the client.
	 */
	synchronized List<String> next() {
		end();
		this.number++;
		return List.of(this.channel + '#' + this.number, this.channel);
	}

	/**
	 * The present one is subscribed to.
	 */
	synchronized void begin() {
		this.subscribed = this.graceMillis > 0;
	}

	/**
	 * The present one is gone, or not to be used.
	 */
	synchronized void end() {
		this.subscribed = false;
		this.run = "";
	}

	/**
	 * The present one, if scripts see it.
	 * @param lost runs if they do not any more
	 */
	@Nullable String present(Runnable lost) {
		int asked;
		synchronized (this) {
			if (!this.subscribed) {
				return null;
			}
			asked = this.number;
		}
		List<?> answer = ask(this.channel + '#' + asked);
		boolean gone;
		synchronized (this) {
			if (!this.subscribed || asked != this.number) {
				return null;
			}
			String on = (answer.size() == 2 && (Long) answer.get(0) > 0) ? (String) answer.get(1) : "";
			if (!on.isEmpty() && (this.run.isEmpty() || this.run.equals(on))) {
				this.run = on;
				this.seen = true;
				return "#" + asked + '.' + on + this.times;
			}
			// A refusal, as of a right that was taken away, tells nothing.
			boolean refused = answer.size() == 1;
			gone = this.seen && !refused;
			if (!gone && !this.warned) {
				this.warned = true;
				this.logger.warn("Locks of a dead process are not taken over before their leases end: "
						+ (refused ? "Redis refuses to tell who listens (+pubsub|numsub +info): " + answer.get(0)
								: "scripts do not see the subscription of this client, as behind some proxies"));
			}
			if (gone || !this.seen) {
				end();
			}
		}
		if (gone) {
			lost.run();
		}
		return null;
	}

	private List<?> ask(String session) {
		try {
			return this.server.ask(LockScript.SESSION, session, List.of());
		}
		catch (LockServerException ex) {
			if (ex.reason() != Reason.REFUSED || this.seen) {
				throw ex;
			}
			return List.of(String.valueOf(ex.getMessage()));
		}
	}

	/**
	 * Looks after the owners of a lock.
	 * @return after how many milliseconds to look again
	 */
	long look(String key) {
		List<?> answer = look(key, List.of());
		List<String> gone = answer.stream().skip(1).map(String.class::cast).distinct().filter(this::isGone).toList();
		List<?> last = gone.isEmpty() ? answer : look(key, gone);
		return (Long) last.get(0);
	}

	private List<?> look(String key, List<String> gone) {
		return this.server.ask(LockScript.LOOK, key, Wire.args(this.server.wire.settings,
				List.of(this.settings.clientId(), Long.toString(this.graceMillis / 4)), gone));
	}

	/**
	 * Only the server that had it can tell. No answer is no evidence.
	 */
	private boolean isGone(String session) {
		Matcher parts = SESSION.matcher(session);
		if (!parts.matches()) {
			return false;
		}
		List<?> answer = this.server.ask(LockScript.SESSION, this.settings.keys().channelPrefix() + parts.group(1),
				List.of());
		return answer.size() == 2 && (Long) answer.get(0) == 0 && parts.group(2).equals(answer.get(1));
	}

}
