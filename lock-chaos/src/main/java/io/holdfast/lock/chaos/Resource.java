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

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * What the locks guard, in a process that nobody disturbs. It takes a write unless it has
 * seen a larger token, and records all of them.
 */
public final class Resource {

	static final int PROCESS = -1;

	private final Recorder recorder;

	private final Map<Long, Long> tokens = new HashMap<>();

	private Resource(Recorder recorder) {
		this.recorder = recorder;
	}

	/**
	 * Serves until its input ends.
	 * @param args the directory of the history
	 * @throws IOException if it cannot
	 */
	public static void main(String[] args) throws IOException {
		Resource resource = new Resource(Recorder.create(Path.of(args[0]), PROCESS));
		ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		start(() -> resource.accept(server));
		System.out.println("READY " + server.getLocalPort());
		while (System.in.read() >= 0) {
			// It is told nothing but the end.
		}
		Runtime.getRuntime().halt(0);
	}

	private static void start(Runnable work) {
		Thread thread = new Thread(work, "resource");
		thread.setDaemon(true);
		thread.start();
	}

	private void accept(ServerSocket server) {
		try {
			while (true) {
				Socket socket = server.accept();
				socket.setTcpNoDelay(true);
				start(() -> serve(socket));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void serve(Socket socket) {
		try (socket) {
			DataInputStream in = new DataInputStream(socket.getInputStream());
			DataOutputStream out = new DataOutputStream(socket.getOutputStream());
			byte[] message = new byte[Client.MESSAGE_BYTES];
			while (true) {
				in.readFully(message);
				out.writeByte(write(ByteBuffer.wrap(message)) ? 1 : 0);
			}
		}
		catch (EOFException ex) {
			// The client has ended.
		}
		catch (IOException ex) {
			// The client was killed.
		}
	}

	private synchronized boolean write(ByteBuffer message) {
		long lock = message.getLong();
		long token = message.getLong();
		boolean accepted = token == 0 || token >= this.tokens.getOrDefault(lock, 0L);
		if (accepted) {
			this.tokens.merge(lock, token, Math::max);
		}
		this.recorder.write(lock, token, message.getLong(), message.getLong(), accepted, System.nanoTime());
		return accepted;
	}

	/**
	 * How one thread reaches the resource.
	 */
	static final class Client implements AutoCloseable {

		private static final int MESSAGE_BYTES = 4 * Long.BYTES;

		private final Socket socket;

		private final DataInputStream in;

		Client(int port) throws IOException {
			this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
			this.socket.setTcpNoDelay(true);
			this.in = new DataInputStream(this.socket.getInputStream());
		}

		/**
		 * Writes.
		 * @return whether the resource took it
		 */
		boolean write(long lock, long token, int process, int record) throws IOException {
			ByteBuffer message = ByteBuffer.allocate(MESSAGE_BYTES);
			message.putLong(lock).putLong(token).putLong(process).putLong(record);
			this.socket.getOutputStream().write(message.array());
			return this.in.readByte() != 0;
		}

		@Override
		public void close() throws IOException {
			this.socket.close();
		}

	}

}
