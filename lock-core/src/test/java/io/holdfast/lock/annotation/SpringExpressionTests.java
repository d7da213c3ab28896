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

package io.holdfast.lock.annotation;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What IDEs find in the class files, to complete expressions. */
class SpringExpressionTests {

	private static final String LANGUAGE = "org.intellij.lang.annotations.Language";

	private final JavaClasses classes = new ClassFileImporter().importClasses(DistributedLock.class,
			SpringExpression.class);

	@Test
	void expressionsAreMarkedAndNothingElseIs() {
		JavaClass annotation = this.classes.get(DistributedLock.class);

		assertThat(annotation.getMethods().stream().filter((each) -> each.isAnnotatedWith(SpringExpression.class)))
			.extracting(JavaMethod::getName)
			.containsExactlyInAnyOrder("key", "condition");
	}

	@Test
	void markIsOfTheLanguageOfSpring() {
		assertThat(this.classes.get(SpringExpression.class).getAnnotationOfType(LANGUAGE).get("value"))
			.contains("SpEL");
	}

	/**
	 * A compiler warns of arguments of an annotation that it does not find.
	 */
	@Test
	void applicationsDoNotNeedTheAnnotationsOfTheIde() {
		assertThat(this.classes.get(DistributedLock.class).getMethods())
			.noneMatch((each) -> each.isAnnotatedWith(LANGUAGE));
	}

}
