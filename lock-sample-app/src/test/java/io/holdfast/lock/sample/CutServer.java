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

package io.holdfast.lock.sample;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Answers whatever it is asked, with a status, and closes the connection within the body.
 */
final class CutServer implements AutoCloseable {

	private static final String HALF = """
			HTTP/1.1 %d Half\r
			Content-Type: application/json\r
			Content-Length: 1000\r
			\r
			{"locks": [""";

	private final ServerSocket socket;

	private volatile int status;

	CutServer() {
		try {
			this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Thread thread = new Thread(this::serve, "cut-server");
		thread.setDaemon(true);
		thread.start();
	}

	String address() {
		return "127.0.0.1:" + this.socket.getLocalPort();
	}

	void answerWith(int status) {
		this.status = status;
	}

	private void serve() {
		while (!this.socket.isClosed()) {
			try (Socket connection = this.socket.accept()) {
				answer(connection);
			}
			catch (IOException ex) {
				// A browser opens some that it does not use
			}
		}
	}

	private void answer(Socket connection) throws IOException {
		BufferedReader request = new BufferedReader(
				new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII));
		String line = request.readLine();
		while (line != null && !line.isEmpty()) {
			line = request.readLine();
		}
		if (line != null) {
			String answer = HALF.formatted(this.status);
			connection.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
		}
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
