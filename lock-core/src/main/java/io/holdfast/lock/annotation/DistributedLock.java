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

import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockMode;

import org.springframework.core.annotation.AliasFor;

/**
 * Lets a method begin only when the calling thread holds a distributed lock, unless
 * {@link #condition()} is {@code false} or {@code holdfast.lock.enabled} is. If the lock
 * is lost meanwhile the method goes on, and the call ends with a
 * {@link LockLostException}; inside the caller's transaction, its commit does.
 * <p>
 * On a type it applies to every public method of that type; an annotation on the method
 * wins. It may be used as a meta-annotation whose attributes are set with
 * {@code @AliasFor}, as {@link DistributedReadLock @DistributedReadLock} and
 * {@link DistributedLimit @DistributedLimit} do. A method or a type has one such
 * annotation, plain or composed: two stop the application at start-up.
 * <p>
 * The lock's name is {@link #name()}, a colon, and the value of {@link #key()}; or one of
 * them alone if only that is given. One of the two must be given. A name with a key has
 * no colon, so different pairs of a name and a key never make the same lock.
 * <p>
 * A nested call by the same thread with the same lock runs without asking the server,
 * unless it wants a longer lease than is left, or is the first to want the watchdog. The
 * lock is taken outside a transaction that the method starts, so it is released after the
 * commit; if the caller's transaction is active already, it is released after that one
 * has completed, and what that one has read before may be stale.
 * <p>
 * A method may return a {@code CompletionStage}, or a {@code Mono}, {@code Flux} or other
 * type that Spring's {@code ReactiveAdapterRegistry} knows, or be a suspending function
 * of Kotlin. Then the lock is acquired without blocking: when the method is called, or
 * when somebody subscribes to its result. The method runs once it is acquired. The lock
 * is held until the method's stage is done, or its publisher is done or cancelled. All
 * failures are in the result; a lost lock ends it with {@link LockLostException}, and
 * cancels a publisher. A subscription enters again by its Reactor Context. A stage does
 * not: a nested call is another owner, and waits.
 * <p>
 * The method finds the lease of its lock, with the fencing token, at
 * {@link io.holdfast.lock.Leases#current()}, or at {@code ReactiveLeases.current()}.
 * <p>
 * The method must be reached through a Spring proxy: a private, final or static method
 * stops the application at start-up, and a call of {@code this.method()} is not locked:
 * the start warns of those that it finds. With {@code lock-aspectj} all of these but
 * static methods are locked.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface DistributedLock {

	/**
	 * The same as {@link #name()}, for {@code @DistributedLock("order")}.
	 * @return the name
	 */
	@AliasFor("name")
	String value() default "";

	/**
	 * The name of the lock, or what precedes the key, with a colon between them
	 * ({@code order:4711}). Plain text in which <code>${…}</code> placeholders are
	 * resolved; it has no {@code #}, and with a key no {@code :}.
	 * @return the name, or empty if {@link #key()} alone names the lock
	 */
	@AliasFor("value")
	String name() default "";

	/**
	 * What to lock, as a Spring expression over the arguments: parameters by name
	 * ({@code #order.id}) or position ({@code #p0}, {@code #a0}; a parameter of that name
	 * comes first), {@code #root.method}, {@code #root.target}, {@code #root.args}, and
	 * beans ({@code @bean.keyOf(#order)}). Evaluated once per call.
	 * <p>
	 * The value must have one obvious text, so that equal values are one lock in every
	 * process: text, an integer or a decimal number ({@code 1} and
	 * {@code new BigDecimal("1.00")} are the same), a boolean, an enum constant, a
	 * {@code UUID}, an {@code Instant}, a local date or time of {@code java.time}, a
	 * {@code Duration}, or a record of such values. Anything else ({@code double},
	 * {@code Date}, a time with a zone, an entity), {@code null} and blank text are an
	 * error, and the method does not run. {@code docs/keys.md} has all types.
	 * <p>
	 * A collection or an array of such values is several locks, one for each element:
	 * <code>{#from.id, #to.id}</code>, {@code #orders.![id]}. The method runs when the
	 * thread has all of them; see
	 * {@link io.holdfast.lock.LockClient#getLock(java.util.Collection, io.holdfast.lock.LockOptions)}.
	 * An empty one is an error. Without a name, the value alone names the lock:
	 * {@code #order.id} of one method and {@code #customer.id} of another share the lock
	 * {@code 4711}.
	 * @return the expression, or empty if {@link #name()} alone names the lock
	 */
	@SpringExpression
	String key() default "";

	/**
	 * The longest wait for the lock, in {@link #timeUnit()}: 0 makes one attempt, and
	 * {@code Long.MAX_VALUE} waits forever. Not set: the {@code holdfast.lock.wait-time}
	 * property, or 0 with {@link OnContention#SKIP}. Negative times are an error.
	 * @return the wait time
	 */
	long waitTime() default Long.MIN_VALUE;

	/**
	 * As {@link #waitTime()}, as text: a duration such as {@code 5s} or {@code PT5S},
	 * {@code forever}, or a <code>${…}</code> placeholder for one of these. A number
	 * without a unit is an error.
	 * @return the wait time; empty to use {@link #waitTime()}
	 */
	String waitTimeString() default "";

	/**
	 * How long the lock is held at most, in {@link #timeUnit()}; -1 is the watchdog,
	 * which renews the lock until the method returns. Not set: the
	 * {@code holdfast.lock.lease-time} property, by default the watchdog. Zero and other
	 * negative times are an error.
	 * @return the lease time
	 */
	long leaseTime() default Long.MIN_VALUE;

	/**
	 * As {@link #leaseTime()}, as text: a duration such as {@code 5s} or {@code PT5S},
	 * {@code watchdog}, or a <code>${…}</code> placeholder for one of these. A number
	 * without a unit is an error.
	 * @return the lease time; empty to use {@link #leaseTime()}
	 */
	String leaseTimeString() default "";

	/**
	 * How long the lock is held at least, from when it was acquired: a duration such as
	 * {@code 5s} or {@code PT5S}, or a <code>${…}</code> placeholder for one. If the
	 * method is done sooner, the call returns and the lock stays held for the rest of the
	 * time: so a short job runs once on all instances if their clocks differ by less. Not
	 * set: the lock is released when the method is done. Zero and negative times are an
	 * error.
	 * <p>
	 * The watchdog renews such a lock, so {@link #leaseTime()} must not be set beside it.
	 * It is released at once if the method throws an exception, or when the application
	 * ends; if the process dies, it ends with its lease, or sooner for those who wait. It
	 * does not re-enter: the method is refused under a lock of the same name and inside a
	 * transaction, and a nested call for the lock waits. A result that comes later is
	 * refused at start-up. A loss that is found after the method has returned is told to
	 * observers only.
	 * @return the time; empty for none
	 */
	String holdAtLeast() default "";

	/**
	 * How long a call has the lock at most: a duration such as {@code 5m},
	 * {@code forever}, or a <code>${…}</code> placeholder for one of these. After that
	 * the lock is lost and not renewed any more, and others get it when its lease ends,
	 * or when the method returns. Not set: the {@code holdfast.lock.max-hold} property,
	 * but not beside {@link #holdAtLeast()}.
	 * @return the time; empty for that of the property
	 */
	String maxHold() default "";

	/**
	 * Behind how many callers of all processes a call waits at most; 0 is any number. If
	 * so many wait, the call is told so at once, and {@link #onContention()} says what it
	 * does. Not set: the {@code holdfast.lock.max-waiters} property.
	 * @return the number of callers
	 * @see io.holdfast.lock.LockOptions#maxWaiters(int)
	 */
	int maxWaiters() default Integer.MIN_VALUE;

	/**
	 * The unit of {@link #waitTime()} and {@link #leaseTime()}.
	 * @return the unit
	 */
	TimeUnit timeUnit() default TimeUnit.MILLISECONDS;

	/**
	 * What may run concurrently: nothing, or, with {@link LockMode.Kind#SHARED}, all that
	 * hold the lock so. {@link DistributedReadLock @DistributedReadLock} is short for
	 * that, and {@link LockMode.Kind#PERMITS} is for
	 * {@link DistributedLimit @DistributedLimit} only.
	 * @return the mode
	 */
	LockMode.Kind mode() default LockMode.Kind.EXCLUSIVE;

	/**
	 * Whether waiters get the lock in the order of their requests over all processes
	 * ({@link io.holdfast.lock.LockOptions#fair(boolean)}).
	 * @return {@code false} for the faster order, in which nobody starves either
	 */
	boolean fair() default false;

	/**
	 * What to do when another holder has the lock and the wait times out, or too many
	 * wait.
	 * @return the policy
	 */
	OnContention onContention() default OnContention.THROW;

	/**
	 * The method to call instead when another holder has the lock and the wait times out.
	 * A method of the same class and with the same parameters, with or without one more:
	 * an exception that tells why; or with that exception alone. An exception that it
	 * does not take is thrown. The method may be private; if the proxy of the bean has
	 * it, it is called as other beans call it, so that its other annotations hold for it.
	 * Not to be set on a type.
	 * @return the method's name
	 */
	String fallbackMethod() default "";

	/**
	 * A Spring expression as in {@link #key()} that tells whether the method needs the
	 * lock at all. If it is {@code false} the method runs without locking.
	 * @return the expression, or empty for always
	 */
	@SpringExpression
	String condition() default "";

	/**
	 * The {@link io.holdfast.lock.LockClient} that gives the lock.
	 * @return the name of the bean, or empty for the application's one or primary client
	 */
	String client() default "";

}
