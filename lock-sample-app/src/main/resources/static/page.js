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

export function seconds(millis) {
	return (millis / 1000).toFixed(2);
}
