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

package io.holdfast.lock.internal.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;

import io.holdfast.lock.LockMode;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Command.Release;
import io.holdfast.lock.internal.protocol.HoldInfo;
import io.holdfast.lock.internal.protocol.LockPage;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.protocol.RequestIds;
import io.holdfast.lock.internal.protocol.WaiterInfo;
import io.holdfast.lock.internal.protocol.Wish;
import io.holdfast.lock.testing.FailingThreadStarts;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisTopology;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the port promises, on a real Redis of any kind.
 */
abstract class RedisPortContract {

	@Parameter
	RedisDriver driver;

	PortClient one;

	PortClient other;

	/** Has a blank, as names may. */
	String name;

	abstract RedisTopology redis();

	@BeforeEach
	void open() throws InterruptedException {
		this.name = "price " + RequestIds.random();
		String prefix = "port-" + RequestIds.random() + ":";
		this.one = PortClient.open(this.driver, redis(), prefix);
		this.other = PortClient.open(this.driver, redis(), prefix);
	}

	@AfterEach
	void close() {
		this.one.close();
		this.other.close();
	}

	@Test
	void freeLockIsGrantedAndGivenBack() {
		String id = RequestIds.next();
		Reply granted = this.one.ask(this.name, id, PortClient.WRITE);

		assertThat(granted).returns(Word.HOLDS, Reply::word)
			.returns(PortClient.LEASE, Reply::leftMillis)
			.returns(false, Reply::othersWait);
		assertThat(granted.token()).isPositive().isEqualTo(granted.last());
		assertThat(this.one.ask(this.name, id, PortClient.WRITE).token()).isEqualTo(granted.token());
		assertThat(this.one.giveUp(this.name, id).word()).isEqualTo(Word.RELEASED);
		assertThat(this.one.giveUp(this.name, id).word()).isEqualTo(Word.RELEASED);
		assertThat(this.other.ask(this.name, RequestIds.next(), PortClient.WRITE).token())
			.isGreaterThan(granted.token());
	}

	@Test
	void waiterIsToldThatItHasTheLockAndTheHolderThatItIsAwaited() throws InterruptedException {
		String held = this.one.take(this.name, PortClient.WRITE);
		String waits = this.other.join(this.name, PortClient.WRITE);

		assertThat(this.one.hear()).isEqualTo("awaited " + held + " " + this.one.key(this.name));
		assertThat(this.one.giveUp(this.name, held).word()).isEqualTo(Word.RELEASED);

		// For as long as a place lasts: the receiver may be dead.
		assertThat(this.other.hear()).startsWith("granted " + waits + " ")
			.endsWith(" 10000 0 " + this.one.key(this.name));
	}

	@Test
	void questionOfNobodyDoesNotJoinAndOneThatComesLateDoesNothing() {
		this.one.take(this.name, PortClient.WRITE);
		String second = RequestIds.next();
		assertThat(PortClient.done(this.other.server.send(this.other.question(this.name, second, PortClient.WRITE, 0)))
			.word()).isEqualTo(Word.NONE);
		Command.Ask late = new Command.Ask(this.other.key(this.name), RequestIds.next(), PortClient.WRITE,
				PortClient.LEASE, 1, 1, System.nanoTime() - PortClient.PATIENCE.toNanos(), "");

		assertThat(PortClient.done(this.other.server.send(late)).word()).isEqualTo(Word.LATE);
		assertThat(this.one.server.directory().waiters(this.one.key(this.name), 10)).isEmpty();
	}

	@Test
	void placeThatIsLeftIsLeftAndWhatNobodyHadIsGone() {
		this.one.take(this.name, PortClient.WRITE);
		String waits = this.other.join(this.name, PortClient.WRITE);

		assertThat(this.other.giveUp(this.name, waits).word()).isEqualTo(Word.LEFT);
		assertThat(PortClient
			.done(this.other.server.send(new Release(this.other.key(this.name), RequestIds.next(), 1, null)))
			.word()).isIn(Word.GONE, Word.RELEASED);
	}

	@Test
	void releaseTakesTheNextRequestAlong() throws InterruptedException {
		String held = this.one.take(this.name, PortClient.WRITE);
		String waits = this.other.join(this.name, PortClient.WRITE);
		String next = RequestIds.next();

		Reply reply = PortClient.done(this.one.server.send(new Release(this.one.key(this.name), held, 0,
				this.one.question(this.name, next, PortClient.WRITE, 1))));

		assertThat(reply.word()).isEqualTo(Word.RELEASED);
		assertThat(reply.next()).returns(Word.WAITS, Reply::word).returns(reply.sentNanos(), Reply::sentNanos);
		assertThat(this.other.hear()).startsWith("granted " + waits).endsWith(" 1 " + this.one.key(this.name));
		assertThat(this.other.giveUp(this.name, waits).word()).isEqualTo(Word.RELEASED);
		assertThat(this.one.ask(this.name, next, PortClient.WRITE).word()).isEqualTo(Word.HOLDS);
	}

	@Test
	void readersHoldTogetherAndAWriterThatLetsGoBecomesOne() throws InterruptedException {
		String writer = this.one.take(this.name, PortClient.WRITE);
		long written = this.one.ask(this.name, writer, PortClient.WRITE).token();
		String reader = this.other.join(this.name, PortClient.READ);

		Reply downgraded = this.one.downgrade(this.name, writer);

		assertThat(downgraded.word()).isEqualTo(Word.HOLDS);
		assertThat(downgraded.token()).isGreaterThan(written);
		assertThat(this.other.hear()).startsWith("granted " + reader);
		Reply read = this.other.ask(this.name, reader, PortClient.READ);
		assertThat(read).returns(Word.HOLDS, Reply::word).returns(downgraded.token(), Reply::token);
		assertThat(read.last()).isGreaterThan(downgraded.last());
		assertThat(this.one.server.directory().describe(List.of(this.one.key(this.name)), true))
			.allMatch((each) -> each.wish().isShared() && each.holders() == 2)
			.extracting(HoldInfo::id)
			.containsExactlyInAnyOrder(writer, reader);
	}

	@Test
	void permitsAreHeldUpToTheirLimit() throws InterruptedException {
		Wish two = Wish.of(LockMode.permits(2, 3), false);
		Wish single = Wish.of(LockMode.permits(1, 3), false);
		String pair = this.one.take(this.name, two);
		this.other.take(this.name, single);
		String waits = this.other.join(this.name, single);

		assertThat(this.one.server.directory().describe(List.of(this.one.key(this.name)), true))
			.extracting(HoldInfo::wish)
			.containsExactlyInAnyOrder(two, single);
		assertThat(this.other.hear()).startsWith("awaited");
		assertThat(this.one.giveUp(this.name, pair).word()).isEqualTo(Word.RELEASED);
		assertThat(this.other.hear()).startsWith("granted " + waits);
	}

	@Test
	void manyRenewalsAndReleasesTravelTogether() {
		List<String> ids = new ArrayList<>();
		List<Command> renewals = new ArrayList<>();
		for (int i = 0; i < 600; i++) {
			ids.add(this.one.take(this.name + i, PortClient.WRITE));
			renewals.add(this.one.renewal(this.name + i, ids.get(i)));
		}
		renewals.add(this.one.renewal(this.name, RequestIds.next()));

		List<Reply> renewed = PortClient.done(this.one.server.sendTogether(renewals));

		assertThat(renewed.subList(0, 600)).allMatch((each) -> each.word() == Word.HOLDS && each.leftMillis() > 0);
		assertThat(renewed.get(600).word()).isEqualTo(Word.NONE);
		List<Reply> released = PortClient.done(this.one.server.sendTogether(
				IntStream.range(0, 600).mapToObj((i) -> this.one.release(this.name + i, ids.get(i))).toList()));
		assertThat(released).allMatch((each) -> each.word() == Word.RELEASED);
	}

	@Test
	void commandsOfAnyKindMayTravelTogether() {
		String held = this.one.take(this.name, PortClient.WRITE);
		String next = RequestIds.next();

		List<Reply> replies = PortClient
			.done(this.one.server.sendTogether(List.of(new Command.Downgrade(this.one.key(this.name), held),
					this.one.renewal(this.name, held), new Release(this.one.key(this.name), held, 0,
							this.one.question(this.name, next, PortClient.WRITE, 1)))));

		assertThat(replies).extracting(Reply::word).containsExactly(Word.HOLDS, Word.HOLDS, Word.RELEASED);
		assertThat(replies.get(2).next().word()).isEqualTo(Word.HOLDS);
	}

	@Test
	void operatorsSeeWhoHoldsAndWhoWaitsAndEndAHold() throws InterruptedException {
		String held = this.one.take(this.name, PortClient.WRITE);
		String waits = this.other.join(this.name, Wish.shared(true));
		String key = this.one.key(this.name);
		var directory = this.other.server.directory();

		HoldInfo hold = directory.describe(List.of(this.one.key("free"), key), true).get(0);
		assertThat(hold).returns(key, HoldInfo::key)
			.returns(held, HoldInfo::id)
			.returns(this.one.settings.clientId(), HoldInfo::client)
			.returns(PortClient.WRITE, HoldInfo::wish)
			.returns(1, HoldInfo::holders)
			.returns(1L, HoldInfo::waiters);
		assertThat(hold.leftMillis()).isBetween(1L, PortClient.LEASE);
		assertThat(directory.waiters(key, 10))
			.containsExactly(new WaiterInfo(true, Wish.shared(true), this.other.settings.clientId(), waits));

		assertThat(directory.evict(key, List.of("3:nobody"))).isZero();
		assertThat(directory.evict(key, List.of(held))).isEqualTo(1);

		assertThat(this.one.hear()).startsWith("awaited");
		assertThat(this.one.hear()).isEqualTo("forced " + held + " " + key);
		assertThat(this.other.hear()).startsWith("granted " + waits);
		assertThat(this.one.giveUp(this.name, held).word()).isEqualTo(Word.GONE);
		assertThat(directory.evict(key, List.of())).isEqualTo(1);
	}

	@Test
	void pagesHaveAllLocks() {
		TreeSet<String> held = new TreeSet<>();
		for (int i = 0; i < 50; i++) {
			this.one.take("list:" + i, PortClient.WRITE);
			held.add(this.one.key("list:" + i));
		}
		this.one.take("other", PortClient.WRITE);
		List<String> found = new ArrayList<>();
		LockPage page = new LockPage("0", List.of());
		do {
			page = this.one.server.directory().list(page.next(), 10, "list:");
			found.addAll(page.keys());
		}
		while (!page.next().equals("0"));

		assertThat(new TreeSet<>(found)).isEqualTo(held);
		assertThat(this.one.server.directory().describe(new ArrayList<>(held), true)).extracting(HoldInfo::key)
			.containsExactlyInAnyOrderElementsOf(held);
	}

	@Test
	void echoArrives() {
		String channel = this.one.settings.keys().channelPrefix() + this.one.settings.clientId();
		Object before = heard();

		assertThat(this.one.server.echo(this.one.key(this.name), channel, 1)).isEqualTo("OK");

		Awaitility.await().atMost(PortClient.PATIENCE).until(() -> !heard().equals(before));
	}

	private Object heard() {
		return ReflectionTestUtils.getField(this.one.channel, "heardNanos");
	}

	@Test
	void callerSendsByItselfAndNoOtherThreadIsInvolved() {
		this.one.take(this.name + " warm-up", PortClient.WRITE);
		FailingThreadStarts starts = new FailingThreadStarts();
		try {
			starts.after(0, 1);

			for (int i = 0; i < 100; i++) {
				this.one.giveUp(this.name + i, this.one.take(this.name + i, PortClient.WRITE));
			}

			assertThat(starts.haveFailed()).isFalse();
		}
		finally {
			starts.remove();
		}
	}

}
