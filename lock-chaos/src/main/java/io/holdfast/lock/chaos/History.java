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
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * What all processes of a run have recorded until some moment.
 *
 * @param until the moment
 * @param attempts by the time of their calls
 * @param writes in the order of the resource
 * @param losses that observers were told
 * @param faultWindows when something was broken, by the time of the beginning
 * @param lives of client processes
 * @param remains of the locks, when all had gone
 * @param lastGrants of locks that were used once
 */
record History(long until, List<Attempt> attempts, List<Write> writes, List<Loss> losses,
		List<FaultWindow> faultWindows, List<Life> lives, List<Remains> remains, List<LastGrant> lastGrants) {

	private static final String SUFFIX = ".history";

	/**
	 * Reads what was recorded so far. What happened meanwhile is left out, so that
	 * nothing is there whose cause is not.
	 */
	static History read(Path directory) throws IOException {
		History history = new History(System.nanoTime(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>(),
				new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
		try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
			for (Path path : files) {
				String name = String.valueOf(path.getFileName());
				history.read(HistoryFile.open(path),
						Integer.parseInt(name.substring(0, name.length() - SUFFIX.length())));
			}
		}
		history.attempts.sort(Comparator.comparingLong(Attempt::invoked));
		history.faultWindows.sort(Comparator.comparingLong(FaultWindow::from));
		return history;
	}

	private void read(HistoryFile file, int process) {
		for (int i = 0; i < file.size(); i++) {
			long lock = file.get(i, 1);
			switch ((int) file.get(i, 0)) {
				case Recorder.ATTEMPT -> addAttempt(attempt(file, i, process));
				case Recorder.LOSS -> this.losses.add(new Loss(process, lock, file.get(i, 2), file.get(i, 3)));
				case Recorder.WRITE -> addWrite(new Write(lock, file.get(i, 2), (int) file.get(i, 3),
						(int) file.get(i, 4), file.get(i, 5) != 0, file.get(i, 6)));
				case Recorder.FAULT -> this.faultWindows
					.add(new FaultWindow(Fault.of(lock), (int) file.get(i, 2), file.get(i, 3), orNow(file.get(i, 4))));
				case Recorder.LIFE -> this.lives.add(new Life((int) file.get(i, 1), file.get(i, 2), file.get(i, 3)));
				case Recorder.REMAINS ->
					this.remains.add(new Remains(lock, file.get(i, 2), file.get(i, 3), file.get(i, 4)));
				case Recorder.LAST_GRANT -> this.lastGrants
					.add(new LastGrant(lock, file.get(i, 2), file.get(i, 3), file.get(i, 4) != 0, file.get(i, 5)));
				default -> throw new IllegalStateException("Record of no known kind in process " + process);
			}
		}
	}

	private long orNow(long nanos) {
		return (nanos != 0) ? nanos : this.until;
	}

	private void addAttempt(Attempt attempt) {
		if (attempt.invoked() <= this.until) {
			this.attempts.add(attempt);
		}
	}

	private void addWrite(Write write) {
		if (write.at() <= this.until) {
			this.writes.add(write);
		}
	}

	private Attempt attempt(HistoryFile file, int i, int process) {
		Outcome outcome = Outcome.of(file.get(i, 6));
		boolean ended = outcome != Outcome.NONE && file.get(i, 5) <= this.until;
		Outcome release = Outcome.of(file.get(i, 13));
		boolean released = release != Outcome.NONE && file.get(i, 12) <= this.until;
		return new Attempt(process, i, file.get(i, 1), Mode.of(file.get(i, 14)), (file.get(i, 2) & Recorder.FAIR) != 0,
				(file.get(i, 2) & Recorder.WATCHED) != 0, file.get(i, 3), file.get(i, 4), ended ? file.get(i, 5) : 0,
				ended ? outcome : Outcome.NONE, file.get(i, 7), file.get(i, 8), file.get(i, 9), file.get(i, 10),
				file.get(i, 11), released ? file.get(i, 12) : 0, released ? release : Outcome.NONE);
	}

	/**
	 * The time between the first call and the last fault or answer.
	 */
	Duration time() {
		long first = this.attempts.stream().mapToLong(Attempt::invoked).min().orElse(0);
		long last = this.attempts.stream().mapToLong(Attempt::ended).max().orElse(0);
		return Duration.ofNanos(last - first);
	}

	/**
	 * The grants of each lock, by the time at which they were known.
	 */
	Map<Long, List<Attempt>> grantsByLock() {
		List<Attempt> grants = this.attempts.stream()
			.filter(Attempt::granted)
			.sorted(Comparator.comparingLong(Attempt::ended))
			.toList();
		return byLock(grants, Attempt::lock);
	}

	/**
	 * When a process ended.
	 * @return the time, or {@link Long#MAX_VALUE} if it lived on
	 */
	Map<Integer, Long> deaths() {
		Map<Integer, Long> deaths = new HashMap<>();
		this.lives.forEach((life) -> {
			if (life.to() != 0) {
				deaths.put(life.process(), life.to());
			}
		});
		return deaths;
	}

	static <T> Map<Long, List<T>> byLock(List<T> all, Function<T, Long> lock) {
		Map<Long, List<T>> byLock = new HashMap<>();
		all.forEach((each) -> byLock.computeIfAbsent(lock.apply(each), (unused) -> new ArrayList<>()).add(each));
		return byLock;
	}

	/**
	 * A write that reached the resource.
	 *
	 * @param lock number of the lock
	 * @param token fencing token, or zero
	 * @param process who wrote
	 * @param record under which attempt
	 * @param accepted whether it was taken
	 * @param at when
	 */
	record Write(long lock, long token, int process, int record, boolean accepted, long at) {
	}

	/**
	 * A loss that an observer was told.
	 *
	 * @param process whose observer
	 * @param lock number of the lock
	 * @param token of the hold
	 * @param at when
	 */
	record Loss(int process, long lock, long token, long at) {
	}

	/**
	 * The time of one fault.
	 *
	 * @param fault what was broken
	 * @param process which it struck, or 0 for the server or for all
	 * @param from beginning
	 * @param to end
	 */
	record FaultWindow(Fault fault, int process, long from, long to) {
	}

	/**
	 * The life of a process.
	 *
	 * @param process its number
	 * @param from when it was ready
	 * @param to when it was killed or told to end; zero if it was not
	 */
	record Life(int process, long from, long to) {
	}

	/**
	 * How a lock was when all had gone.
	 *
	 * @param lock number of the lock
	 * @param acquireNanos how long it took to acquire it, or -1
	 * @param residue how much is left that should not be
	 * @param at when
	 */
	record Remains(long lock, long acquireNanos, long residue, long at) {
	}

	/**
	 * What the server knows of a lock that was wanted once.
	 *
	 * @param lock number of the lock
	 * @param token of its last grant
	 * @param grantedAt when that was
	 * @param held whether it was still held
	 * @param at when the server was asked
	 */
	record LastGrant(long lock, long token, long grantedAt, boolean held, long at) {
	}

}
