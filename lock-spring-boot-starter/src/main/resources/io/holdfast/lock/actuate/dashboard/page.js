// Asks for what is held and for what happened, again and again while somebody looks.
import { clock, element, isNew, millis, number, setText, show, span } from "./dom.js";
import { showHot } from "./hot.js";
import { REDIS_STATES, settle } from "./http.js";
import { askForActivity, askForLocks, countDown, fillQueues, found, isWanted, onChoice, showLocks } from "./locks.js";
import { askForClients, countLost, showClients, showLost } from "./clients.js";
import { onReleased } from "./release.js";

const POLL_MILLIS = 2000;
/** Each of these is a message to every client, and one back. */
const CLIENTS_MILLIS = 5000;
/** A list that takes long is asked for less often: it must not keep Redis busy. */
const REST = 20;
/** What was seen before that is not counted on any more: it may have been renewed since. */
const FRESH_MILLIS = 10_000;

const problem = document.querySelector("#problem");
const pauseButton = document.querySelector("#pause");

let seenAt = null;
let stale = false;
let paused = false;
let timer = null;
let busy = false;
/** Something was wanted while an answer was on its way. */
let again = false;
/** Nobody is signed in any more: asking on would only count as failed attempts. */
let ended = false;
/** This client and all of them, as they answered last. */
let own = null;
let clients = null;
let clientsAsked = -CLIENTS_MILLIS;

pauseButton.addEventListener("click", () => {
	paused = !paused;
	pauseButton.setAttribute("aria-pressed", paused);
	showTime();
	update();
});
document.addEventListener("visibilitychange", update);
onChoice(() => update(true));
onReleased(() => update(true));
setInterval(showTime, 1000);
update();

/** Times go on only while they are looked at again soon: else all of the list is as of the last look. */
function showTime() {
	if (seenAt) {
		setText(document.querySelector("#updated"), `${paused ? "paused, " : ""}as of ${clock(seenAt)}`);
		countDown(!paused && !stale && Date.now() - seenAt < FRESH_MILLIS);
	}
}

async function update(now = false) {
	if (busy) {
		again ||= now === true;
		return;
	}
	if (document.hidden || ((paused || ended) && now !== true)) {
		return;
	}
	clearTimeout(timer);
	busy = true;
	const start = performance.now();
	updateClients(start);
	try {
		const [locks, activity] = await Promise.all([settle(askForLocks()), settle(askForActivity()).then(showActivity)]);
		showAll(locks, activity);
		await (locks.value && fillQueues());
	}
	catch (error) {
		show(problem, true);
		setText(problem, `This page does not understand an answer (${error.message}). Reload it.`);
	}
	finally {
		busy = false;
		timer = setTimeout(update, Math.max(POLL_MILLIS, REST * (performance.now() - start)));
	}
	if (again) {
		again = false;
		update(true);
	}
}

/** Nobody waits for this: a client that stands still takes its time. */
async function updateClients(now) {
	if (now - clientsAsked >= CLIENTS_MILLIS) {
		clientsAsked = Infinity;
		const { value } = await settle(askForClients());
		clients = Array.isArray(value?.clients) ? value : null;
		clientsAsked = now;
		drawClients();
	}
}

function drawClients() {
	if (own) {
		showClients(own, clients, found());
	}
}

/** Comes before the list if that takes long. */
function showActivity(activity) {
	const { value } = activity;
	if (value) {
		showHot(value);
		showLost(value.incidents);
		own = value.client;
		drawClients();
		setText(document.querySelector("#self"), value.client.id);
	}
	showNothing("#cold", "Nobody has waited.", value, value?.hot);
	showNothing("#safe", "None.", value, value?.incidents);
	return activity;
}

/** Says that there is nothing, but only where that is known. */
function showNothing(place, text, activity, list) {
	const target = document.querySelector(place);
	show(target, !(activity ? list : target.previousElementSibling.children).length);
	setText(target, !activity ? "Not known." : activity.client.work ? text : "This client is not observed.");
}

function showAll(locks, activity) {
	if (locks.value && !isWanted(locks.value)) {
		again = true;
		return;
	}
	if (locks.value) {
		seenAt = Date.now();
		showLocks(locks.value, activity.value?.releasable);
	}
	stale = Boolean(locks.error);
	showTime();
	drawClients();
	showProblem(locks.error, activity);
	summarise(locks.value, activity.value);
}

function showProblem(error, { value, error: unseen }) {
	const worst = error ?? unseen;
	ended = worst?.status === 401;
	document.body.classList.toggle("stale", stale);
	document.body.classList.toggle("blind", Boolean(error && unseen) && !seenAt);
	if (error && !seenAt) {
		setText(document.querySelector("#none"), "Not known.");
	}
	show(problem, Boolean(worst));
	if (worst) {
		const seen = (error && seenAt) ? ` The list is as of ${clock(seenAt)}.` : "";
		setText(problem, explain(worst, Boolean(error), value) + seen);
	}
}

function explain({ status, body }, ofLocks, activity) {
	if (REDIS_STATES.has(body?.reason)) {
		const failure = activity?.client.failure ?? body.reason;
		return `${REDIS_STATES.get(body.reason)}, so the locks cannot be listed (${failure}). The log of this application says more.`;
	}
	switch (status) {
		case 0:
			return (ofLocks && activity) ? "The list of locks does not come. Redis may hang, or the connection breaks off." : "This application does not answer.";
		case 400:
			return "The filter was refused. Names that are not shown to you cannot be looked for.";
		case 401:
			return "You are not signed in any more. Reload the page.";
		case 403:
			return "You may not see the locks (status 403). The security of the Actuator decides who may.";
		case 404:
			return ofLocks ? "The endpoint locks is not there. Add it to management.endpoints.web.exposure.include." : "The state of this process cannot be seen.";
		default:
			return (ofLocks ? "The list of locks does not come" : "The state of this process cannot be seen") + ` (status ${status}).`
				+ (status === 500 ? " The application failed at it: its log says why." : "");
	}
}

function summarise(locks, activity) {
	if (locks) {
		const waiting = locks.locks.reduce((sum, lock) => sum + lock.waiters, 0);
		const oldest = locks.locks.reduce((longest, lock) => Math.max(longest, millis(lock.age)), 0);
		const more = locks.more ? "+" : "";
		tell("held", number(locks.locks.length) + more);
		tell("waiting", number(waiting) + more);
		tell("longest", locks.locks.length ? span(oldest) : "–");
		document.querySelectorAll("#summary .some").forEach((sign) => show(sign, locks.chosen));
		document.title = `${locks.chosen ? "Filtered: " : ""}${locks.locks.length}${more} held, ${waiting}${more} waiting – Locks`;
	}
	if (activity) {
		const { incidents, client } = activity;
		tell("lost", incidents.length ? `${countLost(incidents)}, last ${clock(incidents[0].at)}` : "none", incidents.length);
		tell("state", client.status.toLowerCase().replaceAll("_", " "), client.status !== "UP");
	}
}

function tell(what, text, bad = false) {
	const target = document.querySelector(`#sum-${what}`);
	// Its sign is a part of its text
	if (isNew(target, [text, Boolean(bad)])) {
		setText(target, text);
		target.classList.toggle("bad", Boolean(bad));
		if (bad) {
			target.prepend(element("span", "▲ ", "sign"));
		}
	}
}
