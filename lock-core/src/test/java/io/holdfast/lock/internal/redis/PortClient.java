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
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.protocol.ClientId;
import io.holdfast.lock.internal.protocol.Command.Ask;
import io.holdfast.lock.internal.protocol.Command.Downgrade;
import io.holdfast.lock.internal.protocol.Command.Release;
import io.holdfast.lock.internal.protocol.Command.Renew;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.RequestIds;
import io.holdfast.lock.internal.protocol.ServerSettings;
import io.holdfast.lock.internal.protocol.TextMessages;
import io.holdfast.lock.internal.protocol.Wish;
import io.holdfast.lock.testing.RedisTopology;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sends commands as an engine does, and keeps what it hears.
 */
final class PortClient implements AutoCloseable {

	static final Wish WRITE = Wish.exclusive(false);

	static final Wish READ = Wish.shared(false);

	static final long LEASE = 60_000;

	/** How long it waits for an answer, as no test is about that. */
	static final Duration PATIENCE = Duration.ofSeconds(20);

	final ServerSettings settings;

	final RedisConnectionFactory connections;

	final RedisDriver driver;

	final RedisLockServer server;

	final Subscription channel;

	final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

	PortClient(RedisConnectionFactory connections, String prefix) {
		this.settings = new ServerSettings(new LockKeys(prefix), ClientId.create("port").text(), Duration.ofSeconds(10),
				Duration.ofMinutes(5));
		this.connections = connections;
		this.driver = RedisDriver.of(connections, PATIENCE);
		this.server = new RedisLockServer(this.driver, this.settings);
		this.channel = new Subscription(this.server, this.settings, Duration.ZERO, Duration.ZERO,
				new TextMessages(this.heard::add));
	}

	static PortClient open(io.holdfast.lock.testing.RedisDriver driver, RedisTopology redis, String prefix)
			throws InterruptedException {
		PortClient client = new PortClient(driver.connect(redis.configuration(), PATIENCE), prefix);
		client.channel.open();
		assertThat(client.hear()).isEqualTo("missed");
		return client;
	}

	String key(String name) {
		return this.settings.keys().lock(name);
	}

	Ask question(String name, String id, Wish wish, int callers) {
		return new Ask(key(name), id, wish, LEASE, 1, callers, System.nanoTime() + PATIENCE.toNanos(), "");
	}

	Renew renewal(String name, String id) {
		return new Renew(key(name), id, LEASE, 0, 1, 0, "");
	}

	Release release(String name, String id) {
		return new Release(key(name), id, 0, null);
	}

	/**
	 * Asks for a lock with a request of its own, and must get it.
	 * @return the id of the request
	 */
	String take(String name, Wish wish) {
		String id = RequestIds.next();
		assertThat(ask(name, id, wish)).returns(Reply.Word.HOLDS, Reply::word).returns(LEASE, Reply::leftMillis);
		return id;
	}

	/**
	 * Asks for a lock with a request of its own, and must wait.
	 * @return the id of the request
	 */
	String join(String name, Wish wish) {
		String id = RequestIds.next();
		assertThat(ask(name, id, wish).word()).isEqualTo(Reply.Word.WAITS);
		return id;
	}

	Reply ask(String name, String id, Wish wish) {
		return done(this.server.send(question(name, id, wish, 1)));
	}

	Reply giveUp(String name, String id) {
		return done(this.server.send(release(name, id)));
	}

	Reply downgrade(String name, String id) {
		return done(this.server.send(new Downgrade(key(name), id)));
	}

	/**
	 * What came of a command: that is known when sending it has ended.
	 */
	static Reply done(CompletableFuture<Reply> outcome) {
		assertThat(outcome).isDone();
		return outcome.join();
	}

	static List<Reply> done(List<CompletableFuture<Reply>> outcomes) {
		return outcomes.stream().map(PortClient::done).toList();
	}

	String hear() throws InterruptedException {
		return this.heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	@Override
	public void close() {
		this.channel.close();
		this.server.close();
		io.holdfast.lock.testing.RedisDriver.disconnect(this.connections);
	}

}
