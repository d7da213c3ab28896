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

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockException;
import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import io.holdfast.lock.internal.notice.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Keeps the locks that were acquired inside one transaction until that has completed, and
 * lets it commit only if all of them are still held, or if the application wants losses
 * reported only. The release is the last thing: before the completion, and after the
 * commit, a new synchronization takes the locks over, behind those that others have
 * registered meanwhile. Only what another registers after its own completion runs later.
 */
final class CompletionRelease implements TransactionSynchronization {

	private static final Log logger = LogFactory.getLog(CompletionRelease.class);

	private static final LimitedLog foreignCompletions = new LimitedLog(logger);

	private static final LimitedLog unreleased = new LimitedLog(logger);

	/** Is registered once the transaction is committed: no lock can guard it any more. */
	private static final TransactionSynchronization COMMITTED = new TransactionSynchronization() {
	};

	/** Registers that, before anybody else is told of the commit. */
	private static final TransactionSynchronization COMMITTING = new TransactionSynchronization() {

		@Override
		public int getOrder() {
			return HIGHEST_PRECEDENCE;
		}

		@Override
		public void afterCommit() {
			TransactionSynchronizationManager.registerSynchronization(COMMITTED);
		}

	};

	/** By their client, their mode and their names. */
	private final Map<List<?>, Kept> locks = new LinkedHashMap<>();

	private final Thread owner;

	private CompletionRelease(Thread owner) {
		this.owner = owner;
	}

	/**
	 * Whether the current thread is inside a transaction whose completion can be waited
	 * for. It is not while the callbacks after a commit or a completion run.
	 */
	static boolean isPossible() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.isActualTransactionActive()
				&& !TransactionSynchronizationManager.getSynchronizations().contains(COMMITTED);
	}

	/**
	 * Notes that the transaction of the current thread is being committed. Work that is
	 * done for that, as when JPA flushes, may still take locks.
	 */
	static void commits() {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(COMMITTING);
		}
	}

	/**
	 * Leaves the release of a lock, just acquired, to the current transaction.
	 * @param method what it was acquired for
	 * @param held what the thread has of it
	 * @param calls end when it has completed
	 * @return whether that will release it; if not, an earlier acquisition of the same
	 * lock is kept already and was not lost, so that this one need not be
	 */
	static boolean keep(LockedMethod method, LeaseLock lock, Held held, RunningCalls calls) {
		List<Held> leases = current().locks
			.computeIfAbsent(List.of(held.grant().client(), method.options().mode(), lock.names()),
					(key) -> new Kept(lock, new ArrayList<>(), calls))
			.leases();
		if (leases.stream().anyMatch((each) -> each.lease().isHeld())) {
			return false;
		}
		calls.begin(Thread.currentThread());
		return leases.add(held);
	}

	/**
	 * What the transaction of the current thread keeps.
	 */
	static Stream<Held> kept() {
		return !TransactionSynchronizationManager.isSynchronizationActive() ? Stream.empty()
				: TransactionSynchronizationManager.getSynchronizations()
					.stream()
					.filter(CompletionRelease.class::isInstance)
					.flatMap((each) -> ((CompletionRelease) each).locks.values().stream())
					.flatMap((kept) -> kept.leases().stream());
	}

	private static CompletionRelease current() {
		// A suspended transaction takes its synchronizations with it.
		for (TransactionSynchronization other : TransactionSynchronizationManager.getSynchronizations()) {
			if (other instanceof CompletionRelease current) {
				return current;
			}
		}
		CompletionRelease created = new CompletionRelease(Thread.currentThread());
		TransactionSynchronizationManager.registerSynchronization(created);
		return created;
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		String name = Objects.requireNonNullElse(TransactionSynchronizationManager.getCurrentTransactionName(), "");
		this.locks.values()
			.stream()
			.flatMap((kept) -> kept.leases().stream())
			.forEach((held) -> CommitGuard.check(name, held.lease(), held.settings()));
	}

	@Override
	public void beforeCompletion() {
		moveToTheEnd();
	}

	@Override
	public void afterCommit() {
		moveToTheEnd();
	}

	private void moveToTheEnd() {
		if (!this.locks.isEmpty() && TransactionSynchronizationManager.isSynchronizationActive()) {
			CompletionRelease last = new CompletionRelease(this.owner);
			TransactionSynchronizationManager.registerSynchronization(last);
			last.locks.putAll(this.locks);
			this.locks.clear();
		}
	}

	@Override
	public void afterCompletion(int status) {
		if (this.locks.isEmpty()) {
			return;
		}
		if (!Thread.currentThread().equals(this.owner)) {
			foreignCompletions.error("Locks " + this.locks.values().stream().map((kept) -> kept.lock().name()).toList()
					+ " are not released: their transaction was completed by thread '"
					+ Thread.currentThread().getName() + "', and thread '" + this.owner.getName()
					+ "' holds them. Have the thread complete it that began it; an explicit lease time bounds this.",
					null);
		}
		else {
			this.locks.values().forEach((kept) -> release(kept.lock(), status));
		}
		this.locks.values().forEach((kept) -> kept.leases().forEach((lease) -> kept.calls().end(this.owner)));
	}

	private static void release(LeaseLock lock, int status) {
		try {
			lock.unlock();
		}
		catch (LockException | IllegalMonitorStateException ex) {
			if (status == STATUS_ROLLED_BACK) {
				logger.debug("Lock '" + lock.name() + "' was not held when its transaction had rolled back", ex);
			}
			else {
				unreleased.warn(
						"Lock '" + lock.name() + "' was not released after its transaction. If it was lost, check what "
								+ "the transaction wrote; else it ends with its lease: " + ex.getMessage());
			}
		}
	}

	/**
	 * A lock, and what its thread has of it: one lease, and another if it has acquired
	 * the lock anew after the end of the one. Each counts as a call.
	 */
	private record Kept(LeaseLock lock, List<Held> leases, RunningCalls calls) {
	}

}
