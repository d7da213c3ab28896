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

package io.holdfast.lock.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import io.holdfast.lock.internal.notice.LimitedLog;
import org.awaitility.Awaitility;
import org.slf4j.LoggerFactory;

/**
 * What Holdfast logs while this is open.
 */
public final class LogCapture implements AutoCloseable {

	private final Logger logger;

	private final Level level;

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	private LogCapture(String name) {
		this.logger = (Logger) LoggerFactory.getLogger(name);
		this.level = this.logger.getLevel();
		this.log.list = new CopyOnWriteArrayList<>();
		this.log.start();
		this.logger.addAppender(this.log);
		this.logger.setLevel(Level.INFO);
		this.logger.setAdditive(false);
	}

	public static LogCapture open() {
		return new LogCapture("io.holdfast");
	}

	/**
	 * What one class logs, whatever clients of other tests do.
	 */
	public static LogCapture of(Class<?> type) {
		return new LogCapture(type.getName());
	}

	/**
	 * What was logged at a level or above.
	 */
	public List<String> messages(Level least) {
		return events(least).map(ILoggingEvent::getFormattedMessage).toList();
	}

	/**
	 * The stacks that were logged at a level or above, with all that caused them.
	 */
	public List<String> stacks(Level least) {
		return events(least).filter((event) -> event.getThrowableProxy() != null)
			.map((event) -> ThrowableProxyUtil.asString(event.getThrowableProxy()))
			.toList();
	}

	/**
	 * Clients log on a thread for that, so what waits there was logged, too.
	 */
	private Stream<ILoggingEvent> events(Level least) {
		Awaitility.await("the log").pollInSameThread().atMost(TestThreads.LONG).until(LimitedLog::isDone);
		return this.log.list.stream().filter((event) -> event.getLevel().isGreaterOrEqual(least));
	}

	@Override
	public void close() {
		this.logger.detachAppender(this.log);
		this.logger.setLevel(this.level);
		this.logger.setAdditive(true);
	}

}
