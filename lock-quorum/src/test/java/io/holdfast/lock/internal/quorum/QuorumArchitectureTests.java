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

package io.holdfast.lock.internal.quorum;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/** What a quorum may see of the core. */
@AnalyzeClasses(packages = { "io.holdfast.lock.internal.quorum", "io.holdfast.lock.quorum" },
		importOptions = ImportOption.DoNotIncludeTests.class)
class QuorumArchitectureTests {

	@ArchTest
	void majoritySeesThePortAndItsServersOnly(JavaClasses classes) {
		noClasses().that()
			.resideInAPackage("io.holdfast.lock.internal.quorum")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.holdfast.lock.quorum..", "io.holdfast.lock.redis..",
					"io.holdfast.lock.internal.client..", "io.holdfast.lock.internal.engine..",
					"io.holdfast.lock.internal.driver..", "org.springframework.boot..", "redis..", "io.lettuce..")
			.check(classes);
	}

}
