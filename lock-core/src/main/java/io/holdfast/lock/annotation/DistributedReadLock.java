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
 * Lets a method run beside others that read, in all processes, and never while somebody
 * has the lock alone: {@link DistributedLock @DistributedLock} with the mode
 * {@link LockMode.Kind#SHARED}, with its rules and checks. The method that writes has
 * {@code @DistributedLock} with the same name and key.
 * <p>
 * A thread that writes may call a method that reads. One that reads and calls a method
 * that writes gets {@link IllegalStateException}: see
 * {@link io.holdfast.lock.ReadWriteLeaseLock}.
 */
@DistributedLock(mode = LockMode.Kind.SHARED)
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface DistributedReadLock {

	/**
	 * The same as {@link #name()}.
	 * @return {@link DistributedLock#name()}
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "name")
	String value() default "";

	/**
	 * The name of the lock, or what precedes the key.
	 * @return {@link DistributedLock#name()}
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "name")
	String name() default "";

	/**
	 * What to lock.
	 * @return {@link DistributedLock#key()}
	 */
	@SpringExpression
	@AliasFor(annotation = DistributedLock.class)
	String key() default "";

	/**
	 * The longest wait for the lock.
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
	 * How long the lock is held at most.
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
	 * How long a call has the lock at most.
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
	 * Whether nobody is overtaken, not even by readers.
	 * @return {@link DistributedLock#fair()}
	 */
	@AliasFor(annotation = DistributedLock.class)
	boolean fair() default false;

	/**
	 * What to do when a writer has the lock, or waits for it, and the wait times out, or
	 * too many wait.
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
	 * Whether the method needs the lock at all.
	 * @return {@link DistributedLock#condition()}
	 */
	@SpringExpression
	@AliasFor(annotation = DistributedLock.class)
	String condition() default "";

	/**
	 * The client that gives the lock.
	 * @return {@link DistributedLock#client()}
	 */
	@AliasFor(annotation = DistributedLock.class)
	String client() default "";

}
