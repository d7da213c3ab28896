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
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import org.junit.jupiter.api.Test;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;

import static org.assertj.core.api.Assertions.assertThat;

/** Keys, conditions and names that stop an application at start-up. */
class InvalidExpressionTests {

	private static final String ADVICE = "Write #id for a parameter, 'id' for text, #root.method.name for the method's name.";

	private static final String ARGUMENT = "Write #p0 for the first argument, or #root.method, #root.target or #root.args.";

	private static final String PLACEHOLDER = "Put it into \"name\", or use @environment.getProperty('...').";

	private static final String PARAMETER = ", and the method has no parameter of that name.";

	private static final String MEMBER = ", and there is no such member in ";

	private static final String NO_TEXT = " has no canonical text";

	@Test
	void mistakesAreRefused() {
		StartUpFailures.assertRefuses(Mistakes.class);
	}

	@Test
	void nameWithHashFromAPropertyStopsApplication() {
		LockRunner.create()
			.withBean(Named.class)
			.withPropertyValues("shop.name=order-#order.id")
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Named.run(): name \"${shop.name}\" has a #, as it is \"order-#order.id\". "
						+ "It is plain text, not an expression, so all calls would share one lock. "));
	}

	@Test
	void classWithoutParameterNamesStopsApplication() throws Exception {
		Class<?> type = withoutParameterNames(NamedParameter.class);

		StartUpFailures.assertStops(LockRunner.create().withClassLoader(type.getClassLoader()), type,
				"@DistributedLock on " + type.getName()
						+ ".run(Long): key \"#id\" refers to #id, but the names of the parameters are not known.",
				"Compile the class with the option -parameters (Spring Boot's Maven and Gradle plugins do; an IDE may "
						+ "need a setting), or refer to the parameter by its position; the first is #p0.");
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

	public record Order(UUID id, OffsetDateTime at, boolean paid) {
	}

	/** Any object, which says of itself nothing that is the same for an equal one. */
	public static class Customer {

	}

	public interface Mistakes {

		@Refused(
				value = "key \"#id +\" is not a Spring expression: Expression [#id +] @4: EL1042E: Problem parsing right operand.",
				action = "Correct the expression. Text in it needs quotes: 'text'. Plain text belongs in \"name\".")
		@DistributedLock(key = "#id +")
		void syntaxError(Long id);

		@Refused(value = "key \"#orderId\" refers to #orderId" + PARAMETER, action = "Its parameters are #id, #region.")
		@DistributedLock(key = "#orderId")
		void unknownParameter(Long id, String region);

		@Refused(value = "key \"#p1\" refers to #p1" + PARAMETER, action = "Its parameters are #id.")
		@DistributedLock(key = "#p1")
		void unknownPosition(Long id);

		@Refused(value = "condition \"#urgent\" refers to #urgent" + PARAMETER,
				action = "The method has no parameters.")
		@DistributedLock(name = "x", condition = "#urgent")
		void unknownInCondition();

		@Refused(value = "key \"T(java.lang.Math).abs(#x)\" refers to #x" + PARAMETER,
				action = "Its parameters are #id.")
		@DistributedLock(key = "T(java.lang.Math).abs(#x)")
		void unknownInArgument(Long id);

		@Refused(value = "key \"@keys.of(#id)\" refers to @keys, and there is no bean of that name.",
				action = "Correct the name, or define the bean.")
		@DistributedLock(key = "@keys.of(#id)")
		void unknownBean(Long id);

		@Refused(value = "key \"#hash(#id)\" calls the function #hash(#id), and there are no functions.",
				action = "Call a method of a bean instead: @bean.method(#argument).")
		@DistributedLock(key = "#hash(#id)")
		void unknownFunction(Long id);

		@Refused(value = "key \"id\" refers to id, which is not a property of #root (method, target, args).",
				action = ADVICE)
		@DistributedLock(key = "id")
		void missingHash(Long id);

		@Refused(
				value = "key \"#id + #root.methodName\" refers to methodName, which is not a property of #root (method, target, args).",
				action = "#root.method.name for the method's name.")
		@DistributedLock(key = "#id + #root.methodName")
		void unknownRootProperty(Long id);

		@Refused(value = "key \"#this.id\" refers to id, which is not a property of #root (method, target, args).",
				action = ADVICE)
		@DistributedLock(key = "#this.id")
		void memberOfThis(Long id);

		@Refused(
				value = "key \"#root\" uses #root, which is the whole call, not an argument, and another one each time.",
				action = ARGUMENT)
		@DistributedLock(key = "#root")
		void wholeCall(Path root);

		@Refused(
				value = "key \"#type\" is no key: java.lang.Class has no canonical text, so calls that mean the same could get different locks. Use what identifies it, such as its id, a whole number or an instant.",
				action = "A key is text, a whole or decimal number, a UUID, an enum constant, an instant, a local date or time, or a record of these.")
		@DistributedLock(key = "#type")
		void wholeClass(Class<?> type);

		@Refused(value = "key \"'a:' + #this\" uses #this, which is the whole call", action = ARGUMENT)
		@DistributedLock(key = "'a:' + #this")
		void wholeCallInText(Long id);

		@Refused(
				value = "name \"order:#{#id}\" has a #. It is plain text, not an expression, so all calls would share one lock.",
				action = "Leave plain text in the name and put the expression into the key, as in name = \"order\", key = \"#order.id\".")
		@DistributedLock(name = "order:#{#id}")
		void expressionInName(Long id);

		@Refused(
				value = "name \"shop:order\" has a colon, which ends the name before the key: another name with another key could be the same lock.",
				action = "Write another sign, such as \"shop.order\".")
		@DistributedLock(name = "shop:order", key = "#id")
		void colonInName(Long id);

		@Refused(value = "key \"'${shop.region}' + #id\" has a placeholder, which is not resolved in an expression.",
				action = PLACEHOLDER)
		@DistributedLock(key = "'${shop.region}' + #id")
		void placeholderInKey(Long id);

		@Refused(
				value = "condition \"#region == '${shop.region}'\" has a placeholder, which is not resolved in an expression.",
				action = PLACEHOLDER)
		@DistributedLock(name = "x", condition = "#region == '${shop.region}'")
		void placeholderInCondition(String region);

		@Refused(value = "neither name nor key is set, so there is nothing to lock.",
				action = "Set name = \"orders\" for one lock, or key = \"#id\" for one of each value, or both.")
		@DistributedLock
		void nothingToLock();

		@Refused(
				value = "name \"${shop.name}\" cannot be resolved: Could not resolve placeholder 'shop.name' in value \"${shop.name}\".",
				action = "Define the property, or give a default: ${property:default}.")
		@DistributedLock(name = "${shop.name}")
		void unknownPlaceholder();

		@Refused("key \"'o' + #order.idd\" uses idd" + MEMBER)
		@DistributedLock(key = "'o' + #order.idd")
		void missingMember(Order order);

		@Refused("key \"#order.idd()\" uses idd()" + MEMBER)
		@DistributedLock(key = "#order.idd()")
		void missingMethod(Order order);

		@Refused("key \"#orders.![idd]\" uses idd" + MEMBER)
		@DistributedLock(key = "#orders.![idd]")
		void missingMemberOfElement(List<Order> orders);

		@Refused("condition \"#order.paidd\" uses paidd" + MEMBER)
		@DistributedLock(name = "x", condition = "#order.paidd")
		void missingMemberInCondition(Order order);

		@Refused("key \"#customer\" is no key: io.holdfast.lock.interceptor.InvalidExpressionTests$Customer" + NO_TEXT)
		@DistributedLock(key = "#customer")
		void entity(Customer customer);

		@Refused("key \"#customers\" is no key: io.holdfast.lock.interceptor.InvalidExpressionTests$Customer" + NO_TEXT)
		@DistributedLock(key = "#customers")
		void entities(List<Customer> customers);

		@Refused("key \"#p0\" is no key: java.lang.Double" + NO_TEXT)
		@DistributedLock(key = "#p0")
		void floatingPoint(double price);

		@Refused("key \"#order.at\" is no key: java.time.OffsetDateTime" + NO_TEXT)
		@DistributedLock(key = "#order.at")
		void zonedTime(Order order);

	}

	public static class Named {

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
