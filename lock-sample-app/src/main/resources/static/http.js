let through = "";

/** Has the page ask another instance from now on, where none is named. */
export function goThrough(url) {
	through = url;
}

/** Asks an instance and answers its JSON, or null if there is none. */
export async function ask(path, options) {
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

export function post(path) {
	return ask(path, { method: "POST" });
}
