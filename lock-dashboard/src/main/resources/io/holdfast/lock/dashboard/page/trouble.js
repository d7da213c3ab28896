// What is wrong, before what there is: each number with the worst that is behind it.
import { clock, element, isNew, number, setText, show, wholeSpan } from "./dom.js";
import { countLost } from "./lost.js";

/** A loss that is older is not news. */
const RECENT_MILLIS = 600_000;

/** Locks in the order of the trouble with them: overdue, then those that most wait for, then the oldest. */
export function byTrouble(one, other) {
	return other.renewalOverdue - one.renewalOverdue || other.waiters - one.waiters || byAge(one, other);
}

export function byAge(one, other) {
	return Date.parse(one.since) - Date.parse(other.since);
}

/** Whether a limit has no permit left. */
function isFull({ mode, unitsInUse }) {
	return mode.kind === "PERMITS" && unitsInUse >= mode.limit;
}

/** The worst of each kind of trouble. */
const worst = new Map();

/** Calls back with the key of a lock that is to be shown. */
export function onReveal(listener) {
	document.querySelectorAll("#summary .link").forEach((link) =>
		link.addEventListener("click", () => listener(worst.get(link))));
}

/** Says what is wrong with the locks that are listed. */
export function summariseLocks({ locks, more: further, chosen }) {
	const more = further ? "+" : "";
	const count = (found) => found.length ? number(found.length) + more : "none";
	const overdue = locks.filter(({ renewalOverdue }) => renewalOverdue).sort(byTrouble);
	const awaited = locks.filter(({ waiters }) => waiters).sort((one, other) => other.waiters - one.waiters);
	const full = locks.filter(isFull).sort(byTrouble);
	const waiting = awaited.reduce((sum, { waiters }) => sum + waiters, 0);
	const known = locks.filter(({ watchdogTimeout }) => watchdogTimeout).length;
	const none = (known === locks.length) ? "none" : known ? "none known" : "not known";
	tell("overdue", overdue.length ? count(overdue) : none, overdue.length);
	tell("waiting", waiting ? number(waiting) + more : "none");
	tell("full", count(full));
	tell("held", number(locks.length) + more);
	name("overdue", overdue, ({ holder }) => `on ${holder.host}`);
	name("waiting", awaited, ({ waiters }) => number(waiters));
	name("full", full, ({ mode, unitsInUse }) => `${unitsInUse} of ${mode.limit}`);
	document.querySelectorAll("#summary .some").forEach((sign) => show(sign, chosen));
	document.title = `${chosen ? "Filtered: " : ""}${overdue.length ? `${overdue.length} overdue, ` : ""}${locks.length}${more} held, ${waiting}${more} waiting – Locks`;
}

/** Goes on with the times in the list. */
export function showLongest(time) {
	setText(document.querySelector("#of-held"), time === null ? "" : `longest ${wholeSpan(time)}`);
}

export function summariseActivity(activity) {
	const { incidents, client } = activity;
	const latest = incidents[0];
	const recent = latest && Date.now() - Date.parse(latest.at) < RECENT_MILLIS;
	tell("lost", latest ? countLost(activity) : "none", recent);
	setText(document.querySelector("#of-lost"), latest ? `last ${clock(latest.at)}, ${latest.names.join(", ")}` : "");
	tell("state", client.status.toLowerCase().replaceAll("_", " "), client.status !== "UP" || client.unsure);
	setText(document.querySelector("#of-state"), client.unsure ? `unsure of ${number(client.unsure)} locks` : "");
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

/** Names the worst, which a click shows in the list. */
function name(what, [first, ...others], describe) {
	const [link, rest] = document.querySelector(`#of-${what}`).children;
	worst.set(link, first?.key);
	if (!first && link === document.activeElement) {
		document.querySelector("#held").focus({ preventScroll: true });
	}
	show(link, first);
	setText(link, first?.name ?? "");
	setText(rest, first ? ` ${describe(first)}${others.length ? `, ${number(others.length)} more` : ""}` : "");
}
