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

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import io.holdfast.lock.internal.notice.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Looks at every bean when the application starts, and stops it if a locked method is not
 * valid, has no client, or can be called without its lock: a bean that was created before
 * the advisor, for example, has no proxy.
 */
public final class LockedMethodsCheck implements SmartInitializingSingleton {

	/** There if Spring's tests replace beans: a mock has no proxy. */
	private static final String TEST_REPLACES_BEANS = "org.springframework.test.context.bean.override."
			+ "internalBeanOverridePostProcessor";

	private static final Log logger = LogFactory.getLog(LockedMethodsCheck.class);

	private final LimitedLog unlocked = new LimitedLog(LockedMethodsCheck.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final ApplicationLocks locks;

	/** What must be around the proxies of beans; none if the locks are woven. */
	private final @Nullable LockAdvisor advisor;

	private final @Nullable WovenLocks woven;

	/**
	 * Create the check of methods that proxies lock.
	 * @param beanFactory where the beans are
	 * @param advisor what must be around their locked methods
	 */
	public LockedMethodsCheck(ConfigurableListableBeanFactory beanFactory, LockAdvisor advisor) {
		this(beanFactory, advisor.locks(), advisor, null);
	}

	/**
	 * Create the check of methods into which their locks are woven.
	 * @param beanFactory where the beans are
	 * @param locks what must be in their locked methods
	 */
	public LockedMethodsCheck(ConfigurableListableBeanFactory beanFactory, WovenLocks locks) {
		this(beanFactory, locks.locks(), null, locks);
	}

	private LockedMethodsCheck(ConfigurableListableBeanFactory beanFactory, ApplicationLocks locks,
			@Nullable LockAdvisor advisor, @Nullable WovenLocks woven) {
		this.beanFactory = beanFactory;
		this.locks = locks;
		this.advisor = advisor;
		this.woven = woven;
	}

	/**
	 * Returns what has transactions committed under no lost lock, for all managers that
	 * are made once it is registered: locked methods may run before all beans are there.
	 * @return one and the same for all contexts
	 */
	public static BeanPostProcessor commitGuard() {
		return CommitGuard.INSTANCE;
	}

	@Override
	public void afterSingletonsInstantiated() {
		Map<Class<?>, Collection<LockedMethod>> types = new LinkedHashMap<>();
		for (String beanName : this.locks.beans().names()) {
			Collection<LockedMethod> methods = this.locks.beans().find(beanName);
			if (methods.isEmpty()) {
				checkType(beanName);
			}
			else {
				types.put(Objects.requireNonNull(this.locks.beans().type(beanName)), methods);
				checkProxy(beanName, methods);
				methods.forEach(this::checkClient);
			}
		}
		// Whatever was found: a bean that is lazy or a prototype may hide its locked
		// methods behind an interface.
		CommitGuard.install(this.beanFactory);
		// Code that is woven may be locked outside of beans, too.
		if (!types.isEmpty() || this.advisor == null) {
			// Now, so that no event loop has to wait for that.
			LockSettings unused = this.locks.settings().get();
		}
		if (this.advisor != null) {
			types.forEach(SelfCalls::report);
		}
		reportNameless(types.values());
	}

	/**
	 * Names those whose key is the whole name of their lock.
	 */
	private static void reportNameless(Collection<Collection<LockedMethod>> methods) {
		String nameless = methods.stream()
			.flatMap(Collection::stream)
			.filter((method) -> method.name().isEmpty())
			.map(LockedMethod::toString)
			.sorted()
			.collect(Collectors.joining(", "));
		if (!nameless.isEmpty()) {
			logger.info("The key alone names the locks of " + nameless + ". What has the same key is the same lock, "
					+ "also in other applications with this key prefix: set a name if that is not meant");
		}
	}

	private void checkProxy(String beanName, Collection<LockedMethod> methods) {
		if (this.woven != null) {
			for (LockedMethod method : methods) {
				this.woven.check(method.method());
			}
			return;
		}
		Object bean = this.locks.beans().product(beanName);
		if (bean == null) {
			Class<?> type = Objects.requireNonNull(this.locks.beans().type(beanName));
			this.locks.proxies().checkBefore(beanName, this.locks.methods(), type);
			return;
		}
		// The target of a scoped proxy is another bean.
		if (bean instanceof ScopedObject
				|| (!(bean instanceof SpringProxy) && this.beanFactory.containsBean(TEST_REPLACES_BEANS))) {
			return;
		}
		int advised = (this.advisor != null) ? advised(bean, this.advisor) : 1;
		if (advised == 0) {
			if (!this.beanFactory.containsBeanDefinition(beanName)) {
				this.unlocked
					.warn("Bean '" + beanName + "' was registered as a finished object, so Spring makes no proxy of it "
							+ "and its calls are not locked: " + methods.iterator().next());
				return;
			}
			throw LockStartUpException.of(methods.iterator().next().method(),
					"bean '" + beanName + "' has no proxy, so its calls would not be locked.",
					"It was created too early, usually because a BeanPostProcessor or a @Configuration that defines one "
							+ "needs it. Make that @Bean method static, or inject the bean lazily.");
		}
		for (LockedMethod method : methods) {
			ProxyCheck.check(beanName, bean, method);
			if (advised > 1 && (method.later() == CompletionStage.class || method.holdAtLeast() != null
					|| method.options().mode().kind() == LockMode.Kind.PERMITS)) {
				throw LockStartUpException.of(method.method(),
						"bean '" + beanName + "' has " + advised
								+ " proxies that lock, and the inner one would wait for the outer one.",
						"Remove the second auto-proxy creator, such as a DefaultAdvisorAutoProxyCreator.");
			}
		}
	}

	/**
	 * How many proxies of a bean lock.
	 */
	private static int advised(Object bean, Advisor advisor) {
		int count = 0;
		Object current = bean;
		while (current instanceof Advised advised) {
			count += Arrays.asList(advised.getAdvisors()).contains(advisor) ? 1 : 0;
			current = AopProxyUtils.getSingletonTarget(current);
		}
		// Of an opaque proxy nothing more can be seen.
		return (count == 0 && current instanceof SpringProxy) ? 1 : count;
	}

	/**
	 * Checks that the annotation of a type without locked methods locks anything.
	 */
	private void checkType(String beanName) {
		Class<?> type = this.locks.beans().type(beanName);
		if (type != null && LockedMethods.mayBeIn(type) && LockAnnotations.of(type) != null) {
			throw new LockStartUpException(
					"@DistributedLock on " + type.getName() + ": the type has no public method to lock.",
					"Annotate the methods to lock.");
		}
	}

	/**
	 * Checks that there is a client, and that it has the order among waiters, the mode
	 * and the lease time: a quorum has no order, one mode, and a longest lease.
	 */
	private void checkClient(LockedMethod method) {
		LockClient client;
		try {
			client = this.locks.clients().apply(method);
		}
		catch (NoSuchBeanDefinitionException | BeanNotOfRequiredTypeException ex) {
			throw LockStartUpException.of(method.method(),
					(method.client().isEmpty() ? "there is no LockClient to use: "
							: "client \"" + method.client() + "\" is no LockClient bean: ") + ex.getMessage() + ".",
					"Define a LockClient bean, or have one RedisConnectionFactory, or mark one of several with "
							+ "@LockConnectionFactory or @Primary. Set holdfast.lock.enabled to false to run without any "
							+ "locks.",
					ex);
		}
		try {
			client.getLock(List.of("any"), method.options());
		}
		catch (IllegalArgumentException | UnsupportedOperationException ex) {
			throw LockStartUpException.of(method.method(), ex.getMessage() + ".",
					"Change what the annotation or holdfast.lock.* asks for, or use locks on one Redis (without "
							+ "holdfast.lock.quorum.nodes).",
					ex);
		}
	}

}
