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

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.holdfast.lock.chaos.Attempt.Anomaly;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Histories made by hand, good and bad ones: the checker must find each mistake and
 * nothing else. Times are milliseconds before now.
 */
class CheckerTests {

	private static final long LOCK = 7;

	private static final long SINGLE = LockNumbers.single(1, 1);

	private static final long WAIT = 8_000;

	private final long start = System.nanoTime() - Duration.ofMinutes(2).toNanos();

	@TempDir
	private Path directory;

	private Topology topology = Topology.STANDALONE;

	private Recorder conductor;

	private Recorder resource;

	private Recorder one;

	private Recorder two;

	@BeforeEach
	void create() throws IOException {
		this.conductor = Recorder.create(this.directory, 0);
		this.resource = Recorder.create(this.directory, -1);
		this.one = Recorder.create(this.directory, 1);
		this.two = Recorder.create(this.directory, 2);
		this.conductor.life(1, at(0));
		this.conductor.life(2, at(0));
	}

	private long at(long millis) {
		return this.start + Duration.ofMillis(millis).toNanos();
	}

	private static long nanos(long millis) {
		return Duration.ofMillis(millis).toNanos();
	}

	private Recorder.Trace grant(Recorder process, long invoked, long ended, long token) {
		return grant(process, false, invoked, ended, token);
	}

	private Recorder.Trace grant(Recorder process, boolean fair, long invoked, long ended, long token) {
		return grant(process, Mode.ALONE, fair, invoked, ended, token);
	}

	private Recorder.Trace grant(Recorder process, Mode mode, boolean fair, long invoked, long ended, long token) {
		Recorder.Trace trace = process.attempt(LOCK, mode, fair, fair, nanos(WAIT), at(invoked));
		trace.ended(Outcome.DONE, token, at(ended));
		return trace;
	}

	private Recorder.Trace claim(Recorder process, long invoked, long ended, long token) {
		Recorder.Trace trace = grant(process, invoked, ended, token);
		trace.claimed(at(ended), nanos(1500));
		return trace;
	}

	private void release(Recorder.Trace trace, long from, Outcome outcome) {
		trace.releasing(at(from));
		trace.released(outcome, at(from + 1));
	}

	private void hold(Recorder process, long invoked, long ended, long released, long token) {
		hold(process, false, invoked, ended, released, token);
	}

	private void hold(Recorder process, boolean fair, long invoked, long ended, long released, long token) {
		Recorder.Trace trace = grant(process, fair, invoked, ended, token);
		trace.claimed(at(ended), nanos(1500));
		release(trace, released, Outcome.DONE);
	}

	private void hold(Recorder process, Mode mode, long invoked, long ended, long released, long token) {
		release(grant(process, mode, false, invoked, ended, token), released, Outcome.DONE);
	}

	private void fault(Fault fault, int process, long from, long to) {
		this.conductor.faultEnded(this.conductor.fault(fault, process, at(from)), at(to));
	}

	private Findings check() throws IOException {
		return Checker.check(History.read(this.directory), new Promises(Duration.ofSeconds(2), Duration.ofSeconds(1),
				Duration.ofMillis(500), Duration.ofSeconds(5), Duration.ofSeconds(1), true, this.topology));
	}

	private void assertFinds(Property... properties) throws IOException {
		List<Violation> violations = check().violations();
		assertThat(violations).extracting(Violation::property).containsExactly(properties);
	}

	private void assertExcuses(int overlaps, int twins, int tokens) throws IOException {
		Findings findings = check();
		assertThat(findings.violations()).isEmpty();
		assertThat(findings.excusedOverlaps()).as("overlaps").isEqualTo(overlaps);
		assertThat(findings.excusedTwins()).as("twins").isEqualTo(twins);
		assertThat(findings.excusedTokens()).as("tokens").isEqualTo(tokens);
	}

	// Good ones

	@Test
	void findsNothingWhereTwoTakeTurns() throws IOException {
		hold(this.one, 0, 1, 10, 100);
		hold(this.two, 2, 12, 20, 200);
		hold(this.one, 15, 21, 30, 300);
		this.resource.write(LOCK, 100, 1, 0, true, at(5));
		this.resource.write(LOCK, 200, 2, 0, true, at(15));
		this.resource.write(LOCK, 100, 1, 0, false, at(16));
		this.resource.write(LOCK, 200, 2, 0, true, at(17));
		this.conductor.remains(LOCK, nanos(2), 0, at(40));
		Findings findings = check();
		assertThat(findings.violations()).isEmpty();
		assertThat(findings.handOvers()).isEqualTo(2);
		assertThat(findings.handOverNanos(1)).isEqualTo(nanos(2));
	}

	@Test
	void findsNothingWhereTheLeaseOfAKilledProcessRanOut() throws IOException {
		claim(this.one, 0, 1, 100);
		this.conductor.lifeEnded(this.conductor.life(1, at(0)), at(10));
		hold(this.two, 2, 1600, 1700, 200);
		assertFinds();
	}

	@Test
	void findsNothingWhereALossWasTold() throws IOException {
		Recorder.Trace trace = claim(this.one, 0, 1, 100);
		trace.denied(at(1600));
		this.one.loss(LOCK, 100, at(1700));
		release(trace, 2000, Outcome.LOST);
		hold(this.two, 2, 1550, 1800, 200);
		assertFinds();
	}

	@Test
	void excusesTwoHoldersAfterTheServerLostItsData() throws IOException {
		hold(this.one, 0, 1, 500, 100);
		fault(Fault.SERVER_EMPTIED, 0, 100, 150);
		hold(this.two, 2, 200, 300, 200);
		assertExcuses(1, 0, 0);
	}

	@Test
	void excusesTwoHoldersWhenAnotherServerBecameTheMaster() throws IOException {
		this.topology = Topology.SENTINEL;
		hold(this.one, 0, 1, 500, 100);
		fault(Fault.MASTER_CHANGED, 0, 100, 150);
		hold(this.two, 2, 200, 300, 200);
		assertExcuses(1, 0, 0);
	}

	@Test
	void excusesATokenThatTwoMastersGave() throws IOException {
		this.topology = Topology.SENTINEL;
		giveTwiceAcross(Fault.MASTER_CHANGED);
		assertExcuses(1, 1, 0);
	}

	/**
	 * Gives a token to two, who hold the lock at once while something is broken, and
	 * write with it.
	 */
	private void giveTwiceAcross(Fault fault) {
		Recorder.Trace first = claim(this.one, 0, 1, 100);
		fault(fault, 0, 100, 250);
		Recorder.Trace second = grant(this.two, 0, 200, 100);
		this.resource.write(LOCK, 100, 1, first.record(), true, at(210));
		this.resource.write(LOCK, 100, 2, second.record(), true, at(220));
		release(second, 300, Outcome.DONE);
		release(first, 500, Outcome.DONE);
	}

	@Test
	void excusesATokenThatTwoMastersGaveOneAfterTheOther() throws IOException {
		this.topology = Topology.CLUSTER;
		fault(Fault.MASTER_KILLED, 0, 100, 250);
		hold(this.one, 110, 120, 130, 100);
		hold(this.two, 110, 140, 150, 100);
		assertExcuses(0, 1, 0);
	}

	@Test
	void excusesATokenOfOneMasterThatIsALittleOlderThanThatOfTheOther() throws IOException {
		this.topology = Topology.SENTINEL;
		giveOlderAfter(2000, 1984);
		assertExcuses(0, 1, 0);
	}

	@Test
	void findsAGrantWithoutAToken() throws IOException {
		hold(this.one, 0, 1, 10, 0);
		assertFinds(Property.P1);
	}

	@Test
	void findsATokenOfOneMasterThatIsMuchOlderThanThatOfTheOther() throws IOException {
		this.topology = Topology.SENTINEL;
		giveOlderAfter(2000, 1983);
		assertFinds(Property.P2);
	}

	private void giveOlderAfter(long token, long older) {
		fault(Fault.MASTER_CHANGED, 0, 0, 100);
		hold(this.one, 10, 20, 30, token);
		hold(this.two, 40, 50, 60, older);
	}

	@Test
	void findsNothingWhereOneOfTwoWithTheSameTokenLostIt() throws IOException {
		this.topology = Topology.SENTINEL;
		fault(Fault.MASTER_CHANGED, 0, 0, 100);
		Recorder.Trace lost = grant(this.one, 10, 20, 100);
		lost.denied(at(50));
		this.one.loss(LOCK, 100, at(50));
		release(lost, 60, Outcome.LOST);
		hold(this.two, 10, 30, 200, 100);
		assertFinds();
	}

	@Test
	void findsNothingWhereALossWasToldBeforeTheNextGrant() throws IOException {
		this.topology = Topology.QUORUM;
		Recorder.Trace trace = claim(this.one, 0, 1, 100);
		this.one.loss(LOCK, 100, at(300));
		trace.denied(at(2000));
		release(trace, 2001, Outcome.LOST);
		hold(this.two, 2, 301, 400, 200);
		assertFinds();
		hold(this.two, 2, 299, 300, 150);
		assertFinds(Property.P4);
	}

	@Test
	void findsNothingWhereARenewedHoldWasLostWhileItWasReleased() throws IOException {
		Recorder.Trace trace = grant(this.one, true, 0, 1, 100);
		trace.releasing(at(10));
		fault(Fault.SERVER_EMPTIED, 0, 11, 60);
		this.one.loss(LOCK, 100, at(99));
		trace.released(Outcome.LOST, at(100));
		assertFinds();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void excusesAnOlderTokenOfAHoldThatIsPassedOnAfterTheServerLostItsData(boolean fair) throws IOException {
		passOn(fair, fair);
		assertExcuses(1, 0, 1);
	}

	@Test
	void findsAnOlderTokenOfAHoldThatCannotHaveBeenPassedOn() throws IOException {
		passOn(true, false);
		assertFinds(Property.P2);
	}

	private void passOn(boolean fair, boolean nextIsFair) {
		hold(this.one, fair, 0, 1, 500, 100);
		fault(Fault.SERVER_EMPTIED, 0, 100, 150);
		hold(this.two, 2, 200, 300, 200);
		hold(this.one, nextIsFair, 250, 501, 600, 101);
	}

	@Test
	void findsNothingWhereAQuorumLostAHoldBecauseOfTwoFaults() throws IOException {
		this.topology = Topology.QUORUM;
		loseRenewed();
		fault(Fault.SERVER_STOPPED, 0, 100, 2000);
		fault(Fault.LINK_DEAD, 1, 200, 2000);
		assertFinds();
	}

	private void loseRenewed() {
		Recorder.Trace trace = grant(this.one, true, 0, 1, 100);
		trace.denied(at(1600));
		this.one.loss(LOCK, 100, at(1600));
		release(trace, 2000, Outcome.LOST);
	}

	@Test
	void findsNothingWhereAFaultKeptALockFromWaiters() throws IOException {
		hold(this.one, 0, 1, 10, 100);
		fault(Fault.SERVER_STOPPED, 0, 11, 8000);
		hold(this.two, 2, 9000, 9010, 200);
		assertFinds();
	}

	@Test
	void findsNothingWhereReadersHoldTogether() throws IOException {
		hold(this.two, Mode.READER, 0, 1, 100, 100);
		hold(this.one, Mode.READER, 2, 3, 50, 100);
		hold(this.two, 4, 101, 110, 200);
		hold(this.one, Mode.READER, 5, 111, 120, 300);
		this.resource.write(LOCK, 100, 2, 0, true, at(10));
		this.resource.write(LOCK, 100, 1, 0, true, at(11));
		assertFinds();
	}

	@Test
	void findsNothingWherePermitsAreEnough() throws IOException {
		hold(this.one, Mode.TWO_PERMITS, 0, 1, 100, 300);
		hold(this.two, Mode.ONE_PERMIT, 2, 3, 50, 200);
		hold(this.two, Mode.ONE_PERMIT, 4, 51, 60, 100);
		assertFinds();
	}

	@Test
	void findsNothingWhereAReaderHadGoneBeforeOthersLostTheHold() throws IOException {
		Recorder.Trace gone = grant(this.one, Mode.READER, false, 0, 1, 100);
		Recorder.Trace lost = grant(this.one, Mode.READER, false, 2, 3, 100);
		release(gone, 10, Outcome.DONE);
		lost.denied(at(20));
		this.one.loss(LOCK, 100, at(21));
		release(lost, 30, Outcome.LOST);
		assertFinds();
	}

	@Test
	void excusesAReaderThatJoinsOthersAfterTheServerLostItsData() throws IOException {
		hold(this.one, Mode.READER, 0, 1, 500, 100);
		fault(Fault.SERVER_EMPTIED, 0, 100, 150);
		hold(this.two, 160, 200, 300, 200);
		hold(this.one, Mode.READER, 250, 251, 400, 100);
		assertExcuses(2, 0, 1);
	}

	@Test
	void findsNothingWhereFairReadersLearnOfTheirTurnInAnyOrder() throws IOException {
		hold(this.one, 0, 1, 2000, 100);
		release(grant(this.two, Mode.READER, true, 1900, 2001, 200), 2010, Outcome.DONE);
		release(grant(this.one, Mode.READER, true, 2, 2002, 200), 2020, Outcome.DONE);
		assertFinds();
	}

	@Test
	void leavesOutWhatWasWrittenWhileTheHistoryWasRead() throws IOException {
		long later = at(Duration.ofMinutes(5).toMillis());
		this.resource.write(LOCK, 100, 1, 0, true, later);
		this.resource.write(LOCK, 100, 2, 0, true, later);
		assertFinds();
	}

	// Bad ones

	@Test
	void findsATokenGivenTwice() throws IOException {
		hold(this.one, 0, 1, 10, 100);
		// Overlapping calls, so that the order of tokens says nothing.
		hold(this.two, 0, 12, 20, 100);
		assertFinds(Property.P1);
	}

	@Test
	void findsATokenGivenTwiceWithoutAFailover() throws IOException {
		this.topology = Topology.SENTINEL;
		hold(this.one, 0, 1, 10, 100);
		hold(this.two, 0, 12, 20, 100);
		// Too late for the first one.
		fault(Fault.MASTER_CHANGED, 0, 15, 30);
		assertFinds(Property.P1);
	}

	@Test
	void findsATokenGivenTwiceByOneServerThatLostItsData() throws IOException {
		giveTwiceAcross(Fault.SERVER_EMPTIED);
		assertFinds(Property.P1, Property.P1);
	}

	@Test
	void findsATokenGivenTwiceByAQuorum() throws IOException {
		this.topology = Topology.QUORUM;
		giveTwiceAcross(Fault.SERVER_EMPTIED);
		assertFinds(Property.P1, Property.P1, Property.P4);
	}

	@Test
	void findsATokenThatTwoWriteWith() throws IOException {
		this.resource.write(LOCK, 100, 1, 0, true, at(5));
		this.resource.write(LOCK, 100, 2, 0, true, at(6));
		assertFinds(Property.P1);
	}

	@Test
	void findsATokenThatIsSmallerThanAnEarlierOne() throws IOException {
		hold(this.one, 0, 1, 10, 100);
		// Called while the first call was under way, so it may have been the first.
		hold(this.two, 0, 12, 20, 99);
		assertFinds();
		hold(this.one, 30, 31, 40, 98);
		assertFinds(Property.P2);
	}

	@Test
	void findsATokenThatIsSmallerAfterTheServerLostItsData() throws IOException {
		hold(this.one, 0, 1, 10, 100);
		fault(Fault.SERVER_EMPTIED, 0, 20, 30);
		hold(this.two, 40, 41, 50, 1);
		assertFinds(Property.P2);
	}

	@Test
	void findsTwoHoldersOnAQuorumOfWhichOneServerLostItsData() throws IOException {
		this.topology = Topology.QUORUM;
		hold(this.one, 0, 1, 500, 100);
		fault(Fault.SERVER_EMPTIED, 0, 100, 150);
		hold(this.two, 2, 200, 300, 200);
		assertFinds(Property.P4);
	}

	@Test
	void findsAHoldThatAQuorumLostBecauseOfOneServer() throws IOException {
		this.topology = Topology.QUORUM;
		loseRenewed();
		fault(Fault.SERVER_STOPPED, 0, 100, 2000);
		assertFinds(Property.P6);
	}

	@Test
	void findsAStaleWriteThatWasTaken() throws IOException {
		this.resource.write(LOCK, 200, 2, 0, true, at(5));
		this.resource.write(LOCK, 100, 1, 0, true, at(6));
		assertFinds(Property.P3);
	}

	@Test
	void findsAFreshWriteThatWasRefused() throws IOException {
		this.resource.write(LOCK, 200, 2, 0, false, at(5));
		assertFinds(Property.P3);
	}

	@Test
	void findsTwoHoldersUntilTheRelease() throws IOException {
		hold(this.one, 0, 1, 10, 100);
		hold(this.two, 2, 9, 20, 200);
		assertFinds(Property.P4);
	}

	@Test
	void findsTwoHoldersWithAThirdBetween() throws IOException {
		hold(this.one, 0, 1, 100, 100);
		hold(this.two, 2, 3, 5, 200);
		hold(this.two, 6, 90, 120, 300);
		assertFinds(Property.P4, Property.P4);
	}

	@Test
	void findsAWriterBesideTheReaderThatStaysLongest() throws IOException {
		hold(this.one, Mode.READER, 0, 1, 100, 100);
		hold(this.two, Mode.READER, 2, 3, 5, 100);
		hold(this.two, 6, 90, 120, 200);
		assertFinds(Property.P4);
	}

	@Test
	void findsAReaderBesideAWriter() throws IOException {
		hold(this.one, 0, 1, 100, 100);
		hold(this.two, Mode.READER, 2, 90, 120, 200);
		assertFinds(Property.P4);
	}

	@Test
	void findsAPermitBesideAReader() throws IOException {
		hold(this.one, Mode.READER, 0, 1, 100, 100);
		hold(this.two, Mode.ONE_PERMIT, 2, 90, 120, 200);
		assertFinds(Property.P4);
	}

	@Test
	void findsMorePermitsThanThereAre() throws IOException {
		hold(this.one, Mode.TWO_PERMITS, 0, 1, 100, 100);
		hold(this.one, Mode.ONE_PERMIT, 2, 3, 80, 101);
		hold(this.two, Mode.ONE_PERMIT, 4, 70, 120, 102);
		assertFinds(Property.P4);
	}

	@Test
	void findsAWriterWithTheTokenOfAReader() throws IOException {
		hold(this.one, Mode.READER, 0, 1, 10, 100);
		hold(this.two, 0, 12, 20, 100);
		assertFinds(Property.P1);
	}

	@Test
	void findsAWriterWithASmallerTokenThanAReaderBefore() throws IOException {
		hold(this.one, Mode.READER, 0, 1, 10, 100);
		hold(this.two, 11, 12, 20, 99);
		assertFinds(Property.P2);
	}

	@Test
	void findsAReaderWithASmallerTokenThanAWriterBeforeOtherReaders() throws IOException {
		hold(this.one, 0, 1, 10, 100);
		hold(this.two, Mode.READER, 11, 12, 20, 200);
		hold(this.two, Mode.READER, 21, 22, 30, 99);
		assertFinds(Property.P2);
	}

	@Test
	void findsALossThatReadersWereToldBeforeThisOneCame() throws IOException {
		Recorder.Trace first = grant(this.one, Mode.READER, false, 0, 1, 100);
		this.one.loss(LOCK, 100, at(9));
		release(first, 10, Outcome.LOST);
		release(grant(this.one, Mode.READER, false, 11, 12, 100), 30, Outcome.LOST);
		assertFinds(Property.P5);
	}

	@Test
	void findsTwoHoldersWithinAPromisedLease() throws IOException {
		claim(this.one, 0, 1, 100);
		this.conductor.lifeEnded(this.conductor.life(1, at(0)), at(10));
		hold(this.two, 2, 1490, 1700, 200);
		assertFinds(Property.P4);
	}

	@Test
	void findsAReleaseOfWhatAnotherHadAlready() throws IOException {
		Recorder.Trace trace = grant(this.one, 0, 1, 100);
		trace.claimed(at(1), nanos(50));
		release(trace, 200, Outcome.DONE);
		hold(this.two, 2, 100, 300, 200);
		assertFinds(Property.P4);
	}

	@Test
	void findsAHolderThatTheResourceHadRefused() throws IOException {
		Recorder.Trace trace = grant(this.one, 0, 1, 100);
		trace.anomaly(Anomaly.HELD_AFTER_REFUSAL);
		release(trace, 10, Outcome.DONE);
		assertFinds(Property.P4);
	}

	@Test
	void findsOnlyASmallerTokenWhereTheResourceHadRefusedThat() throws IOException {
		hold(this.two, 0, 1, 2, 200);
		Recorder.Trace trace = grant(this.one, 3, 4, 100);
		trace.anomaly(Anomaly.HELD_AFTER_REFUSAL);
		release(trace, 10, Outcome.DONE);
		assertFinds(Property.P2);
	}

	@Test
	void findsAHoldThatComesBack() throws IOException {
		Recorder.Trace trace = grant(this.one, 0, 1, 100);
		trace.denied(at(10));
		trace.claimed(at(20), 0);
		this.one.loss(LOCK, 100, at(11));
		release(trace, 30, Outcome.LOST);
		assertFinds(Property.P5);
	}

	@Test
	void findsALossThatTheReleaseHid() throws IOException {
		Recorder.Trace trace = grant(this.one, 0, 1, 100);
		trace.denied(at(10));
		this.one.loss(LOCK, 100, at(11));
		release(trace, 30, Outcome.DONE);
		assertFinds(Property.P5);
	}

	@Test
	void findsALossThatNobodyWasTold() throws IOException {
		Recorder.Trace trace = grant(this.one, 0, 1, 100);
		release(trace, 30, Outcome.LOST);
		assertFinds(Property.P5);
	}

	@Test
	void findsALockThatCannotBeAcquired() throws IOException {
		this.conductor.remains(LOCK, -1, 0, at(5));
		assertFinds(Property.P6);
	}

	@Test
	void findsALockThatIsSlowToAcquire() throws IOException {
		this.conductor.remains(LOCK, nanos(1100), 0, at(5));
		assertFinds(Property.P6);
	}

	@Test
	void findsWhatRemains() throws IOException {
		this.conductor.remains(LOCK, nanos(1), 1, at(5));
		assertFinds(Property.P6);
	}

	@Test
	void findsAGrantLongAfterItsCallHadFailed() throws IOException {
		Recorder.Trace trace = this.one.attempt(SINGLE, Mode.ALONE, false, false, nanos(100), at(0));
		trace.ended(Outcome.UNANSWERED, 0, at(700));
		this.conductor.lastGrant(SINGLE, 100, at(5600), false, at(7000));
		assertFinds();
		this.conductor.lastGrant(SINGLE, 200, at(6300), false, at(7000));
		assertFinds(Property.P7);
	}

	@Test
	void findsASecondGrantForOneCall() throws IOException {
		Recorder.Trace trace = this.one.attempt(SINGLE, Mode.ALONE, false, false, nanos(100), at(0));
		trace.ended(Outcome.DONE, 100, at(1));
		release(trace, 5, Outcome.DONE);
		this.conductor.lastGrant(SINGLE, 100, at(1), false, at(7000));
		assertFinds();
		this.conductor.lastGrant(SINGLE, 200, at(6), false, at(7000));
		assertFinds(Property.P7);
	}

	@Test
	void findsALockThatNobodyReleases() throws IOException {
		Recorder.Trace trace = this.one.attempt(SINGLE, Mode.ALONE, false, false, nanos(100), at(0));
		trace.ended(Outcome.UNANSWERED, 0, at(700));
		this.conductor.lastGrant(SINGLE, 100, at(500), true, at(7600));
		assertFinds();
		this.conductor.lastGrant(SINGLE, 100, at(500), true, at(7800));
		assertFinds(Property.P6);
	}

	@Test
	void releaseMayBeLostWithTheMasterThatTookIt() throws IOException {
		this.topology = Topology.SENTINEL;
		Recorder.Trace trace = this.one.attempt(SINGLE, Mode.ALONE, false, false, nanos(WAIT), at(0));
		trace.ended(Outcome.DONE, 100, at(10));
		release(trace, 20, Outcome.DONE);
		this.conductor.lastGrant(SINGLE, 100, at(5), true, at(60_000));
		assertFinds(Property.P6);
		fault(Fault.MASTER_CHANGED, 0, 500, 2000);
		assertFinds();
	}

	@Test
	void findsNothingWhereAFaultKeptALockFromBeingReleased() throws IOException {
		Recorder.Trace trace = this.one.attempt(SINGLE, Mode.ALONE, false, false, nanos(100), at(0));
		trace.ended(Outcome.UNANSWERED, 0, at(700));
		fault(Fault.SERVER_STOPPED, 0, 1000, 2000);
		this.conductor.lastGrant(SINGLE, 100, at(500), true, at(7800));
		assertFinds();
	}

	@Test
	void findsAnAnswerThatAnotherHasALockThatNobodyElseWanted() throws IOException {
		this.one.attempt(SINGLE, Mode.ALONE, false, false, 0, at(0)).ended(Outcome.REFUSED, 0, at(1));
		assertFinds(Property.P8);
	}

	@Test
	void findsARenewedHoldThatEndedForNoReason() throws IOException {
		Recorder.Trace trace = this.one.attempt(LOCK, Mode.ALONE, false, true, nanos(100), at(0));
		trace.ended(Outcome.DONE, 100, at(1));
		this.one.loss(LOCK, 100, at(1500));
		release(trace, 2000, Outcome.LOST);
		assertFinds(Property.P6);
		fault(Fault.CONNECTIONS_KILLED, 0, 100, 200);
		assertFinds(Property.P6);
		fault(Fault.SERVER_STOPPED, 0, 100, 200);
		assertFinds();
	}

	@Test
	void findsThatHandOversAreSlow() throws IOException {
		for (long i = 0; i <= 200; i++) {
			// Released after 10 ms, while the next one waits for the rest of 120 ms.
			hold((i % 2 == 0) ? this.one : this.two, 120 * i - 111, 120 * i, 120 * i + 10, 100 + i);
		}
		assertFinds(Property.P8);
	}

	@Test
	void findsAFreeLockThatAWaiterDoesNotGet() throws IOException {
		hold(this.one, 0, 1, 10, 100);
		hold(this.two, 2, 4100, 4110, 200);
		assertFinds(Property.P8);
	}

	@Test
	void findsAFreeLockThatAWaiterNeverGets() throws IOException {
		Recorder.Trace trace = this.two.attempt(LOCK, Mode.ALONE, false, false, nanos(WAIT), at(0));
		trace.ended(Outcome.REFUSED, 0, at(WAIT));
		assertFinds(Property.P8);
	}

	@Test
	void findsAFreeLockThatAWaiterDoesNotGetInFaultFreeTime() throws IOException {
		hold(this.one, 0, 1, 10, 100);
		fault(Fault.SERVER_STOPPED, 0, 1000, 2000);
		hold(this.two, 2, 8000, 8110, 200);
		assertFinds(Property.P8);
	}

	@Test
	void findsWhoOvertakesInAFairLine() throws IOException {
		hold(this.one, 0, 1, 2000, 100);
		release(grant(this.two, true, 1900, 2001, 200), 2010, Outcome.DONE);
		release(grant(this.one, true, 2, 2012, 300), 2020, Outcome.DONE);
		assertFinds(Property.P9);
	}

	@Test
	void findsAFairReaderThatOvertakesAWriter() throws IOException {
		hold(this.one, 0, 1, 2000, 100);
		release(grant(this.two, Mode.READER, true, 1900, 2001, 200), 2010, Outcome.DONE);
		release(grant(this.one, true, 2, 2012, 300), 2020, Outcome.DONE);
		assertFinds(Property.P9);
	}

	@Test
	void findsWhoStarves() throws IOException {
		Recorder.Trace trace = this.two.attempt(LOCK, Mode.ALONE, false, false, nanos(9_500), at(0));
		for (long i = 0; i < 10; i++) {
			hold(this.one, Mode.READER, 1000 * i - 5, 1000 * i, 1000 * i + 999, 100);
		}
		trace.ended(Outcome.REFUSED, 0, at(9_500));
		assertFinds(Property.P12);
		fault(Fault.SERVER_STOPPED, 0, 100, 200);
		assertFinds();
	}

	@Test
	void findsACallThatTakesTooLong() throws IOException {
		Recorder.Trace trace = this.one.attempt(LOCK, Mode.ALONE, false, false, 0, at(0));
		trace.ended(Outcome.REFUSED, 0, at(2100));
		assertFinds(Property.P10);
	}

	@Test
	void callOnAQuorumMayMakeThreeAttempts() throws IOException {
		this.topology = Topology.QUORUM;
		Recorder.Trace trace = this.one.attempt(LOCK, Mode.ALONE, false, false, 0, at(0));
		trace.ended(Outcome.REFUSED, 0, at(3900));
		assertFinds();
		this.one.attempt(LOCK, Mode.ALONE, false, false, 0, at(0)).ended(Outcome.REFUSED, 0, at(4100));
		assertFinds(Property.P10);
	}

	@Test
	void findsACallThatNeverEnds() throws IOException {
		this.one.attempt(LOCK, Mode.ALONE, false, false, 0, at(0));
		assertFinds(Property.P10);
	}

	@Test
	void findsAReleaseThatNeverEnds() throws IOException {
		grant(this.one, 0, 1, 100).releasing(at(10));
		assertFinds(Property.P10);
	}

	@Test
	void findsAnExceptionThatNobodyExpects() throws IOException {
		this.one.attempt(LOCK, Mode.ALONE, false, false, 0, at(0)).ended(Outcome.UNDOCUMENTED, 0, at(1));
		assertFinds(Property.P10);
	}

	@Test
	void findsAWrongDepth() throws IOException {
		Recorder.Trace trace = grant(this.one, 0, 1, 100);
		trace.anomaly(Anomaly.WRONG_HOLD_COUNT);
		release(trace, 10, Outcome.DONE);
		assertFinds(Property.P11);
	}

	@Test
	void findsAReleaseThatDoesNotKnowItsOwner() throws IOException {
		release(grant(this.one, 0, 1, 100), 10, Outcome.NOT_OWNER);
		assertFinds(Property.P11);
	}

}
