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

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisSentinels;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * What kind of Redis the locks are on.
 */
enum Topology {

	/** One server. */
	STANDALONE {

		@Override
		Servers start(String... arguments) {
			return new SingleServer(arguments);
		}

		@Override
		List<RedisConfiguration> configurations(List<RedisNode> nodes) {
			return eachAlone(nodes);
		}

	},

	/** A master with replicas and sentinels. */
	SENTINEL {

		@Override
		Servers start(String... arguments) {
			return new SentinelServers(arguments);
		}

		@Override
		List<RedisConfiguration> configurations(List<RedisNode> nodes) {
			RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(RedisSentinels.MASTER);
			nodes.forEach(configuration::sentinel);
			return List.of(configuration);
		}

	},

	/** Masters that share the keys, with replicas. */
	CLUSTER {

		@Override
		Servers start(String... arguments) {
			return new ClusterServers(arguments);
		}

		@Override
		List<RedisConfiguration> configurations(List<RedisNode> nodes) {
			RedisClusterConfiguration configuration = new RedisClusterConfiguration();
			nodes.forEach(configuration::clusterNode);
			return List.of(configuration);
		}

	},

	/** Independent servers of which a majority decides. */
	QUORUM {

		@Override
		Servers start(String... arguments) {
			return new QuorumServers(arguments);
		}

		@Override
		List<RedisConfiguration> configurations(List<RedisNode> nodes) {
			return eachAlone(nodes);
		}

	};

	private static final Duration RECOVERY = Duration.ofMillis(1500);

	/**
	 * Drivers learn of a new master late.
	 */
	private static final Duration FAILOVER_RECOVERY = Duration.ofSeconds(15);

	/**
	 * Starts the servers.
	 * @param arguments for each that has data
	 */
	abstract Servers start(String... arguments);

	abstract List<RedisConfiguration> configurations(List<RedisNode> nodes);

	private static List<RedisConfiguration> eachAlone(List<RedisNode> nodes) {
		return nodes.stream()
			.<RedisConfiguration>map(
					(node) -> new RedisStandaloneConfiguration(node.getRequiredHost(), node.getRequiredPort()))
			.toList();
	}

	/**
	 * Connects: once, or to each server if they are independent.
	 * @param address of all servers that a client is told of
	 */
	List<RedisConnectionFactory> connect(RedisDriver driver, String address, Duration timeout) {
		List<RedisNode> nodes = List.of(address.split(",", -1)).stream().map(RedisNode::fromString).toList();
		return configurations(nodes).stream().map((each) -> driver.connect(each, timeout)).toList();
	}

	/**
	 * Whether a majority of servers decides: then what one of them knows is no grant, and
	 * nobody waits in a queue.
	 */
	boolean votes() {
		return this == QUORUM;
	}

	/**
	 * How long everybody needs to find out that a fault is over.
	 */
	Duration recovery(Fault fault) {
		if (fault.changesMaster()) {
			return FAILOVER_RECOVERY;
		}
		// A whole second more, because servers tell their age in seconds.
		return (votes() && fault.restarts()) ? RECOVERY.plus(HoldfastSession.RESTART_GUARD).plusSeconds(1) : RECOVERY;
	}

	/**
	 * Whether what a server has acknowledged may be gone after a fault, so that nobody
	 * can promise that locks exclude each other across it.
	 */
	boolean losesData(Fault fault) {
		return fault.changesMaster() || (fault == Fault.SERVER_EMPTIED && !votes());
	}

	/**
	 * Whether two masters may work at once during a fault, so that nobody can promise
	 * that they do not give the same token.
	 */
	boolean hasTwoMasters(Fault fault) {
		return (this == SENTINEL || this == CLUSTER) && fault.changesMaster();
	}

	/**
	 * Whether a hold that is renewed outlasts a fault, if it is the only one. Where
	 * replies are lost it does, but a driver that repeats its release may be told that it
	 * did not. A hold that no more servers than necessary have granted is lost when one
	 * of those loses its data.
	 */
	boolean isOutlasted(Fault fault) {
		return fault.isBrief()
				|| (votes() && fault.isOfOneServer() && fault != Fault.REPLIES_LOST && fault != Fault.SERVER_EMPTIED);
	}

	String word() {
		return name().toLowerCase(Locale.ROOT);
	}

}
