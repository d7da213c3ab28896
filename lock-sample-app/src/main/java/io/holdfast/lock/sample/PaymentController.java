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

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;

import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.TooManyWaitersException;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Payments over HTTP.
 */
@RestController
@RequestMapping("/api/payments")
class PaymentController {

	private static final String NAME = "[\\w-]{1,64}";

	private final PaymentRush rush;

	private final PaymentService payments;

	private final PaymentProvider provider;

	private final ProcessPause pause;

	PaymentController(PaymentRush rush, PaymentService payments, PaymentProvider provider, ProcessPause pause) {
		this.rush = rush;
		this.payments = payments;
		this.provider = provider;
		this.pause = pause;
	}

	/**
	 * Pays new orders, each of them twice at the same time. Requests that name the same
	 * batch pay the same orders, from whichever instance.
	 */
	@PostMapping
	PaymentResult payMany(@RequestParam PaymentMode mode,
			@RequestParam(defaultValue = "20") @Min(1) @Max(1000) int orders,
			@RequestParam(required = false) @Pattern(regexp = NAME) @Nullable String batch)
			throws InterruptedException, ExecutionException {
		return this.rush.run(mode, (batch != null) ? batch : UUID.randomUUID().toString(), orders);
	}

	/**
	 * Pays one order, with the lock.
	 * @param pauseSeconds for how long this process stops between looking and charging
	 */
	@PostMapping("/{order}")
	Receipt pay(@PathVariable @Pattern(regexp = NAME) String order,
			@RequestParam(defaultValue = "1990") @Min(1) long cents,
			@RequestParam(defaultValue = "0") @Min(0) @Max(60) int pauseSeconds) {
		this.pause.plan(Duration.ofSeconds(pauseSeconds));
		try {
			return this.payments.pay(new Order(order, cents));
		}
		finally {
			this.pause.cancel();
		}
	}

	/** What the provider has charged and refused. */
	@GetMapping("/{order}")
	List<Charge> ledger(@PathVariable @Pattern(regexp = NAME) String order) {
		return this.provider.ledger(order);
	}

	@ExceptionHandler
	ProblemDetail notAcquired(LockNotAcquiredException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "Somebody else is paying this order");
	}

	/**
	 * Tells in how many seconds to come again.
	 */
	@ExceptionHandler
	ResponseEntity<ProblemDetail> tooMany(TooManyWaitersException ex) {
		long seconds = ex.forecast().orElse(Duration.ZERO).toSeconds() + 1;
		return ResponseEntity.status(HttpStatus.TOO_MANY_REQUESTS)
			.header(HttpHeaders.RETRY_AFTER, Long.toString(seconds))
			.body(ProblemDetail.forStatusAndDetail(HttpStatus.TOO_MANY_REQUESTS,
					ex.waiting() + " others wait to pay this order"));
	}

	@ExceptionHandler
	ProblemDetail lost(LockLostException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT,
				"The lock was lost meanwhile: the ledger tells whether the customer was charged");
	}

	@ExceptionHandler
	ProblemDetail staleToken(StaleTokenException ex) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, ex.getMessage());
		problem.setTitle("Stale token");
		problem.setProperty("token", ex.token());
		problem.setProperty("newest", ex.newest());
		return problem;
	}

}
