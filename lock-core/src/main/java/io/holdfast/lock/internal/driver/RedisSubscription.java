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

package io.holdfast.lock.internal.driver;

/**
 * A subscription to one channel. Each is good for one call of {@link #listen}.
 */
public interface RedisSubscription {

	/**
	 * Subscribes, tells the listener what comes, and returns or throws when the
	 * subscription has ended. Nobody interrupts the thread that calls this.
	 */
	void listen();

	/**
	 * Ends the subscription, confirmed or not, without waiting for a server. The thread
	 * that listens returns then; if Jedis still connects, when it has, or has given up.
	 */
	void end();

	/**
	 * Who is told of a subscription and of its messages.
	 */
	interface Listener {

		/**
		 * The server has confirmed it.
		 */
		void onSubscribed();

		/**
		 * A message has come.
		 * @param body what was published
		 */
		void onMessage(byte[] body);

	}

}
