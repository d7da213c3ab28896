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

import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code lock-look.lua}, by which who waits frees a lock of a dead owner.
 */
class LockLookScriptTests extends ScriptContract {

	private static final String SESSION = "#1.abcdef.n5c.1aao";

	/** One whose doubted holds end soon. */
	private static final String BRIEF_SESSION = "#1.abcdef.n5c.go";

	@Override
	List<?> runOn(String lock) {
		return look(lock, "two", "one" + SESSION);
	}

	@Override
	void refusesOtherTypes() {
		assertThat(runOn(this.key)).hasSize(1);
	}

	private List<?> look(String lock, String client, String... gone) {
		List<String> args = new ArrayList<>(settings(TIMEOUT));
		args.addAll(List.of(client, "100"));
		args.addAll(List.of(gone));
		return run(new ScriptCall(LockScript.LOOK, args), lock);
	}

	private void tied(String id, String session) {
		request("one", TIMEOUT, "acquire " + id + session + " xr " + LEASE + " 1 1 1 0 " + LATER);
	}

	private void tieAnew(String id, String session) {
		run(ScriptCall.renewals(settings(TIMEOUT), List.of("renew 3:" + id + " " + LEASE + " 0 0 0 " + session)),
				this.key);
	}

	private String doubt() {
		return String.valueOf(redis.opsForHash().get(this.key, "doubt"));
	}

	private boolean isFree() {
		look(this.key, "two");
		return redis.opsForHash().get(this.key, "until") == null;
	}

	@Test
	void tellsOfSessionsThatAreNotDoubted() {
		assertThat(look(this.key, "two")).isEqualTo(List.of(100L));
		tied("a", SESSION);

		assertThat(look(this.key, "two")).isEqualTo(List.of(100L, "one" + SESSION));
		assertThat(look(this.key, "one")).isEqualTo(List.of(100L));
		assertThat(doubt()).isEqualTo("null");
	}

	@Test
	void holdThatIsNotTiedIsNotDoubted() {
		acquire("a");

		assertThat(look(this.key, "two", "one", "one" + SESSION)).isEqualTo(List.of(100L));
		assertThat(doubt()).isEqualTo("null");
	}

	@Test
	void newsOfAnEarlierSessionChangesNothing() {
		tied("a", "#2.abcdef.n5c.1aao");

		look(this.key, "two", "one" + SESSION);

		assertThat(doubt()).isEqualTo("null");
	}

	@Test
	void doubtStaysAsOldAsItIs() {
		tied("a", SESSION);
		look(this.key, "two", "one" + SESSION);
		assertThat(doubt()).startsWith("3:a ");
		String first = doubt();

		look(this.key, "two", "one" + SESSION);

		assertThat(doubt()).isEqualTo(first);
	}

	@Test
	void doubtedHoldEndsAfterItsGraceAndGoesToWhoWaits() {
		tied("a", BRIEF_SESSION);
		join("b", "two");

		look(this.key, "two", "one" + BRIEF_SESSION);

		Awaitility.await().atMost(TestThreads.LONG).until(() -> {
			look(this.key, "two");
			return hash().get("hold").startsWith("b");
		});
		assertThat(messages()).anyMatch((message) -> message.startsWith("two: granted b "));
		assertThat(doubt()).isEqualTo("null");
	}

	@Test
	void renewalEndsADoubtAndTiesTheHoldAnew() {
		tied("a", SESSION);
		look(this.key, "two", "one" + SESSION);

		tieAnew("a", "#2.abcdef.n5c.1aao");
		assertThat(doubt()).isEqualTo("null");
		look(this.key, "two", "one" + SESSION);
		assertThat(doubt()).isEqualTo("null");
		tieAnew("a", SESSION);

		assertThat(look(this.key, "two")).as("late news does not tie back")
			.isEqualTo(List.of(100L, "one#2.abcdef.n5c.1aao"));
	}

	@Test
	void renewalTiesAReaderAnew() {
		request("one", TIMEOUT, "acquire a" + SESSION + " sr " + LEASE + " 1 1 1 1 " + LATER);

		tieAnew("a", "#2.abcdef.n5c.1aao");

		assertThat(look(this.key, "two")).isEqualTo(List.of(100L, "one#2.abcdef.n5c.1aao"));
	}

	@Test
	void questionThatRunsAgainEndsADoubt() {
		tied("a", SESSION);
		look(this.key, "two", "one" + SESSION);

		tied("a", SESSION);

		assertThat(doubt()).isEqualTo("null");
	}

	@Test
	void eachMemberOfAGroupHasItsOwnDoubt() {
		request("one", TIMEOUT, "acquire a" + BRIEF_SESSION + " sr " + LEASE + " 1 1 1 1 " + LATER);
		request("two", TIMEOUT, "acquire b#1.abcdef.n5c.1aao sr " + LEASE + " 1 1 1 1 " + LATER);

		assertThat(look(this.key, "three", "one" + BRIEF_SESSION, "two#1.abcdef.n5c.1aao").get(0)).isEqualTo(100L);
		Awaitility.await().atMost(TestThreads.LONG).until(() -> {
			look(this.key, "three");
			return !hash().containsKey("h:a");
		});
		assertThat(hash()).containsKey("h:b");
		assertThat(doubt()).startsWith("3:b ");
	}

	@Test
	void releaseOfADoubtedHoldIsARelease() {
		tied("a", SESSION);
		look(this.key, "two", "one" + SESSION);

		assertThat(release("a").toString()).contains("RELEASED");
		assertThat(isFree()).isTrue();
		assertThat(doubt()).isEqualTo("null");
	}

	@Test
	void whoIsBehindOthersLooksLater() {
		tied("a", SESSION);
		join("b", "two");
		join("c", "three");

		assertThat(look(this.key, "two").get(0)).isEqualTo(100L);
		assertThat(look(this.key, "three").get(0)).isEqualTo(200L);
		assertThat(look(this.key, "nobody").get(0)).isEqualTo(300L);
	}

}
