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

package io.holdfast.lock.internal.quorum;

import java.util.List;

import io.holdfast.lock.internal.protocol.Command.Ask;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.protocol.ServerSettings;
import io.holdfast.lock.internal.redis.LockScript;
import io.holdfast.lock.internal.redis.RedisLockServer;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * What only the servers of a quorum are asked: resources beside this class.
 */
final class QuorumScripts {

	/** A request to one server. */
	static final RedisScript<String> VOTE = LockScript.line(QuorumScripts.class, "lock-vote.lua");

	/** The tokens of a hold, and a hold that one server lacks. */
	static final RedisScript<String> TAKE_UP = LockScript.line(QuorumScripts.class, "lock-takeup.lua");

	private final String client;

	private final String settings;

	private final String guardSeconds;

	QuorumScripts(ServerSettings settings, QuorumSettings quorum) {
		this.client = settings.clientId();
		this.settings = settings.waiterTimeout().toMillis() + " " + settings.tokenRetention().toMillis() + " PUBLISH "
				+ settings.keys().channelPrefix();
		this.guardSeconds = Long.toString(quorum.restartGuardSeconds());
	}

	/**
	 * Asks a server for the lock.
	 */
	Vote vote(RedisLockServer server, Ask ask) {
		String wish = "xr " + ask.leaseMillis() + " 1 1 " + ask.block() + " 0 "
				+ server.serverMillis(ask.key(), ask.notAfterNanos());
		return server.run(VOTE, List.of(ask.key()), (answer) -> read(server, ask.key(), ask.id(), answer),
				List.of(ask.id(), this.client, wish, this.guardSeconds, this.settings));
	}

	/**
	 * Raises the fencing tokens of a hold on a server to those given, if they are lower,
	 * and has it take up a hold that it lacks.
	 * @param notAfterMillis server time after which it takes up nothing; with 0 it takes
	 * up nothing at all
	 */
	Vote takeUp(RedisLockServer server, String key, String id, Vote hold, long leaseMillis, long notAfterMillis) {
		return server.run(TAKE_UP, List.of(key), (answer) -> read(server, key, id, answer),
				List.of(id, this.client, Long.toString(leaseMillis), Long.toString(hold.token()),
						Long.toString(hold.last()), this.guardSeconds, Long.toString(notAfterMillis), this.settings));
	}

	private static Vote read(RedisLockServer server, String key, String id, String answer) {
		String[] words = answer.split(" ", -1);
		if (!words[0].equals(id)) {
			throw new IllegalArgumentException(id + " was answered \"" + answer + '"');
		}
		server.learnTime(key, Long.parseLong(words[1]));
		if (words[2].equals("STARTING") || words[2].equals("LATE")) {
			return new Vote(words[2].equals("LATE") ? Word.LATE : Word.SPLIT, 0, 0, 0, "");
		}
		return new Vote(Word.valueOf(words[2]), Long.parseLong(words[3]), Long.parseLong(words[4]),
				Long.parseLong(words[5]), (words.length > 7) ? words[7] : "");
	}

}
