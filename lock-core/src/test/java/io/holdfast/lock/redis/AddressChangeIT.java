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

package io.holdfast.lock.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What happens when the host of Redis gets another address.
 */
class AddressChangeIT {

	@TempDir
	private Path directory;

	@ParameterizedTest
	@EnumSource
	@EnabledOnOs(value = OS.LINUX, disabledReason = "Others have one address of their own only")
	void processGoesOnAtTheNewAddress(RedisDriver driver) throws Exception {
		Path hosts = this.directory.resolve("hosts");
		point(hosts, "127.0.0.1");
		try (RedisProcess old = RedisProcess.start();
				RedisProcess current = RedisProcess.start();
				FaultProxy oldAddress = new FaultProxy(old);
				FaultProxy newAddress = new FaultProxy(current, "127.0.0.2", oldAddress.port());
				JavaProcess process = JavaProcess.start(driver.name(), LockProcess.class, driver.name(), "redis.test",
						Integer.toString(oldAddress.port()), "address:", "60000", hosts.toString())) {
			process.awaitLine("READY", FaultClients.PATIENCE);
			process.tell("acquire before fair");
			process.awaitLine("HELD before", FaultClients.PATIENCE);

			point(hosts, newAddress.host());
			oldAddress.refuse();
			process.tell("acquire after fair");
			process.awaitLine("HELD after", FaultClients.PATIENCE);

			assertThat(isHeld(current, "after")).isTrue();
			assertThat(isHeld(old, "after")).isFalse();
		}
	}

	private static void point(Path hosts, String address) throws IOException {
		Files.writeString(hosts, address + " redis.test\n");
	}

	private static boolean isHeld(RedisProcess server, String name) {
		return Long.valueOf(1).equals(server.command("HEXISTS", "address:lock:" + name, "until"));
	}

}
