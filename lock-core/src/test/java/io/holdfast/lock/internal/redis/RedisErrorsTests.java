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

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.Stream;

import javax.net.ssl.SSLHandshakeException;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.driver.NotSentException;
import io.holdfast.lock.testing.RedisCertificate;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionSelectorException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.exceptions.JedisClusterException;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisMovedDataException;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * How failures are sorted: by the server's words, whatever class a driver gives them.
 */
class RedisErrorsTests {

	private static final String REDIS_6 = "ERR Error running script (call to f_08be99c76f7a10d96dc9ea23ee73a858e02d5ce8): "
			+ "@user_script:1: @user_script: 1: -";

	static Stream<Arguments> wordsOfTheServer() {
		List<String> passing = List.of("BUSY Redis is busy running a script.", "LOADING Redis is loading the dataset",
				"MASTERDOWN Link with MASTER is down", "CLUSTERDOWN The cluster is down",
				"TRYAGAIN Multiple keys request during rehashing of slot",
				"READONLY You can't write against a read only replica.",
				"READONLY You can't write against a read only replica. script: 08be, on @user_script:1.",
				"NOREPLICAS Not enough good replicas to write.", "MISCONF Redis is configured to save RDB snapshots",
				REDIS_6 + "READONLY You can't write against a read only replica.");
		List<String> lasting = List.of("NOPERM this user has no permissions to run the 'evalsha' command",
				"NOAUTH Authentication required.", "ERR Protocol error: unauthenticated multibulk length",
				"ERR Protocol error: unauthenticated bulk length", "WRONGPASS invalid username-password pair",
				"OOM command not allowed when used memory > 'maxmemory'.",
				REDIS_6 + "OOM command not allowed when used memory > 'maxmemory'.",
				"WRONGTYPE Operation against a key holding the wrong kind of value",
				"CROSSSLOT Keys in request don't hash to the same slot", "ERR unknown command 'EVALSHA'",
				"ERR AUTH <password> called without any password configured", "ERR DB index is out of range",
				"ERR unsupported command 'evalsha'", "ERR handle request, command 'EVALSHA' is not allowed",
				"ERR bad lua script for redis cluster, all the keys that the script uses should be passed",
				"ERR Error running script (call to f_08): @user_script:1: user_script:1: attempt to index a nil value");
		List<String> ofTheConnection = List.of("ERR max number of clients reached",
				"ERR max number of clients + cluster connections reached", "DENIED Redis is running in protected mode");
		List<String> ofNobodyKnown = List.of("NOVEL of a kind that nobody knows", "ERR Connection timed out",
				"ERR upstream failure");
		return Stream
			.of(all(Reason.UNAVAILABLE, passing), all(Reason.REFUSED, lasting),
					all(Reason.UNREACHABLE, ofTheConnection), all(Reason.TIMED_OUT, ofNobodyKnown))
			.flatMap((each) -> each);
	}

	private static Stream<Arguments> all(Reason reason, List<?> failures) {
		return failures.stream().map((each) -> Arguments.of(each, reason));
	}

	@ParameterizedTest
	@MethodSource
	void wordsOfTheServer(String words, Reason reason) {
		for (RuntimeException thrown : List.of(new RedisSystemException("Error", new JedisDataException(words)),
				new RedisSystemException("Error", new JedisClusterException(words)),
				new RedisSystemException("Error in execution", new RedisCommandExecutionException(words)),
				new RedisConnectionFailureException(words, new JedisException(words)))) {
			LockServerException sorted = RedisErrors.classify("a", thrown);

			assertThat(sorted.reason()).as("%s", thrown.getCause().getClass()).isEqualTo(reason);
			assertThat(sorted).hasCause(thrown).hasMessageContaining("'a'");
			assertThat(sorted.lockName()).isEqualTo("a");
		}
	}

	static Stream<Arguments> failuresOfDrivers() {
		List<RuntimeException> unreachable = List.of(
				connection(new RedisConnectionException("Unable to connect to 127.0.0.1:1",
						new ConnectException("Connection refused"))),
				connection(new JedisConnectionException("Failed to connect to 127.0.0.1:1")),
				connection(new JedisConnectionException("Failed to connect to 127.0.0.1:1", sslFailure())),
				connection(
						new RedisConnectionException("Cannot provide redisAddress using sentinel for masterId locks")),
				system(new JedisException("Could not get a resource from the pool",
						new NoSuchElementException("Timeout waiting for idle object"))),
				system(new RedisException(sslFailure())),
				system(new RedisException("Currently not connected. Commands are rejected.")),
				system(new RedisException(
						"Request queue size exceeded: 1. Commands are not accepted until the queue size drops.")),
				new NotSentException(new IllegalStateException("of a kind that nobody knows")),
				system(new PartitionSelectorException("Cannot determine a partition for slot 1.", null)),
				new IllegalStateException("LettuceConnectionFactory has been STOPPED"),
				new IllegalStateException("The connection factory was never started"),
				new JedisConnectionException("All sentinels down, cannot determine where locks is running."),
				ofCluster("No reachable node in cluster.", new JedisException("a")),
				ofCluster("Could not initialize cluster slots cache.", new JedisException("a")));
		List<RuntimeException> silent = List.of(
				new QueryTimeoutException("Redis command timed out",
						new RedisCommandTimeoutException("Command timed out after 1 second(s)")),
				connection(new JedisConnectionException(new SocketTimeoutException("Read timed out"))),
				connection(new JedisConnectionException("Unexpected end of stream.")),
				connection(new JedisConnectionException("Unknown reply: x")),
				system(new RedisException("Connection closed")), system(new IOException("Broken pipe")),
				system(new RedisException("Invalid first byte: 101 (e) at buffer index 1666")),
				system(new IndexOutOfBoundsException("-7")),
				ofCluster("No more cluster attempts left.", new JedisConnectionException("Read timed out")),
				ofCluster("No more cluster attempts left.",
						new JedisConnectionException("Failed to connect", new ConnectException("refused"))),
				ofCluster("Cluster retry deadline exceeded.", new JedisException("a")),
				new NullPointerException("Redis answered nothing"),
				new IllegalStateException("of a kind that nobody knows"));
		List<RuntimeException> moved = List
			.of(ofCluster("No more cluster attempts left.", new JedisMovedDataException("MOVED 1 a:1", null, 1)));
		return Stream
			.of(all(Reason.UNREACHABLE, unreachable), all(Reason.TIMED_OUT, silent), all(Reason.UNAVAILABLE, moved))
			.flatMap((each) -> each);
	}

	private static RuntimeException connection(RuntimeException cause) {
		return new RedisConnectionFailureException(cause.getMessage(), cause);
	}

	private static RuntimeException system(Exception cause) {
		return new RedisSystemException("Redis exception", cause);
	}

	private static IOException sslFailure() {
		IOException failure = new SSLHandshakeException("Remote host terminated the handshake");
		failure.initCause(new EOFException("SSL peer shut down incorrectly"));
		return failure;
	}

	private static RuntimeException ofCluster(String message, RuntimeException suppressed) {
		JedisClusterOperationException thrown = new JedisClusterOperationException(message);
		thrown.addSuppressed(suppressed);
		return new RedisSystemException(message, thrown);
	}

	@ParameterizedTest
	@MethodSource
	void failuresOfDrivers(RuntimeException thrown, Reason reason) {
		assertThat(RedisErrors.classify("a", thrown).reason()).isEqualTo(reason);
	}

	@Test
	void emptyPoolIsNamed() {
		RuntimeException thrown = new RedisSystemException("Could not get a resource from the pool",
				new JedisException("a", new NoSuchElementException("Timeout waiting for idle object")));

		assertThat(RedisErrors.classify("a", thrown)).hasMessageContaining("pool");
	}

	/**
	 * However deep it is, and, if the thread is virtual, in the words of the JDK.
	 */
	@Test
	void interruptIsFound() {
		assertThat(List.of(system(new RedisException("b", new InterruptedException())),
				connection(new JedisConnectionException(new SocketException("Closed by interrupt")))))
			.allMatch(RedisErrors::isInterrupt);
		assertThat(List.of(system(new RedisException("b")),
				connection(new JedisConnectionException(new SocketException("Connection reset")))))
			.noneMatch(RedisErrors::isInterrupt);
	}

	@ParameterizedTest
	@EnumSource
	void serverThatIsNotThere(RedisDriver driver) {
		Duration timeout = PortClient.PATIENCE;

		assertThat(sortReal(driver.connect("127.0.0.1", 1, timeout)).reason()).isEqualTo(Reason.UNREACHABLE);
		assertThat(sortReal(driver.connect("no-such-host.invalid", 1, timeout)).reason()).isEqualTo(Reason.UNREACHABLE);
	}

	@ParameterizedTest
	@EnumSource
	void serverThatWantsPassword(RedisDriver driver) {
		try (RedisProcess server = RedisProcess.start("--requirepass", "secret")) {
			LockServerException failure;
			do {
				failure = sortReal(driver.connect(server));
				// Lettuce looks for the result of its handshake after having dropped it
			}
			while (failure.getMessage().contains("HandshakeHandler not registered"));
			assertThat(failure.reason()).isEqualTo(Reason.REFUSED);
		}
	}

	@ParameterizedTest
	@EnumSource
	void serverThatCutsTheTlsHandshake(RedisDriver driver) throws Exception {
		try (RedisCertificate certificate = RedisCertificate.create();
				ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			Thread cutting = new Thread(() -> cutAll(server));
			cutting.start();

			assertThat(sortReal(driver.connect(new RedisStandaloneConfiguration("127.0.0.1", server.getLocalPort()),
					PortClient.PATIENCE, certificate))
				.reason()).isEqualTo(Reason.UNREACHABLE);

			server.close();
			cutting.join();
		}
	}

	/** Reads the first byte, so that the end is an end and no reset. */
	private static void cutAll(ServerSocket server) {
		while (!server.isClosed()) {
			try (Socket socket = server.accept()) {
				socket.getInputStream().read(new byte[8192]);
			}
			catch (IOException ex) {
				// The driver was faster, or the test is over.
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void serverThatIsStopped(RedisDriver driver) {
		try (RedisProcess server = RedisProcess.start()) {
			RedisConnectionFactory factory = driver.connect(server.host(), server.port(), Duration.ofSeconds(3));
			new StringRedisTemplate(factory).hasKey("warm up");
			server.pause();

			assertThat(sortReal(factory).reason()).isEqualTo(Reason.TIMED_OUT);
		}
	}

	@ParameterizedTest
	@EnumSource
	void factoryThatIsClosed(RedisDriver driver) {
		RedisConnectionFactory factory = driver.connect(RedisProcess.shared());
		new StringRedisTemplate(factory).hasKey("warm up");
		RedisDriver.disconnect(factory);

		assertThat(sort(factory).reason()).isEqualTo(Reason.UNREACHABLE);
	}

	private static LockServerException sortReal(RedisConnectionFactory factory) {
		try {
			return sort(factory);
		}
		finally {
			RedisDriver.disconnect(factory);
		}
	}

	private static LockServerException sort(RedisConnectionFactory factory) {
		StringRedisTemplate template = new StringRedisTemplate(factory);
		RuntimeException thrown = catchThrowableOfType(RuntimeException.class, () -> template
			.execute(RedisScript.of("return redis.call('SET', KEYS[1], 1)", String.class), List.of("a")));
		assertThat(thrown).isInstanceOfAny(DataAccessException.class, IllegalStateException.class);
		return RedisErrors.classify("a", thrown);
	}

	@ParameterizedTest
	@ValueSource(strings = {
			"ERR Error running script (call to f_08): @user_script:1: @user_script: 1: The user executing the script can't run this command or subcommand",
			"ERR The user executing the script can't run this command or subcommand script: 08be, on @user_script:1.",
			"ERR ACL failure in script: User few has no permissions to run the 'hset' command script: 08be, on @user_script:1." })
	void permissionThatIsMissingInAScriptIsNamedAsFarAsRedisDoes(String words) {
		assertThat(RedisErrors.classify("a", new RedisSystemException("x", new JedisDataException(words))))
			.returns(Reason.REFUSED, LockServerException::reason)
			.hasMessageContaining("lacks a permission")
			.hasMessageContaining("+hset")
			.hasMessageEndingWith(words);
	}

	@ParameterizedTest
	@EnumSource
	void failureOfTheDirectoryNamesNoLock(RedisDriver driver) {
		try (PortClient client = new PortClient(driver.connect("127.0.0.1", 1, PortClient.PATIENCE), "errors:")) {
			assertThatExceptionOfType(LockServerException.class)
				.isThrownBy(() -> client.server.directory().list("0", 10, ""))
				.withMessageStartingWith("Redis cannot be reached: ");
		}
	}

	@Test
	void nameOfALockIsNoWordOfTheServer() {
		LockServerException silence = RedisErrors.failure("TRYAGAIN", Reason.TIMED_OUT, "Redis did not answer", null);

		assertThat(RedisErrors.mayPassAlone(silence)).isFalse();
	}

	@Test
	void failureOfACallThatMayHaveTakenEffectIsNoOtherForAnotherLockOfThatCall() {
		LockServerException unreachable = RedisErrors.classify("a", new ConnectException("refused"));
		LockServerException repeated = RedisErrors.ofRepeated(unreachable);

		assertThat(RedisErrors.alsoOf("b", repeated)).returns("b", LockServerException::lockName)
			.returns(Reason.TIMED_OUT, LockServerException::reason)
			.hasMessage("Lock 'b': Redis did not answer: Redis cannot be reached: refused")
			.hasCause(unreachable);
		assertThat(repeated).hasMessage("Lock 'a': Redis did not answer: Redis cannot be reached: refused");
		assertThat(RedisErrors.alsoOf("b", unreachable)).returns(Reason.UNREACHABLE, LockServerException::reason)
			.hasMessage("Lock 'b': Redis cannot be reached: refused");
	}

}
