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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;

import io.holdfast.lock.autoconfigure.LockServers;
import io.holdfast.lock.convert.LockTime;
import io.holdfast.lock.interceptor.LockStartUpException;
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
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

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
		Duration timeout = this.properties.timeout().duration();
		if (own instanceof LettuceConnectionFactory) {
			return Lettuce.connect(uri, timeout, own);
		}
		if (own instanceof JedisConnectionFactory) {
			return Jedis.connect(uri, timeout, own);
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
		RedisQuorum quorum = RedisQuorum.of(connectionFactories()).timeout(this.properties.timeout().duration());
		LockTime guard = this.properties.restartGuard();
		return ((guard != null) ? quorum.restartGuard(guard.duration()) : quorum).clientBuilder();
	}

	/**
	 * Votes ask a server for how long it has been up.
	 */
	@Override
	public List<String> commands() {
		LockTime guard = this.properties.restartGuard();
		boolean guarded = !this.properties.nodes().isEmpty() && (guard == null || !guard.duration().isZero());
		return guarded ? List.of("info") : List.of();
	}

	private static List<URI> parse(List<String> nodes) {
		List<URI> uris = new ArrayList<>();
		Set<String> servers = new HashSet<>();
		for (int i = 0; i < nodes.size(); i++) {
			URI uri = parse(nodes.get(i), i);
			uris.add(uri);
			String server = uri.getHost().toLowerCase(Locale.ROOT) + ":" + portOf(uri);
			if (!servers.add(server)) {
				throw new LockStartUpException(NODES + " names " + server + " twice.",
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
	 * Parses the address of one server. Nothing of one that is wrong is told: a part of a
	 * password may be where nobody expects it.
	 */
	private static URI parse(String node, int position) {
		try {
			URI uri = URI.create(node.trim());
			if (List.of("redis", "rediss").contains(String.valueOf(uri.getScheme())) && uri.getHost() != null
					&& uri.getPort() != 0 && uri.getPort() <= 65_535 && uri.getRawQuery() == null
					&& uri.getRawFragment() == null && uri.getPath().matches("(/\\d{0,6})?")) {
				return uri;
			}
		}
		catch (IllegalArgumentException ex) {
			// Its message and that of its cause have all of the text.
		}
		throw new LockStartUpException(NODES + "[" + position + "] is not the address of a Redis server.",
				"Write redis://user:password@host:port/database, or rediss:// with TLS; user, password, port (1 to "
						+ "65535) and database (a number) may be left out. Percent-encode special characters of a "
						+ "password (# is %23, / is %2F, ? is %3F, @ is %40, % is %25; a comma, which parts servers, "
						+ "is %2C).");
	}

	private static RedisStandaloneConfiguration configuration(URI uri) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(uri.getHost(), portOf(uri));
		String user = uri.getRawUserInfo();
		if (user != null) {
			int colon = user.indexOf(':');
			if (colon > 0) {
				configuration.setUsername(StringUtils.uriDecode(user.substring(0, colon), StandardCharsets.UTF_8));
			}
			configuration.setPassword(StringUtils.uriDecode(user.substring(colon + 1), StandardCharsets.UTF_8));
		}
		if (uri.getPath().length() > 1) {
			configuration.setDatabase(Integer.parseInt(uri.getPath().substring(1)));
		}
		return configuration;
	}

	private static int portOf(URI uri) {
		return (uri.getPort() < 0) ? 6379 : uri.getPort();
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
		static RedisConnectionFactory connect(URI uri, Duration timeout, RedisConnectionFactory application) {
			JedisClientConfiguration settings = ((JedisConnectionFactory) application).getClientConfiguration();
			JedisClientConfigurationBuilder client = JedisClientConfiguration.builder()
				.connectTimeout(timeout)
				.readTimeout(timeout);
			settings.getClientName().ifPresent(client::clientName);
			settings.getCustomizer().ifPresent(client::customize);
			if (uri.getScheme().equals("rediss")) {
				JedisSslClientConfigurationBuilder ssl = client.useSsl();
				settings.getSslSocketFactory().ifPresent(ssl::sslSocketFactory);
				settings.getSslParameters().ifPresent(ssl::sslParameters);
				settings.getHostnameVerifier().ifPresent(ssl::hostnameVerifier);
			}
			JedisConnectionFactory factory = new JedisConnectionFactory(configuration(uri),
					client.usePooling().build());
			factory.afterPropertiesSet();
			return factory;
		}

	}

	/**
	 * What needs Lettuce.
	 */
	private static final class Lettuce {

		static RedisConnectionFactory connect(URI uri, Duration timeout, RedisConnectionFactory application) {
			LettuceClientConfiguration settings = ((LettuceConnectionFactory) application).getClientConfiguration();
			LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder().commandTimeout(timeout);
			settings.getClientName().ifPresent(client::clientName);
			settings.getClientResources().ifPresent(client::clientResources);
			settings.getClientOptions().ifPresent(client::clientOptions);
			if (uri.getScheme().equals("rediss")) {
				client.useSsl().verifyPeer(settings.getVerifyMode());
			}
			LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration(uri), client.build());
			factory.afterPropertiesSet();
			return factory;
		}

	}

}
