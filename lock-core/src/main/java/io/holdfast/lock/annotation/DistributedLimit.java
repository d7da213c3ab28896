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

package io.holdfast.lock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockMode;

import org.springframework.core.annotation.AliasFor;

/**
 * Specifies a concurrency limit for a method over all processes: when the limit has been
 * reached, further calls block until one has returned, at most for their
 * {@link #waitTime()}. {@code waitTime = 0} rejects them. It is what
 * {@code @ConcurrencyLimit} of Spring Framework 7 is within one process.
 * <p>
 * Methods with the same name and the same value of the key share the permits. On a type,
 * all its public methods do. A nested call by the same thread under the same limit runs
 * in the permit of the outer one. Calls get permits first come, first served over all
 * processes; inside one, a permit may be passed on a few times first. While processes
 * have different limits, as during a deployment, no more calls run than the largest of
 * them allows.
 * <p>
 * Otherwise the rules and checks are those of {@link DistributedLock @DistributedLock},
 * of which a method has this one or that. A lock of the same name is the same lock: it
 * waits until all permits are back.
 */
@DistributedLock(mode = LockMode.Kind.PERMITS)
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface DistributedLimit {

	/**
	 * The same as {@link #name()}.
	 * @return {@link DistributedLock#name()}
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "name")
	String value() default "";

	/**
	 * The name of the limit, or what precedes the key.
	 * @return {@link DistributedLock#name()}
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "name")
	String name() default "";

	/**
	 * What to limit: each value has a limit of its own.
	 * @return {@link DistributedLock#key()}
	 */
	@SpringExpression
	@AliasFor(annotation = DistributedLock.class)
	String key() default "";

	/**
	 * The concurrency limit: how many calls may run at a time in all processes together.
	 * Each call takes one of so many permits. Set this or {@link #permitsString()}.
	 * @return the limit, at least 1
	 */
	int permits() default Integer.MIN_VALUE;

	/**
	 * As {@link #permits()}, as text: a number, or a <code>${…}</code> placeholder for
	 * one.
	 * @return the limit; empty to use {@link #permits()}
	 */
	String permitsString() default "";

	/**
	 * The longest wait for a permit when the limit has been reached.
	 * @return {@link DistributedLock#waitTime()}
	 */
	@AliasFor(annotation = DistributedLock.class)
	long waitTime() default Long.MIN_VALUE;

	/**
	 * As {@link #waitTime()}, as text.
	 * @return {@link DistributedLock#waitTimeString()}
	 */
	@AliasFor(annotation = DistributedLock.class)
	String waitTimeString() default "";

	/**
	 * How long the permit is held at most.
	 * @return {@link DistributedLock#leaseTime()}
	 */
	@AliasFor(annotation = DistributedLock.class)
	long leaseTime() default Long.MIN_VALUE;

	/**
	 * As {@link #leaseTime()}, as text.
	 * @return {@link DistributedLock#leaseTimeString()}
	 */
	@AliasFor(annotation = DistributedLock.class)
	String leaseTimeString() default "";

	/**
	 * How long a call has the permit at most.
	 * @return {@link DistributedLock#maxHold()}
	 */
	@AliasFor(annotation = DistributedLock.class)
	String maxHold() default "";

	/**
	 * Behind how many callers a call waits at most.
	 * @return {@link DistributedLock#maxWaiters()}
	 */
	@AliasFor(annotation = DistributedLock.class)
	int maxWaiters() default Integer.MIN_VALUE;

	/**
	 * The unit of {@link #waitTime()} and {@link #leaseTime()}.
	 * @return {@link DistributedLock#timeUnit()}
	 */
	@AliasFor(annotation = DistributedLock.class)
	TimeUnit timeUnit() default TimeUnit.MILLISECONDS;

	/**
	 * What to do when the limit has been reached and the wait times out, or too many
	 * wait.
	 * @return {@link DistributedLock#onContention()}
	 */
	@AliasFor(annotation = DistributedLock.class)
	OnContention onContention() default OnContention.THROW;

	/**
	 * The method to call instead.
	 * @return {@link DistributedLock#fallbackMethod()}
	 */
	@AliasFor(annotation = DistributedLock.class)
	String fallbackMethod() default "";

	/**
	 * Whether the limit holds for a call at all.
	 * @return {@link DistributedLock#condition()}
	 */
	@SpringExpression
	@AliasFor(annotation = DistributedLock.class)
	String condition() default "";

	/**
	 * The client that gives the permits.
	 * @return {@link DistributedLock#client()}
	 */
	@AliasFor(annotation = DistributedLock.class)
	String client() default "";

}
