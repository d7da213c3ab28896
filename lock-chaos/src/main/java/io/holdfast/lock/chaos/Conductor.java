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
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import io.holdfast.lock.testing.JavaProcess;

/**
 * One run, from the start of all processes to their end.
 */
final class Conductor {

	private static final Duration LOOK = Duration.ofSeconds(2);

	/**
	 * Soon enough to see a lock that was wanted once before its key ends.
	 */
	private static final Duration TRACE = Duration.ofSeconds(20);

	private final Plan plan;

	private final boolean untilFound;

	private final Recorder recorder;

	/**
	 * Prepare a run.
	 * @param untilFound whether to look for violations on the way, and end at the first
	 */
	Conductor(Plan plan, boolean untilFound) throws IOException {
		this.plan = plan;
		this.untilFound = untilFound;
		this.recorder = Recorder.create(plan.history(), 0);
	}

	/**
	 * Runs.
	 */
	Result run() throws IOException, InterruptedException {
		new StallDetector(this.recorder, 0).start();
		try (Servers servers = this.plan.topology().start(this.plan.arguments().toArray(String[]::new));
				JavaProcess resource = JavaProcess.start("resource", Resource.class, this.plan.history().toString())) {
			int port = Integer.parseInt(resource.awaitLine("READY", Client.PATIENCE)[1]);
			try (Clients clients = new Clients(this.plan, servers, port, this.recorder)) {
				return run(servers, clients);
			}
		}
	}

	private Result run(Servers servers, Clients clients) throws IOException, InterruptedException {
		ClientNemeses onClients = new ClientNemeses(servers, !this.plan.topology().votes());
		Schedule schedule = new Schedule(
				servers.takesProxies() ? List.of(onClients.onClients(), onClients.onLinks(), servers.nemeses())
						: List.of(onClients.onClients(), servers.nemeses()),
				this.plan, this.recorder);
		ServerInspector inspector = new ServerInspector(servers, this.recorder);
		Watch watch = new Watch(inspector, new FailoverDetector(servers, this.recorder));
		if (!this.untilFound) {
			// Only what nothing disturbs for long shows who is overtaken, or waits for
			// ever.
			watch.undisturbed(this.plan.time().dividedBy(4));
		}
		schedule.run(clients, () -> watch.hasFound() || (watch.isOver() && (this.untilFound || schedule.isComplete())));
		boolean stopped = watch.found || clients.stop();
		if (!watch.found && stopped) {
			// What nobody releases any more has to end by itself within this time.
			Thread.sleep(Workload.LONGEST_LEASE.plusSeconds(2).toMillis());
			inspector.recordLastGrants();
			ClientSetup observer = ClientSetup.observer(this.plan, servers.address());
			try (Session session = this.plan.library().open(observer, (lock, token) -> {
			})) {
				inspector.recordRemains(session, this.plan.locks(), this.plan.library() == Library.HOLDFAST,
						clients.all().stream().map(Client::id).collect(Collectors.toSet()));
			}
		}
		Result result = watch.result();
		if (!stopped) {
			result.findings()
				.add(Property.P10, 0, System.nanoTime(),
						"a client has not ended all its calls, or a thread of it has died");
		}
		return result;
	}

	/**
	 * What a run has brought.
	 *
	 * @param history what was recorded
	 * @param findings what is wrong with it
	 * @param time how long it took
	 */
	record Result(History history, Findings findings, Duration time) {
	}

	/**
	 * Decides when it is over.
	 */
	private final class Watch {

		private final ServerInspector inspector;

		private final FailoverDetector failovers;

		private final long start = System.nanoTime();

		private long lookedAt = this.start;

		private long tracedAt = this.start;

		private boolean found;

		Watch(ServerInspector inspector, FailoverDetector failovers) {
			this.inspector = inspector;
			this.failovers = failovers;
		}

		/**
		 * Whether the time is over.
		 */
		boolean isOver() {
			return System.nanoTime() - this.start > Conductor.this.plan.time().toNanos();
		}

		/**
		 * Lets time pass without a fault.
		 */
		void undisturbed(Duration time) throws InterruptedException {
			while (System.nanoTime() - this.start < time.toNanos()) {
				Thread.sleep(Duration.ofSeconds(1).toMillis());
				hasFound();
			}
		}

		/**
		 * Whether there is a violation, if that is all that is wanted.
		 */
		boolean hasFound() {
			this.failovers.look();
			long now = System.nanoTime();
			if (now - this.tracedAt > TRACE.toNanos()) {
				this.tracedAt = now;
				this.inspector.recordLastGrants();
			}
			if (Conductor.this.untilFound && now - this.lookedAt > LOOK.toNanos()) {
				this.inspector.recordLastGrants();
				this.found = !result().findings().violations().isEmpty();
				this.lookedAt = System.nanoTime();
			}
			return this.found;
		}

		Result result() {
			try {
				History history = History.read(Conductor.this.plan.history());
				return new Result(history,
						Checker.check(history, Conductor.this.plan.library().promises(Conductor.this.plan.topology())),
						Duration.ofNanos(System.nanoTime() - this.start));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
