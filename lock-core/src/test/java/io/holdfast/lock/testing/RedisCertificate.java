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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

import org.springframework.util.FileSystemUtils;

/**
 * A certificate for 127.0.0.1 that signs itself, made by the JDK's {@code keytool}: what
 * a server needs to speak TLS, and what a client needs to trust it.
 */
public final class RedisCertificate implements AutoCloseable {

	private static final String PASSWORD = "secret";

	private final Path directory;

	private final KeyStore store;

	private RedisCertificate(Path directory) throws IOException, GeneralSecurityException {
		this.directory = directory;
		this.store = KeyStore.getInstance(storeFile().toFile(), PASSWORD.toCharArray());
		Certificate certificate = this.store.getCertificate("redis");
		Key key = this.store.getKey("redis", PASSWORD.toCharArray());
		write("redis.crt", "CERTIFICATE", certificate.getEncoded());
		write("redis.key", "PRIVATE KEY", key.getEncoded());
	}

	/**
	 * Makes one in a temporary directory.
	 */
	public static RedisCertificate create() {
		try {
			Path directory = Files.createTempDirectory("holdfast-tls");
			keytool(directory.resolve("redis.p12"));
			RedisCertificate certificate = new RedisCertificate(directory);
			Runtime.getRuntime().addShutdownHook(new Thread(certificate::close));
			return certificate;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void keytool(Path store) throws IOException {
		String program = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
		Process process = new ProcessBuilder(program, "-genkeypair", "-alias", "redis", "-keyalg", "RSA", "-keysize",
				"2048", "-validity", "2", "-dname", "CN=localhost", "-ext", "SAN=ip:127.0.0.1,dns:localhost",
				"-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", PASSWORD)
			.redirectErrorStream(true)
			.start();
		try {
			String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (process.waitFor() != 0) {
				throw new IllegalStateException("keytool: " + said);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void write(String name, String what, byte[] content) throws IOException {
		String lines = Base64.getMimeEncoder().encodeToString(content);
		Files.writeString(file(name), "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n");
	}

	/**
	 * The arguments with which a server speaks TLS on a port.
	 */
	public List<String> arguments(int port) {
		return List.of("--tls-port", Integer.toString(port), "--tls-cert-file", file("redis.crt").toString(),
				"--tls-key-file", file("redis.key").toString(), "--tls-ca-cert-file", file("redis.crt").toString(),
				"--tls-auth-clients", "no");
	}

	/**
	 * A key store with the certificate to trust.
	 */
	public Path storeFile() {
		return file("redis.p12");
	}

	public String storePassword() {
		return PASSWORD;
	}

	/**
	 * Makes sockets that trust the certificate.
	 */
	public SSLSocketFactory sockets() {
		try {
			TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			trust.init(this.store);
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(null, trust.getTrustManagers(), null);
			return context.getSocketFactory();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private Path file(String name) {
		return this.directory.resolve(name);
	}

	@Override
	public void close() {
		FileSystemUtils.deleteRecursively(this.directory.toFile());
	}

}
