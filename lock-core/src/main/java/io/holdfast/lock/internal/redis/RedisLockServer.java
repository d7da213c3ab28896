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

package io.holdfast.lock.internal.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.notice.LimitedLog;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Command.Downgrade;
import io.holdfast.lock.internal.protocol.Command.Renew;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.LockServer;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.ServerDirectory;
import io.holdfast.lock.internal.protocol.ServerSettings;
import io.holdfast.lock.internal.redis.ScriptRunner.Call;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * One Redis: a single server, one with replicas, or a cluster. A command is sent on the
 * calling thread, alone or with those of other threads that meet there: no thread is
 * involved that does not ask something itself. Renewals, and what else nobody waits for,
 * have connections while requests and the application use all of theirs.
 */
public final class RedisLockServer implements LockServer {

	private static final int MOST_IN_VAIN = 10;

	private final LimitedLog logger = new LimitedLog(RedisLockServer.class);

	final RedisDriver driver;

	private final LockKeys keys;

	private final ScriptRunner scripts;

	private final ScriptRunner reserved;

	private final ClusterTopology topology;

	private final ServerClock clock;

	final Wire wire;

	private final RequestCombiner combiner;

	private final RedisDirectory directory;

	public RedisLockServer(RedisDriver driver, ServerSettings settings) {
		this.driver = driver;
		this.keys = settings.keys();
		this.scripts = new ScriptRunner(driver, this.keys, false);
		this.reserved = new ScriptRunner(driver, this.keys, true);
		this.topology = new ClusterTopology(driver.isCluster(), this.reserved::clusterNodes);
		this.clock = new ServerClock(this.topology::nodeOf, this::askForTime);
		this.wire = new Wire(settings, this.clock);
		// A call may have to open a connection first.
		this.combiner = new RequestCombiner(this::sendRequests, 2 * driver.longestRequest().toNanos(),
				RequestCombiner.MAX_CALLS);
		this.directory = new RedisDirectory(this.scripts, this.reserved, this.topology, this.keys, this.wire.settings);
	}

	@Override
	public CompletableFuture<Reply> send(Command command) {
		Pending request = new Pending(command, this.keys);
		try {
			// A cluster takes no keys of different slots in one call.
			if (this.topology.cluster || command instanceof Renew || command instanceof Downgrade) {
				request.send(this::sendRequests);
			}
			else {
				this.combiner.send(request);
			}
		}
		catch (RuntimeException | Error ex) {
			request.fail(RedisErrors.classify("", ex));
		}
		return request;
	}

	private List<Reply> sendRequests(List<Pending> together) {
		return this.scripts.run(this.wire.call(together));
	}

	@Override
	public List<CompletableFuture<Reply>> sendTogether(List<? extends Command> commands) {
		List<Pending> all = commands.stream().map((each) -> new Pending(each, this.keys)).toList();
		try {
			findNodes(false);
			// What goes in one call: one kind, with keys of one slot of a cluster.
			Map<String, List<Pending>> batches = all.stream()
				.collect(Collectors.groupingBy(
						(each) -> each.command.getClass().getSimpleName() + this.topology.slotOf(each.command.key()),
						LinkedHashMap::new, Collectors.toList()));
			LockServerException failure = null;
			for (List<Pending> batch : batches.values()) {
				failure = send(batch, failure);
			}
			// Perhaps the locks are on other servers by now.
			findNodes(all.stream().anyMatch(CompletableFuture::isCompletedExceptionally));
		}
		catch (RuntimeException | Error ex) {
			all.forEach((each) -> each.fail(RedisErrors.classify("", ex)));
		}
		return List.copyOf(all);
	}

	/**
	 * Finds the nodes of a cluster.
	 * @param again also if they are known
	 */
	void findNodes(boolean again) {
		try {
			if (again || !this.topology.isKnown()) {
				this.topology.refresh();
			}
		}
		catch (LockServerException ex) {
			this.logger.debug("The nodes of the cluster are not known anew", ex);
		}
	}

	/**
	 * Sends a batch, and its members one by one if one of them may be at fault. If none
	 * of the first ones passes, which are any of them, it is all.
	 * @param before how the call before has failed. As far as is known all go to the same
	 * server: if it did not answer, this one is not sent
	 * @return how it failed
	 */
	private @Nullable LockServerException send(List<Pending> batch, @Nullable LockServerException before) {
		LockServerException failure = RedisErrors.isSilence(before) ? before
				: Pending.send(batch, (together) -> this.reserved.run(this.wire.call(together)));
		if (failure != null && batch.size() > 1 && RedisErrors.mayPassAlone(failure)) {
			List<Pending> order = new ArrayList<>(batch);
			Collections.shuffle(order);
			boolean passed = false;
			for (int i = 0; i < order.size() && (passed || i < MOST_IN_VAIN) && !RedisErrors.isSilence(failure); i++) {
				LockServerException alone = send(List.of(order.get(i)), null);
				passed |= alone == null;
				failure = RedisErrors.isSilence(alone) ? alone : failure;
			}
		}
		for (Pending each : batch) {
			each.fail(failure);
		}
		return failure;
	}

	@Override
	public String nodeOf(String key) {
		return this.topology.nodeOf(key);
	}

	@Override
	public boolean blocks() {
		return true;
	}

	@Override
	public Duration commandTimeout() {
		return this.driver.longestRequest();
	}

	@Override
	public ServerDirectory directory() {
		return this.directory;
	}

	@Override
	public void close() {
		this.driver.close();
	}

	/**
	 * Has the server of a lock send this client a message.
	 * @param number stands in it
	 * @return the server's word that it did, or why not
	 */
	String echo(String key, String channel, long number) {
		return (String) ask(LockScript.ECHO, key, List.of(Wire.PUBLISH, channel, Long.toString(number))).get(0);
	}

	/**
	 * Runs a script on behalf of the client and not of a caller, whatever callers do.
	 */
	List<?> ask(RedisScript<List<?>> script, String key, List<String> args) {
		return this.reserved.run(new Call<>(script, List.of(key), (answer) -> answer, args));
	}

	/**
	 * A command without a key would go to any server of a cluster.
	 */
	private void askForTime(String key) {
		long serverMillis = run(LockScript.DESCRIBE, List.of(key), (answer) -> (Long) answer.get(0), List.of("0"));
		this.clock.learn(key, serverMillis);
	}

	// For a quorum

	/**
	 * Runs a script on the calling thread.
	 * @param <A> the type of its answer
	 * @param <T> the type of what is made of the answer
	 * @throws LockServerException if that fails
	 */
	public <A, T> T run(RedisScript<A> script, List<String> lockKeys, Function<A, T> reader, List<String> args) {
		return this.scripts.run(new Call<>(script, lockKeys, reader, args));
	}

	/**
	 * Takes in what time the server of a lock has just answered.
	 */
	public void learnTime(String key, long serverMillis) {
		this.clock.learn(key, serverMillis);
	}

	/**
	 * The time of the server at a local time. Asks the server if it has not answered yet.
	 */
	public long serverMillis(String key, long nanos) {
		return this.clock.millisAt(key, nanos);
	}

}
