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
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
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
import org.springframework.util.ClassUtils;

/**
 * Says which locked methods of a class run without their lock because the class calls
 * them itself, and not through its proxy. It reads the byte code of the class, its
 * superclasses and the interfaces of which it has default methods. It says nothing of a
 * class that has a field of its own type, nor of a method that casts to it: either may be
 * the proxy. It says nothing of methods that are locked themselves, perhaps by the same
 * lock.
 */
final class SelfCalls {

	private static final Log logger = LogFactory.getLog(SelfCalls.class);

	private SelfCalls() {
	}

	/**
	 * Logs one warning for a class if there is something to warn of.
	 * @param type the class of a bean
	 * @param methods its locked methods
	 */
	static void report(Class<?> type, Collection<LockedMethod> methods) {
		Class<?> userClass = ClassUtils.getUserClass(type);
		Set<String> locked = methods.stream().map((each) -> each.method().getName()).collect(Collectors.toSet());
		Set<String> signatures = methods.stream()
			.map((each) -> signature(each.method().getName(), Type.getMethodDescriptor(each.method())))
			.collect(Collectors.toSet());
		Set<String> found = new TreeSet<>();
		for (Class<?> each = userClass; each != null && each != Object.class; each = each.getSuperclass()) {
			if (Arrays.stream(each.getDeclaredFields())
				.anyMatch((field) -> field.getType() != Object.class && field.getType().isAssignableFrom(userClass))) {
				return;
			}
			search(each, Type.getInternalName(userClass), locked, signatures, found);
		}
		Arrays.stream(userClass.getMethods())
			.filter(Method::isDefault)
			.map(Method::getDeclaringClass)
			.distinct()
			.forEach((each) -> search(each, Type.getInternalName(userClass), locked, signatures, found));
		if (!found.isEmpty()) {
			logger.warn("Calls within " + userClass.getName() + " run without their lock, as they do not come through "
					+ "the proxy: " + String.join("; ", found)
					+ ". Let another bean call the method, use LockClient.execute, or add lock-aspectj.");
		}
	}

	private static void search(Class<?> type, String user, Set<String> locked, Set<String> signatures,
			Set<String> found) {
		String self = Type.getInternalName(type);
		try (InputStream file = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
			if (file != null) {
				new ClassReader(file).accept(new ClassVisitor(SpringAsmInfo.ASM_VERSION) {

					@Override
					public @Nullable MethodVisitor visitMethod(int access, String method, String descriptor,
							@Nullable String signature, String @Nullable [] exceptions) {
						boolean lambda = method.startsWith("lambda$");
						String caller = lambda ? method.split("\\$", -1)[1] : method;
						if ((access & Opcodes.ACC_STATIC) != 0) {
							return null;
						}
						if (lambda ? locked.contains(caller) : ((access & Opcodes.ACC_SYNTHETIC) != 0
								|| signatures.contains(signature(method, descriptor)))) {
							return null;
						}
						Set<String> calls = new TreeSet<>();
						return new MethodVisitor(SpringAsmInfo.ASM_VERSION) {

							private boolean casts;

							@Override
							public void visitTypeInsn(int opcode, String target) {
								this.casts |= opcode == Opcodes.CHECKCAST
										&& (target.equals(self) || target.equals(user));
							}

							@Override
							public void visitMethodInsn(int opcode, String owner, String name, String arguments,
									boolean isInterface) {
								if ((owner.equals(self) || owner.equals(user))
										&& signatures.contains(signature(name, arguments))) {
									calls.add(ClassUtils.getShortName(type) + "." + caller + " calls " + name);
								}
							}

							/**
							 * A method reference of this object, which is the first
							 * argument.
							 */
							@Override
							public void visitInvokeDynamicInsn(String name, String arguments, Handle factory,
									Object... constants) {
								for (Object constant : constants) {
									if (constant instanceof Handle called && called.getDesc().startsWith("(")
											&& arguments.startsWith("(L" + called.getOwner() + ";")) {
										visitMethodInsn(Opcodes.INVOKEVIRTUAL, called.getOwner(), called.getName(),
												called.getDesc(), called.isInterface());
									}
								}
							}

							@Override
							public void visitEnd() {
								if (!this.casts) {
									found.addAll(calls);
								}
							}

						};
					}

				}, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
			}
		}
		catch (IOException | RuntimeException ex) {
			// It may be of a Java that Spring does not know.
			logger.debug("Class " + type.getName() + " cannot be searched for calls of its own locked methods", ex);
		}
	}

	private static String signature(String name, String descriptor) {
		return name + descriptor.substring(0, descriptor.indexOf(')'));
	}

}
