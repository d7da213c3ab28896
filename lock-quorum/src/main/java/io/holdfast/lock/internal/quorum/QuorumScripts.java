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

import java.util.ArrayList;
import java.util.List;

import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockRequest;
import io.holdfast.lock.internal.server.ServerSettings;
import io.holdfast.lock.internal.single.LockScript;
import io.holdfast.lock.internal.single.RedisLockServer;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * What only the servers of a quorum are asked: resources beside this class.
 */
public final class QuorumScripts {

	/** A request to one server. */
	public static final RedisScript<String> VOTE = LockScript.line(QuorumScripts.class, "mutex-vote.lua");

	public static final RedisScript<String> RAISE = LockScript.line(QuorumScripts.class, "mutex-raise.lua");

	/** Holds that one server lacks. */
	public static final RedisScript<List<?>> TAKE_UP = LockScript.list(QuorumScripts.class, "mutex-takeup.lua");

	private final String client;

	private final List<String> settings;

	private final String guardSeconds;

	QuorumScripts(ServerSettings settings, QuorumSettings quorum) {
		this.client = settings.clientId();
		this.settings = List.of(Long.toString(settings.waiterTimeout().toMillis()),
				Long.toString(settings.tokenRetention().toMillis()), settings.keys().channelPrefix());
		this.guardSeconds = Long.toString(quorum.restartGuardSeconds());
	}

	/**
	 * Asks a server for the lock.
	 */
	LockReply vote(RedisLockServer server, String key, String id, LockRequest request) {
		List<String> args = new ArrayList<>(List.of(this.client));
		args.addAll(this.settings);
		args.addAll(List.of(id, Integer.toString(request.block()), Long.toString(request.leaseMillis()),
				this.guardSeconds, Long.toString(server.notAfter(key))));
		return server.ask(VOTE, key, id, args);
	}

	/**
	 * Raises the fencing tokens of a hold on a server to those given, if they are lower.
	 */
	LockReply raise(RedisLockServer server, String key, String id, long token, long last) {
		List<String> args = new ArrayList<>(this.settings);
		args.addAll(List.of(id, Long.toString(token), Long.toString(last)));
		return server.ask(RAISE, key, id, args);
	}

	/**
	 * Has a server take up holds that it lacks.
	 */
	void takeUp(RedisLockServer server, List<Claim> claims) {
		List<String> keys = claims.stream().map(Claim::key).toList();
		List<String> args = new ArrayList<>(this.settings);
		args.addAll(List.of(this.client, this.guardSeconds, Long.toString(server.notAfter(keys.get(0)))));
		for (Claim claim : claims) {
			args.addAll(List.of(claim.id(), Long.toString(claim.leaseMillis()), Long.toString(claim.token()),
					Long.toString(claim.last())));
		}
		server.tell(TAKE_UP, keys, args);
	}

}
