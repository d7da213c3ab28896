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

import java.time.Instant;
import java.util.List;

import io.holdfast.lock.LeaseView;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;

import org.springframework.transaction.TransactionExecution;

/**
 * Something that refuses whoever comes late, by the fencing tokens of locks. Each bean of
 * this type is told of what methods with
 * {@link io.holdfast.lock.annotation.DistributedLock @DistributedLock} are granted, and
 * of the commits under it. Calls are made on the thread that runs the method, and may
 * block.
 */
public interface LockFence {

	/**
	 * A method has its lock and is about to begin. It is not told again when the thread
	 * acquires the same once more. An exception releases the lock, and ends the call
	 * without the method.
	 * @param grant what was granted
	 */
	void granted(Grant grant);

	/**
	 * A transaction is about to commit, after all else that is done before. An exception
	 * rolls it back.
	 * @param transaction what commits; no savepoint, and none that
	 * {@link LockSettings#unguardedTransactions()} names
	 * @param grants what the thread and the transaction run under, at least one
	 */
	void beforeCommit(TransactionExecution transaction, List<Grant> grants);

	/**
	 * What a method was granted.
	 *
	 * @param client by whom
	 * @param lease its names and tokens
	 * @param options how it was acquired
	 * @param since when the method had it, by the wall clock of this process
	 */
	record Grant(LockClient client, LeaseView lease, LockOptions options, Instant since) {
	}

}
