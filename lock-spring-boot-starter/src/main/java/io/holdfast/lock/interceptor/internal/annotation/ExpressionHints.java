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

package io.holdfast.lock.interceptor.internal.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Registers what the expressions of a method read by reflection: the call itself
 * ({@code #root}), the arguments that they name with all to which their properties lead,
 * and beans. What a method that an expression calls returns is not followed.
 */
final class ExpressionHints {

	private final BindingReflectionHintsRegistrar properties = new BindingReflectionHintsRegistrar();

	private final ReflectionHints hints;

	private final Function<String, @Nullable Class<?>> beans;

	/**
	 * Create what registers.
	 * @param beans finds the type of a bean; {@code null} if it is not known
	 */
	ExpressionHints(ReflectionHints hints, Function<String, @Nullable Class<?>> beans) {
		this.hints = hints;
		this.beans = beans;
	}

	void register(SpelNode expression, Method method, Class<?> targetClass, MethodParameters parameters) {
		Stream.of(CallContext.Root.class, Method.class, targetClass).forEach(this::registerMethods);
		Set<String> variables = namesIn(expression, VariableReference.class);
		boolean all = namesIn(expression, PropertyOrFieldReference.class).contains("args");
		IntStream.range(0, method.getParameterCount())
			.filter((index) -> all || variables.stream().anyMatch((name) -> isAt(index, parameters.index(name))))
			.mapToObj(parameters::type)
			.forEach((argument) -> registerArgument(argument, new HashSet<>()));
		namesIn(expression, BeanReference.class).forEach(this::registerBean);
	}

	private static boolean isAt(int index, @Nullable Integer found) {
		return found != null && found == index;
	}

	/**
	 * Registers a type and its parameters, which may lead back to it.
	 */
	private void registerArgument(ResolvableType type, Set<Type> visited) {
		if (!visited.add(type.getType())) {
			return;
		}
		registerMethods(type.resolve(Object.class));
		this.properties.registerReflectionHints(this.hints, type.getType());
		Stream.of(type.getGenerics()).forEach((parameter) -> registerArgument(parameter, visited));
	}

	private void registerBean(String name) {
		Class<?> type = this.beans.apply(name);
		if (type != null) {
			registerMethods(type);
		}
	}

	private void registerMethods(Class<?> type) {
		this.hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
	}

	/**
	 * Returns the names of all parts of a kind, without the sign before them, and without
	 * the quotes that a name with dots has.
	 */
	private static Set<String> namesIn(SpelNode expression, Class<? extends SpelNode> kind) {
		return parts(expression).filter(kind::isInstance)
			.map((part) -> part.toStringAST().replaceAll("^[#@]'?|'$", ""))
			.collect(Collectors.toSet());
	}

	private static Stream<SpelNode> parts(SpelNode node) {
		return Stream.concat(Stream.of(node),
				IntStream.range(0, node.getChildCount()).mapToObj(node::getChild).flatMap(ExpressionHints::parts));
	}

}
