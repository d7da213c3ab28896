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

/**
 * Runs calls of methods with
 * {@link io.holdfast.lock.annotation.DistributedLock @DistributedLock} under their locks,
 * and checks at the start that all of them can be.
 * <ul>
 * <li><b>A call</b> comes through a proxy with
 * {@link io.holdfast.lock.interceptor.LockAdvisor}, or, woven by AspectJ
 * ({@code lock-aspectj}), through {@link io.holdfast.lock.interceptor.WovenLocks}. Both
 * lead to {@code LockInterceptor}, which takes the lock and runs the method, or, if it
 * does not get the lock, makes the {@code FallbackCall}; {@link io.holdfast.lock.Leases}
 * has the leases of the thread. {@code ApplicationLocks} is what both ways share.</li>
 * <li><b>A call whose result comes later</b> goes on to {@code LaterCalls}: a handle owns
 * its lock. {@code StageCall} and {@code ReactiveCall} run a {@code LaterCall} each, and
 * {@link io.holdfast.lock.interceptor.ReactiveLeases} has the leases of the
 * subscription.</li>
 * <li><b>Which methods</b>: {@code LockedMethods} finds the annotation of a method, and
 * {@code LockAnnotationParser} of {@code internal.annotation} turns it, once, into a
 * checked {@code LockedMethod}.</li>
 * <li><b>Transactions</b>: {@code CommitGuard} refuses commits under a lost lock,
 * {@code CompletionRelease} releases the lock after the transaction of the caller.</li>
 * <li><b>At the start</b> {@link io.holdfast.lock.interceptor.LockedMethodsCheck} looks
 * at all {@code LockedBeans} with {@code ProxyCheck} and {@code LaterResult}, and reports
 * {@code SelfCalls}.</li>
 * </ul>
 * The checks stay in this package: {@code LockedMethods} calls {@code ProxyCheck} and
 * {@code LaterResult}, too, and they would otherwise have to be public.
 *
 * @serial exclude
 */
@NullMarked
package io.holdfast.lock.interceptor;

import org.jspecify.annotations.NullMarked;
