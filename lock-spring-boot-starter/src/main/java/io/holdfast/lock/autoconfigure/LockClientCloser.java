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

package io.holdfast.lock.autoconfigure;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.lock.LockClient;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.PriorityOrdered;

/**
 * Closes the clients that Spring would close, in its place, so that a client that a
 * {@link LockClientShutdown} has closed is not closed again with the beans. A client of
 * which the application says that it is not to be closed, or in another way, is left to
 * that.
 */
final class LockClientCloser
		implements MergedBeanDefinitionPostProcessor, DestructionAwareBeanPostProcessor, PriorityOrdered {

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	private final Map<String, LockClient> open = new ConcurrentHashMap<>();

	@Override
	public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String beanName) {
		if (LockClient.class.isAssignableFrom(type) && definition.isSingleton()
				&& isClose(definition.getDestroyMethodName())) {
			definition.setDestroyMethodName("");
			this.names.add(beanName);
		}
	}

	private static boolean isClose(@Nullable String method) {
		return method == null || method.equals(AbstractBeanDefinition.INFER_METHOD) || method.equals("close");
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof LockClient client && this.names.contains(beanName)) {
			this.open.put(beanName, client);
		}
		return bean;
	}

	@Override
	public boolean requiresDestruction(Object bean) {
		return bean instanceof LockClient;
	}

	@Override
	public void postProcessBeforeDestruction(Object bean, String beanName) {
		close(beanName);
	}

	/**
	 * Closes those that there are.
	 */
	void closeAll() {
		this.open.keySet().forEach(this::close);
	}

	private void close(String beanName) {
		LockClient client = this.open.remove(beanName);
		if (client != null) {
			client.close();
		}
	}

	/**
	 * Before those for which a client may be made.
	 */
	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

}
