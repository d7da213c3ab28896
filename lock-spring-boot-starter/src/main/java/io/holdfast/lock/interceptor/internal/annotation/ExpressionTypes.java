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

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.util.ClassUtils;

/**
 * The types of the values of an expression, as far as declarations tell; {@code null} is
 * any. Finds properties as an evaluation does.
 */
final class ExpressionTypes extends ReflectivePropertyAccessor {

	private final MethodParameters parameters;

	ExpressionTypes(MethodParameters parameters) {
		this.parameters = parameters;
	}

	/**
	 * Returns the type of an expression or a part of it.
	 * @throws IllegalArgumentException if it names a member that no object of the type
	 * has; the message says which
	 */
	@Nullable ResolvableType of(SpelNode node) {
		if (node instanceof VariableReference) {
			// That of the call, also where a parameter has its name.
			return node.toStringAST().equals("#root") ? null : this.parameters.type(node.toStringAST().substring(1));
		}
		return (node instanceof CompoundExpression) ? members(of(node.getChild(0)), node, 1) : null;
	}

	/**
	 * Returns the type at the end of a path.
	 * @param first which of its nodes is the first member
	 */
	private @Nullable ResolvableType members(@Nullable ResolvableType owner, SpelNode path, int first) {
		ResolvableType type = owner;
		for (int i = first; i < path.getChildCount() && type != null; i++) {
			type = member(type, path.getChild(i));
		}
		return type;
	}

	private @Nullable ResolvableType member(ResolvableType owner, SpelNode node) {
		Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(owner.toClass());
		if (node instanceof Projection) {
			ResolvableType element = Collection.class.isAssignableFrom(type) ? owner.asCollection().getGeneric()
					: owner.getComponentType();
			ResolvableType projected = !element.equals(ResolvableType.NONE) ? memberOrPath(element, node.getChild(0))
					: null;
			return (projected != null) ? ResolvableType.forClassWithGenerics(List.class, projected) : null;
		}
		// A class has the static members of the one that it stands for, too.
		if (type.isArray() || type == Optional.class || type == Class.class) {
			return null;
		}
		if (node instanceof PropertyOrFieldReference property) {
			return property(owner, type, property.getName());
		}
		if (node instanceof MethodReference call && call.getChildCount() == 0) {
			Method method = ClassUtils.getMethodIfAvailable(type, call.getName());
			return (method != null) ? result(owner, method) : unknown(type, call.getName() + "()",
					ClassUtils.hasAtLeastOneMethodWithName(type, call.getName()));
		}
		return null;
	}

	private @Nullable ResolvableType memberOrPath(ResolvableType owner, SpelNode node) {
		return (node instanceof CompoundExpression) ? members(owner, node, 0) : member(owner, node);
	}

	private @Nullable ResolvableType property(ResolvableType owner, Class<?> type, String name) {
		Method getter = findGetterForProperty(name, type, false);
		if (getter != null) {
			return result(owner, getter);
		}
		Field field = findField(name, type, false);
		return (field != null) ? ResolvableType.forField(field, owner) : unknown(type, name, false);
	}

	private static ResolvableType result(ResolvableType owner, Method method) {
		return ResolvableType.forType(method.getGenericReturnType(), owner);
	}

	private static @Nullable ResolvableType unknown(Class<?> type, String member, boolean possible) {
		if (possible || !Modifier.isFinal(type.getModifiers())) {
			return null;
		}
		throw new IllegalArgumentException(
				"uses " + member + ", and there is no such member in " + type.getName() + ".");
	}

}
