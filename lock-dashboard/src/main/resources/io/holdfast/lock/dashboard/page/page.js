// Asks for what is held and for what happened, again and again while somebody looks.
import { clock, setText, show } from "./dom.js";
import { showHot } from "./hot.js";
import { FRESH_MILLIS, REDIS_STATES, settle } from "./http.js";
import { askForActivity, askForLocks, countDown, fillQueues, isWanted, onChoice, reveal, showLocks } from "./locks.js";
import { showLost } from "./lost.js";
import { onReleased } from "./release.js";
import { showTrend } from "./trend.js";
import { onReveal, summariseActivity, summariseLocks } from "./trouble.js";

const POLL_MILLIS = 2000;
/** A list that takes long is asked for less often: it must not keep Redis busy. */
const REST_FACTOR = 20;
/** It is not left alone for longer than this, nor after one that failed: somebody waits for it to come back. */
const MOST_REST_MILLIS = 60_000;
const FAILED_REST_MILLIS = 30_000;

const problem = document.querySelector("#problem");
const pauseButton = document.querySelector("#pause");

let seenAt = null;
let stale = false;
let paused = false;
/** Nobody is signed in any more: asking on would only count as failed attempts. */
let signedOut = false;
let timer = null;
/** The questions that are on their way, one of each kind at most. */
const asking = new Set();
/** The list was wanted while one was on its way. */
let again = false;
/** The list was wanted while nobody looked. */
let wantedLater = false;
let hiddenAt = 0;
/** When the list may be asked for. */
let locksDue = 0;
/** The latest answers. */
let locks = {};
let activity = {};
/** Whether this process lets locks be released by force, as far as it has said so. */
let releasable;
/** Resolves when the latest answer about this process is on the page. */
let activityShown = null;

pauseButton.addEventListener("click", () => {
	paused = !paused;
	pauseButton.setAttribute("aria-pressed", paused);
	showTime();
	update();
});
document.addEventListener("visibilitychange", () => {
	const now = performance.now();
	if (document.hidden) {
		hiddenAt = now;
	}
	else if (now - hiddenAt > POLL_MILLIS) {
		// Who comes back wants to see what is, also if a browser let the page sleep meanwhile
		locksDue = 0;
		again ||= !paused && asking.has(updateLocks);
	}
	update();
});
onChoice(() => update(true));
onReveal(reveal);
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

/** Asks for what is due; for the list in any case if somebody wants it now. */
function update(isWantedNow = false) {
	const wanted = isWantedNow || wantedLater;
	wantedLater = wanted && document.hidden;
	if (document.hidden || ((paused || signedOut) && !wanted)) {
		return;
	}
	const now = performance.now();
	again ||= wanted && asking.has(updateLocks);
	ask(updateActivity);
	if (wanted || now >= locksDue) {
		ask(updateLocks);
	}
}

async function ask(question) {
	if (asking.has(question)) {
		return;
	}
	asking.add(question);
	try {
		await question();
	}
	catch (error) {
		show(problem, true);
		setText(problem, `This page does not understand an answer (${error.message}). Reload it.`);
	}
	finally {
		asking.delete(question);
	}
}

/** This process knows that by itself, so it is never late because of Redis. */
async function updateActivity() {
	clearTimeout(timer);
	activityShown = settle(askForActivity()).then(showActivity);
	try {
		await activityShown;
	}
	finally {
		timer = setTimeout(update, POLL_MILLIS);
	}
}

async function updateLocks() {
	do {
		again = false;
		const start = performance.now();
		const answer = await settle(askForLocks());
		let took = performance.now() - start;
		try {
			await activityShown;
			if (answer.value && !isWanted(answer.value)) {
				again = true;
			}
			else {
				locks = answer;
				showList();
				const shown = performance.now();
				await (answer.value && fillQueues());
				took += performance.now() - shown;
			}
		}
		finally {
			locksDue = performance.now() + Math.min(REST_FACTOR * took, answer.error ? FAILED_REST_MILLIS : MOST_REST_MILLIS);
		}
	} while (again);
}

/** Comes before the list if that takes long. */
function showActivity(answer) {
	activity = answer;
	const { value } = activity;
	if (value) {
		({ releasable } = value);
		showTrend(value);
		showHot(value);
		showLost(value);
		summariseActivity(value);
		setText(document.querySelector("#self"), value.client.id);
	}
	showNothing("#cold", "Nobody waits, nobody has waited.", value, value?.hot);
	showNothing("#safe", "None.", value, value?.incidents);
	// What is wrong with a list that is on its way is not known yet
	if (!asking.has(updateLocks) || isSignOut(activity.error)) {
		showProblem();
	}
}

/** Says that there is nothing, but only where that is known. */
function showNothing(place, text, activity, list) {
	const target = document.querySelector(place);
	const drawn = target.previousElementSibling.children;
	show(target, !(list ?? drawn).length);
	if (!activity) {
		setText(target, "Not known.");
	}
	else if (!activity.client.observed) {
		setText(target, "This client is not observed.");
	}
	else {
		setText(target, text);
	}
}

function showList() {
	const { value, error } = locks;
	if (value) {
		seenAt = value.askedAt;
		showLocks(value, releasable);
		summariseLocks(value);
	}
	stale = Boolean(error);
	showTime();
	showProblem();
}

function showProblem() {
	const { error } = locks;
	const { value, error: unseen } = activity;
	const worst = [error, unseen].find(isSignOut) ?? error ?? unseen;
	signedOut = isSignOut(worst);
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

function isSignOut(error) {
	return error?.status === 401;
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
