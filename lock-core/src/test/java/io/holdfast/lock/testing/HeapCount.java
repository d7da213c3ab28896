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

import java.lang.management.ManagementFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Counts the objects that are reachable, after a garbage collection.
 */
public final class HeapCount {

	private static final Pattern LINE = Pattern.compile("^\\s*\\d+:\\s+(\\d+)\\s+\\d+\\s+(\\S+).*$", Pattern.MULTILINE);

	private HeapCount() {
	}

	/**
	 * How many objects there are of all classes whose names begin with a text.
	 */
	public static long ofClasses(String names) {
		long count = 0;
		Matcher line = LINE.matcher(histogram());
		while (line.find()) {
			if (line.group(2).startsWith(names)) {
				count += Long.parseLong(line.group(1));
			}
		}
		return count;
	}

	private static String histogram() {
		try {
			return (String) ManagementFactory.getPlatformMBeanServer()
				.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
						new Object[] { new String[0] }, new String[] { String[].class.getName() });
		}
		catch (JMException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
