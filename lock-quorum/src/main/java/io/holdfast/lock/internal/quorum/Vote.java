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

import io.holdfast.lock.internal.protocol.Reply.Word;

/**
 * What one server of a quorum says of a request.
 *
 * @param word in one word; {@code SPLIT} from a server that was started and may have
 * forgotten who holds the lock
 * @param leftMillis what is left of its hold
 * @param token its first fencing token
 * @param last its last one
 * @param holder who holds the lock instead, or nothing
 */
record Vote(Word word, long leftMillis, long token, long last, String holder) {

	boolean holds() {
		return this.word == Word.HOLDS;
	}

	boolean knows() {
		return this.word != Word.SPLIT;
	}

}
