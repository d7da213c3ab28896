import { element, millis, number, setText, wholeSpan } from "./dom.js";
import { REDIS_STATES, ask, settle } from "./http.js";

const dialog = document.querySelector("#release");
const keep = document.querySelector("#keep");
const force = document.querySelector("#force");
const held = document.querySelector("#held");
const told = document.querySelector("#told");

let seen = null;
let opener = null;
let listener = () => {};

/** Calls back after each attempt to release. */
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
	const { value, error } = await release(asked);
	keep.disabled = force.disabled = false;
	// A browser may have closed the question all the same, and the next one is not answered yet
	if (asked === seen) {
		// The row goes, and its button with it
		opener = value ? held : opener;
		dialog.close();
	}
	setText(told, messageOf(value ?? error.body) || explain(error?.status ?? 200));
	listener();
});

/** Shows the lock as it was seen, and asks whether to release it as such. */
export function confirmRelease(endpoint, lock, button) {
	const { application, host, client, thread } = lock.holder;
	const readers = (lock.mode.kind === "SHARED" && lock.holders > 1) && { Readers: `${number(lock.holders)}, all of which lose it` };
	seen = { endpoint, lock };
	opener = button;
	setText(told, "");
	const facts = {
		Lock: lock.name,
		Owner: `${application} on ${host}${thread ? `, thread ${thread}` : ""}`,
		Client: client,
		...readers,
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

/** Only under the token that was seen, so that nobody else loses the lock. Resolves as settle does. */
async function release({ endpoint, lock }) {
	const url = `${endpoint}?${new URLSearchParams({ name: lock.name, token: lock.token })}`;
	let answer;
	for (const headers of await csrfHeaders()) {
		answer = await settle(ask(url, { method: "DELETE", headers }));
		// Where nobody may see the page about errors, a refusal comes as 401
		if (![401, 403].includes(answer.error?.status)) {
			break;
		}
	}
	return answer;
}

/** What may prove that the request is from here, as each kind of Spring Security's protection wants it. */
async function csrfHeaders() {
	const candidates = [];
	const { value } = await settle(ask(new URL("csrf", import.meta.url)));
	if (value?.token) {
		candidates.push({ [value.header]: value.token });
	}
	// May be that of another application of this host
	const cookie = /(?:^|; )XSRF-TOKEN=([^;]+)/.exec(document.cookie);
	if (cookie) {
		candidates.push({ "X-XSRF-TOKEN": decode(cookie[1]) });
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

/** What the endpoint says. A message of somebody else says nothing of the lock. */
function messageOf(body) {
	return (REDIS_STATES.has(body?.reason) || typeof body?.released === "boolean") && body.message;
}

function explain(status) {
	switch (status) {
		case 401:
			return "Not released (status 401): you are not signed in any more, or Spring Security did not get its CSRF token. Reload the page.";
		case 403:
			return "Not released (status 403): you may not, or Spring Security did not get its CSRF token.";
		case 404:
			return "Not released (status 404): the request did not reach the endpoint locks. Look at the list.";
		case 405:
			return "Not released (status 405): a proxy does not let DELETE through, or management.endpoint.locks.access is not unrestricted.";
		default:
			return (status >= 400 && status < 500) ? `Not released (status ${status}).`
				: `It is not known whether the lock was released: ${status ? `the answer is not that of the endpoint (status ${status})` : "the answer did not come, or not all of it"}. Look at the list.`;
	}
}
