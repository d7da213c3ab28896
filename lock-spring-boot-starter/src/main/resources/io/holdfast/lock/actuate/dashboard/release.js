import { element, millis, setText, wholeSpan } from "./dom.js";
import { ask, settle } from "./http.js";

const dialog = document.querySelector("#release");
const keep = document.querySelector("#keep");
const force = document.querySelector("#force");
const held = document.querySelector("#held");
const told = document.querySelector("#told");

let seen = null;
let opener = null;
let listener = () => {};

/** Calls back when a lock was released, or was not. */
export function onReleased(called) {
	listener = called;
}

keep.addEventListener("click", () => dialog.close());
// An answer on its way is waited for
dialog.addEventListener("cancel", (event) => force.disabled && event.preventDefault());
dialog.addEventListener("close", () => (opener.isConnected ? opener : held).focus());
force.addEventListener("click", async () => {
	const asked = seen;
	keep.disabled = force.disabled = true;
	const { value, error } = await settle(release(asked));
	keep.disabled = force.disabled = false;
	// A browser may have closed the question all the same, and the next one is not answered yet
	if (asked === seen) {
		// The row goes, and its button with it
		opener = value ? held : opener;
		dialog.close();
	}
	setText(told, value?.message || error?.body?.message || explain(error?.status));
	listener();
});

/** Shows the lock as it was seen, and asks whether to release it as such. */
export function confirmRelease(endpoint, lock, button) {
	const { application, host, client, thread } = lock.holder;
	seen = { endpoint, lock };
	opener = button;
	setText(told, "");
	const facts = {
		Lock: lock.name,
		Owner: `${application} on ${host}${thread ? `, thread ${thread}` : ""}`,
		Client: client,
		"Held for": wholeSpan(millis(lock.age)),
		Waiting: lock.waiters,
		"Fencing token": lock.token,
	};
	document.querySelector("#release-lock").replaceChildren(...Object.entries(facts).map(([name, value]) => {
		const pair = element("div");
		pair.append(element("dt", name), element("dd", value));
		return pair;
	}));
	dialog.showModal();
}

/** Only under the token that was seen, so that nobody else loses the lock. */
async function release({ endpoint, lock }) {
	const url = `${endpoint}?${new URLSearchParams({ name: lock.name, token: lock.token })}`;
	let refusal;
	for (const headers of await csrfHeaders()) {
		const { value, error } = await settle(ask(url, { method: "DELETE", headers }));
		if (error?.status !== 403) {
			if (error) {
				throw error;
			}
			return value;
		}
		refusal = error;
	}
	throw refusal;
}

/** What may prove that the request is from here, as each kind of Spring Security's protection wants it. */
async function csrfHeaders() {
	const candidates = [];
	const cookie = /(?:^|; )XSRF-TOKEN=([^;]+)/.exec(document.cookie);
	if (cookie) {
		candidates.push({ "X-XSRF-TOKEN": decode(cookie[1]) });
	}
	const { value } = await settle(ask(new URL("csrf", import.meta.url)));
	if (value) {
		candidates.push({ [value.header]: value.token });
	}
	return candidates.length ? candidates : [{}];
}

function decode(text) {
	try {
		return decodeURIComponent(text);
	}
	catch {
		return text;
	}
}

function explain(status) {
	switch (status) {
		case 0:
			return "No answer: the lock may be released or not. Look at the list.";
		case 401:
			return "Not released: you are not signed in any more. Reload the page.";
		case 403:
			return "Not released (status 403): you may not, or Spring Security did not get its CSRF token.";
		case 404:
			return "Not released: nobody holds the lock.";
		case 405:
			return "Not released: management.endpoint.locks.access is not unrestricted.";
		default:
			return `Not released (status ${status}).`;
	}
}
