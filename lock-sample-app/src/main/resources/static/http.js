let through = "";

/** Has the page ask another instance from now on, where none is named, and answers which it was before. */
export function goThrough(url) {
	const before = through;
	through = url;
	return before;
}

/** Asks an instance, which may be paused, and answers its JSON, or null if there is none. */
export function ask(path) {
	return send(path, { signal: AbortSignal.timeout(5000) });
}

/** Has an instance do something, however long that takes. */
export function post(path) {
	return send(path, { method: "POST" });
}

/** Waits for all answers, and fails then if one of them has failed. */
export async function all(answers) {
	const settled = await Promise.allSettled(answers);
	const failure = settled.find(({ status }) => status === "rejected");
	if (failure) {
		throw failure.reason;
	}
	return settled.map(({ value }) => value);
}

async function send(path, options) {
	const response = await fetch(path.startsWith("http") ? path : through + path, options);
	if (!response.ok) {
		const problem = await response.json().catch(() => ({}));
		throw Object.assign(new Error(problem.detail || `${path} answered ${response.status}`), { problem });
	}
	const text = await response.text();
	return text ? JSON.parse(text) : null;
}

/** Runs a task again and again while the page is visible, never twice at once. */
export async function repeat(millis, task) {
	for (;;) {
		if (document.visibilityState === "visible") {
			await task().catch(() => {});
		}
		await pause(millis);
	}
}

export function pause(millis) {
	return new Promise((resolve) => setTimeout(resolve, millis));
}
