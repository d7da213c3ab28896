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

package io.holdfast.lock.sample;

import org.jspecify.annotations.Nullable;

/**
 * Asks an instance for something in its database, again and again, and remembers whether
 * there was an error.
 */
final class DatabaseWatch implements AutoCloseable {

	private final ShopProcess shop;

	private final Thread thread = new Thread(this::watch, "database-watch");

	private @Nullable RuntimeException failure;

	private boolean closed;

	DatabaseWatch(ShopProcess shop) {
		this.shop = shop;
		this.thread.start();
	}

	private void watch() {
		while (!isClosed()) {
			try {
				this.shop.stocktaking();
			}
			catch (RuntimeException ex) {
				note(ex);
			}
		}
	}

	private synchronized void note(RuntimeException failed) {
		this.failure = failed;
	}

	private synchronized boolean isClosed() {
		return this.closed;
	}

	synchronized void assertNothingFailed() {
		if (this.failure != null) {
			throw new AssertionError("The database was missed", this.failure);
		}
	}

	@Override
	public void close() {
		synchronized (this) {
			this.closed = true;
		}
		try {
			this.thread.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
