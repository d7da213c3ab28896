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

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of the shop. Their values are in {@code application.yml}.
 *
 * @param directory where the embedded Redis and the H2 database keep their files
 * @param paymentsUrl where the payment provider is, with the courier and the price lists;
 * one on this machine is started if need be
 * @param buyers how many threads work at the same time in one rush
 * @param packingTime how long a unit takes, in each order of a sale
 * @param reportPeriod how often there is a sales report
 * @param reportTime how long it takes to write one
 * @param shelves how many shelves a stocktaking has to count
 * @param shelfTime how long it takes to count one of them
 */
@ConfigurationProperties("sample")
@Validated
record SampleProperties(@NotNull Path directory, @NotNull URI paymentsUrl, @Min(1) int buyers,
		@NotNull Duration packingTime, @NotNull Duration reportPeriod, @NotNull Duration reportTime,
		@Min(1) int shelves, @NotNull Duration shelfTime) {

	SampleProperties {
		if (paymentsUrl.getHost() == null || paymentsUrl.getPort() < 0) {
			throw new IllegalArgumentException(
					"sample.payments-url must be like http://localhost:8090, not " + paymentsUrl);
		}
	}

}
