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

export function post(path) {
	return ask(path, { method: "POST" });
}

/** Keeps the buttons of a form from a second click while it works. */
export async function whileDisabled(form, button, work) {
	const buttons = form.querySelectorAll("button");
	buttons.forEach((each) => each.disabled = true);
	try {
		await work();
	}
	finally {
		buttons.forEach((each) => each.disabled = false);
		button.focus();
	}
}

export function number(value) {
	return Number(value).toLocaleString("en");
}
