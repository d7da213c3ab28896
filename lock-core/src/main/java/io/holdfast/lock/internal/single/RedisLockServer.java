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

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.HoldInfo;
import io.holdfast.lock.internal.server.LockPage;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockRequest;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.Owed;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.ReleaseReply;
import io.holdfast.lock.internal.server.Renewal;
import io.holdfast.lock.internal.server.RequestIds;
import io.holdfast.lock.internal.server.ServerSettings;
import io.holdfast.lock.internal.server.Topology;
import io.holdfast.lock.internal.server.WaiterInfo;
import io.holdfast.lock.internal.single.ScriptRunner.Call;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * One Redis, be it a single server or one with replicas, or a cluster: a typed method for
 * each script.
 */
public final class RedisLockServer implements LockServer {

	private static final long MIN_VALIDITY_MILLIS = 1000;

	private final ScriptRunner scripts;

	/**
	 * For what keeps locks alive while the application uses all of its connections.
	 */
	private final ScriptRunner reserved;

	private final RedisDriver driver;

	private final RequestCombiner requests;

	private final ServerSettings settings;

	private final LongSupplier nanoTime;

	private final ClusterTopology topology;

	private final RedisDirectory directory;

	private final ConcurrentMap<String, ServerClock> clocks = new ConcurrentHashMap<>();

	private final String waiterTimeout;

	private final String tokenRetention;

	private final String channels;

	private final SingleRequests singles;

	public RedisLockServer(RedisDriver driver, ServerSettings settings, LongSupplier nanoTime) {
		this.settings = settings;
		this.nanoTime = nanoTime;
		this.waiterTimeout = Long.toString(settings.waiterTimeout().toMillis());
		this.tokenRetention = Long.toString(settings.tokenRetention().toMillis());
		this.channels = settings.keys().channelPrefix();
		this.singles = new SingleRequests(settings);
		this.driver = driver;
		this.scripts = new ScriptRunner(driver.requests(), settings.keys(), driver.longestRequest());
		this.reserved = new ScriptRunner(driver.reserved(), settings.keys(), driver.longestRenewal());
		this.topology = new ClusterTopology(this.reserved);
		this.directory = new RedisDirectory(this.scripts, this.reserved, this.topology, settings);
		this.requests = new RequestCombiner(this.scripts, settings.keys(),
				List.of(settings.clientId(), this.waiterTimeout, this.tokenRetention, this.channels));
	}

	@Override
	public LockReply acquire(String key, AcquireCommand command, boolean waits, long deadlineNanos) {
		long notAfter = command.again() ? 0 : notAfter(key, waits, deadlineNanos);
		LockRequest wanted = command.request();
		String text = CombinedRequest.text(command, waits, notAfter);
		long sent = this.nanoTime.getAsLong();
		CombinedRequest<LockReply> request = new CombinedRequest<>(key, text,
				this.singles.acquire(command.id(), wanted, waits, notAfter),
				(line) -> lockReply(key, line, command.id(), wanted.leaseMillis(), sent));
		return this.requests.send(request);
	}

	/**
	 * Runs a script of another module on a lock. It answers with the id, the server's
	 * time and how the request stands.
	 */
	public LockReply ask(RedisScript<String> script, String key, String id, List<String> args) {
		long sent = this.nanoTime.getAsLong();
		return this.scripts.run(new Call<>(script, List.of(key), (line) -> lockReply(key, line, id, 0, sent), args));
	}

	/**
	 * Runs a script of another module on several locks. Its answer begins with the
	 * server's time.
	 */
	public void tell(RedisScript<List<?>> script, List<String> keys, List<String> args) {
		this.scripts.run(new Call<>(script, keys, (answer) -> learn(keys.get(0), (Long) answer.get(0)), args));
	}

	/**
	 * The server's time after which what is sent now must not take effect.
	 */
	public long notAfter(String key) {
		return notAfter(key, false, 0);
	}

	private LockReply lockReply(String key, String line, String id, long leaseMillis, long sentNanos) {
		ReplyReader answer = new ReplyReader(line, id);
		if (answer.isAsAsked()) {
			long token = answer.number();
			long serverMillis = learn(key, TimeUnit.MICROSECONDS.toMillis(token));
			return ReplyReader.asAsked(leaseMillis, token, serverMillis, sentNanos);
		}
		return answer.lockReply(learn(key, answer.number()), sentNanos);
	}

	private long notAfter(String key, boolean waits, long deadlineNanos) {
		ServerClock clock = clockOf(key);
		if (!clock.isKnown()) {
			clock.learn(serverMillis(key), this.nanoTime.getAsLong());
		}
		long now = this.nanoTime.getAsLong();
		long validMillis = REQUEST_VALIDITY_MILLIS;
		if (waits) {
			// Even a wait that is nearly over leaves the request the time to arrive.
			long untilDeadline = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - now);
			validMillis = Math.max(MIN_VALIDITY_MILLIS, Math.min(validMillis, untilDeadline));
		}
		return clock.millisAt(now) + validMillis;
	}

	@Override
	public ReleaseReply release(String key, ReleaseCommand command) {
		LockRequest next = command.next();
		long sent = this.nanoTime.getAsLong();
		CombinedRequest<ReleaseReply> request = new CombinedRequest<>(key, CombinedRequest.text(command),
				this.singles.release(command), (line) -> {
					ReplyReader answer = new ReplyReader(line, command.id());
					boolean had = Ending.valueOf(answer.word()) != Ending.GONE;
					return new ReleaseReply(had,
							(next != null) ? answer.lockReply(learn(key, answer.number()), sent) : null);
				});
		return this.requests.send(request);
	}

	@Override
	public Map<Owed, LockServerException> releaseEach(List<Owed> owed) {
		if (!this.topology.isKnown()) {
			this.topology.refresh();
		}
		List<List<Owed>> groups = this.topology.group(owed, Owed::key);
		List<Outcome<Boolean>> outcomes = this.scripts.runEach(groups.stream().map(this::releases).toList());
		Map<Owed, LockServerException> failures = new HashMap<>();
		for (int i = 0; i < groups.size(); i++) {
			LockServerException failure = outcomes.get(i).failure();
			if (failure != null) {
				RedisErrors.takeApart(groups.get(i), failure, (each) -> {
					failures.putAll(releaseEach(List.of(each)));
					return failures.get(each);
				}).forEach((each) -> failures.put(each, failure));
			}
		}
		return failures;
	}

	private Call<List<?>, Boolean> releases(List<Owed> group) {
		List<String> args = new ArrayList<>(
				List.of(this.settings.clientId(), this.waiterTimeout, this.tokenRetention, this.channels));
		group.forEach((each) -> args.add(CombinedRequest.text(ReleaseCommand.of(each.id()))));
		return new Call<>(LockScript.REQUESTS, group.stream().map(Owed::key).toList(), (answers) -> {
			if (answers.size() != group.size()) {
				throw new IllegalArgumentException(answers.size() + " answers came instead of " + group.size());
			}
			for (int i = 0; i < group.size(); i++) {
				Ending.valueOf(new ReplyReader((String) answers.get(i), group.get(i).id()).word());
			}
			return true;
		}, args);
	}

	/**
	 * The time of the server that has the lock. A command without a key would go to any
	 * server of a cluster.
	 */
	private long serverMillis(String key) {
		return this.scripts.run(LockScript.DESCRIBE, List.of(key), (answer) -> (Long) answer.get(0), "0");
	}

	@Override
	public List<LockReply> renew(List<Renewal> renewals) {
		return this.scripts.run(renewal(renewals));
	}

	@Override
	public List<Outcome<List<LockReply>>> renewEach(List<List<Renewal>> groups) {
		return this.reserved.runEach(groups.stream().map(this::renewal).toList());
	}

	/**
	 * The call of a script that renews, whose locks have one slot.
	 */
	public Call<List<?>, List<LockReply>> renewal(List<Renewal> renewals) {
		List<String> keys = new ArrayList<>(renewals.size());
		String call = RequestIds.random();
		List<String> args = new ArrayList<>(List.of(this.waiterTimeout, this.tokenRetention, this.channels, call));
		for (Renewal renewal : renewals) {
			keys.add(renewal.key());
			String extras = renewal.block() + " " + renewal.ownedMillis();
			args.addAll(
					List.of(renewal.id(), Long.toString(renewal.leaseMillis()), extras.equals("0 0") ? "0" : extras));
		}
		long sent = this.nanoTime.getAsLong();
		return new Call<>(LockScript.RENEW, keys, (answer) -> {
			if (!answer.get(0).equals(call)) {
				throw new IllegalArgumentException("call " + call + " was answered \"" + answer.get(0) + "\"");
			}
			long serverMillis = learn(keys.get(0), Long.parseLong((String) answer.get(1)));
			List<LockReply> replies = new ArrayList<>(renewals.size());
			for (int i = 0; i < renewals.size(); i++) {
				replies.add(ReplyReader.ofRenewal(renewals.get(i), (String) answer.get(i + 2), serverMillis, sent));
			}
			return replies;
		}, args);
	}

	@Override
	public boolean evict(String key, String id) {
		return this.scripts.run(LockScript.EVICT, List.of(key), (answer) -> answer.get(1).equals(1L), id,
				this.waiterTimeout, this.tokenRetention, this.channels, RequestIds.random());
	}

	@Override
	public LockPage list(String cursor, int count, String namePrefix) {
		return this.directory.list(cursor, count, namePrefix);
	}

	@Override
	public List<HoldInfo> describe(List<String> keys, boolean strict) {
		return this.directory.describe(keys, strict);
	}

	@Override
	public List<WaiterInfo> waiters(String key, int limit) {
		return this.directory.waiters(key, limit);
	}

	@Override
	public void close() {
		this.driver.close();
	}

	@Override
	public boolean echo(String key) {
		return this.reserved.run(LockScript.ECHO, List.of(key), (answer) -> answer.get(0).equals(1L),
				this.channels + this.settings.clientId());
	}

	@Override
	public Duration longestRequest() {
		return this.driver.longestRequest();
	}

	@Override
	public Topology topology() {
		return this.topology;
	}

	private long learn(String key, long serverMillis) {
		clockOf(key).learn(serverMillis, this.nanoTime.getAsLong());
		return serverMillis;
	}

	private ServerClock clockOf(String key) {
		return this.clocks.computeIfAbsent(this.topology.nodeOf(key), (node) -> new ServerClock());
	}

	private enum Ending {

		RELEASED, LEFT, GONE

	}

}
