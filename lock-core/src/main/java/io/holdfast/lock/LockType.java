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

package io.holdfast.lock;

/**
 * In which order waiting threads get a lock.
 * <p>
 * Both types of the same name are the same lock and exclude each other.
 */
public enum LockType {

	/**
	 * Threads of one process that wait for the same lock share one place in the queue and
	 * hand the lock to each other without asking Redis, for a bounded number of times
	 * while another process waits. Processes get the lock in the order in which they
	 * joined the queue. The fastest choice, and no waiter starves.
	 */
	REENTRANT,

	/**
	 * First come, first served over all threads of all processes, in the order in which
	 * their requests reached Redis. Each grant costs a Redis command.
	 */
	FAIR

}
