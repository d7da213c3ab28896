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
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
		List<Due> failed = new ArrayList<>();
		LockServerException failure = null;
		for (int i = 0; i < groups.size(); i++) {
			List<Due> group = groups.get(i);
			List<LockReply> replies = outcomes.get(i).value();
			if (replies != null) {
				renewed(node, group, replies);
				continue;
			}
			LockServerException reason = Objects.requireNonNull(outcomes.get(i).failure());
			if (group.size() > 1 && RedisErrors.mayPassAlone(reason)) {
				group.forEach((each) -> renew(node, List.of(each)));
			}
			else {
				failed.addAll(group);
				failure = reason;
			}
		}
		if (failure != null) {
			failed(node, failed, failure);
			lookAgain();
		}
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
		failed(node, due, RedisErrors.classify("", thrown));
		this.logger.warnOfError("Renewals failed", thrown);
	}

	private void failed(String node, List<Due> due, LockServerException failure) {
		// First, as logs and listeners may fail.
		due.forEach((each) -> this.engine.time().renewalFailed(each, failure));
		this.runtime.health().failed(failure);
		this.outages.failed(node, due.size(), failure);
		due.forEach((each) -> this.runtime.observers().renewalFailed(each.entry().name(), failure));
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
