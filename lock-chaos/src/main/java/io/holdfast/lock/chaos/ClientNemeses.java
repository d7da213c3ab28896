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
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.holdfast.lock.testing.FaultProxy;

/**
 * What happens to clients, and to their way to the server.
 */
final class ClientNemeses {

	private static final Duration SHORT = Duration.ofMillis(300);

	private static final Duration LONG = Duration.ofMillis(2300);

	/**
	 * Longer than a request may be carried out after its caller gave up.
	 */
	private static final Duration DEAD = Duration.ofSeconds(9);

	/**
	 * Long enough for calls to ask again, and for most holds that are renewed to end.
	 */
	private static final Duration CUT_SHORT = Duration.ofSeconds(1);

	/**
	 * No longer than calls that wait ask again.
	 */
	private static final Duration CUT_LONG = Duration.ofMillis(1700);

	private static final Duration SEARCH = Duration.ofMillis(300);

	private final Servers servers;

	private final boolean queues;

	/**
	 * Make them.
	 * @param servers who know who holds what
	 * @param queues whether they also know who is next
	 */
	ClientNemeses(Servers servers, boolean queues) {
		this.servers = servers;
		this.queues = queues;
	}

	Map<Fault, Nemesis> onClients() {
		Map<Fault, Nemesis> nemeses = new EnumMap<>(Fault.class);
		nemeses.put(Fault.HOLDER_KILLED, kill(this::holds));
		nemeses.put(Fault.WAITER_KILLED, kill(this::waits));
		if (this.queues) {
			nemeses.put(Fault.HEAD_KILLED, kill(this::isNext));
		}
		nemeses.put(Fault.MANY_KILLED, (clients, random, marker) -> {
			List<Client> all = clients.all();
			int first = random.nextInt(all.size());
			List<Client> half = new ArrayList<>();
			for (int i = 0; i < all.size() / 2; i++) {
				half.add(all.get((first + i) % all.size()));
			}
			half.forEach((client) -> marker.begins(client.number()));
			clients.replace(half);
		});
		nemeses.put(Fault.CLIENT_STOPPED_SHORT, stop(SHORT, SHORT.multipliedBy(2)));
		nemeses.put(Fault.CLIENT_STOPPED_LONG, stop(LONG, LONG.multipliedBy(2)));
		nemeses.put(Fault.THREADS_INTERRUPTED, (clients, random, marker) -> {
			Client client = clients.any(random);
			marker.begins(client.number());
			client.interrupt(Duration.ofMillis(500));
			Nemesis.last(random, Duration.ofMillis(500), Duration.ofMillis(600));
		});
		return nemeses;
	}

	Map<Fault, Nemesis> onLinks() {
		Map<Fault, Nemesis> nemeses = new EnumMap<>(Fault.class);
		nemeses.put(Fault.REPLIES_LOST, (clients, random, marker) -> {
			Client client = clients.anyProxied(random);
			FaultProxy proxy = proxy(client, random);
			marker.begins(client.number());
			for (int i = 0; i < 10; i++) {
				proxy.loseReplyTo("EVALSHA");
				Nemesis.last(random, Duration.ofMillis(20), Duration.ofMillis(150));
			}
		});
		nemeses.put(Fault.CONNECTIONS_RESET, (clients, random, marker) -> {
			Client client = clients.anyProxied(random);
			FaultProxy proxy = proxy(client, random);
			marker.begins(client.number());
			for (int i = 0; i < 3; i++) {
				proxy.reset();
				Nemesis.last(random, Duration.ofMillis(50), Duration.ofMillis(300));
			}
		});
		nemeses.put(Fault.LINK_SLOW,
				link((proxy, random) -> proxy.delay(Duration.ofMillis(20 + random.nextInt(200))), SHORT, LONG));
		nemeses.put(Fault.REPLIES_SLOW,
				link((proxy, random) -> proxy.delayReplies(Duration.ofMillis(20 + random.nextInt(380))), SHORT, LONG));
		nemeses.put(Fault.REPLIES_HELD, link((proxy, random) -> proxy.holdReplies(), SHORT, LONG));
		nemeses.put(Fault.LINK_DEAD, link((proxy, random) -> proxy.goDeaf(), DEAD, DEAD));
		if (this.servers.entrances().size() > 1) {
			nemeses.put(Fault.CLIENT_CUT_OFF, cutOff((proxy) -> proxy.forbid("")));
			nemeses.put(Fault.CLIENT_UNANSWERED, cutOff(FaultProxy::holdReplies));
		}
		return nemeses;
	}

	/**
	 * Breaks all ways of a client at once.
	 */
	private static Nemesis cutOff(Consumer<FaultProxy> breaks) {
		return (clients, random, marker) -> {
			Client client = clients.anyProxied(random);
			marker.begins(client.number());
			client.proxies().forEach(breaks);
			try {
				Nemesis.last(random, CUT_SHORT, CUT_LONG);
			}
			finally {
				client.proxies().forEach((proxy) -> {
					// What was on the way never arrives.
					proxy.reset();
					proxy.heal();
				});
			}
		};
	}

	private static FaultProxy proxy(Client client, Random random) {
		return client.proxies().get(random.nextInt(client.proxies().size()));
	}

	private static Nemesis link(Break breaks, Duration shortest, Duration longest) {
		return (clients, random, marker) -> {
			Client client = clients.anyProxied(random);
			FaultProxy proxy = proxy(client, random);
			marker.begins(client.number());
			try {
				breaks.apply(proxy, random);
				Nemesis.last(random, shortest, longest);
			}
			finally {
				proxy.heal();
			}
		};
	}

	private static Nemesis stop(Duration shortest, Duration longest) {
		return (clients, random, marker) -> {
			Client client = clients.any(random);
			marker.begins(client.number());
			client.process().pause();
			try {
				Nemesis.last(random, shortest, longest);
			}
			finally {
				client.process().resume();
			}
		};
	}

	/**
	 * Kills a client at a moment at which something is true of it, or soon.
	 */
	private static Nemesis kill(Predicate<Client> condition) {
		return (clients, random, marker) -> {
			Client client = clients.any(random);
			long end = System.nanoTime() + SEARCH.toNanos();
			while (!condition.test(client) && System.nanoTime() < end) {
				Nemesis.last(random, Duration.ZERO, Duration.ofMillis(3));
			}
			marker.begins(client.number());
			clients.replace(List.of(client));
		};
	}

	// What the server knows

	private static String hotLock() {
		return HoldfastSession.PREFIX + "lock:" + LockNumbers.name(0);
	}

	private boolean holds(Client client) {
		Map<String, String> lock = this.servers.hash(hotLock());
		return lock.containsKey("until") && lock.getOrDefault("owner", "").endsWith(" " + client.id());
	}

	private boolean waits(Client client) {
		return this.servers.hash(hotLock())
			.entrySet()
			.stream()
			.anyMatch((field) -> field.getKey().startsWith("w:") && field.getValue().endsWith(" " + client.id()));
	}

	private boolean isNext(Client client) {
		Map<String, String> lock = this.servers.hash(hotLock());
		return lock.getOrDefault("w:" + lock.get("head"), "").endsWith(" " + client.id());
	}

	/**
	 * What breaks a link.
	 */
	private interface Break {

		void apply(FaultProxy proxy, Random random);

	}

}
