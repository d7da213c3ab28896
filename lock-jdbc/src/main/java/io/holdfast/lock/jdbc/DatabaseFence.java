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

package io.holdfast.lock.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.holdfast.lock.LockMode;
import io.holdfast.lock.interceptor.LockFence;
import io.holdfast.lock.interceptor.LockStartUpException;
import io.holdfast.lock.redis.RedisLockClient;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.DigestUtils;

/**
 * Refuses commits of a database under a lock of which this database has seen a later
 * owner. The table {@code holdfast_fence} has the latest owner of each lock: a grant
 * writes itself there before its method begins, and each commit of a transaction under
 * the lock looks there last.
 * <p>
 * One fence is for one {@link DataSource}, and for the transactions that Spring's
 * managers for JDBC, JPA and Hibernate make on it. Those that are read-only are let pass,
 * and so are permits, which exclude nobody.
 */
@DependsOnDatabaseInitialization
public final class DatabaseFence implements LockFence {

	private static final Log logger = LogFactory.getLog(DatabaseFence.class);

	private static final String SCHEMA = "io/holdfast/lock/jdbc/schema-@@platform@@.sql";

	private static final int LONGEST_NAME = 255;

	private static final long PURGE_NANOS = TimeUnit.HOURS.toNanos(1);

	private final DataSource dataSource;

	private final FenceTable table;

	private final AtomicLong purged = new AtomicLong(System.nanoTime() - PURGE_NANOS);

	/**
	 * Create the fence of a database.
	 * @param dataSource what transaction managers have
	 * @param initializeSchema when to create the table
	 * @throws LockStartUpException if the table is not there, or no row of it can be
	 * locked
	 */
	public DatabaseFence(DataSource dataSource, DatabaseInitializationMode initializeSchema) {
		DataSource target = (dataSource instanceof TransactionAwareDataSourceProxy proxy) ? proxy.getTargetDataSource()
				: null;
		this.dataSource = (target != null) ? target : dataSource;
		if (initializeSchema != DatabaseInitializationMode.NEVER) {
			initialize(this.dataSource, initializeSchema);
		}
		try {
			this.table = new FenceTable(this.dataSource);
		}
		catch (BadSqlGrammarException ex) {
			throw new LockStartUpException(
					"The database has no table holdfast_fence, or cannot lock a row of it (select … for update): "
							+ NestedExceptionUtils.getMostSpecificCause(ex).getMessage() + ".",
					"Create it with " + SCHEMA
							+ " of lock-jdbc, or set holdfast.lock.fence.initialize-schema to always. "
							+ "With holdfast.lock.fence.enabled=false only fences that the application defines are left.",
					ex);
		}
	}

	private static void initialize(DataSource dataSource, DatabaseInitializationMode mode) {
		DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
		settings.setSchemaLocations(
				new PlatformPlaceholderDatabaseDriverResolver().resolveAll(dataSource, "classpath:" + SCHEMA));
		settings.setMode(mode);
		// Not every database can create a table only if there is none.
		settings.setContinueOnError(true);
		new DataSourceScriptDatabaseInitializer(dataSource, settings).initializeDatabase();
	}

	@Override
	public void granted(Grant grant) {
		List<Owner> owners = owners(List.of(grant)).toList();
		if (!owners.isEmpty()) {
			checkSnapshot(grant);
			owners.forEach((owner) -> {
				FenceTable.Row newer = this.table.raise(owner.entry());
				if (newer != null) {
					throw new SupersededException(grant, owner.name(), newer, "The method was not run");
				}
			});
			purge();
		}
	}

	/**
	 * Refuses a lock inside of a transaction that does not see what its earlier owners
	 * have written.
	 */
	private void checkSnapshot(Grant grant) {
		if (TransactionSynchronizationManager.isActualTransactionActive()
				&& !TransactionSynchronizationManager.isCurrentTransactionReadOnly()
				&& TransactionSynchronizationManager.getResource(this.dataSource) instanceof ConnectionHolder) {
			Integer level = new JdbcTemplate(this.dataSource)
				.execute((Connection connection) -> connection.getAutoCommit() ? Connection.TRANSACTION_NONE
						: connection.getTransactionIsolation());
			if (level != null && level > Connection.TRANSACTION_READ_COMMITTED) {
				throw new IllegalStateException("Lock '" + grant.lease().name()
						+ "' must not be acquired inside of a transaction that reads from a snapshot (isolation level "
						+ level + "): what earlier owners wrote may not be in it. Call the method before the "
						+ "transaction begins, or begin that with the isolation READ_COMMITTED.");
			}
		}
	}

	@Override
	public void beforeCommit(TransactionExecution transaction, List<Grant> grants) {
		if (!transaction.isReadOnly() && transaction instanceof DefaultTransactionStatus status
				&& status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc && isOfThisDatabase(jdbc)) {
			owners(grants).sorted(Comparator.comparing((owner) -> owner.entry().name())).forEach(this::check);
		}
	}

	private boolean isOfThisDatabase(JdbcTransactionObjectSupport transaction) {
		if (!transaction.hasConnectionHolder()) {
			throw new IllegalStateException(
					"The transaction manager does not tell the connection of its transaction, so "
							+ "it cannot be fenced: set its data source, and a JpaDialect that knows the connection.");
		}
		return transaction.getConnectionHolder() == TransactionSynchronizationManager.getResource(this.dataSource);
	}

	private void check(Owner owner) {
		FenceTable.Row row = this.table.look(owner.entry().name());
		if (row == null || row.token() < owner.entry().token()) {
			throw new IllegalStateException("Lock '" + owner.name()
					+ "' is not in the table holdfast_fence any more, so "
					+ "nothing says that its transaction may commit. It rolls back, and may be done again. The database "
					+ "was restored, or lost its last moments in a crash; or the lock was held for 30 days");
		}
		if (!row.isOf(owner.entry())) {
			throw new SupersededException(owner.grant(), owner.name(), row, "The transaction rolls back");
		}
	}

	private static Stream<Owner> owners(List<Grant> grants) {
		return grants.stream()
			.filter((grant) -> grant.options().mode().kind() != LockMode.Kind.PERMITS)
			.flatMap((grant) -> grant.lease().names().stream().map((name) -> new Owner(grant, name)));
	}

	private void purge() {
		long last = this.purged.get();
		if (System.nanoTime() - last > PURGE_NANOS && this.purged.compareAndSet(last, System.nanoTime())) {
			Thread thread = new Thread(() -> {
				try {
					this.table.purge();
				}
				catch (RuntimeException ex) {
					logger
						.warn("Rows of holdfast_fence that are older than 30 days could not be removed; that is tried "
								+ "again in an hour", ex);
				}
			}, "holdfast-fence-purge");
			thread.setDaemon(true);
			thread.start();
		}
	}

	/**
	 * An owner of one lock.
	 *
	 * @param grant what it was granted
	 * @param name the lock's name
	 */
	private record Owner(Grant grant, String name) {

		FenceTable.Entry entry() {
			String prefix = (this.grant.client() instanceof RedisLockClient client) ? client.keyPrefix() : "";
			String text = prefix + this.name;
			// MySQL and MariaDB do not tell names that differ in spaces at the end.
			boolean fits = text.length() <= LONGEST_NAME && !text.endsWith(" ");
			return new FenceTable.Entry(
					fits ? text : "md5:" + DigestUtils.md5DigestAsHex(text.getBytes(StandardCharsets.UTF_8)),
					this.grant.lease().token(this.name), this.grant.client().id(),
					this.grant.options().mode().kind() == LockMode.Kind.SHARED);
		}

	}

}
