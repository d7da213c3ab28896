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

package io.holdfast.lock.chaos;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.lock.chaos.History.Write;
import org.jspecify.annotations.Nullable;

/**
 * P1 and P2: fencing tokens. Readers that hold a lock together share one. That of a
 * permit is none by which a resource could refuse, so no order is asked among them.
 */
final class TokenCheck {

	/**
	 * How many tokens a grant brings: its own and, from the microseconds before, one for
	 * each time in a row that threads of its client hand the lock to each other.
	 */
	private static final int BLOCK = 17;

	private final Promises promises;

	private final FaultWindows windows;

	private final Findings findings;

	TokenCheck(Promises promises, FaultWindows windows, Findings findings) {
		this.promises = promises;
		this.windows = windows;
		this.findings = findings;
	}

	void check(Map<Long, List<Attempt>> grantsByLock, List<Write> writes) {
		grantsByLock.values().forEach((grants) -> {
			if (this.promises.complete()) {
				grants.stream()
					.filter((grant) -> grant.token() == 0)
					.forEach((grant) -> this.findings.add(Property.P1, grant.lock(), grant.ended(),
							"no token: " + grant));
			}
			List<Attempt> fenced = grants.stream().filter((grant) -> grant.token() != 0).toList();
			checkUnique(fenced);
			checkOrder(fenced);
		});
		checkWriters(grantsByLock, writes);
	}

	private void checkUnique(List<Attempt> grants) {
		Map<Long, Attempt> owners = new HashMap<>();
		for (Attempt grant : grants) {
			Attempt other = owners.putIfAbsent(grant.token(), grant);
			if (areReaders(grant, other)) {
				continue;
			}
			if (other != null && areOfTwoMasters(grant, other)) {
				this.findings.excuseTwin();
			}
			else if (other != null) {
				this.findings.add(Property.P1, grant.lock(), grant.ended(), "same token: " + other + " and " + grant);
			}
		}
	}

	private static boolean areReaders(@Nullable Attempt one, @Nullable Attempt other) {
		return one != null && other != null && one.mode() == Mode.READER && other.mode() == Mode.READER;
	}

	/**
	 * Whether two masters may have given two grants, each of them one, because one
	 * failover struck both.
	 */
	private boolean areOfTwoMasters(Attempt one, Attempt other) {
		return this.windows.hadTwoMasters(Math.max(this.promises.grantedSince(one), this.promises.grantedSince(other)),
				Math.min(Math.max(one.ended(), one.releaseInvoked()), Math.max(other.ended(), other.releaseInvoked())));
	}

	private void checkWriters(Map<Long, List<Attempt>> grantsByLock, List<Write> writes) {
		Map<List<Long>, Write> owners = new HashMap<>();
		Map<List<Integer>, Attempt> grants = new HashMap<>();
		grantsByLock.values()
			.forEach((all) -> all.forEach((each) -> grants.put(List.of(each.process(), each.record()), each)));
		for (Write write : writes) {
			if (write.token() == 0) {
				continue;
			}
			Write other = owners.putIfAbsent(List.of(write.lock(), write.token()), write);
			if (other == null || (other.process() == write.process() && other.record() == write.record())) {
				continue;
			}
			Attempt grant = grants.get(List.of(write.process(), write.record()));
			Attempt otherGrant = grants.get(List.of(other.process(), other.record()));
			if (!areReaders(grant, otherGrant)
					&& (grant == null || otherGrant == null || !areOfTwoMasters(grant, otherGrant))) {
				this.findings.add(Property.P1, write.lock(), write.at(),
						"two wrote with one token: " + other + " and " + write);
			}
		}
	}

	/**
	 * Takes those that were called in order, and before each all whose grant was known
	 * before that: of each mode the one with the largest token.
	 */
	private void checkOrder(List<Attempt> byEnd) {
		List<Attempt> byCall = byEnd.stream().sorted(Comparator.comparingLong(Attempt::invoked)).toList();
		Map<Mode, Attempt> largest = new EnumMap<>(Mode.class);
		int known = 0;
		for (Attempt grant : byCall) {
			while (byEnd.get(known).ended() < grant.invoked()) {
				Attempt earlier = byEnd.get(known++);
				largest.merge(earlier.mode(), earlier, (one, other) -> (other.token() > one.token()) ? other : one);
			}
			largest.values()
				.stream()
				.filter((each) -> each.mode().excludes(grant.mode()))
				.max(Comparator.comparingLong(Attempt::token))
				.filter((each) -> each.token() >= grant.token())
				.ifPresent((each) -> older(grant, each, byEnd));
		}
	}

	private void older(Attempt grant, Attempt later, List<Attempt> byEnd) {
		if (isPassedOn(grant, later, byEnd)) {
			this.findings.excuseToken();
		}
		else if ((later.token() - grant.token() < BLOCK || grant.mode() == Mode.READER)
				&& areOfTwoMasters(grant, later)) {
			this.findings.excuseTwin();
		}
		else {
			this.findings.add(Property.P2, grant.lock(), grant.ended(), grant + " after " + later);
		}
	}

	/**
	 * Whether a thread got a hold from another thread of its client, or reads beside it,
	 * which had asked for it before a later one was known. It comes with tokens of its
	 * own, and if data were lost the client cannot know that there is a later one. The
	 * resource can.
	 */
	private boolean isPassedOn(Attempt grant, Attempt later, List<Attempt> grants) {
		return grants.stream()
			.filter((first) -> first.process() == grant.process() && first.fair() == grant.fair())
			.filter((first) -> first.mode() == grant.mode() && !first.equals(grant))
			.filter((first) -> first.token() <= grant.token() && grant.token() - first.token() < BLOCK)
			.filter((first) -> first.invoked() <= later.ended())
			.filter((first) -> later.ended() - first.ended() < this.promises.handOverNanos())
			.anyMatch((first) -> this.windows.lostData(first.invoked(), grant.ended()));
	}

}
