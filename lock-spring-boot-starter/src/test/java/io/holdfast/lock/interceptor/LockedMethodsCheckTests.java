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
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnFailure;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.PackagePrivateTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.annotation.Async;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** What stops an application at start-up, and what it says. */
class LockedMethodsCheckTests {

	@ParameterizedTest(name = "{0}")
	@MethodSource("invalid")
	void invalidMethodStopsApplication(Class<?> type, String method, String description, String action) {
		LockRunner.create()
			.withBean("bean", type)
			.run((context) -> assertFailure(context.getStartupFailure(),
					"@DistributedLock on " + type.getName() + "." + method + ": " + description, action));
	}

	@Test
	void futureOfATypeArgumentStopsApplication() {
		LockRunner.create()
			.withBean(ReturnsFutureByItsTypeArgument.class)
			.run((context) -> assertFailure(context.getStartupFailure(),
					"run(): it returns a CompletableFuture, so the lock would be released before the work is done.",
					LATER));
	}

	static Stream<Arguments> invalid() {
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
				Arguments.of(WholeCallInText.class, "run(Long)",
						"key \"'a:' + #this\" uses #this, which is the whole call",
						"Write #p0 for the first argument, or #root.method, #root.target or #root.args."),
				Arguments.of(ExpressionInName.class, "run(Long)",
						"name \"order:#{#id}\" has a #. It is plain text, not an expression, so all calls would share one lock.",
						"Write name = \"order\", key = \"#id\"."),
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
						"Define the property, give a default (${property:orders}), or use plain text."),
				Arguments.of(PrivateMethod.class, "run()", "the method is private, so no proxy can lock its calls.",
						"Annotate a public method that other beans call, or use LockClient.execute."),
				Arguments.of(StaticMethod.class, "run()", "the method is static, so no proxy can lock its calls.",
						"Annotate a public method that other beans call, or use LockClient.execute."),
				Arguments.of(FinalMethod.class, "run()", "the method is final, so no proxy can lock its calls.",
						"Remove \"final\" (in Kotlin: make class and method \"open\", or use the kotlin-spring plugin)."),
				Arguments.of(FinalMethodOfLockedType.class, "run()",
						"the method is final, so no proxy can lock its calls.",
						"Remove \"final\" (in Kotlin: make class and method \"open\", or use the kotlin-spring plugin)."),
				Arguments.of(FinalClass.class, "run()", "the class is final, so no proxy can lock its calls.",
						"Remove \"final\" (in Kotlin: make class and method \"open\", or use the kotlin-spring plugin)."),
				Arguments.of(ReturnsFuture.class, "run()",
						"it returns a Future, so the lock would be released before the work is done.", LATER),
				Arguments.of(ReturnsCompletableFuture.class, "run()",
						"it returns a CompletableFuture, so the lock would be released before the work is done.",
						LATER),
				Arguments.of(ReturnsCallable.class, "run()",
						"it returns a Callable, so the lock would be released before the work is done.", LATER),
				Arguments.of(ReturnsStream.class, "run()",
						"it returns a Stream, so the lock would be released before the work is done.", LATER),
				Arguments.of(ReturnsDeferredResult.class, "run()",
						"it returns a DeferredResult, so the lock would be released before the work is done.", LATER),
				Arguments.of(ReturnsWebAsyncTask.class, "run()",
						"it returns a WebAsyncTask, so the lock would be released before the work is done.", LATER),
				Arguments.of(ReturnsStreamingResponseBody.class, "run()",
						"it returns a StreamingResponseBody, so the lock would be released before the work is done.",
						LATER),
				Arguments.of(ReturnsSseEmitter.class, "run()",
						"it returns a SseEmitter, so the lock would be released before the work is done.", LATER),
				Arguments.of(ReturnsResponseThatStreams.class, "run()",
						"it returns a StreamingResponseBody, so the lock would be released before the work is done.",
						LATER),
				Arguments.of(SkippedPrimitive.class, "run()",
						"onFailure is SKIP, and a call that was skipped has no int to return.",
						"Return an Optional or an object (then null), or use THROW or FALLBACK."),
				Arguments.of(NoFallback.class, "run()", "onFailure is FALLBACK, and fallbackMethod is not set.",
						"Set fallbackMethod to the name of a method of the same class."),
				Arguments.of(UselessFallback.class, "run()",
						"fallbackMethod is set, but onFailure is THROW, so it is never called.",
						"Set onFailure = OnFailure.FALLBACK."),
				Arguments.of(MissingFallback.class, "run(Long)", "fallbackMethod \"other\" does not exist.",
						"It must be a method of " + MissingFallback.class.getName()
								+ " with the same parameters, with or without one more for an exception that the lock can "
								+ "throw (LockException, a subclass or a superclass of it), or with that one alone, and "
								+ "return String."),
				Arguments.of(TwoFallbacks.class, "run(Long)",
						"fallbackMethod \"other\" has two methods for LockNotAcquiredException: ["
								+ TwoFallbacks.class.getName() + ".other(LockNotAcquiredException), "
								+ TwoFallbacks.class.getName() + ".other(Long)].",
						"Remove one, or give it another name."),
				Arguments.of(UnfitFallback.class, "run(Long)",
						"fallbackMethod \"other\" does not fit: [" + UnfitFallback.class.getName() + ".other(String)].",
						"and return String."),
				Arguments.of(FallbackOfOtherType.class, "run(Long)", "fallbackMethod \"other\" does not fit: ",
						"and return String."),
				Arguments.of(FallbackOfOtherException.class, "run(Long)", "fallbackMethod \"other\" does not fit: ",
						"and return String."),
				Arguments.of(NegativeWait.class, "run()", "waitTime \"-2\" is not valid: it is negative.",
						TIMES + "wait-time."),
				Arguments.of(ShortLease.class, "run()",
						"leaseTime \"1\" is not valid: it must be between 10ms and 366d.", TIMES + "lease-time."),
				Arguments.of(BadWait.class, "run()", "waitTimeString \"soon\" is not valid: ", TIMES + "wait-time."),
				Arguments.of(NegativeLeaseString.class, "run()",
						"leaseTimeString \"-5s\" is not valid: it is negative.", TIMES + "lease-time."),
				Arguments.of(UnresolvedWait.class, "run()",
						"waitTimeString \"${shop.wait}\" cannot be resolved: Could not resolve placeholder 'shop.wait'",
						"Define the property, or give a default: ${property:5s}."),
				Arguments.of(TwoWaits.class, "run()", "waitTime and waitTimeString are both set.",
						"Keep one of them."));
	}

	private static final String TIMES = "Use a duration such as 500ms or 5s, a number in the annotation's timeUnit, "
			+ "or -1 for the application's default, holdfast.lock.";

	private static final String LATER = "Annotate the method that does the work and returns when it is done, or take a lease "
			+ "with LockClient.acquire and close it when the result is there.";

	@Test
	void classWithoutParameterNamesStopsApplication() throws Exception {
		Class<?> type = withoutParameterNames(NamedParameter.class);

		LockRunner.create()
			.withClassLoader(type.getClassLoader())
			.withBean("bean", type)
			.run((context) -> assertFailure(context.getStartupFailure(),
					"@DistributedLock on " + type.getName()
							+ ".run(Long): key \"#id\" refers to #id, but the names of the parameters are not known.",
					"Compile the class with the option -parameters (Spring Boot's Maven and Gradle plugins do; an IDE may "
							+ "need a setting), or refer to the parameter by its position: #p0."));
	}

	@Test
	void lazyBeanIsCheckedAtStartUp() {
		LockRunner.create()
			.withBean("bean", SyntaxError.class, SyntaxError::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void prototypeBeanIsCheckedAtStartUp() {
		LockRunner.create()
			.withBean("bean", PrivateMethod.class, PrivateMethod::new,
					(definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))
			.run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void beanThatIsCreatedTooEarlyStopsApplication() {
		LockRunner.create()
			.withUserConfiguration(EarlyConfiguration.class)
			.run((context) -> assertFailure(context.getStartupFailure(),
					"@DistributedLock on " + Valid.class.getName()
							+ ".run(Long): bean 'early' has no proxy, so its calls would not be locked.",
					"It was created too early, usually because a BeanPostProcessor or a @Configuration that defines one "
							+ "needs it. Make that @Bean method static, or inject the bean lazily."));
	}

	@Test
	void methodOutsideOfInterfacesStopsApplicationThatProxiesInterfaces() {
		byInterfaces().withBean("bean", HalfOpen.class)
			.run((context) -> assertFailure(context.getStartupFailure(), "@DistributedLock on "
					+ HalfOpen.class.getName()
					+ ".hidden(): bean 'bean' is proxied by its interfaces, and none of them has the method, so no "
					+ "proxy can lock its calls.",
					"Declare the method in an interface, or set spring.aop.proxy-target-class to true."));
	}

	@Test
	void finalClassIsLockedByProxyOfItsInterface() {
		byInterfaces().withBean("bean", FinalTask.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThatIllegalArgumentException().isThrownBy(() -> context.getBean(Task.class).run(null))
				.withMessageContaining("is null");
		});
	}

	@Test
	void finalClassIsLockedByProxyOfInterfaceOfItsSuperclass() {
		byInterfaces().withBean("bean", FinalSubtask.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThatIllegalArgumentException().isThrownBy(() -> context.getBean(Task.class).run(null))
				.withMessageContaining("is null");
		});
	}

	@Test
	void finalMethodOfClassWithInterfacesForTheContainerOnlyStopsApplication() {
		byInterfaces().withBean("bean", FinalMethodAfterInitialization.class)
			.run((context) -> assertFailure(context.getStartupFailure(),
					"@DistributedLock on " + FinalMethodAfterInitialization.class.getName()
							+ ".run(): the method is final, so no proxy can lock its calls.",
					"Remove \"final\" (in Kotlin: make class and method \"open\", or use the kotlin-spring plugin)."));
	}

	@Test
	void finalMethodOfConfigurationStopsApplication() {
		byInterfaces().withUserConfiguration(FinalMethodConfiguration.class)
			.run((context) -> assertFailure(context.getStartupFailure(),
					"@DistributedLock on " + FinalMethodConfiguration.class.getName()
							+ ".run(Long): the method is final, so no proxy can lock its calls.",
					"Remove \"final\" (in Kotlin: make class and method \"open\", or use the kotlin-spring plugin)."));
	}

	@Test
	void finalMethodThatLockedTypeInheritsStopsApplication() {
		LockRunner.create()
			.withBean("bean", LockedSubtype.class)
			.run((context) -> assertFailure(context.getStartupFailure(),
					"@DistributedLock on " + Library.class.getName()
							+ ".run(): the method is final, so no proxy can lock its calls.",
					"Annotate the methods to lock instead of the type " + LockedSubtype.class.getName() + "."));
	}

	@Test
	void packagePrivateMethodOfAnotherPackageStopsApplication() {
		LockRunner.create()
			.withBean("bean", Neighbour.class)
			.run((context) -> assertFailure(context.getStartupFailure(),
					"@DistributedLock on " + PackagePrivateTask.class.getName()
							+ ".run(): the method is package-private and " + Neighbour.class.getName()
							+ " is in another package, so no proxy can lock its calls.",
					"Make the method protected or public."));
	}

	@Test
	void noClientStopsApplicationWithLockedMethods() {
		LockRunner.create()
			.withBean("bean", Valid.class)
			.withPropertyValues("spring.autoconfigure.exclude=" + BootLine.REDIS)
			.withClassLoader(new FilteredClassLoader("redis.clients", "io.lettuce"))
			.run((context) -> assertFailure(context.getStartupFailure(), "@DistributedLock on " + Valid.class.getName()
					+ ".run(Long): there is no LockClient to use: No qualifying bean of type 'io.holdfast.lock.LockClient' available",
					"Have one RedisConnectionFactory, or mark one of several with @LockConnectionFactory or @Primary, or "
							+ "define a LockClient bean. Set holdfast.lock.enabled to false to run without any locks."));
	}

	@Test
	void fairLockStopsApplicationOnAQuorum() {
		onQuorum().withBean("bean", Fair.class)
			.run((context) -> assertFailure(context.getStartupFailure(),
					"@DistributedLock on " + Fair.class.getName()
							+ ".run(): type FAIR is not supported: Fair locks are not supported on a quorum",
					"Use the type REENTRANT, or locks on one Redis (without holdfast.lock.quorum.nodes)."));
	}

	@Test
	void leaseThatIsLongerThanTheRestartGuardStopsApplicationOnAQuorum() {
		onQuorum().withBean("bean", LeaseOfOneMinute.class)
			.run((context) -> assertFailure(context.getStartupFailure(),
					"@DistributedLock on " + LeaseOfOneMinute.class.getName()
							+ ".run(): leaseTime 1m is longer than the restart guard of the quorum, 30s.",
					"Use a shorter lease, or -1 for the application's default, holdfast.lock.lease-time, or set "
							+ "holdfast.lock.quorum.restart-guard to a longer time."));
	}

	@Test
	void restartGuardIsNoMatterToLocalLocks() {
		onQuorum().withPropertyValues("holdfast.lock.mode=local")
			.withBean("bean", LeaseOfOneMinute.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "1m" })
	void leaseThatTheRestartGuardCoversStartsOnAQuorum(String guard) {
		onQuorum().withPropertyValues("holdfast.lock.quorum.restart-guard=" + guard)
			.withBean("bean", LeaseOfOneMinute.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void validMethodsStart() {
		LockRunner.create()
			.withBean("bean", Valid.class)
			.withBean("response", ReturnsResponse.class)
			.withBean("fair", Fair.class)
			.withBean("lease", LeaseOfOneMinute.class)
			.withBean("future", ReturnsAsynchronously.class)
			.withBean("packagePrivate", PackagePrivateTask.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	/** On servers that are not there. */
	private static ApplicationContextRunner onQuorum() {
		return LockRunner.create()
			.withPropertyValues("holdfast.lock.check-at-start=false",
					"holdfast.lock.quorum.nodes=redis://127.0.0.1:1,redis://127.0.0.1:2,redis://127.0.0.1:3");
	}

	private static ApplicationContextRunner byInterfaces() {
		return LockRunner.create().withPropertyValues("spring.aop.proxy-target-class=false");
	}

	private static void assertFailure(Throwable failure, String description, String action) {
		Throwable cause = failure;
		while (cause != null && !(cause instanceof InvalidLockedMethodException)) {
			cause = cause.getCause();
		}
		assertThat(cause).as("cause of %s", failure).isInstanceOf(InvalidLockedMethodException.class);
		InvalidLockedMethodException invalid = (InvalidLockedMethodException) cause;
		assertThat(invalid.description()).contains(description);
		assertThat(invalid.action()).endsWith(action);
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

	public static class WholeCall {

		@DistributedLock(key = "#root")
		public void run(Path root) {
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

	public static class UnknownRootProperty {

		@DistributedLock(key = "#id + #root.methodName")
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

	public static class PrivateMethod {

		@DistributedLock(name = "x")
		@SuppressWarnings("unused")
		private void run() {
		}

	}

	public static class StaticMethod {

		@DistributedLock(name = "x")
		public static void run() {
		}

	}

	public static class FinalMethod {

		@DistributedLock(name = "x")
		public final void run() {
		}

	}

	@DistributedLock(name = "x")
	public static class FinalMethodOfLockedType {

		public final void run() {
		}

	}

	public static final class FinalClass {

		@DistributedLock(name = "x")
		public void run() {
		}

	}

	public static class ReturnsFuture {

		@DistributedLock(name = "x")
		public Future<String> run() {
			return CompletableFuture.completedFuture("x");
		}

	}

	public static class ReturnsCompletableFuture {

		@DistributedLock(name = "x")
		public CompletableFuture<String> run() {
			return CompletableFuture.completedFuture("x");
		}

	}

	@Async
	public static class ReturnsAsynchronously {

		@DistributedLock(name = "x")
		public Future<String> run() {
			return CompletableFuture.completedFuture("x");
		}

	}

	public abstract static class Returning<T> {

		@DistributedLock(name = "x")
		public T run() {
			return result();
		}

		abstract T result();

	}

	public static class ReturnsFutureByItsTypeArgument extends Returning<CompletableFuture<String>> {

		@Override
		CompletableFuture<String> result() {
			return CompletableFuture.completedFuture("x");
		}

	}

	public static class ReturnsCallable {

		@DistributedLock(name = "x")
		public Callable<String> run() {
			return () -> "x";
		}

	}

	public static class ReturnsStream {

		@DistributedLock(name = "x")
		public Stream<String> run() {
			return Stream.of("x");
		}

	}

	public static class ReturnsDeferredResult {

		@DistributedLock(name = "x")
		public DeferredResult<String> run() {
			return new DeferredResult<>();
		}

	}

	public static class ReturnsWebAsyncTask {

		@DistributedLock(name = "x")
		public WebAsyncTask<String> run() {
			return new WebAsyncTask<>(() -> "x");
		}

	}

	public static class ReturnsStreamingResponseBody {

		@DistributedLock(name = "x")
		public StreamingResponseBody run() {
			return (out) -> {
			};
		}

	}

	public static class ReturnsSseEmitter {

		@DistributedLock(name = "x")
		public SseEmitter run() {
			return new SseEmitter();
		}

	}

	public static class ReturnsResponseThatStreams {

		@DistributedLock(name = "x")
		public ResponseEntity<StreamingResponseBody> run() {
			return ResponseEntity.ok().build();
		}

	}

	public static class ReturnsResponse {

		@DistributedLock(name = "x")
		public ResponseEntity<String> run() {
			return ResponseEntity.ok("x");
		}

	}

	public static class Fair {

		@DistributedLock(name = "x", type = LockType.FAIR)
		public void run() {
		}

	}

	public static class LeaseOfOneMinute {

		@DistributedLock(name = "x", leaseTimeString = "1m")
		public void run() {
		}

	}

	public static class SkippedPrimitive {

		@DistributedLock(name = "x", onFailure = OnFailure.SKIP)
		public int run() {
			return 0;
		}

	}

	public static class NoFallback {

		@DistributedLock(name = "x", onFailure = OnFailure.FALLBACK)
		public void run() {
		}

	}

	public static class UselessFallback {

		@DistributedLock(name = "x", fallbackMethod = "run")
		public void run() {
		}

	}

	public static class MissingFallback {

		@DistributedLock(name = "x", onFailure = OnFailure.FALLBACK, fallbackMethod = "other")
		public String run(Long id) {
			return "";
		}

	}

	public static class UnfitFallback extends MissingFallback {

		@Override
		@DistributedLock(name = "x", onFailure = OnFailure.FALLBACK, fallbackMethod = "other")
		public String run(Long id) {
			return "";
		}

		String other(String id) {
			return "";
		}

	}

	public static class TwoFallbacks {

		@DistributedLock(name = "x", onFailure = OnFailure.FALLBACK, fallbackMethod = "other")
		public String run(Long id) {
			return "";
		}

		String other(Long id) {
			return "";
		}

		String other(LockNotAcquiredException ex) {
			return "";
		}

	}

	public static class FallbackOfOtherType {

		@DistributedLock(name = "x", onFailure = OnFailure.FALLBACK, fallbackMethod = "other")
		public String run(Long id) {
			return "";
		}

		Object other(Long id) {
			return "";
		}

	}

	public static class FallbackOfOtherException {

		@DistributedLock(name = "x", onFailure = OnFailure.FALLBACK, fallbackMethod = "other")
		public String run(Long id) {
			return "";
		}

		String other(Long id, IllegalStateException ex) {
			return "";
		}

	}

	public static class NegativeWait {

		@DistributedLock(name = "x", waitTime = -2)
		public void run() {
		}

	}

	public static class ShortLease {

		@DistributedLock(name = "x", leaseTime = 1)
		public void run() {
		}

	}

	public static class BadWait {

		@DistributedLock(name = "x", waitTimeString = "soon")
		public void run() {
		}

	}

	public static class NegativeLeaseString {

		@DistributedLock(name = "x", leaseTimeString = "-5s")
		public void run() {
		}

	}

	public static class UnresolvedWait {

		@DistributedLock(name = "x", waitTimeString = "${shop.wait}")
		public void run() {
		}

	}

	public static class TwoWaits {

		@DistributedLock(name = "x", waitTime = 5, waitTimeString = "5s")
		public void run() {
		}

	}

	public static class NamedParameter {

		@DistributedLock(key = "#id")
		public void run(Long id) {
		}

	}

	public static class Valid {

		@DistributedLock(key = "#id + {x: #p0}.toString() + #root.args.![toString()]")
		public void run(Long id) {
		}

	}

	interface Task {

		void run(Long id);

	}

	public static final class FinalTask implements Task {

		@Override
		@DistributedLock(key = "#id")
		public void run(Long id) {
		}

	}

	public static class Subtask implements Task {

		@Override
		public void run(Long id) {
		}

	}

	public static final class FinalSubtask extends Subtask {

		@Override
		@DistributedLock(key = "#id")
		public void run(Long id) {
		}

	}

	public static class FinalMethodAfterInitialization implements InitializingBean {

		@Override
		public void afterPropertiesSet() {
		}

		@DistributedLock(name = "x")
		public final void run() {
		}

	}

	@Configuration
	public static class FinalMethodConfiguration implements Task {

		@Override
		@DistributedLock(key = "#id")
		public final void run(Long id) {
		}

		@Bean
		String any() {
			return "";
		}

	}

	public static class Library {

		public final void run() {
		}

	}

	@DistributedLock(name = "x")
	public static class LockedSubtype extends Library {

	}

	public static class Neighbour extends PackagePrivateTask {

	}

	public static class HalfOpen implements Task {

		@Override
		@DistributedLock(key = "#id")
		public void run(Long id) {
		}

		@DistributedLock(name = "x")
		public void hidden() {
		}

	}

	static class ImpatientPostProcessor implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyConfiguration {

		@Bean
		static Valid early() {
			return new Valid();
		}

		@Bean
		static ImpatientPostProcessor impatient(Valid early) {
			return new ImpatientPostProcessor();
		}

	}

}
