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

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

import org.springframework.dao.QueryTimeoutException;

/**
 * Inspects what drivers throw, with causes and suppressed exceptions. When Jedis gives up
 * on a cluster, the reason is not the cause but suppressed.
 */
final class Causes {

	private Causes() {
	}

	static boolean any(Throwable thrown, Predicate<Throwable> test) {
		for (Throwable at = thrown; at != null; at = at.getCause()) {
			if (test.test(at)) {
				return true;
			}
			for (Throwable suppressed : at.getSuppressed()) {
				if (any(suppressed, test)) {
					return true;
				}
			}
		}
		return false;
	}

	/**
	 * Whether the server said nothing for as long as the driver waits.
	 */
	static boolean isSilence(Throwable thrown) {
		return any(thrown, (each) -> each instanceof SocketTimeoutException || each instanceof QueryTimeoutException
				|| each instanceof TimeoutException);
	}

	/**
	 * Whether the call ended because the calling thread was interrupted. If that is a
	 * virtual thread, the JDK closes the socket that it reads from.
	 */
	static boolean isInterrupt(Throwable thrown) {
		return any(thrown, (each) -> each instanceof InterruptedException || each instanceof ClosedByInterruptException
				|| String.valueOf(each.getMessage()).contains("losed by interrupt"));
	}

	/**
	 * Whether a connection that was open turned out to be dead: neither did it hang, nor
	 * could it not be made.
	 */
	static boolean isDeadConnection(Throwable thrown) {
		boolean ended = any(thrown,
				(each) -> each instanceof IOException
						|| String.valueOf(each.getMessage()).startsWith("Unexpected end of stream")
						|| String.valueOf(each.getMessage()).startsWith("Attempting to read from a broken connection"));
		return ended && !isSilence(thrown) && !isInterrupt(thrown) && !isNotConnected(thrown);
	}

	/**
	 * Whether no connection could be made, so that nothing was sent.
	 */
	static boolean isNotConnected(Throwable thrown) {
		return any(thrown, (each) -> each instanceof ConnectException || each instanceof UnknownHostException
				|| each instanceof NoRouteToHostException);
	}

}
