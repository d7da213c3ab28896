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

package io.holdfast.lock.chaos;

/**
 * What must hold.
 */
enum Property {

	P1("each grant has a fencing token, which only readers share"),

	P2("a grant has a larger token than those before that it excludes"),

	P3("the resource takes no smaller token after a larger one"),

	P4("one holds a lock alone, or readers together, or no more permits than there are"),

	P5("who lost a lock is told so, and never that it holds it"),

	P6("nothing is stuck and nothing remains"),

	P7("nothing is granted after its caller's deadline"),

	P8("a free lock goes to who waits for it"),

	P9("fair locks go in order"),

	P10("a call ends in time, in a documented way"),

	P11("a lock is held as often as it was acquired"),

	P12("nobody starves");

	private final String words;

	Property(String words) {
		this.words = words;
	}

	String words() {
		return this.words;
	}

}
