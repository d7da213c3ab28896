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
 * What happens when a method with
 * {@link io.holdfast.lock.annotation.DistributedLock @DistributedLock} is called.
 * <p>
 * {@code LockedMethods} finds the annotation and turns it, once, into a checked
 * {@code LockedMethod}; {@code LockInterceptor} runs a call by it;
 * {@link io.holdfast.lock.interceptor.LockedMethodsCheck} looks at all beans when the
 * application starts. A call comes through a proxy with
 * {@link io.holdfast.lock.interceptor.LockAdvisor}, or, woven by AspectJ, through
 * {@link io.holdfast.lock.interceptor.LockAspect}.
 */
@NullMarked
package io.holdfast.lock.interceptor;

import org.jspecify.annotations.NullMarked;
