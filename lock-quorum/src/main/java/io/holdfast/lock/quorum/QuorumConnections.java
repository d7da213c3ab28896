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

package io.holdfast.lock.quorum;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

import io.holdfast.lock.autoconfigure.LockServers;
import io.holdfast.lock.autoconfigure.LockStartUpException;
import io.holdfast.lock.redis.RedisLockClientBuilder;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisClientConfigurationBuilder;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisSslClientConfigurationBuilder;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceSslClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The servers that locks are on: those of a quorum, or the application's Redis if there
 * are none. Connections to the former use the same client library, with the application's
 * client name and certificates; with Jedis what {@code customize} of its client
 * configuration sets, with Lettuce its client options and resources. They are no beans of
 * their own: the application's Redis stays the only candidate for everything else.
 */
final class QuorumConnections implements LockServers, DisposableBean {

	static final String NODES = "holdfast.lock.quorum.nodes";

	private final LockQuorumProperties properties;

	private final Supplier<RedisConnectionFactory> application;

	private final List<RedisConnectionFactory> factories = new ArrayList<>();

	/**
	 * Create the servers, which are connected to when they are needed.
	 * @param application the application's own for locks, whose settings hold here, too
	 */
	QuorumConnections(LockQuorumProperties properties, Supplier<RedisConnectionFactory> application) {
		this.properties = properties;
		this.application = application;
	}

	@Override
	public synchronized List<RedisConnectionFactory> connectionFactories() {
		RedisConnectionFactory own = this.application.get();
		if (this.properties.nodes().isEmpty()) {
			return List.of(own);
		}
		if (this.factories.isEmpty()) {
			this.factories.addAll(parse(this.properties.nodes()).stream().map((uri) -> connect(uri, own)).toList());
		}
		return List.copyOf(this.factories);
	}

	private RedisConnectionFactory connect(URI uri, RedisConnectionFactory own) {
		boolean tls = uri.getScheme().equals("rediss");
		Duration timeout = this.properties.timeout();
		if (own instanceof LettuceConnectionFactory) {
			return Lettuce.connect(configuration(uri), timeout, tls, own);
		}
		if (own instanceof JedisConnectionFactory) {
			return Jedis.connect(configuration(uri), timeout, tls, own);
		}
		throw new LockStartUpException(
				"The servers of " + NODES + " are connected to in the way of the application's RedisConnectionFactory, "
						+ "which is a " + own.getClass().getName() + ".",
				"Define a JedisConnectionFactory or a LettuceConnectionFactory, beside Redisson as well, and mark it "
						+ "with @LockConnectionFactory.");
	}

	@Override
	public RedisLockClientBuilder clientBuilder() {
		if (this.properties.nodes().isEmpty()) {
			return LockServers.super.clientBuilder();
		}
		RedisQuorum quorum = RedisQuorum.of(connectionFactories()).timeout(this.properties.timeout());
		Duration guard = this.properties.restartGuard();
		return ((guard != null) ? quorum.restartGuard(guard) : quorum).clientBuilder();
	}

	/**
	 * Votes ask a server for how long it has been up.
	 */
	@Override
	public List<String> commands() {
		boolean guarded = !this.properties.nodes().isEmpty() && !Duration.ZERO.equals(this.properties.restartGuard());
		return guarded ? List.of("info") : List.of();
	}

	private static List<URI> parse(List<String> nodes) {
		List<URI> uris = new ArrayList<>();
		Map<String, Integer> servers = new HashMap<>();
		for (int i = 0; i < nodes.size(); i++) {
			URI uri = parse(nodes.get(i), i);
			uris.add(uri);
			String server = uri.getHost().toLowerCase(Locale.ROOT) + ":" + portOf(uri);
			Integer before = servers.putIfAbsent(server, i);
			if (before != null) {
				throw new LockStartUpException(
						NODES + "[" + before + "] and [" + i + "] are the same server, " + server + ".",
						"Name each server once: a quorum needs servers that fail independently of each other.");
			}
		}
		if (!List.of(3, 5, 7, 9).contains(uris.size())) {
			throw new LockStartUpException(
					NODES + " names " + uris.size() + ((uris.size() == 1) ? " server." : " servers."),
					"There must be 3, 5, 7 or 9, or none for locks on the application's Redis.");
		}
		return uris;
	}

	/**
	 * Parses the address of one server. What is wrong with it is told without any of it:
	 * a part of a password may be where nobody expects it.
	 */
	private static URI parse(String node, int position) {
		String flaw;
		try {
			URI uri = URI.create(node.trim());
			flaw = flawOf(uri);
			if (flaw.isEmpty()) {
				return uri;
			}
		}
		catch (IllegalArgumentException ex) {
			// Its message and that of its cause have all of the text.
			flaw = "it is no URI";
		}
		throw new LockStartUpException(NODES + "[" + position + "] is not the address of a Redis server: " + flaw + ".",
				"Write redis://user:password@host:port/database, or rediss:// with TLS; user, password, port and "
						+ "database may be left out. Percent-encode special characters of a password (# is %23, / is "
						+ "%2F, ? is %3F, @ is %40, % is %25; a comma, which parts servers, is %2C).");
	}

	private static String flawOf(URI uri) {
		if (!List.of("redis", "rediss").contains(String.valueOf(uri.getScheme()))) {
			return "it does not begin with redis:// or rediss://";
		}
		if (uri.getHost() == null) {
			return "it has no host, or its port is no number";
		}
		if (uri.getPort() == 0 || uri.getPort() > 65_535) {
			return "its port is not between 1 and 65535";
		}
		if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
			return "it has a ? or a #";
		}
		return uri.getPath().matches("(/\\d{0,6})?") ? "" : "its database is no number";
	}

	private static RedisStandaloneConfiguration configuration(URI uri) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(uri.getHost(), portOf(uri));
		String user = uri.getRawUserInfo();
		if (user != null) {
			int colon = user.indexOf(':');
			if (colon > 0) {
				configuration.setUsername(decode(user.substring(0, colon)));
			}
			configuration.setPassword(decode(user.substring(colon + 1)));
		}
		if (uri.getPath().length() > 1) {
			configuration.setDatabase(Integer.parseInt(uri.getPath().substring(1)));
		}
		return configuration;
	}

	private static int portOf(URI uri) {
		return (uri.getPort() < 0) ? 6379 : uri.getPort();
	}

	private static String decode(String text) {
		return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
	}

	@Override
	public synchronized void destroy() throws Exception {
		for (RedisConnectionFactory factory : this.factories) {
			((DisposableBean) factory).destroy();
		}
	}

	/**
	 * What needs Jedis.
	 */
	private static final class Jedis {

		// What 4.1 deprecates is all that 3.5 has.
		@SuppressWarnings("deprecation")
		static RedisConnectionFactory connect(RedisStandaloneConfiguration server, Duration timeout, boolean tls,
				RedisConnectionFactory application) {
			JedisClientConfiguration settings = ((JedisConnectionFactory) application).getClientConfiguration();
			JedisClientConfigurationBuilder client = JedisClientConfiguration.builder()
				.connectTimeout(timeout)
				.readTimeout(timeout);
			settings.getClientName().ifPresent(client::clientName);
			settings.getCustomizer().ifPresent(client::customize);
			if (tls) {
				JedisSslClientConfigurationBuilder ssl = client.useSsl();
				settings.getSslSocketFactory().ifPresent(ssl::sslSocketFactory);
				settings.getSslParameters().ifPresent(ssl::sslParameters);
				settings.getHostnameVerifier().ifPresent(ssl::hostnameVerifier);
			}
			JedisConnectionFactory factory = new JedisConnectionFactory(server, client.usePooling().build());
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

	}

	/**
	 * What needs Lettuce.
	 */
	private static final class Lettuce {

		static RedisConnectionFactory connect(RedisStandaloneConfiguration server, Duration timeout, boolean tls,
				RedisConnectionFactory application) {
			LettuceClientConfiguration settings = ((LettuceConnectionFactory) application).getClientConfiguration();
			LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder().commandTimeout(timeout);
			settings.getClientName().ifPresent(client::clientName);
			settings.getClientResources().ifPresent(client::clientResources);
			settings.getClientOptions().ifPresent(client::clientOptions);
			if (tls) {
				LettuceSslClientConfigurationBuilder ssl = client.useSsl();
				ssl.verifyPeer(settings.getVerifyMode());
			}
			LettuceConnectionFactory factory = new LettuceConnectionFactory(server, client.build());
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

	}

}
