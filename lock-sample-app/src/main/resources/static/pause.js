import { ask, goThrough, pause, post } from "./http.js";
import { instances, isPort, paint } from "./instances.js";
import { element, whileDisabled } from "./page.js";

const form = document.querySelector("#pause-form");
const steps = document.querySelector("#pause-steps");
const ledger = document.querySelector("#pause-ledger");

export function showPause() {
	form.addEventListener("submit", async (event) => {
		event.preventDefault();
		const other = instances().find(({ port }) => !isPort(port));
		const self = instances().find(({ port }) => isPort(port));
		steps.replaceChildren();
		ledger.replaceChildren();
		if (!other || !self) {
			tell(null, self ? "Start a second instance first: somebody has to take over." : "This instance does not run.", "bad");
			return;
		}
		const before = goThrough(other.url);
		try {
			await whileDisabled(form, event.submitter, () => payWhilePaused(self, other, form.seconds.value, `pause-${Date.now()}`));
		}
		catch (error) {
			tell(null, error.message, "bad");
		}
		finally {
			goThrough(before);
		}
	});
}

/** This instance is paused while it has the lock of an order; the other one pays that order. */
async function payWhilePaused(self, other, seconds, order) {
	let over = false;
	tell(self, `takes the lock of ${order} and stops for ${seconds}\u00a0s, before it charges.`);
	const late = post(`${self.url}api/payments/${order}?pauseSeconds=${seconds}`)
		.then(({ charged, token }) => tell(self, charged ? `woke up in time: still the owner, it charges with token ${token}.` : "finds it paid."))
		.catch((error) => tellRefusal(self, error))
		.finally(() => over = true);
	const lock = `actuator/locks/${encodeURIComponent(`order:${order}`)}`;
	while (!over && !(await ask(lock).catch(() => null))) {
		await pause(100);
	}
	tell(other, "wants to pay the same order and waits for the lock.");
	const takeover = post(`${other.url}api/payments/${order}`)
		.then(({ charged, token }) => tell(other, charged ? `has the lock and charges with token ${token}.` : "finds it paid."))
		.catch((error) => tell(other, error.message, "bad"));
	await Promise.all([late, takeover]);
	await showLedger(order);
}

function tellRefusal(self, { message, problem }) {
	if (problem?.token) {
		tell(self, `woke up and is refused: stale token ${problem.token}, the provider has seen ${problem.newest}.`, "good");
	}
	else {
		tell(self, message, "bad");
	}
}

function tell(instance, text, className) {
	const step = element("li", ` ${text}`, className);
	if (instance) {
		step.prepend(tag(instance.port));
	}
	steps.append(step);
}

/** What the provider has written down. */
async function showLedger(order) {
	const entries = await ask(`api/payments/${order}`);
	ledger.replaceChildren(...entries.map(({ token, by, refused, cents }) => {
		const row = document.createElement("tr");
		const who = document.createElement("td");
		who.append(tag(by));
		row.append(who, element("td", token), element("td", (cents / 100).toFixed(2)),
			element("td", refused ? "refused: stale token" : "charged", refused ? "refused" : "charged"));
		return row;
	}));
}

function tag(port) {
	const created = element("span", `:${port}`, "instance tag");
	paint(created, port);
	return created;
}
