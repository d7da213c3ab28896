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

package io.holdfast.lock.internal.driver;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Member;
import java.util.Arrays;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

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
 * Finds out what classes of this package call that their libraries, in the versions that
 * are there, do not have. Otherwise that would show call by call, as a
 * {@link LinkageError} on some thread. Where byte code is not there, as in a native
 * image, everything was linked before.
 * <p>
 * The JVM looks for a method when it is called for the first time, which for the renewals
 * after a failover may be weeks after the start, so a trial at the start would not do. A
 * comparison of versions would refuse later ones that fit and miss class paths with parts
 * of several, and a list of what is called would have to be kept; so this reads it from
 * the byte code.
 */
final class Linkage {

	private static final String HERE = Linkage.class.getPackageName().replace('.', '/') + '/';

	private static final Pattern LOOKED_AT = Pattern
		.compile("(redis/clients|io/lettuce|org/springframework/data/redis|" + HERE + ").*");

	private static final String SUPPORTED = "Supported are Spring Data Redis 3.5 to 4.1, with Jedis 6 and 7 or "
			+ "Lettuce 6.6 to 7.5.";

	/** By driver. */
	private static final ConcurrentMap<String, Optional<String>> OBSTACLES = new ConcurrentHashMap<>();

	private final ClassLoader loader;

	private final Set<String> missing = new TreeSet<>();

	Linkage(ClassLoader loader) {
		this.loader = loader;
	}

	/**
	 * Describes why a driver cannot be used.
	 * @param driver its artifact, as {@code group/artifact}
	 * @param callers the simple names of the classes that use it
	 * @return {@code null} if it can be used
	 */
	static @Nullable String obstacle(String driver, String... callers) {
		return OBSTACLES
			.computeIfAbsent(driver,
					(unused) -> Optional
						.ofNullable(new Linkage(Linkage.class.getClassLoader()).describe(driver, callers)))
			.orElse(null);
	}

	private @Nullable String describe(String driver, String... callers) {
		Set<String> lacking = missing(callers);
		return lacking.isEmpty() ? null
				: "Holdfast does not work with " + version("org.springframework.data/spring-data-redis") + " and "
						+ version(driver) + ", which lack " + String.join(", ", lacking) + ". " + SUPPORTED;
	}

	/**
	 * Looks at classes of this package and at those that are nested in them.
	 * @param callers their simple names
	 * @return the classes, methods and fields that are not there
	 */
	Set<String> missing(String... callers) {
		Stream.of(callers).forEach(this::read);
		return this.missing;
	}

	private void read(String caller) {
		try (InputStream bytes = this.loader.getResourceAsStream(HERE + caller + ".class")) {
			if (bytes != null) {
				new ClassReader(bytes).accept(new Caller(), ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void check(String owner, @Nullable String name, String descriptor) {
		if (!LOOKED_AT.matcher(owner).matches()) {
			return;
		}
		try {
			Class<?> type = Class.forName(owner.replace('/', '.'), false, this.loader);
			if (name != null && !has(type, name, descriptor)) {
				this.missing.add(ClassUtils.getShortName(type) + "." + name + (descriptor.startsWith("(") ? "()" : ""));
			}
		}
		catch (ClassNotFoundException | LinkageError ex) {
			this.missing.add(owner.replace('/', '.'));
		}
	}

	/**
	 * Whether a class has a member, be it inherited.
	 */
	private static boolean has(@Nullable Class<?> type, String name, String descriptor) {
		return type != null && (declares(type, name, descriptor) || has(type.getSuperclass(), name, descriptor)
				|| Arrays.stream(type.getInterfaces()).anyMatch((each) -> has(each, name, descriptor)));
	}

	private static boolean declares(Class<?> type, String name, String descriptor) {
		try {
			if (!descriptor.startsWith("(")) {
				return matches(type.getDeclaredFields(), name, (field) -> Type.getDescriptor(field.getType()),
						descriptor);
			}
			return name.equals("<init>")
					? matches(type.getDeclaredConstructors(), type.getName(), Type::getConstructorDescriptor,
							descriptor)
					: matches(type.getDeclaredMethods(), name, Type::getMethodDescriptor, descriptor);
		}
		catch (LinkageError ex) {
			// One of its other members needs a library that is optional.
			return true;
		}
	}

	private static <M extends Member> boolean matches(M[] members, String name, Function<M, String> descriptors,
			String descriptor) {
		return Arrays.stream(members)
			.anyMatch((each) -> each.getName().equals(name) && descriptors.apply(each).equals(descriptor));
	}

	private String version(String artifact) {
		Properties properties = new Properties();
		try (InputStream file = this.loader.getResourceAsStream("META-INF/maven/" + artifact + "/pom.properties")) {
			if (file != null) {
				properties.load(file);
			}
		}
		catch (IOException ex) {
			// Then it is not known.
		}
		return artifact.substring(artifact.indexOf('/') + 1) + " "
				+ properties.getProperty("version", "(unknown version)");
	}

	/**
	 * Checks what a class refers to.
	 */
	private final class Caller extends ClassVisitor {

		Caller() {
			super(SpringAsmInfo.ASM_VERSION);
		}

		@Override
		public void visitNestMember(String member) {
			read(member.substring(HERE.length()));
		}

		@Override
		public MethodVisitor visitMethod(int access, String method, String descriptor, @Nullable String signature,
				String @Nullable [] exceptions) {
			return new Calls();
		}

	}

	/**
	 * Checks what a method refers to.
	 */
	private final class Calls extends MethodVisitor {

		Calls() {
			super(SpringAsmInfo.ASM_VERSION);
		}

		@Override
		public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
			check(owner, name, descriptor);
		}

		@Override
		public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
			check(owner, name, descriptor);
		}

		@Override
		public void visitTypeInsn(int opcode, String type) {
			if (opcode != Opcodes.ANEWARRAY && !type.startsWith("[")) {
				check(type, null, "");
			}
		}

		@Override
		public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
			for (Object argument : arguments) {
				if (argument instanceof Handle handle) {
					check(handle.getOwner(), handle.getName(), handle.getDesc());
				}
			}
		}

	}

}
