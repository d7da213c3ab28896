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

import java.util.ArrayList;
import java.util.List;

import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.server.HoldInfo;
import io.holdfast.lock.internal.server.WaiterInfo;

/**
 * Reads what {@code mutex-describe.lua} and {@code mutex-waiters.lua} answer.
 */
final class DirectoryAnswers {

	private DirectoryAnswers() {
	}

	static List<HoldInfo> held(List<String> keys, List<?> answer) {
		List<HoldInfo> held = new ArrayList<>();
		int at = 1;
		for (String key : keys) {
			String id = (String) answer.get(at);
			if (!id.isEmpty()) {
				held.add(new HoldInfo(key, id, (String) answer.get(at + 1), typeOf(answer.get(at + 2)),
						(Long) answer.get(at + 3), (Long) answer.get(at + 4), (Long) answer.get(at + 5),
						(Long) answer.get(at + 6)));
			}
			at += 7;
		}
		return held;
	}

	static List<WaiterInfo> waiters(List<?> answer) {
		List<WaiterInfo> waiters = new ArrayList<>();
		for (int at = 1; at < answer.size(); at += 3) {
			waiters.add(
					new WaiterInfo(answer.get(at).equals(1L), typeOf(answer.get(at + 1)), (String) answer.get(at + 2)));
		}
		return waiters;
	}

	/**
	 * The order of a mode: the letter after that of the kind.
	 */
	private static LockType typeOf(Object text) {
		return "xf".equals(text) ? LockType.FAIR : LockType.REENTRANT;
	}

}
