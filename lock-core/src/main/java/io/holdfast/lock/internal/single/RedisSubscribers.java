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
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.driver.DedicatedConnection;
import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.internal.server.RequestIds;
import io.holdfast.lock.internal.server.ServerSettings;
import io.holdfast.lock.internal.server.Subscribers;
import io.holdfast.lock.internal.single.ScriptRunner.Call;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisClusterNode.Flag;

/**
 * The clients that are subscribed to a Redis: finds them, and sends them messages.
 */
final class RedisSubscribers {

	/*
	 * A node of a cluster knows only those that are subscribed to itself, and a client
	 * may be subscribed to a replica. A script reaches a master by a key; there is no key
	 * for a replica, so that one is asked on a connection which is made for this.
	 */

	private static final Log logger = LogFactory.getLog(RedisSubscribers.class);

	/**
	 * Time limit; the remaining nodes are not asked.
	 */
	private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(2);

	private final RedisDriver driver;

	/**
	 * Connections for calls that no lock caller waits for.
	 */
	private final ScriptRunner reserved;

	private final ClusterTopology topology;

	private final LockKeys keys;

	private final String client;

	RedisSubscribers(RedisDriver driver, ScriptRunner reserved, ClusterTopology topology, ServerSettings settings) {
		this.driver = driver;
		this.reserved = reserved;
		this.topology = topology;
		this.keys = settings.keys();
		this.client = settings.clientId();
	}

	/**
	 * Asks all other clients how they are.
	 */
	Subscribers ask(String questionId) {
		this.topology.refresh();
		if (this.topology.byFirstSlot().isEmpty()) {
			Found found = ask(this.reserved, List.of(), questionId, Subscribers.MAX);
			return new Subscribers(found.clients(), (found.total() > Subscribers.MAX) ? Subscribers.TOO_MANY : null);
		}
		return askCluster(questionId);
	}

	private Subscribers askCluster(String questionId) {
		long start = System.nanoTime();
		Collection<String> masters = this.topology.byFirstSlot().values();
		Set<String> clients = new LinkedHashSet<>();
		Set<String> missing = new LinkedHashSet<>();
		LockServerException failure = null;
		boolean answered = false;
		for (RedisClusterNode node : this.reserved.clusterNodes()) {
			if (System.nanoTime() - start > LONGEST_NANOS) {
				missing.add("the cluster is slow, and some of its nodes were not asked");
				break;
			}
			String name = node.asString();
			if (node.getFlags().contains(Flag.FAIL)) {
				// Nobody is subscribed to it any more, and it may stay in the list for
				// ever.
				continue;
			}
			if (!node.isConnected()) {
				missing.add("node " + name + " of the cluster cannot be reached");
				continue;
			}
			try {
				int left = Subscribers.MAX - clients.size();
				Found found = masters.contains(name) ? askMaster(name, questionId, left)
						: askAlone(name, questionId, left);
				clients.addAll(found.clients());
				if (found.total() > left) {
					missing.add(Subscribers.TOO_MANY);
				}
				answered = true;
			}
			catch (LockServerException ex) {
				logger.debug("The clients that are subscribed to " + name + " are not known", ex);
				missing.add("no answer from node " + name + " of the cluster");
				failure = ex;
			}
		}
		if (!answered && failure != null) {
			throw failure;
		}
		if (!answered) {
			missing.add("no node of the cluster could be asked");
		}
		return Subscribers.of(clients, missing);
	}

	private Found askMaster(String node, String questionId, int limit) {
		String route = this.topology.keyAt(node, this.keys.lockPrefix());
		return (route != null) ? ask(this.reserved, List.of(route), questionId, limit)
				: askAlone(node, questionId, limit);
	}

	/**
	 * Asks a node to which no key leads.
	 */
	private Found askAlone(String node, String questionId, int limit) {
		DedicatedConnection connection = null;
		try {
			connection = this.driver.dedicated(node);
			return ask(new ScriptRunner(connection, this.keys, this.driver.longestRequest()), List.of(), questionId,
					limit);
		}
		catch (RuntimeException | Error ex) {
			throw RedisErrors.classify("", ex);
		}
		finally {
			close(connection);
		}
	}

	private static void close(@Nullable DedicatedConnection connection) {
		try {
			if (connection != null) {
				connection.close();
			}
		}
		catch (RuntimeException ex) {
			logger.debug("A connection did not close cleanly", ex);
		}
	}

	private Found ask(ScriptRunner runner, List<String> route, String questionId, int limit) {
		return runner.run(this.driver.longestRequest(),
				new Call<>(LockScript.ASK, route, Found::read, List.of(this.keys.channelPrefix(),
						this.keys.channelPattern(), this.client, questionId, Integer.toString(limit))));
	}

	/**
	 * Answers another client, in a cluster through any node.
	 */
	void report(String asker, String questionId, String answer) {
		tell(this.keys.lockPrefix() + RequestIds.random(), asker,
				MessageKind.message(MessageKind.STATUS, this.client, questionId, answer));
	}

	/**
	 * Sends a client a message.
	 * @param key says from which node of a cluster
	 * @return whether it was sent
	 */
	boolean tell(String key, String listener, String message) {
		return this.reserved.run(LockScript.TELL, List.of(key), (answer) -> answer.get(0).equals(1L),
				this.keys.channelPrefix() + listener, message);
	}

	/**
	 * What one server knows.
	 *
	 * @param total how many are subscribed to it
	 * @param clients those of them that were asked
	 */
	private record Found(long total, List<String> clients) {

		static Found read(List<?> answer) {
			List<String> clients = new ArrayList<>();
			answer.stream().skip(1).forEach((each) -> clients.add((String) each));
			return new Found((Long) answer.get(0), clients);
		}

	}

}
