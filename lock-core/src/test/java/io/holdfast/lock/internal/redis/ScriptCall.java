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

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A call of a script, as the client words it.
 *
 * @param script the script
 * @param arguments its arguments
 */
public record ScriptCall(RedisScript<?> script, List<String> arguments) {

	/**
	 * What quick ways begin with, and what keeps a script from taking them.
	 */
	private static final Map<String, String> QUICK_WAYS = Map.of( //
			"if before ~= '0' then", "if false then", //
			"local entered = enter(", "local entered = false and enter(", //
			"if hold == id and redis.call", "if false and redis.call", //
			"local gone = go(", "local gone = false and go(", //
			"answers[i] = id and enter_quickly(", "answers[i] = nil --", //
			"if left and tonumber(f[3])", "if false", //
			"answer[i + 2] = f[1] == '3: +'", "answer[i + 2] = false");

	public Object[] args() {
		return this.arguments.toArray();
	}

	/**
	 * Requests of a client: "acquire …", "acquire7 …" for one that waits behind fewer
	 * than seven callers, and "release …" as {@code lock-requests.lua} reads them, each
	 * for a key of its own place. One alone goes to the script that is made for it.
	 * @param settings timeout, retention, command and channels
	 */
	public static ScriptCall requests(String client, List<String> settings, List<String> requests) {
		return suitsAlone(requests) ? alone(client, settings, requests.get(0)) : together(client, settings, requests);
	}

	/**
	 * The same to the script for many.
	 */
	public static ScriptCall together(String client, List<String> settings, List<String> requests) {
		return new ScriptCall(LockScript.REQUESTS, join(List.of(client), settings, requests));
	}

	private static ScriptCall alone(String client, List<String> settings, String request) {
		String[] words = request.split(" ", -1);
		String more = " " + String.join(" ", settings);
		if (words[0].equals("release")) {
			return new ScriptCall(LockScript.RELEASE, List.of(words[1], words[2] + more));
		}
		long lease = Long.parseLong(words[3]);
		long retention = Long.parseLong(settings.get(1));
		boolean plain = words[2].startsWith("x") && words[6].equals("1") && lease <= retention;
		List<String> args = List.of(words[1], words[2] + " " + client, words[3], Long.toString(lease + retention),
				plain ? words[8] + "000" : "0", String.join(" ", List.of(words).subList(4, 9)) + more);
		String most = words[0].substring("acquire".length());
		return new ScriptCall(LockScript.ACQUIRE, most.isEmpty() ? args : join(args, List.of(most)));
	}

	/**
	 * Whether one request may go alone in a script of its own.
	 */
	static boolean suitsAlone(List<String> requests) {
		return requests.size() == 1 && !requests.get(0).contains("#")
				&& (requests.get(0).startsWith("acquire") || requests.get(0).split(" ", -1).length == 3);
	}

	/**
	 * Renewals: "renew id lease extras".
	 */
	public static ScriptCall renewals(List<String> settings, List<String> requests) {
		List<String> words = requests.stream().flatMap((request) -> Stream.of(request.split(" ", 4)).skip(1)).toList();
		return new ScriptCall(LockScript.RENEW, join(settings, List.of("call"), words));
	}

	public static ScriptCall downgrade(List<String> settings, String id) {
		return new ScriptCall(LockScript.DOWNGRADE, join(List.of(id), settings));
	}

	/**
	 * What an operator ends: ids and tokens, or nothing for all.
	 */
	public static ScriptCall evict(List<String> settings, String call, List<String> which) {
		return new ScriptCall(LockScript.EVICT, join(settings, List.of(call), which));
	}

	public static ScriptCall describe(boolean strict) {
		return new ScriptCall(LockScript.DESCRIBE, List.of(strict ? "1" : "0"));
	}

	public static ScriptCall queue(int limit) {
		return new ScriptCall(LockScript.QUEUE, List.of(Integer.toString(limit)));
	}

	private static List<String> join(List<?>... parts) {
		return Arrays.stream(parts).flatMap(List::stream).map(String.class::cast).toList();
	}

	/**
	 * A script without its quick ways, so that it takes the steps.
	 */
	public static <T> RedisScript<T> stepsOnly(RedisScript<T> script) {
		String text = script.getScriptAsString();
		for (Map.Entry<String, String> way : QUICK_WAYS.entrySet()) {
			text = text.replace(way.getKey(), way.getValue());
		}
		boolean hasNone = List.of(LockScript.DOWNGRADE, LockScript.EVICT, LockScript.DESCRIBE, LockScript.QUEUE)
			.contains(script);
		assertThat(text.equals(script.getScriptAsString())).isEqualTo(hasNone);
		return new DefaultRedisScript<>(text, script.getResultType());
	}

	/**
	 * An answer in full, where it says that all is as asked.
	 */
	public static String inFull(String request, String answer) {
		String[] asked = request.split(" ", -1);
		String[] said = answer.split(" ", -1);
		if (asked[0].equals("renew") && said.length == 1) {
			return asked[1] + " HOLDS " + asked[2] + " " + said[0] + " " + said[0] + " 0";
		}
		if (said.length == 3 && said[1].equals("HELD")) {
			String now = said[2].substring(0, said[2].length() - 3);
			return said[0] + " " + now + " HOLDS " + asked[3] + " " + said[2] + " " + said[2] + " 0";
		}
		return answer;
	}

}
