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

package io.holdfast.lock.internal.single;

import java.util.List;

import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * A request, as {@code mutex-request.lua} takes it, in the script that is made for it
 * alone.
 *
 * @param script the script
 * @param arguments its arguments
 */
record ScriptCall(RedisScript<String> script, List<String> arguments) {

	Object[] args() {
		return this.arguments.toArray();
	}

	/**
	 * The same request to the script for one, if there is one for it.
	 */
	static ScriptCall of(String request, String client, String timeout, String retention, String channels) {
		String[] words = request.split(" ", -1);
		String settings = " " + timeout + " " + retention + " " + channels;
		if (words[0].equals("acquire")) {
			long lease = Long.parseLong(words[3]);
			boolean plain = words[4].equals("1") && lease <= Long.parseLong(retention);
			return new ScriptCall(LockScript.ACQUIRE,
					List.of(words[1], words[2] + " " + client, words[3],
							Long.toString(lease + Long.parseLong(retention)), plain ? words[6] + "000" : "0",
							words[4] + " " + words[5] + " " + words[6] + settings));
		}
		return new ScriptCall(LockScript.RELEASE, List.of(words[1], words[2] + settings));
	}

	/**
	 * Whether one request may go alone in a script of its own.
	 */
	static boolean suits(List<String> requests) {
		return requests.size() == 1 && (requests.get(0).startsWith("acquire ")
				|| (requests.get(0).split(" ", -1).length == 3 && !requests.get(0).contains(",")));
	}

	/**
	 * A script without its quick ways, so that it takes the steps.
	 */
	static <T> RedisScript<T> stepsOnly(RedisScript<T> script) {
		String text = script.getScriptAsString()
			.replace("if before ~= '0' then", "if false then")
			.replace("  id = string.match(request, '^release (%S+) %d+$')", "  id = nil")
			.replace("if redis.pcall('HGET', key, 'hold') == id", "if false")
			.replace("  if left and tonumber(f[3])", "  if false");
		return new DefaultRedisScript<>(text, script.getResultType());
	}

	/**
	 * An answer in full, where it says that all is as asked.
	 */
	static String inFull(String request, String answer) {
		String[] asked = request.split(" ", -1);
		String[] said = answer.split(" ", -1);
		if (asked[0].equals("renew") && said.length == 1) {
			return asked[1] + " HOLDS " + asked[2] + " " + said[0] + " " + said[0] + " 0 0";
		}
		if (said.length == 3 && said[1].equals("HELD")) {
			String now = said[2].substring(0, said[2].length() - 3);
			return said[0] + " " + now + " HOLDS " + asked[3] + " " + said[2] + " " + said[2] + " 0 0";
		}
		return answer;
	}

}
