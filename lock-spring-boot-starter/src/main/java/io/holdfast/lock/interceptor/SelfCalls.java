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

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.core.NativeDetector;
import org.springframework.util.ClassUtils;

/**
 * Says which locked methods of a class run without their lock because the class calls
 * them itself, and not through its proxy. It reads the byte code of the class and its
 * superclasses, with their lambdas.
 * <p>
 * Two kinds of calls are not reported: those from a method that has the same lock, and
 * those from a method that also uses another object of the type, be it a parameter, a
 * field, a result or one that it creates. The byte code does not tell on which of the two
 * it makes the call, and if the other one is an injected proxy of itself, all is well.
 */
final class SelfCalls {

	private static final Log logger = LogFactory.getLog(SelfCalls.class);

	private static final Pattern LAMBDA = Pattern.compile("lambda\\$(.+)\\$\\d+");

	private final Map<String, LockedMethod> methods = new HashMap<>();

	/** The class, its superclasses and interfaces, as calls name them. */
	private final Set<String> owners = new HashSet<>();

	private final Set<String> found = new TreeSet<>();

	private final Class<?> type;

	private SelfCalls(Class<?> type, Collection<LockedMethod> methods) {
		this.type = type;
		methods.forEach((method) -> this.methods.put(signatureOf(method), method));
		ClassUtils.getAllInterfacesForClassAsSet(type).forEach((each) -> this.owners.add(Type.getInternalName(each)));
		for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
			this.owners.add(Type.getInternalName(each));
		}
	}

	/**
	 * Logs one warning for a class if there is something to warn of.
	 * @param type the class of a bean
	 * @param methods its locked methods
	 */
	static void report(Class<?> type, Collection<LockedMethod> methods) {
		Class<?> userClass = ClassUtils.getUserClass(type);
		if (NativeDetector.inNativeImage() || ClassUtils.isLambdaClass(userClass)) {
			return;
		}
		SelfCalls calls = new SelfCalls(userClass, methods);
		calls.search();
		if (!calls.found.isEmpty()) {
			logger.warn("Calls within " + userClass.getName() + " run without their lock, as they do not come through "
					+ "the proxy: " + String.join("; ", calls.found)
					+ ". Let another bean call the method, use LockClient.execute, or add lock-aspectj.");
		}
	}

	private void search() {
		for (Class<?> each = this.type; each != null && each != Object.class; each = each.getSuperclass()) {
			String name = each.getName();
			try (InputStream file = each.getResourceAsStream(ClassUtils.getClassFileName(each))) {
				if (file != null) {
					new ClassReader(file).accept(new Code(ClassUtils.getShortName(each)),
							ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
				}
			}
			catch (IOException | RuntimeException ex) {
				// It may be of a Java that Spring does not know.
				logger.debug("Class " + name + " cannot be searched for calls of its own locked methods", ex);
			}
		}
	}

	private static String signatureOf(LockedMethod method) {
		return signature(method.method().getName(), Type.getMethodDescriptor(method.method()));
	}

	private static String signature(String name, String descriptor) {
		return name + descriptor.substring(0, descriptor.indexOf(')'));
	}

	private static String shortName(LockedMethod method) {
		return shortName(method.method().getName(), Type.getMethodDescriptor(method.method()));
	}

	private static String shortName(String name, String descriptor) {
		return Arrays.stream(Type.getArgumentTypes(descriptor))
			.map((type) -> ClassUtils.getShortName(type.getClassName()))
			.collect(Collectors.joining(", ", name + "(", ")"));
	}

	/**
	 * Whether a method is called under its lock because its caller holds it.
	 */
	private static boolean isSameLock(LockedMethod caller, LockedMethod called) {
		String condition = caller.condition();
		return caller.client().equals(called.client()) && caller.name().equals(called.name())
				&& Objects.equals(caller.key(), called.key())
				&& (condition == null || condition.equals(called.condition()));
	}

	/**
	 * The methods of one class.
	 */
	private final class Code extends ClassVisitor {

		private final String className;

		Code(String className) {
			super(SpringAsmInfo.ASM_VERSION);
			this.className = className;
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			if ((access & (Opcodes.ACC_STATIC | Opcodes.ACC_BRIDGE)) != 0) {
				return null;
			}
			Matcher lambda = LAMBDA.matcher(name);
			return lambda.matches()
					? new Calls("a lambda in " + this.className + "." + lambda.group(1), descriptor,
							(method) -> method.method().getName().equals(lambda.group(1)))
					: new Calls(this.className + "." + shortName(name, descriptor), descriptor,
							(method) -> signatureOf(method).equals(signature(name, descriptor)));
		}

	}

	/**
	 * The calls of one method.
	 */
	private final class Calls extends MethodVisitor {

		private final String caller;

		private final Predicate<LockedMethod> isCaller;

		private final Set<LockedMethod> called = new LinkedHashSet<>();

		private boolean othersAtHand;

		Calls(String caller, String descriptor, Predicate<LockedMethod> isCaller) {
			super(SpringAsmInfo.ASM_VERSION);
			this.caller = caller;
			this.isCaller = isCaller;
			this.othersAtHand = Arrays.stream(Type.getArgumentTypes(descriptor)).anyMatch(this::isOwn);
		}

		private boolean isOwn(Type type) {
			return type.getSort() == Type.OBJECT && SelfCalls.this.owners.contains(type.getInternalName());
		}

		@Override
		public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
			this.othersAtHand |= isOwn(Type.getType(descriptor));
		}

		@Override
		public void visitTypeInsn(int opcode, String type) {
			this.othersAtHand |= SelfCalls.this.owners.contains(type);
		}

		@Override
		public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
			this.othersAtHand |= isOwn(Type.getReturnType(descriptor));
			note(owner, name, descriptor);
		}

		@Override
		public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
			for (Object argument : arguments) {
				if (argument instanceof Handle method) {
					note(method.getOwner(), method.getName(), method.getDesc());
				}
			}
		}

		private void note(String owner, String name, String descriptor) {
			LockedMethod method = SelfCalls.this.methods.get(signature(name, descriptor));
			if (method != null && SelfCalls.this.owners.contains(owner)) {
				this.called.add(method);
			}
		}

		@Override
		public void visitEnd() {
			if (!this.othersAtHand) {
				this.called.stream()
					.filter((method) -> !holdsLockOf(method))
					.forEach((method) -> SelfCalls.this.found.add(this.caller + " calls " + shortName(method)));
			}
		}

		private boolean holdsLockOf(LockedMethod called) {
			return SelfCalls.this.methods.values()
				.stream()
				.filter(this.isCaller)
				.anyMatch((method) -> isSameLock(method, called));
		}

	}

}
