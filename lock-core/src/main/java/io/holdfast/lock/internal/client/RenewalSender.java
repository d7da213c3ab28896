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

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.engine.LockEngine;
import io.holdfast.lock.internal.engine.Look.Due;
import io.holdfast.lock.internal.server.LimitedLog;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.internal.server.Topology;

/**
 * Sends renewals in batches, to each server its own and on threads of its own, so that
 * one that gets no answer delays neither the deadlines nor the other batches. A renewal
 * that fails says nothing about the hold and is tried again until the deadline; only the
 * deadline, or the server's word, ends a hold.
 */
final class RenewalSender {

	private final LimitedLog logger = new LimitedLog(RenewalSender.class);

	private static final int BATCH = 500;

	private final LockRuntime runtime;

	private final LockEngine engine;

	private final LockServer server;

	private final OutageLog outages = new OutageLog();

	private final NodeExecutors executors = new NodeExecutors("holdfast-renewal-", LockServer.RENEWAL_THREADS);

	RenewalSender(LockRuntime runtime) {
		this.runtime = runtime;
		this.engine = runtime.engine();
		this.server = runtime.server();
	}

	/**
	 * Runs a task where renewals run.
	 */
	void execute(String node, Runnable task) {
		this.executors.execute(node, task);
	}

	/**
	 * Has renewals sent. Does not wait for that.
	 */
	void send(List<Due> due) {
		if (due.isEmpty()) {
			return;
		}
		Topology topology = this.server.topology();
		if (!topology.isKnown()) {
			// Not here: it may need a connection.
			execute(Topology.ONLY_NODE, () -> sendAfterLook(due), due);
			return;
		}
		Map<String, List<Due>> byNode = due.stream()
			.collect(Collectors.groupingBy((each) -> topology.nodeOf(each.key())));
		byNode.forEach((node, all) -> {
			for (int from = 0; from < all.size(); from += BATCH) {
				List<Due> batch = all.subList(from, Math.min(from + BATCH, all.size()));
				execute(node, () -> renew(node, batch), batch);
			}
		});
	}

	/**
	 * Runs a task elsewhere; if that fails, its renewals count as not answered.
	 */
	private void execute(String node, Runnable task, List<Due> due) {
		try {
			this.executors.execute(node, () -> {
				try {
					task.run();
				}
				catch (RuntimeException | Error ex) {
					failed(node, due, ex);
				}
			});
		}
		catch (RuntimeException | Error ex) {
			failed(node, due, ex);
		}
	}

	private void sendAfterLook(List<Due> due) {
		this.server.topology().refresh();
		send(due);
	}

	private void renew(String node, List<Due> batch) {
		List<List<Due>> groups = this.server.topology().group(batch, Due::key);
		List<Outcome<List<LockReply>>> outcomes = this.server
			.renewEach(groups.stream().map((group) -> group.stream().map(Due::renewal).toList()).toList());
		Map<Due, LockServerException> failures = new LinkedHashMap<>();
		for (int i = 0; i < groups.size(); i++) {
			take(node, groups.get(i), outcomes.get(i), failures);
		}
		if (!failures.isEmpty()) {
			failed(node, failures);
			lookAgain();
		}
	}

	private void take(String node, List<Due> group, Outcome<List<LockReply>> outcome,
			Map<Due, LockServerException> failures) {
		LockServerException failure = outcome.failure();
		if (failure == null) {
			renewed(node, group, Objects.requireNonNull(outcome.value()));
			return;
		}
		RedisErrors.takeApart(group, failure, (each) -> {
			take(node, List.of(each), this.server.renewEach(List.of(List.of(each.renewal()))).get(0), failures);
			return failures.get(each);
		}).forEach((each) -> failures.put(each, failure));
	}

	/**
	 * Perhaps the locks are on other servers by now.
	 */
	private void lookAgain() {
		try {
			this.server.topology().refresh();
		}
		catch (LockServerException ex) {
			this.logger.debug("The servers of the cluster are not known anew", ex);
		}
	}

	private void failed(String node, List<Due> due, Throwable thrown) {
		LockServerException failure = RedisErrors.classify("", thrown);
		failed(node, due.stream().collect(Collectors.toMap(Function.identity(), (each) -> failure)));
		this.logger.warnOfError("Renewals failed", thrown);
	}

	private void failed(String node, Map<Due, LockServerException> failures) {
		// First, as logs and observers may fail.
		failures.forEach(this.engine.time()::renewalFailed);
		failures.values().forEach(this.runtime.health()::failed);
		this.outages.failed(node, failures.size(), failures.values().iterator().next());
		failures.forEach((each, failure) -> this.runtime.observers().renewalFailed(each.entry().name(), failure));
	}

	private void renewed(String node, List<Due> group, List<LockReply> replies) {
		this.outages.passed(node);
		if (replies.stream().anyMatch((each) -> each.state() != LockReply.State.UNKNOWN)) {
			this.runtime.health().answered();
		}
		for (int i = 0; i < group.size(); i++) {
			this.engine.time().renewed(group.get(i), replies.get(i));
		}
	}

	void close() {
		this.executors.close();
	}

}
