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

package io.holdfast.lock.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.SpringAsmInfo;

/**
 * Libraries as in a version that lacks something.
 */
public final class StrippedClasses extends ClassLoader {

	/** The method that a class lacks, or none if there is no such class. */
	private final Map<String, String> lacks = new HashMap<>();

	public StrippedClasses() {
		super(StrippedClasses.class.getClassLoader());
	}

	public StrippedClasses without(String type) {
		return without(type, "");
	}

	public StrippedClasses without(String type, String method) {
		this.lacks.put(type, method);
		return this;
	}

	@Override
	protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
		String method = this.lacks.get(name);
		if (method == null) {
			return super.loadClass(name, resolve);
		}
		if (method.isEmpty()) {
			throw new ClassNotFoundException(name);
		}
		Class<?> loaded = findLoadedClass(name);
		if (loaded != null) {
			return loaded;
		}
		byte[] bytes = strip(name, method);
		return defineClass(name, bytes, 0, bytes.length);
	}

	/**
	 * A class without all methods of a name.
	 */
	public static byte[] strip(String type, String lacking) {
		ClassWriter stripped = new ClassWriter(0);
		String file = type.replace('.', '/') + ".class";
		try (InputStream bytes = StrippedClasses.class.getClassLoader().getResourceAsStream(file)) {
			new ClassReader(bytes).accept(new ClassVisitor(SpringAsmInfo.ASM_VERSION, stripped) {

				@Override
				public MethodVisitor visitMethod(int access, String method, String descriptor, String signature,
						String[] exceptions) {
					return method.equals(lacking) ? null
							: super.visitMethod(access, method, descriptor, signature, exceptions);
				}

			}, 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return stripped.toByteArray();
	}

}
