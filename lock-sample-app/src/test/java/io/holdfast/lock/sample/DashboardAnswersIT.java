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

import java.util.Map;
import java.util.stream.Stream;

import io.holdfast.lock.sample.Browser.Answer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the page for operators makes of answers that are cut off, are those of something
 * else, or refuse.
 */
@NeedsChromium
class DashboardAnswersIT extends DashboardScene {

	private static final String NOT_KNOWN = "not known whether the lock was released";

	private static final Map<String, Object> OF_KUBERNETES = Map.of("kind", "Status", "status", "Failure", "reason",
			"ServiceUnavailable", "message", "Not released: no endpoints available for service shop", "code", 503);

	static Stream<Answer> brokenAnswers() {
		String type = "application/vnd.spring-boot.actuator.v3+json";
		return Stream.of(Answer.cut(200), new Answer(200, type, "{\"locks\": [{\"name\": \"ord"),
				new Answer(200, "text/plain", "{\"locks\": ["), new Answer(200, type, ""));
	}

	@ParameterizedTest
	@MethodSource("brokenAnswers")
	void answerThatIsCutOffIsNoSignOut(Answer broken) {
		open(6, 3);
		this.stub.inPlaceOfList = broken;
		awaitProblem();

		assertThat(browser.text("#problem")).contains("The list of locks does not come", "The list is as of")
			.doesNotContain("signed in");
		this.stub.inPlaceOfList = null;
		browser.await("document.querySelector('#problem').hidden");
	}

	static Stream<Arguments> failuresOfTheList() {
		return Stream.of(
				Arguments.of(new Answer(200, "text/html", "<!doctype html><title>Please sign in</title>"),
						"You are not signed in any more"),
				Arguments.of(DashboardStub.json(500, Map.of()),
						"(status 500). The application failed at it: its log says why."),
				Arguments.of(new Answer(503, "text/html", "<h1>No upstream</h1>"),
						"The list of locks does not come (status 503)"),
				Arguments.of(DashboardStub.json(503, OF_KUBERNETES), "The list of locks does not come (status 503)"));
	}

	@ParameterizedTest
	@MethodSource("failuresOfTheList")
	void failureOfSomethingElseIsNotBlamedOnRedis(Answer answer, String problem) {
		open(6, 3);
		this.stub.inPlaceOfList = answer;
		awaitProblem();

		assertThat(browser.text("#problem")).contains(problem).doesNotContain("Redis");
	}

	@Test
	void statusOfSomethingBeforeTheApplicationIsNotBlamedOnRedis() {
		open(6, 3);
		this.stub.inPlaceOfList = DashboardStub.json(200, Map.of("status", "hello"));
		browser.await("document.querySelector('#problem').innerText.includes('(status 200)')");

		assertThat(browser.text("#problem")).contains("The list of locks does not come").doesNotContain("Redis");
		assertThat(browser.text("#sum-held")).as("as before").isEqualTo("6");
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '"', value = { "403, CSRF token", "404, Lock 'order:0' was dealt with" })
	void refusalOfTheEndpointIsSaid(int status, String told) {
		this.stub.statusOfRelease = status;
		open(1, 0);
		release();

		awaitTold(told);
	}

	@Test
	void redisThatRefusesIsNotCalledSilent() {
		open(6, 3);
		this.stub.inPlaceOfList = DashboardStub.json(503, Map.of("reason", "REFUSED", "message", "Redis refuses"));
		awaitProblem();

		assertThat(browser.text("#problem")).contains("Redis refuses, so the locks cannot be listed (REFUSED)", "log");
	}

	static Stream<Answer> answersThatDoNotTell() {
		return Stream.of(Answer.cut(200), Answer.NONE, new Answer(200, "application/json", "{\"released\": tr"),
				new Answer(502, "text/html", "<h1>Bad gateway</h1>"),
				DashboardStub.json(500, Map.of("status", 500, "message", "Not released")),
				DashboardStub.json(200, Map.of("status", "hello")), DashboardStub.json(503, OF_KUBERNETES),
				DashboardStub.json(503, Map.of("reason", "TIMED_OUT", "message",
						"It is not known whether the lock was released: Redis gave no answer")));
	}

	@ParameterizedTest
	@MethodSource("answersThatDoNotTell")
	void releaseOfWhichNothingIsKnownIsNotDenied(Answer answer) {
		open(1, 0);
		this.stub.inPlaceOfRelease = answer;
		// So that it does not look again by itself
		browser.click("#pause");
		release();
		browser.await("document.querySelector('#told').innerText");

		assertThat(browser.text("#told")).contains(NOT_KNOWN).doesNotContain("Not released");
		browser.await("document.querySelector('#held').innerText.includes('Nobody holds a lock.')");
		assertThat(this.stub.proofs).as("requests").hasSize(1);
	}

	@Test
	void refusalIsOneThoughItsBodyIsCutOff() {
		open(1, 0);
		this.stub.inPlaceOfRelease = Answer.cut(405);
		release();

		awaitTold("Not released");
	}

	static Stream<Answer> refusalsOfSomethingElse() {
		return Stream.of(Answer.cut(404), new Answer(404, "text/plain", "default backend - 404"),
				new Answer(405, "text/html", "<h1>405 Not Allowed</h1>"),
				DashboardStub.json(404, Map.of("kind", "Status", "reason", "NotFound", "message",
						"the server could not find the requested resource")));
	}

	@ParameterizedTest
	@MethodSource("refusalsOfSomethingElse")
	void refusalOfSomethingElseSaysNothingOfTheLock(Answer refusal) {
		this.stub.inPlaceOfRelease = refusal;
		open(1, 0);
		release();
		browser.await("document.querySelector('#told').innerText");

		assertThat(browser.text("#told")).startsWith("Not released (status " + refusal.status() + ")")
			.containsAnyOf("did not reach the endpoint locks", "does not let DELETE through")
			.doesNotContain("nobody");
	}

	@AfterEach
	void eatCookie() {
		browser.evaluate("document.cookie = 'XSRF-TOKEN=; Max-Age=0'");
	}

	@Test
	void tokenOfTheApplicationComesBeforeACookie() {
		open(1, 0);
		browser.evaluate("document.cookie = 'XSRF-TOKEN=foreign'");
		release();
		awaitTold("Lock 'order:0' was dealt with");

		assertThat(this.stub.proofs).containsExactly("secret");
	}

	@ParameterizedTest
	@ValueSource(ints = { 401, 403 })
	void cookieIsTriedWhenTheTokenOfTheApplicationIsRefused(int status) {
		open(1, 0);
		this.stub.csrf = "of another session";
		this.stub.statusWithoutProof = status;
		browser.evaluate("document.cookie = 'XSRF-TOKEN=secret'");
		release();
		awaitTold("Lock 'order:0' was dealt with");

		assertThat(this.stub.proofs).containsExactly("of another session", "secret");
	}

	@ParameterizedTest
	@ValueSource(ints = { 401, 403 })
	void tokenOfTheApplicationIsTriedWhateverTheCookieIs(int status) {
		open(1, 0);
		this.stub.statusWithoutProof = status;
		browser.evaluate("document.cookie = 'XSRF-TOKEN=foreign'");
		release();

		awaitTold("Lock 'order:0' was dealt with");
	}

	@Test
	void releaseThatNobodyProvesSaysWhatMayBeMissing() {
		open(1, 0);
		this.stub.csrf = "of another session";
		this.stub.statusWithoutProof = 401;
		release();

		awaitTold("Not released (status 401)");
		assertThat(browser.text("#told")).contains("not signed in", "CSRF token");
	}

}
