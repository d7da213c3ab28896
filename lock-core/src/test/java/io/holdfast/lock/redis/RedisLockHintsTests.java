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
import java.util.List;
import java.util.stream.Stream;

import io.holdfast.lock.annotation.DistributedLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

class RedisLockHintsTests {

	RuntimeHints hints = new RuntimeHints();

	/** As Spring does, and with nothing but what is in the jar. */
	@BeforeEach
	void findRegistrars() {
		List<RuntimeHintsRegistrar> registrars = SpringFactoriesLoader
			.forResourceLocation("META-INF/spring/aot.factories")
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter((registrar) -> registrar.getClass().getName().startsWith("io.holdfast.lock."))
			.toList();
		assertThat(registrars).isNotEmpty();
		registrars.forEach((registrar) -> registrar.registerHints(this.hints, getClass().getClassLoader()));
	}

	@Test
	void allScriptsAreResources() throws IOException {
		Resource[] scripts = new PathMatchingResourcePatternResolver()
			.getResources("classpath*:io/holdfast/lock/internal/**/*.lua");

		assertThat(Stream.of(scripts).map(Resource::getFilename)).hasSizeGreaterThan(10)
			.allSatisfy((script) -> assertThat(
					RuntimeHintsPredicates.resource().forResource("io/holdfast/lock/internal/single/" + script))
				.accepts(this.hints));
	}

	@Test
	void attributesOfTheAnnotationCanBeRead() {
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(DistributedLock.class)
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS)).accepts(this.hints);
		assertThat(RuntimeHintsPredicates.proxies().forInterfaces(DistributedLock.class)).accepts(this.hints);
	}

	@Test
	void driversAreFound() {
		assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of("redis.clients.jedis.Jedis")))
			.accepts(this.hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of("io.lettuce.core.RedisClient")))
			.accepts(this.hints);
		assertThat(this.hints.reflection()
			.getTypeHint(TypeReference.of("org.springframework.data.redis.connection.jedis.JedisConnectionFactory"))
			.methods()).extracting((method) -> method.getName()).contains("setUseUnifiedJedis");
	}

}
