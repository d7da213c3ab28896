/** Asks an instance and answers its JSON, or null if there is none. */
export async function ask(path, options) {
	const response = await fetch(path, options);
	if (!response.ok) {
		const problem = await response.json().catch(() => ({}));
		throw new Error(problem.detail || `${path} answered ${response.status}`);
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

/** A new element with a text and perhaps a class. */
export function element(name, text, className) {
	const created = document.createElement(name);
	created.textContent = text;
	if (className) {
		created.className = className;
	}
	return created;
}

/** Sets a text only if it is another one, so that nothing flickers and no selection is lost. */
export function setText(parent, selector, text) {
	const target = parent.querySelector(selector);
	if (target.textContent !== String(text)) {
		target.textContent = text;
	}
}
