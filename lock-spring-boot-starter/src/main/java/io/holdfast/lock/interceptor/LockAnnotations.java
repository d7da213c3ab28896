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

package io.holdfast.lock.interceptor;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.interceptor.internal.annotation.InvalidAnnotationException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Finds the one annotation that says how to lock.
 */
final class LockAnnotations {

	private LockAnnotations() {
	}

	/**
	 * Returns the annotation of a method or a type; if it has none, that of what it
	 * overrides or implements.
	 * @return {@code null} if there is none
	 * @throws InvalidAnnotationException if several are equally near
	 */
	static @Nullable MergedAnnotation<DistributedLock> of(AnnotatedElement element) {
		if (!AnnotatedElementUtils.hasAnnotation(element, DistributedLock.class)) {
			return null;
		}
		List<MergedAnnotation<DistributedLock>> all = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
			.stream(DistributedLock.class)
			.toList();
		MergedAnnotation<DistributedLock> nearest = all.get(0);
		all.stream().skip(1).filter((other) -> isAsNear(other, nearest)).findFirst().ifPresent((other) -> {
			throw twoLocks(nearest, other);
		});
		return nearest;
	}

	/**
	 * Returns the annotation of an interface's method that a method implements which the
	 * class inherits from one that does not know the interface.
	 */
	static @Nullable MergedAnnotation<DistributedLock> ofInterfaces(Method method, Class<?> userClass) {
		List<MergedAnnotation<DistributedLock>> all = ClassUtils.getAllInterfacesForClassAsSet(userClass)
			.stream()
			.flatMap((type) -> Arrays.stream(type.getMethods()))
			.filter((each) -> each.getName().equals(method.getName())
					&& AopUtils.getMostSpecificMethod(each, userClass).equals(method))
			.map(LockAnnotations::of)
			.filter(Objects::nonNull)
			.toList();
		for (MergedAnnotation<DistributedLock> each : all) {
			if (!all.get(0).getRoot().synthesize().equals(each.getRoot().synthesize())) {
				throw twoLocks(all.get(0), each);
			}
		}
		return all.isEmpty() ? null : all.get(0);
	}

	private static InvalidAnnotationException twoLocks(MergedAnnotation<DistributedLock> one,
			MergedAnnotation<DistributedLock> other) {
		return new InvalidAnnotationException(
				"it has two locks, " + describe(one) + " and " + describe(other)
						+ ", and a method is locked by one annotation.",
				"Keep one; a key that is a list is several locks.");
	}

	private static String describe(MergedAnnotation<DistributedLock> annotation) {
		return "@" + annotation.getRoot().getType().getSimpleName() + " of " + typeOf(annotation).getSimpleName();
	}

	private static boolean isAsNear(MergedAnnotation<DistributedLock> other,
			MergedAnnotation<DistributedLock> nearest) {
		if (other.getAggregateIndex() == nearest.getAggregateIndex()) {
			return true;
		}
		return nearest.getAggregateIndex() > 0 && !typeOf(other).isAssignableFrom(typeOf(nearest))
				&& !other.getRoot().synthesize().equals(nearest.getRoot().synthesize());
	}

	private static Class<?> typeOf(MergedAnnotation<?> annotation) {
		return (annotation.getSource() instanceof Member member) ? member.getDeclaringClass()
				: (Class<?>) Objects.requireNonNull(annotation.getSource());
	}

}
