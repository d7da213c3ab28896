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

package io.holdfast.lock.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockClientHealth.Status;
import io.holdfast.lock.LockDirectory.Client;
import io.holdfast.lock.LockDirectory.ClientList;
import io.holdfast.lock.LockDirectory.ClientReport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * How the clients that share a prefix are, by their own word.
 */
class ClientListTests extends LockContract {

	private static final boolean MAY_NOT_LOOK = "acl".equals(System.getProperty("redis.setup"));

	private static final boolean ALONE = "local".equals(System.getProperty("redis.setup"));

	@BeforeEach
	void awaitSubscriptions() {
		awaitSubscription(this.here);
		awaitSubscription(this.elsewhere);
	}

	private static void assumeOthersAreKnown() {
		assumeFalse(MAY_NOT_LOOK || ALONE, "Other clients are not known");
	}

	@Test
	void everyClientSaysHowItIs() {
		assumeOthersAreKnown();
		LeaseLock held = lock(this.elsewhere);
		held.lock();
		this.threads.run(() -> {
			lock(this.elsewhere).lock();
			lock(this.elsewhere).unlock();
		});
		eventually().until(() -> reportOf(this.elsewhere).waiting() == 1);

		ClientList list = this.here.directory().clients(LONG);

		assertThat(list.missing()).isNull();
		assertThat(list.clients()).extracting(Client::id).containsExactly(this.here.id(), this.elsewhere.id());
		assertThat(list.clients()).extracting(Client::own).containsExactly(true, false);
		Client other = list.clients().get(1);
		assertThat(this.elsewhere.id()).startsWith(other.application() + "@" + other.host() + "/");
		ClientReport report = other.report();
		assertThat(report.health().status()).isEqualTo(Status.UP);
		assertThat(report.health().held()).isOne();
		assertThat(report.health().overdueRenewals()).isZero();
		assertThat(report.health().lastAnswer()).isNotNull();
		assertThat(report.health().subscriptionDownFor()).isNull();
		assertThat(report.waiting()).isOne();
		assertThat(report.renewalLag()).isZero();
		assertThat(report.pendingReleases()).isZero();
		assertThat(report.resubscriptions()).isZero();
		held.unlock();
	}

	/**
	 * In a cluster they are subscribed to nodes of all kinds.
	 */
	@Test
	void manyClientsAreAllThere() {
		assumeOthersAreKnown();
		List<LockClient> others = IntStream.range(0, 10).mapToObj((i) -> client()).toList();
		others.forEach(LockContract::awaitSubscription);

		ClientList list = this.here.directory().clients(LONG);

		assertThat(list.missing()).isNull();
		assertThat(list.clients()).extracting(Client::id)
			.containsExactlyInAnyOrderElementsOf(
					Stream.concat(Stream.of(this.here, this.elsewhere), others.stream()).map(LockClient::id).toList());
		assertThat(list.clients()).allSatisfy((each) -> assertThat(each.report()).as(each.id()).isNotNull());
	}

	@Test
	void closedClientIsGone() {
		this.elsewhere.close();

		eventually()
			.untilAsserted(() -> assertThat(this.here.directory().clients(LONG).clients()).extracting(Client::id)
				.containsExactly(this.here.id()));
		assertThatExceptionOfType(LockClientClosedException.class)
			.isThrownBy(() -> this.elsewhere.directory().clients(LONG));
	}

	@Test
	void ownClientIsThereWithoutPatience() {
		lock().lock();

		for (Duration patience : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofSeconds(Long.MIN_VALUE))) {
			Client own = this.here.directory().clients(patience).clients().get(0);

			assertThat(own.id()).isEqualTo(this.here.id());
			assertThat(own.own()).isTrue();
			assertThat(own.report().health().held()).isOne();
		}
		lock().unlock();
	}

	@Test
	void localClientIsAlone() {
		assumeTrue(ALONE, "Another setup");

		ClientList list = this.here.directory().clients(LONG);

		assertThat(list.missing()).isNull();
		assertThat(list.clients()).extracting(Client::id).containsExactly(this.here.id());
	}

	@Test
	void whoMayNotLookForOthersIsToldSo() {
		assumeTrue(MAY_NOT_LOOK, "Another setup");

		ClientList list = this.here.directory().clients(LONG);

		assertThat(list.missing()).contains("REFUSED");
		assertThat(list.clients()).extracting(Client::id).containsExactly(this.here.id());
	}

	private ClientReport reportOf(LockClient client) {
		return this.here.directory()
			.clients(LONG)
			.clients()
			.stream()
			.filter((each) -> each.id().equals(client.id()))
			.findFirst()
			.orElseThrow()
			.report();
	}

}
