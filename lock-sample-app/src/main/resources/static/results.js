import { all, post } from "./http.js";
import { instances } from "./instances.js";
import { element, setText, whileDisabled } from "./page.js";

const verdict = document.querySelector("#verdict");

/**
 * Wires the form with the id: each button posts to one instance, or to all, and adds an item to the list with the
 * plural of that id.
 * @param labels of the figures by their names
 * @param read gets the answers of all instances, and tells the outcome, whether it is bad, and the text of each figure
 * @param shared the parameter that names what the instances share, if they need to know
 */
export function showResults(id, path, labels, read, shared) {
	const form = document.querySelector(`#${id}`);
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		const asked = askedBy(form);
		const query = new URLSearchParams(new FormData(form, event.submitter));
		if (shared) {
			query.set(shared, `${id}-${Date.now()}`);
		}
		const item = addItem(id, event.submitter.textContent, asked.length);
		item.querySelector("dl").append(...Object.entries(labels).map(figure));
		whileDisabled(form, event.submitter, async () => {
			const answers = all(asked.map(({ url }) => post(`${url}${path}?${query}`)));
			finish(item, await answers.then(read, failure));
		});
	});
}

export function askedBy(form) {
	return form.everywhere.checked ? instances() : instances().slice(0, 1);
}

export function addItem(id, mode, asked) {
	const list = document.querySelector(`#${id}s`);
	const template = document.querySelector(`#${id}-template`) ?? document.querySelector("#result-template");
	const item = template.content.firstElementChild.cloneNode(true);
	item.classList.add(id);
	item.dataset.state = "running";
	setText(item, ".mode", mode + ((asked > 1) ? `, ${asked} instances at once` : ""));
	setText(item, ".outcome", "running …");
	item.dataset.mode = mode;
	// One for each button, so that the card does not grow
	[...list.children].find((each) => each.dataset.mode === mode)?.remove();
	list.prepend(item);
	return item;
}

function figure([name, label]) {
	const created = document.createElement("div");
	created.append(element("dt", label), element("dd", "", name));
	return created;
}

export function finish(item, { outcome, bad, failed = false, figures = {} }) {
	Object.entries(figures).forEach(([name, text]) => setText(item, `.${name}`, text));
	setText(item, ".outcome", outcome);
	item.classList.add(bad ? "bad" : "good");
	item.dataset.state = failed ? "failed" : "done";
	verdict.textContent = item.querySelector(".head").innerText;
}

export function failure({ message }) {
	return { outcome: message, bad: true, failed: true };
}

export function sum(answers, name) {
	return answers.reduce((total, answer) => total + answer[name], 0);
}

/** The largest that an instance has of a figure. */
export function most(answers, name) {
	return Math.max(...answers.map((answer) => answer[name]));
}
