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

import java.nio.file.Path;
import java.util.stream.Stream;

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;

/** Keys, conditions and names that stop an application at start-up. */
class InvalidExpressionTests {

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void invalidMethodStopsApplication(Class<?> type, String method, String description, String action) {
		StartUpFailures.assertInvalid(type, method, description, action);
	}

	static Stream<Arguments> invalidMethodStopsApplication() {
		return Stream.of(Arguments.of(SyntaxError.class, "run(Long)",
				"key \"#id +\" is not a Spring expression: Expression [#id +] @4: EL1042E: Problem parsing right operand.",
				"Correct the expression. Text in it needs quotes: 'text'. Plain text belongs in \"name\"."),
				Arguments.of(UnknownParameter.class, "run(Long, String)",
						"key \"#orderId\" refers to #orderId, and the method has no parameter of that name.",
						"Its parameters are #id, #region."),
				Arguments.of(UnknownPosition.class, "run(Long)",
						"key \"#p1\" refers to #p1, but the method has 1 parameter.", "Positions start at #p0."),
				Arguments.of(UnknownInCondition.class, "run()",
						"condition \"#urgent\" refers to #urgent, and the method has no parameter of that name.",
						"The method has no parameters."),
				Arguments.of(UnknownInArgument.class, "run(Long)",
						"key \"T(java.lang.Math).abs(#x)\" refers to #x, and the method has no parameter of that name.",
						"Its parameters are #id."),
				Arguments.of(UnknownBean.class, "run(Long)",
						"key \"@keys.of(#id)\" refers to @keys, and there is no bean of that name.",
						"Correct the name, or define the bean."),
				Arguments.of(UnknownFunction.class, "run(Long)",
						"key \"#hash(#id)\" calls the function #hash(#id), and there are no functions.",
						"Call a method of a bean instead: @bean.method(#argument)."),
				Arguments.of(MissingHash.class, "run(Long)",
						"key \"id\" refers to id, which is not a property of #root (method, target, args).",
						"Write #id for a parameter, 'id' for text, #root.method.name for the method's name."),
				Arguments.of(UnknownRootProperty.class, "run(Long)",
						"key \"#id + #root.methodName\" refers to methodName, which is not a property of #root (method, target, args).",
						"#root.method.name for the method's name."),
				Arguments.of(WholeCall.class, "run(Path)",
						"key \"#root\" uses #root, which is the whole call, not an argument, and another one each time.",
						"Write #p0 for the first argument, or #root.method, #root.target or #root.args."),
				Arguments.of(WholeClass.class, "run(Class)",
						"key \"#type\" is no key: java.lang.Class has no canonical text, so calls that mean the same could get different locks. Use what identifies it, such as its id, a whole number or an instant.",
						"A key is text, a whole or decimal number, a UUID, an enum constant, an instant, a local date or time, or a record of these."),
				Arguments.of(WholeCallInText.class, "run(Long)",
						"key \"'a:' + #this\" uses #this, which is the whole call",
						"Write #p0 for the first argument, or #root.method, #root.target or #root.args."),
				Arguments.of(ExpressionInName.class, "run(Long)",
						"name \"order:#{#id}\" has a #. It is plain text, not an expression, so all calls would share one lock.",
						"Leave plain text in the name and put the expression into the key, as in name = \"order\", key = \"#order.id\"."),
				Arguments.of(PlaceholderInKey.class, "run(Long)",
						"key \"'${shop.region}' + #id\" has a placeholder, which is not resolved in an expression.",
						"Put it into \"name\", or use @environment.getProperty('...')."),
				Arguments.of(PlaceholderInCondition.class, "run(String)",
						"condition \"#region == '${shop.region}'\" has a placeholder, which is not resolved in an expression.",
						"Put it into \"name\", or use @environment.getProperty('...')."),
				Arguments.of(NothingToLock.class, "run()", "neither name nor key is set, so there is nothing to lock.",
						"Set name = \"orders\" for one lock, or key = \"#id\" for one of each value, or both."),
				Arguments.of(UnknownPlaceholder.class, "run()",
						"name \"${shop.name}\" is not valid: Could not resolve placeholder 'shop.name' in value \"${shop.name}\".",
						"Define the property, give a default (${property:orders}), or use plain text."));
	}

	@Test
	void classWithoutParameterNamesStopsApplication() throws Exception {
		Class<?> type = withoutParameterNames(NamedParameter.class);

		LockRunner.create()
			.withClassLoader(type.getClassLoader())
			.withBean("bean", type)
			.run((context) -> StartUpFailures.assertFailure(context.getStartupFailure(),
					"@DistributedLock on " + type.getName()
							+ ".run(Long): key \"#id\" refers to #id, but the names of the parameters are not known.",
					"Compile the class with the option -parameters (Spring Boot's Maven and Gradle plugins do; an IDE may "
							+ "need a setting), or refer to the parameter by its position: #p0."));
	}

	private static Class<?> withoutParameterNames(Class<?> type) throws Exception {
		ClassWriter writer = new ClassWriter(0);
		new ClassReader(type.getName()).accept(new ClassVisitor(Opcodes.ASM9, writer) {

			@Override
			public MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
					String[] exceptions) {
				return new MethodVisitor(Opcodes.ASM9,
						super.visitMethod(access, name, descriptor, signature, exceptions)) {

					@Override
					public void visitParameter(String parameter, int parameterAccess) {
						// That is what the compiler leaves out.
					}

					@Override
					public void visitLocalVariable(String variable, String variableDescriptor, String variableSignature,
							Label start, Label end, int index) {
						// Nobody reads these for names any more.
					}

				};
			}

		}, 0);
		byte[] bytes = writer.toByteArray();
		return new ClassLoader(type.getClassLoader()) {

			Class<?> define() {
				return defineClass(type.getName(), bytes, 0, bytes.length);
			}

		}.define();
	}

	public static class SyntaxError {

		@DistributedLock(key = "#id +")
		public void run(Long id) {
		}

	}

	public static class UnknownParameter {

		@DistributedLock(key = "#orderId")
		public void run(Long id, String region) {
		}

	}

	public static class UnknownPosition {

		@DistributedLock(key = "#p1")
		public void run(Long id) {
		}

	}

	public static class UnknownInCondition {

		@DistributedLock(name = "x", condition = "#urgent")
		public void run() {
		}

	}

	public static class UnknownInArgument {

		@DistributedLock(key = "T(java.lang.Math).abs(#x)")
		public void run(Long id) {
		}

	}

	public static class UnknownBean {

		@DistributedLock(key = "@keys.of(#id)")
		public void run(Long id) {
		}

	}

	public static class UnknownFunction {

		@DistributedLock(key = "#hash(#id)")
		public void run(Long id) {
		}

	}

	public static class MissingHash {

		@DistributedLock(key = "id")
		public void run(Long id) {
		}

	}

	public static class UnknownRootProperty {

		@DistributedLock(key = "#id + #root.methodName")
		public void run(Long id) {
		}

	}

	public static class WholeCall {

		@DistributedLock(key = "#root")
		public void run(Path root) {
		}

	}

	public static class WholeClass {

		@DistributedLock(key = "#type")
		public void run(Class<?> type) {
		}

	}

	public static class WholeCallInText {

		@DistributedLock(key = "'a:' + #this")
		public void run(Long id) {
		}

	}

	public static class ExpressionInName {

		@DistributedLock(name = "order:#{#id}")
		public void run(Long id) {
		}

	}

	public static class PlaceholderInKey {

		@DistributedLock(key = "'${shop.region}' + #id")
		public void run(Long id) {
		}

	}

	public static class PlaceholderInCondition {

		@DistributedLock(name = "x", condition = "#region == '${shop.region}'")
		public void run(String region) {
		}

	}

	public static class NothingToLock {

		@DistributedLock
		public void run() {
		}

	}

	public static class UnknownPlaceholder {

		@DistributedLock(name = "${shop.name}")
		public void run() {
		}

	}

	public static class NamedParameter {

		@DistributedLock(key = "#id")
		public void run(Long id) {
		}

	}

}
