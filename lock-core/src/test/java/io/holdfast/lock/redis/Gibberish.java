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

package io.holdfast.lock.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.lock.testing.Fuzz;

/**
 * What a server says that has lost its mind: nothing of it is the answer to the request.
 */
final class Gibberish {

	private static final String[] HUGE = { "$2147483647\r\n", "*2147483647\r\n", "*200000000\r\n",
			"$99999999999999\r\n", "*99999999999999\r\n", "$-7\r\n", "*-7\r\n", "%2147483647\r\n", "~2147483647\r\n",
			">2147483647\r\n", "=2147483647\r\n", "$\r\n", "*\r\n", "$x\r\n", "$1000\r\n", "*3\r\n" };

	private static final String[] TYPES = { ":1\r\n", ":-1\r\n", ":99999999999999999999\r\n", "$-1\r\n", "*-1\r\n",
			"_\r\n", "#t\r\n", ",1.5\r\n", "(12345678901234567890\r\n", "+OK\r\n", "+\r\n", "*0\r\n", "%0\r\n",
			"$0\r\n\r\n", "~1\r\n:1\r\n", "%1\r\n+a\r\n:1\r\n", ">2\r\n+message\r\n+x\r\n", "=5\r\ntxt:x\r\n", "\r\n",
			"*2\r\n$-1\r\n$-1\r\n", "*1\r\n*1\r\n*1\r\n:1\r\n", "*3\r\n:1\r\n:2\r\n:3\r\n",
			"*3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n", "*3\r\n$7\r\nmessage\r\n$1\r\nx\r\n$7\r\ngranted\r\n" };

	private static final String[] ERRORS = { "-\r\n", "-x\r\n", "-ERR nonsense\r\n", "-LOADING soon\r\n",
			"-NOSCRIPT No matching script\r\n", "-MOVED 1 127.0.0.1:1\r\n", "-ASK 1 \r\n", "-WRONGTYPE no\r\n",
			"-NOAUTH no\r\n", "-BUSY no\r\n" };

	private final Random random;

	private final boolean withErrors;

	/**
	 * Replies to other requests.
	 */
	private final List<byte[]> others = new CopyOnWriteArrayList<>();

	/**
	 * Prepare to speak.
	 * @param withErrors whether the server may say that it refuses
	 */
	Gibberish(Random random, boolean withErrors) {
		this.random = random;
		this.withErrors = withErrors;
	}

	byte[] remember(byte[] reply) {
		if (this.withErrors || reply[0] != '-') {
			this.others.add(reply);
		}
		return reply;
	}

	synchronized byte[] insteadOf(byte[] reply) {
		return switch (this.random.nextInt(8)) {
			case 0 -> noise();
			case 1 -> cutOff(reply);
			case 2 -> bytes(Fuzz.oneOf(this.random, HUGE));
			case 3 -> bytes(Fuzz.oneOf(this.random, TYPES));
			case 4 -> this.others.get(this.random.nextInt(this.others.size()));
			case 5 -> bytes(this.withErrors ? Fuzz.oneOf(this.random, ERRORS) : Fuzz.oneOf(this.random, TYPES));
			case 6 -> bulk(words());
			default -> mutilate(reply);
		};
	}

	private byte[] noise() {
		byte[] noise = new byte[1 + this.random.nextInt(200)];
		this.random.nextBytes(noise);
		if (!this.withErrors && noise[0] == '-') {
			noise[0] = 0;
		}
		if (this.random.nextInt(3) == 0) {
			noise[noise.length - 1] = '\n';
		}
		return noise;
	}

	private byte[] cutOff(byte[] reply) {
		return (reply.length > 3) ? Arrays.copyOf(reply, this.random.nextInt(reply.length - 2)) : reply;
	}

	/**
	 * The words of another request, or of none.
	 */
	private String words() {
		List<String> words = new ArrayList<>();
		for (int left = this.random.nextInt(10); left > 0; left--) {
			words.add(Fuzz.oneOf(this.random, "0123456789abc", "1795246376145", "HOLDS", "WAITS", "NONE", "LATE",
					"RELEASED", "GONE", "30000", "-1", "0", "1", "", "99999999999999999999", "ä\u0000"));
		}
		return String.join(" ", words);
	}

	/**
	 * An answer of which only the beginning is right: an id and what does not follow it.
	 */
	private byte[] mutilate(byte[] reply) {
		String text = new String(reply, StandardCharsets.UTF_8);
		if (!text.startsWith("$")) {
			return bulk(words());
		}
		String[] words = text.substring(text.indexOf('\n') + 1).trim().split(" ", -1);
		if (words.length < 8) {
			return bulk(words[0] + " " + Fuzz.oneOf(this.random, "", "x", "HOLDS", "RELEASEDX", "released", "GONEX"));
		}
		int at = 1 + this.random.nextInt(7);
		if (this.random.nextBoolean()) {
			return bulk(String.join(" ", List.of(words).subList(0, at)));
		}
		words[at] = Fuzz.oneOf(this.random, "", "x", "1e5", "99999999999999999999", "0x1", "HOLDS.", "1.5", "--1");
		return bulk(String.join(" ", words));
	}

	private static byte[] bulk(String text) {
		byte[] bytes = bytes(text);
		return bytes("$" + bytes.length + "\r\n" + text + "\r\n");
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
