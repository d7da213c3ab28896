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

package io.holdfast.lock.internal.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.lock.internal.engine.Effects.Send;
import io.holdfast.lock.internal.protocol.Command;

/**
 * Sends what no caller sends itself: a few threads for each node, so that one that gives
 * no answer holds up no other. Renewals and releases travel together, and releases that
 * are owed have a thread of their own. What has waited here for too long is dropped:
 * whoever wanted it sent has asked again by then.
 */
final class Workers {

	private static final int BATCH = 500;

	/** So few that the server is not busy with one script for long. */
	private static final int OWED_BATCH = 100;

	private final LockRuntime runtime;

	final NodeExecutors renewals = new NodeExecutors("holdfast-renewal-", 4);

	/** Questions may wait for long: renewals do not stand behind them. */
	final NodeExecutors questions = new NodeExecutors("holdfast-question-", 4);

	private final NodeExecutors releases = new NodeExecutors("holdfast-release", 1);

	Workers(LockRuntime runtime) {
		this.runtime = runtime;
	}

	void send(List<Send> sends) {
		send(this.renewals, sends, BATCH);
	}

	void sendOwed(List<Send> releases) {
		send(this.releases, releases, OWED_BATCH);
	}

	private void send(NodeExecutors executors, List<Send> sends, int most) {
		Map<String, List<Send>> together = new LinkedHashMap<>();
		for (Send each : sends) {
			String node = this.runtime.server.nodeOf(each.command().key());
			if (isSentTogether(each.command())) {
				List<Send> batch = together.computeIfAbsent(node, (unused) -> new ArrayList<>());
				batch.add(each);
				if (batch.size() == most) {
					together.remove(node);
					send(executors, node, batch, true);
				}
			}
			else {
				send(this.questions, node, List.of(each), false);
			}
		}
		together.forEach((node, batch) -> send(executors, node, batch, true));
	}

	private static boolean isSentTogether(Command command) {
		return command instanceof Command.Renew
				|| (command instanceof Command.Release release && release.next() == null);
	}

	private void send(NodeExecutors executors, String node, List<Send> batch, boolean together) {
		long since = this.runtime.now();
		try {
			executors.execute(node, () -> {
				if (this.runtime.now() - since < 2 * this.runtime.server.commandTimeout().toNanos()) {
					this.runtime.performer.send(batch, together);
				}
			});
		}
		catch (RuntimeException | Error ex) {
			this.runtime.failed(ex);
			this.runtime.performer.fail(batch, ex);
		}
	}

	/**
	 * Lets what is there be sent, and takes no more.
	 */
	void close() {
		this.renewals.close();
		this.questions.close();
		this.releases.close();
	}

}
