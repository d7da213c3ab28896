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

package io.holdfast.lock.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/**
 * The network between a client and Redis, with the faults that a test asks for. It knows
 * where a command and its reply begin and end, so that it can lose exactly one reply on a
 * connection that many threads share.
 */
public final class FaultProxy implements AutoCloseable {

	private final String host;

	private final int port;

	private volatile RedisProcess target;

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	private final List<Thread> threads = new CopyOnWriteArrayList<>();

	private final Queue<Fault> faults = new ConcurrentLinkedQueue<>();

	private volatile CountDownLatch road = new CountDownLatch(0);

	private volatile CountDownLatch wayBack = new CountDownLatch(0);

	private volatile Duration delay = Duration.ZERO;

	private volatile Duration replyDelay = Duration.ZERO;

	private volatile Duration perByte;

	private volatile ServerSocket server;

	private volatile String forbidden;

	private final AtomicInteger refused = new AtomicInteger();

	private volatile UnaryOperator<byte[]> garbler = UnaryOperator.identity();

	private final AtomicLong replyBytesLeft = new AtomicLong(Long.MAX_VALUE);

	private volatile boolean closed;

	public FaultProxy(RedisProcess target) {
		this.target = target;
		this.host = "127.0.0.1";
		this.port = listen();
	}

	/**
	 * Listens at a certain address.
	 */
	public FaultProxy(RedisProcess target, String host, int port) {
		this.target = target;
		this.host = host;
		this.port = port;
		listenAgain();
	}

	/**
	 * Listens on a free port, whatever takes one that was free a moment ago.
	 */
	private int listen() {
		while (true) {
			int free = RedisProcess.freePort();
			try {
				listen(free);
				return free;
			}
			catch (BindException ex) {
				// The next one.
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	private void listenAgain() {
		try {
			listen(this.port);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void listen(int on) throws IOException {
		ServerSocket socket = new ServerSocket();
		socket.setReuseAddress(true);
		socket.bind(new InetSocketAddress(host(), on));
		this.server = socket;
		run("proxy-accept", () -> accept(socket));
	}

	/**
	 * Has connections that come later lead to another server, and leaves those that are
	 * there alone.
	 */
	public void switchTo(RedisProcess other) {
		this.target = other;
	}

	public String host() {
		return this.host;
	}

	public int port() {
		return this.port;
	}

	// Faults

	/**
	 * Lets the next command that contains the text run, loses its reply and cuts the
	 * connection.
	 */
	public Fault loseReplyTo(String text) {
		return add(new Fault(text, true));
	}

	/**
	 * Lets the next command that contains the text run, and keeps its reply and all that
	 * follows on that connection back until it is released.
	 */
	public Fault holdReplyTo(String text) {
		return add(new Fault(text, false));
	}

	private Fault add(Fault fault) {
		this.faults.add(fault);
		return fault;
	}

	/**
	 * Cuts all connections.
	 */
	public void cut() {
		// Not those that are made meanwhile, because of this.
		List.copyOf(this.links).forEach(Link::cut);
	}

	/**
	 * Resets all connections, so that neither side is told what was on the way.
	 */
	public void reset() {
		List.copyOf(this.links).forEach(Link::reset);
	}

	/**
	 * Makes every command take longer.
	 */
	public void delay(Duration delay) {
		this.delay = delay;
	}

	/**
	 * Makes every reply and every message take longer: what is asked has been done by
	 * then.
	 */
	public void delayReplies(Duration delay) {
		this.replyDelay = delay;
	}

	/**
	 * Sends every byte alone, and makes it take so long.
	 */
	public void trickle(Duration perByte) {
		this.perByte = perByte;
	}

	/**
	 * Lets commands pass, but no replies.
	 */
	public void holdReplies() {
		this.wayBack = new CountDownLatch(1);
	}

	/**
	 * Cuts all connections once, after so many more bytes of replies, be it in the midst
	 * of one.
	 */
	public void cutAfter(long replyBytes) {
		this.replyBytesLeft.set(replyBytes);
	}

	/**
	 * Cuts all connections and refuses new ones.
	 */
	public void refuse() {
		stopListening();
		cut();
	}

	/**
	 * Cuts every connection that sends a command with this text.
	 */
	public void forbid(String text) {
		this.refused.set(0);
		this.forbidden = text;
	}

	/**
	 * How many connections {@link #forbid} has cut.
	 */
	public int refused() {
		return this.refused.get();
	}

	/**
	 * Says something else instead of every reply, also while a connection is set up. What
	 * does not end with a line break is the last that comes on its connection.
	 */
	public void garble(UnaryOperator<byte[]> replies) {
		this.garbler = replies;
	}

	/**
	 * Lets nothing pass any more in either direction. Connections stay open, and what was
	 * on the way arrives when the road is healed: as TCP does it.
	 */
	public void goDeaf() {
		this.road = new CountDownLatch(1);
	}

	/**
	 * Lets nothing pass any more on the connections whose latest command has this text.
	 */
	public void goDeaf(String text) {
		this.links.stream().filter((link) -> link.latest.contains(text)).forEach(Link::goDeaf);
	}

	/**
	 * Ends the server's side of all connections, and does not tell the client.
	 */
	public void leaveHalfOpen() {
		this.links.forEach((link) -> {
			link.goDeaf();
			end(link.redis);
		});
	}

	/**
	 * Ends all faults.
	 */
	public void heal() {
		if (this.server.isClosed() && !this.closed) {
			listenAgain();
		}
		this.faults.clear();
		this.forbidden = null;
		this.garbler = UnaryOperator.identity();
		this.replyBytesLeft.set(Long.MAX_VALUE);
		this.delay = Duration.ZERO;
		this.replyDelay = Duration.ZERO;
		this.perByte = null;
		this.links.forEach((link) -> link.road.countDown());
		this.road.countDown();
		this.wayBack.countDown();
	}

	private void stopListening() {
		try {
			this.server.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	// Connections

	private void run(String name, Work work) {
		Thread thread = new Thread(() -> {
			try {
				work.run();
			}
			catch (IOException | InterruptedException ex) {
				// The connection has ended, as connections do.
			}
		}, name);
		thread.setDaemon(true);
		this.threads.add(thread);
		thread.start();
	}

	private void accept(ServerSocket listening) throws IOException {
		while (!this.closed) {
			Socket client = listening.accept();
			Socket redis = new Socket();
			try {
				redis.connect(new InetSocketAddress(this.target.host(), this.target.port()), 5000);
				client.setTcpNoDelay(true);
				redis.setTcpNoDelay(true);
			}
			catch (IOException ex) {
				end(client);
				end(redis);
				continue;
			}
			Link link = new Link(client, redis);
			this.links.add(link);
			if (listening.isClosed()) {
				// Whoever cut all others meanwhile did not see it.
				link.cut();
			}
			run("proxy-up-" + client.getPort(), link::up);
			run("proxy-down-" + client.getPort(), link::down);
		}
	}

	/**
	 * Ends a connection as a server does that shuts down, which makes Lettuce run again
	 * what was not answered.
	 */
	private static void end(Socket socket) {
		try (socket) {
			socket.shutdownOutput();
		}
		catch (IOException ex) {
			// It has ended already.
		}
	}

	@Override
	public void close() {
		this.closed = true;
		heal();
		try {
			stopListening();
			cut();
			for (Thread thread : this.threads) {
				thread.interrupt();
				thread.join(TimeUnit.SECONDS.toMillis(10));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Reads one value of the Redis protocol, as it came over the wire.
	 */
	private static byte[] readValue(InputStream in) throws IOException {
		ByteArrayOutputStream value = new ByteArrayOutputStream();
		copyValue(in, value);
		return value.toByteArray();
	}

	private static void copyValue(InputStream in, ByteArrayOutputStream out) throws IOException {
		int type = copyByte(in, out);
		StringBuilder line = new StringBuilder();
		for (int c = copyByte(in, out); c != '\n'; c = copyByte(in, out)) {
			line.append((char) c);
		}
		String head = line.toString().trim();
		switch (type) {
			case '$', '=', '!' -> {
				for (int left = Integer.parseInt(head) + 2; left > 0 && !"-1".equals(head); left--) {
					copyByte(in, out);
				}
			}
			case '*', '~', '>' -> copyValues(in, out, Integer.parseInt(head));
			case '%' -> copyValues(in, out, 2 * Integer.parseInt(head));
			case '|' -> copyValues(in, out, 2 * Integer.parseInt(head) + 1);
			default -> {
				// The line is all there is.
			}
		}
	}

	private static void copyValues(InputStream in, ByteArrayOutputStream out, int count) throws IOException {
		for (int i = 0; i < count; i++) {
			copyValue(in, out);
		}
	}

	private static int copyByte(InputStream in, ByteArrayOutputStream out) throws IOException {
		int c = in.read();
		if (c < 0) {
			throw new EOFException();
		}
		out.write(c);
		return c;
	}

	private interface Work {

		void run() throws IOException, InterruptedException;

	}

	/**
	 * One connection of the client.
	 */
	private final class Link {

		private static final Fault NONE = new Fault("", false);

		private final Socket client;

		private final Socket redis;

		/**
		 * What is to happen to the replies that are awaited, in order.
		 */
		private final Queue<Fault> awaited = new ConcurrentLinkedQueue<>();

		private volatile String latest = "";

		private volatile CountDownLatch road = new CountDownLatch(0);

		Link(Socket client, Socket redis) {
			this.client = client;
			this.redis = redis;
		}

		void up() throws IOException, InterruptedException {
			try {
				InputStream in = new BufferedInputStream(this.client.getInputStream());
				OutputStream out = this.redis.getOutputStream();
				while (true) {
					byte[] command = readValue(in);
					FaultProxy.this.road.await();
					LockSupport.parkNanos(FaultProxy.this.delay.toNanos());
					this.road.await();
					String text = new String(command, StandardCharsets.UTF_8);
					this.latest = text;
					String forbiddenText = FaultProxy.this.forbidden;
					if (forbiddenText != null && text.contains(forbiddenText)) {
						FaultProxy.this.refused.incrementAndGet();
						return;
					}
					this.awaited.add(faultOf(text));
					write(command, command.length, out);
				}
			}
			finally {
				end();
			}
		}

		private Fault faultOf(String command) {
			for (Fault fault : FaultProxy.this.faults) {
				if (command.contains(fault.text) && fault.taken.compareAndSet(false, true)) {
					FaultProxy.this.faults.remove(fault);
					return fault;
				}
			}
			return NONE;
		}

		void down() throws IOException, InterruptedException {
			try {
				InputStream in = new BufferedInputStream(this.redis.getInputStream());
				OutputStream out = this.client.getOutputStream();
				while (true) {
					byte[] reply = readValue(in);
					Fault fault = (reply[0] != '>') ? this.awaited.poll() : NONE;
					if (fault != null && fault != NONE) {
						fault.caught.countDown();
						if (fault.loses) {
							return;
						}
						fault.released.await();
					}
					FaultProxy.this.road.await();
					FaultProxy.this.wayBack.await();
					LockSupport.parkNanos(FaultProxy.this.replyDelay.toNanos());
					this.road.await();
					byte[] said = FaultProxy.this.garbler.apply(reply);
					if (!forward(said, out)) {
						FaultProxy.this.replyBytesLeft.set(Long.MAX_VALUE);
						FaultProxy.this.cut();
						return;
					}
					if (said.length == 0 || said[said.length - 1] != '\n') {
						return;
					}
				}
			}
			finally {
				end();
			}
		}

		private boolean forward(byte[] reply, OutputStream out) throws IOException {
			long left = FaultProxy.this.replyBytesLeft
				.getAndUpdate((bytes) -> (bytes != Long.MAX_VALUE) ? Math.max(bytes - reply.length, 0) : bytes);
			int passed = (int) Math.min(reply.length, left);
			write(reply, passed, out);
			return passed == reply.length;
		}

		private void write(byte[] bytes, int count, OutputStream out) throws IOException {
			for (int i = 0; i < count; i++) {
				Duration each = FaultProxy.this.perByte;
				if (each == null) {
					out.write(bytes, i, count - i);
					return;
				}
				out.write(bytes[i]);
				LockSupport.parkNanos(each.toNanos());
			}
		}

		void goDeaf() {
			this.road = new CountDownLatch(1);
		}

		/**
		 * One side has ended the connection. The other is told when the road is healed.
		 */
		private void end() throws InterruptedException {
			try {
				FaultProxy.this.road.await();
				this.road.await();
			}
			finally {
				cut();
			}
		}

		void cut() {
			FaultProxy.this.links.remove(this);
			FaultProxy.end(this.client);
			FaultProxy.end(this.redis);
		}

		void reset() {
			FaultProxy.this.links.remove(this);
			reset(this.client);
			reset(this.redis);
		}

		private static void reset(Socket socket) {
			try (socket) {
				socket.setSoLinger(true, 0);
			}
			catch (IOException ex) {
				// It has ended already.
			}
		}

	}

	/**
	 * One fault that waits for its command.
	 */
	public static final class Fault {

		private final String text;

		private final boolean loses;

		private final AtomicBoolean taken = new AtomicBoolean();

		private final CountDownLatch caught = new CountDownLatch(1);

		private final CountDownLatch released = new CountDownLatch(1);

		private Fault(String text, boolean loses) {
			this.text = text;
			this.loses = loses;
		}

		/**
		 * Waits until the command has run and its reply was caught.
		 */
		public void awaitCaught() throws InterruptedException {
			if (!this.caught.await(Duration.ofSeconds(20).toNanos(), TimeUnit.NANOSECONDS)) {
				throw new AssertionError("No command with '" + this.text + "' was answered");
			}
		}

		/**
		 * Lets a reply that was held pass.
		 */
		public void release() {
			this.released.countDown();
		}

	}

}
