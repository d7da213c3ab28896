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
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockMode.Kind;
import io.holdfast.lock.internal.protocol.Command.Ask;
import io.holdfast.lock.internal.protocol.Command.Downgrade;
import io.holdfast.lock.internal.protocol.Command.Release;
import io.holdfast.lock.internal.protocol.Command.Renew;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.protocol.RequestIds;
import io.holdfast.lock.internal.protocol.ServerSettings;
import io.holdfast.lock.internal.protocol.Wish;
import io.holdfast.lock.internal.redis.ScriptRunner.Call;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Words commands as the scripts read them, and reads what these answer. Each answer
 * begins with the id of its request, or of its call: after an abandoned read, a
 * connection may deliver the previous call's answer, and only the id shows it.
 */
final class Wire {

	static final String PUBLISH = "PUBLISH";

	/** A letter for each of the kinds. */
	private static final String LETTERS = "xsp";

	private static final List<Kind> KINDS = List.of(Kind.EXCLUSIVE, Kind.SHARED, Kind.PERMITS);

	private static final Set<Word> STANDINGS = EnumSet.of(Word.HOLDS, Word.WAITS, Word.NONE);

	private static final Set<Word> ENDINGS = EnumSet.of(Word.RELEASED, Word.LEFT, Word.GONE);

	/** What scripts need to know that change something. */
	final List<String> settings;

	private final String settingsLine;

	private final String client;

	private final long retentionMillis;

	private final ServerClock clock;

	Wire(ServerSettings settings, ServerClock clock) {
		this.client = settings.clientId();
		this.retentionMillis = settings.tokenRetention().toMillis();
		this.settings = List.of(Long.toString(settings.waiterTimeout().toMillis()), Long.toString(this.retentionMillis),
				PUBLISH, settings.keys().channelPrefix());
		this.settingsLine = ' ' + String.join(" ", this.settings);
		this.clock = clock;
	}

	/**
	 * The script call for renewals, for questions and releases, or for one command of any
	 * kind.
	 */
	Call<?, List<Reply>> call(List<Pending> together) {
		Pending first = together.get(0);
		if (first.command instanceof Renew) {
			return renewals(together);
		}
		if (first.command instanceof Downgrade) {
			return alone(LockScript.DOWNGRADE, first, args(List.of(first.command.id()), this.settings));
		}
		if (together.size() == 1 && first.command instanceof Ask ask) {
			boolean quick = ask.wish().kind() == Kind.EXCLUSIVE && ask.block() == 1
					&& ask.leaseMillis() <= this.retentionMillis;
			long notAfter = this.clock.millisAt(ask.key(), ask.notAfterNanos());
			return alone(LockScript.ACQUIRE, first,
					List.of(ask.id(), mode(ask.wish()) + ' ' + this.client + ask.session(),
							Long.toString(ask.leaseMillis()), Long.toString(ask.leaseMillis() + this.retentionMillis),
							Long.toString(quick ? TimeUnit.MILLISECONDS.toMicros(notAfter) : 0),
							more(ask, notAfter) + this.settingsLine, most(ask)));
		}
		if (together.size() == 1 && first.command instanceof Release release && release.next() == null) {
			return alone(LockScript.RELEASE, first, List.of(release.id(), release.stamp() + this.settingsLine));
		}
		return new Call<>(LockScript.REQUESTS, keys(together), (answers) -> readEach(together, answers),
				args(List.of(this.client), this.settings, together.stream().map(this::text).toList()));
	}

	private Call<String, List<Reply>> alone(RedisScript<String> script, Pending request, List<String> args) {
		return new Call<>(script, List.of(request.command.key()), (answer) -> List.of(read(request, answer)), args);
	}

	private Call<List<?>, List<Reply>> renewals(List<Pending> together) {
		String call = RequestIds.random();
		List<String> args = args(this.settings, List.of(call));
		for (Pending each : together) {
			Renew renew = (Renew) each.command;
			String more = (renew.block() == 0 && renew.ownedMillis() == 0 && renew.session().isEmpty()) ? ""
					: " " + renew.block() + ' ' + renew.ownedMillis() + ' ' + renew.session();
			args.addAll(List.of(renew.id(), Long.toString(renew.leaseMillis()), renew.callers() + more));
		}
		return new Call<>(LockScript.RENEW, keys(together), (answer) -> {
			require(answer.get(0).equals(call), call, answer);
			this.clock.learn(together.get(0).command.key(), Long.parseLong((String) answer.get(1)));
			return readEach(together, answer.subList(2, answer.size()));
		}, args);
	}

	@SafeVarargs
	static List<String> args(List<String>... parts) {
		List<String> args = new ArrayList<>();
		for (List<String> part : parts) {
			args.addAll(part);
		}
		return args;
	}

	private static List<String> keys(List<Pending> together) {
		return together.stream().map((each) -> each.command.key()).toList();
	}

	private String text(Pending request) {
		if (request.command instanceof Release release) {
			String text = "release " + release.id() + ' ' + release.stamp();
			return (release.next() != null) ? text + ' ' + text(release.next()) : text;
		}
		return "acquire" + most((Ask) request.command) + ' ' + text((Ask) request.command);
	}

	private static String most(Ask ask) {
		return (ask.wish().maxWaiters() > 0) ? Integer.toString(ask.wish().maxWaiters()) : "";
	}

	private String text(Ask ask) {
		return ask.id() + ask.session() + ' ' + mode(ask.wish()) + ' ' + ask.leaseMillis() + ' '
				+ more(ask, this.clock.millisAt(ask.key(), ask.notAfterNanos()));
	}

	private static String more(Ask ask, long notAfterMillis) {
		return ask.wish().units() + " " + ask.wish().limit() + ' ' + ask.block() + ' ' + ask.callers() + ' '
				+ notAfterMillis;
	}

	/**
	 * The kind and the order of a request, a letter each.
	 */
	private static String mode(Wish wish) {
		return LETTERS.charAt(KINDS.indexOf(wish.kind())) + (wish.fair() ? "f" : "r");
	}

	static Wish wish(String mode, int units, int limit) {
		return Wish.of(new LockMode(KINDS.get(LETTERS.indexOf(mode.charAt(0))), units, limit), mode.endsWith("f"));
	}

	/**
	 * Reads all answers before anybody may act on one: if one of them is not what was
	 * asked for, none is.
	 */
	private List<Reply> readEach(List<Pending> together, List<?> answers) {
		require(answers.size() == together.size(), together.size(), answers);
		return IntStream.range(0, answers.size())
			.mapToObj((i) -> read(together.get(i), (String) answers.get(i)))
			.toList();
	}

	private Reply read(Pending request, String line) {
		String[] words = line.split(" ");
		if (request.command instanceof Renew renew && words.length == 1) {
			return asAsked(renew.leaseMillis(), words[0]);
		}
		String id = request.command.id();
		require(words[0].equals(id), id, line);
		if (request.command instanceof Renew) {
			return standing(request, words, 1);
		}
		if (request.command instanceof Release release) {
			Word word = Word.valueOf(words[1]);
			require(ENDINGS.contains(word) && (words.length == 2) == (release.next() == null), id, line);
			Reply next = (release.next() != null) ? standingNow(request, words, 2) : null;
			return new Reply(word, 0, 0, 0, false, 0, next);
		}
		if (request.command instanceof Ask ask && words.length == 3 && words[1].equals("HELD")) {
			this.clock.learn(ask.key(), TimeUnit.MICROSECONDS.toMillis(Long.parseLong(words[2])));
			return asAsked(ask.leaseMillis(), words[2]);
		}
		return standingNow(request, words, 1);
	}

	/**
	 * Holds for as long as it has asked for; its tokens begin and end with one, and
	 * nobody waits.
	 */
	private static Reply asAsked(long leaseMillis, String token) {
		long only = Long.parseLong(token);
		return new Reply(Word.HOLDS, leaseMillis, only, only, false, 0, null);
	}

	private Reply standingNow(Pending request, String[] words, int at) {
		this.clock.learn(request.command.key(), Long.parseLong(words[at]));
		return switch (words[at + 1]) {
			case "LATE" -> new Reply(Word.LATE, 0, 0, 0, false, 0, null);
			case "FULL" -> new Reply(Word.FULL, 0, 0, Long.parseLong(words[at + 2]), false, 0, null);
			default -> standing(request, words, at + 1);
		};
	}

	private static Reply standing(Pending request, String[] words, int at) {
		Word word = Word.valueOf(words[at]);
		require(STANDINGS.contains(word) && words.length == at + 5, request.command.id(), String.join(" ", words));
		return new Reply(word, Long.parseLong(words[at + 1]), Long.parseLong(words[at + 2]),
				Long.parseLong(words[at + 3]), words[at + 4].equals("1"), 0, null);
	}

	private static void require(boolean right, Object asked, Object answer) {
		if (!right) {
			throw new IllegalArgumentException(asked + " was answered \"" + answer + '"');
		}
	}

}
