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

package io.holdfast.lock.host;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.testing.RedisProcess;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.disposables.Disposable;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** The types of RxJava 3 and Mutiny, which Spring adapts. */
class AdaptedTypesHostTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues("spring.data.redis.host=" + RedisProcess.shared().host(),
				"spring.data.redis.port=" + RedisProcess.shared().port(),
				"holdfast.lock.key-prefix=adapted-" + UUID.randomUUID() + ":");

	static Stream<Named<BiConsumer<Feeds, List<Boolean>>>> types() {
		return Stream.of(Named.of("Single", (feeds, held) -> held.add(feeds.single().blockingGet())),
				Named.of("Maybe", (feeds, held) -> held.add(feeds.maybe().blockingGet())),
				Named.of("Completable", (feeds, held) -> feeds.completable(held).blockingAwait()),
				Named.of("Observable", (feeds, held) -> feeds.observable().blockingForEach(held::add)),
				Named.of("Flowable", (feeds, held) -> feeds.flowable().blockingForEach(held::add)),
				Named.of("Uni", (feeds, held) -> held.add(feeds.uni().await().atMost(Duration.ofSeconds(20)))),
				Named.of("Multi", (feeds, held) -> feeds.multi().subscribe().asIterable().forEach(held::add)));
	}

	@ParameterizedTest
	@MethodSource("types")
	void lockIsHeldUntilTheResultIsComplete(BiConsumer<Feeds, List<Boolean>> type) {
		this.runner.withBean(Feeds.class).run((context) -> {
			List<Boolean> held = new CopyOnWriteArrayList<>();

			type.accept(context.getBean(Feeds.class), held);

			assertThat(held).isNotEmpty().containsOnly(true);
			assertThat(context.getBean(Feeds.class).isHeld()).isFalse();
		});
	}

	@Test
	void cancelReleasesTheLock() {
		this.runner.withBean(Feeds.class).run((context) -> {
			Feeds feeds = context.getBean(Feeds.class);
			CompletableFuture<Boolean> never = new CompletableFuture<>();
			Disposable rx = feeds.waits(Single.fromCompletionStage(never)).subscribe();
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(feeds::isHeld);

			rx.dispose();

			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> !feeds.isHeld());
		});
	}

	@Test
	void typeThatCannotBeEmptyCannotBeSkipped() {
		this.runner.withBean(Skipped.class)
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("Single"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	/** Each result tells whether the lock is held when it is made. */
	static class Feeds {

		private static final String LOCK = "feed";

		private final LockClient locks;

		Feeds(LockClient locks) {
			this.locks = locks;
		}

		boolean isHeld() {
			return this.locks.directory().find(LOCK).isPresent();
		}

		@DistributedLock(LOCK)
		Single<Boolean> single() {
			return Single.fromCallable(this::isHeld);
		}

		@DistributedLock(LOCK)
		Maybe<Boolean> maybe() {
			return Maybe.fromCallable(this::isHeld);
		}

		@DistributedLock(LOCK)
		Completable completable(List<Boolean> held) {
			return Completable.fromAction(() -> held.add(isHeld()));
		}

		@DistributedLock(LOCK)
		Observable<Boolean> observable() {
			return Observable.range(1, 3).map((each) -> isHeld());
		}

		@DistributedLock(LOCK)
		Flowable<Boolean> flowable() {
			return Flowable.range(1, 3).map((each) -> isHeld());
		}

		@DistributedLock(LOCK)
		Uni<Boolean> uni() {
			return Uni.createFrom().item(this::isHeld);
		}

		@DistributedLock(LOCK)
		Multi<Boolean> multi() {
			return Multi.createFrom().range(1, 3).map((each) -> isHeld());
		}

		@DistributedLock(LOCK)
		Single<Boolean> waits(Single<Boolean> result) {
			return result;
		}

	}

	static class Skipped {

		@DistributedLock(name = "skipped", onContention = OnContention.SKIP)
		Single<Boolean> single() {
			return Single.just(true);
		}

	}

}
