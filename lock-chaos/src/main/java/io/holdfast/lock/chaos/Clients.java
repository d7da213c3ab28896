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

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.RedisDriver;
import org.awaitility.core.ConditionTimeoutException;

/**
 * The client processes of a run. Half of them use Jedis, half Lettuce; and of each half
 * one reaches each server through a proxy of its own. A process that was killed is
 * replaced.
 */
final class Clients implements AutoCloseable {

	private final Plan plan;

	private final Servers servers;

	private final int resourcePort;

	private final Recorder recorder;

	private final AtomicInteger numbers = new AtomicInteger();

	private final List<List<FaultProxy>> proxies = new ArrayList<>();

	/**
	 * By place; each place keeps its driver and its proxies.
	 */
	private final List<Client> clients = new ArrayList<>();

	/**
	 * Start all.
	 */
	Clients(Plan plan, Servers servers, int resourcePort, Recorder recorder) {
		this.plan = plan;
		this.servers = servers;
		this.resourcePort = resourcePort;
		this.recorder = recorder;
		List<CompletableFuture<Client>> starting = new ArrayList<>();
		for (int i = 0; i < plan.clients(); i++) {
			int place = i;
			this.proxies.add((servers.takesProxies() && i % 4 >= 2)
					? servers.entrances().stream().map(FaultProxy::new).toList() : List.of());
			starting.add(CompletableFuture.supplyAsync(() -> start(place)));
		}
		starting.forEach((each) -> this.clients.add(each.join()));
	}

	private Client start(int place) {
		int number = this.numbers.incrementAndGet();
		List<FaultProxy> ways = this.proxies.get(place);
		ClientSetup setup = new ClientSetup(number, this.plan.library(),
				(place % 2 == 0) ? RedisDriver.JEDIS : RedisDriver.LETTUCE, this.plan.topology(),
				ways.isEmpty() ? this.servers.address() : Servers.address(ways), this.resourcePort,
				this.plan.history().toString(), this.plan.seed() + number, this.plan.threads(), this.plan.locks(),
				this.plan.conditions().use(), this.plan.conditions().singles());
		JavaProcess process = JavaProcess.startWith(this.plan.classPath(), "client-" + number, ClientMain.class,
				setup.arguments());
		String[] ready = process.awaitLine("READY", Client.PATIENCE);
		return new Client(number, process, ready[1], ways, this.recorder.life(number, System.nanoTime()));
	}

	synchronized List<Client> all() {
		return List.copyOf(this.clients);
	}

	Client any(Random random) {
		List<Client> all = all();
		return all.get(random.nextInt(all.size()));
	}

	/**
	 * One whose ways to the servers can be broken.
	 */
	Client anyProxied(Random random) {
		List<Client> proxied = all().stream().filter((client) -> !client.proxies().isEmpty()).toList();
		return proxied.get(random.nextInt(proxied.size()));
	}

	/**
	 * Kills clients and starts others in their places.
	 */
	void replace(List<Client> killed) {
		for (Client client : killed) {
			this.recorder.lifeEnded(client.life(), System.nanoTime());
			client.process().kill();
		}
		for (Client client : killed) {
			int place = all().indexOf(client);
			Client next = start(place);
			synchronized (this) {
				this.clients.set(place, next);
			}
		}
	}

	/**
	 * Lets all threads end what they do.
	 * @return whether they have
	 */
	boolean stop() {
		all().forEach(Client::stop);
		try {
			all().forEach(Client::awaitStopped);
			return true;
		}
		catch (ConditionTimeoutException ex) {
			// The history tells which calls have not ended, a client why a thread has
			// died.
			all().forEach((client) -> System.err.println(client.process()));
			return false;
		}
	}

	@Override
	public void close() {
		for (Client client : all()) {
			this.recorder.lifeEnded(client.life(), System.nanoTime());
			client.process().close();
		}
		this.proxies.forEach((ways) -> ways.forEach(FaultProxy::close));
	}

}
