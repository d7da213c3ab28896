import { element, isNew, millis, number, setText, show, wholeSpan } from "./dom.js";
import { ask, refuse, settle } from "./http.js";
import { confirmRelease } from "./release.js";
import { byAge, byTrouble, showLongest } from "./trouble.js";

const ENDPOINT = document.body.dataset.locks;
const MANY = 1000;
/** A list that Redis gives in small pages ends somewhere. */
const REQUESTS = 20;
/** How many rows there are at first, and after the first wish for more. */
const ROWS = [25, 200, MANY];
const THREADS_SHOWN = 5;
/** For how long after the pointer moved or clicked in the list the rows stay where they are. */
const STILL_MILLIS = 5000;

const filter = document.querySelector("#filter");
const body = document.querySelector("#locks");
const template = document.querySelector("#row");
const details = document.querySelector("#details");
const held = document.querySelector("#held");
const more = document.querySelector("#more");

/** What is on the page, by key. */
const shown = new Map();
/** The latest list in its order, when it was asked for, whether there may be more, and of which choice it is. */
let latest = [];
let listedAt = 0;
let pointedAt = -STILL_MILLIS;
let further = false;
let chosen = "";
let releasable = false;
let wanted = MANY;
let rows = ROWS[0];
let requestsAllowed = REQUESTS;

export async function askForActivity() {
	const activity = await ask(new URL("activity", import.meta.url));
	return activity.client ? activity : refuse(200);
}

/** Which locks are wanted. */
function choice() {
	const names = ["prefix", "holder", "fair", "heldLongerThan"].filter((name) => filter[name].value);
	return new URLSearchParams(names.map((name) => [name, filter[name].value])).toString();
}

/** Whether an answer is to what is wanted now. */
export function isWanted({ chosen }) {
	return chosen === choice();
}

/** As many of the locks as are wanted. One may be on two pages of the endpoint. */
export async function askForLocks() {
	const askedAt = Date.now();
	const chosen = choice();
	const locks = new Map();
	let cursor = "";
	for (let requests = 0; requests < requestsAllowed && locks.size < wanted && cursor !== null; requests++) {
		const query = new URLSearchParams(chosen);
		query.set("limit", Math.min(MANY, wanted - locks.size));
		if (cursor) {
			query.set("cursor", cursor);
		}
		const page = await ask(`${ENDPOINT}?${query}`);
		if (!Array.isArray(page.locks)) {
			refuse(200);
		}
		page.locks.forEach((lock) => add(lock, locks));
		cursor = page.next ?? null;
	}
	return { locks: [...locks].map(([key, lock]) => ({ ...lock, key })), more: cursor !== null, chosen, askedAt };
}

/** A lock that several hold is on the list for each, the oldest first. That is shown, or one that is overdue. */
function add(lock, locks) {
	const key = keyOf(lock, locks);
	const other = locks.get(key);
	if (!other || (lock.renewalOverdue && !other.renewalOverdue)) {
		locks.set(key, lock);
	}
}

/** A lock is its name. Of those whose names are masked each is one of its own, though it may look like another. */
function keyOf({ name, masked, token, holder }, others) {
	if (!masked) {
		return `name ${name}`;
	}
	let index = 0;
	const key = () => `masked ${index} ${name} ${holder.client} ${token}`;
	while (others.has(key())) {
		index++;
	}
	return key();
}

/** Calls back when other locks, or more of them, are wanted. */
export function onChoice(listener) {
	let pending = null;
	const wide = matchMedia("(min-width: 48rem)");
	const unfold = () => document.querySelector("#choice").open = wide.matches;
	unfold();
	wide.addEventListener("change", unfold);
	filter.addEventListener("submit", (event) => event.preventDefault());
	filter.addEventListener("input", () => {
		clearTimeout(pending);
		pending = setTimeout(listener, 300);
	});
	["pointermove", "pointerdown"].forEach((name) => body.addEventListener(name, () => pointedAt = performance.now()));
	more.querySelector("button").addEventListener("click", () => {
		if (rows >= Math.min(wanted, latest.length)) {
			wanted += MANY;
			requestsAllowed += REQUESTS;
		}
		rows = ROWS.find((count) => count > rows) ?? wanted;
		showRows();
		listener();
	});
}

export function showLocks(list, canRelease) {
	listedAt = list.askedAt;
	const places = new Map(latest.map(({ key }, i) => [key, i]));
	latest = [...list.locks].sort((filter.order.value === "age") ? byAge : byTrouble);
	if (performance.now() - pointedAt < STILL_MILLIS && list.chosen === chosen) {
		// What somebody is about to click stays where it is
		latest.sort((one, other) => (places.get(one.key) ?? MANY) - (places.get(other.key) ?? MANY));
	}
	({ more: further, chosen } = list);
	releasable = Boolean(canRelease) && window.top === window;
	showRows();
	showReadOnly(canRelease);
}

/** The first rows, and those that somebody has opened. */
function showRows() {
	const visible = latest.filter(({ key }, i) => i < rows || shown.get(key)?.details);
	const keys = new Set(visible.map(({ key }) => key));
	const focused = document.activeElement;
	const neighbours = neighboursOf(focused.closest("#locks > tr"));
	visible.forEach((lock) => refresh(shown.get(lock.key) ?? addRow(lock), lock));
	for (const [key, entry] of shown) {
		if (!keys.has(key)) {
			entry.row.remove();
			entry.details?.remove();
			shown.delete(key);
		}
	}
	arrange(visible);
	giveFocusBack(focused, neighbours);
	showEnd();
	countDown(false);
}

/** Opens a lock, wherever in the list it is, and goes there. */
export function reveal(key) {
	const lock = latest.find((each) => each.key === key);
	if (!lock) {
		return;
	}
	const entry = shown.get(key) ?? addRow(lock);
	entry.details ?? open(entry);
	showRows();
	entry.row.scrollIntoView({ block: "center" });
	entry.name.focus({ preventScroll: true });
}

/** The other rows, in the order in which they take over the focus of this one. */
function neighboursOf(row) {
	const all = [...body.children];
	const i = all.indexOf(row);
	return row ? [...all.slice(i + 1), ...all.slice(0, i).reverse()].filter(({ className }) => className !== "details") : [];
}

/** To what had it before rows were moved, or to the next row that is there. */
function giveFocusBack(focused, neighbours) {
	if (neighbours.length && !focused.isConnected) {
		const next = neighbours.find(({ isConnected }) => isConnected)?.querySelector(".name");
		(next ?? held).focus({ preventScroll: true });
	}
	else if (focused !== document.activeElement && focused.isConnected) {
		focused.focus({ preventScroll: true });
	}
}

function addRow(lock) {
	const row = template.content.firstElementChild.cloneNode(true);
	const part = (selector) => row.querySelector(selector);
	const entry = { row, details: null, lock, longestLease: 0, name: part(".name"), age: part(".age"), left: part(".left"), bar: part("progress") };
	row.dataset.name = lock.name;
	entry.name.textContent = lock.name;
	entry.name.title = lock.name;
	entry.name.addEventListener("click", () => entry.details ? close(entry) : open(entry));
	shown.set(lock.key, entry);
	return entry;
}

function refresh(entry, lock) {
	const { application, host, client, own } = lock.holder;
	const part = (selector) => entry.row.querySelector(selector);
	const sameOwner = entry.lock.holder.client === client && entry.lock.token === lock.token;
	entry.lock = lock;
	entry.longestLease = Math.max(sameOwner ? entry.longestLease : 0, millis(lock.leaseLeft), millis(lock.watchdogTimeout));
	const kind = wordsOf(lock);
	setText(part(".kind"), kind);
	show(part(".kind"), kind);
	showUnits(part(".units"), lock);
	setText(part(".who"), `${application} on ${host}`);
	show(part(".own"), own);
	show(part(".late"), lock.renewalOverdue);
	entry.row.classList.toggle("overdue", Boolean(lock.renewalOverdue));
	setText(part(".waiters"), lock.waiters ? number(lock.waiters) : "");
	if (entry.details) {
		showFacts(entry);
	}
}

function wordsOf({ mode, fair, holders, unitsInUse }) {
	const kinds = { EXCLUSIVE: [], SHARED: [`${number(holders)} reader${holders > 1 ? "s" : ""}`], PERMITS: [`${unitsInUse} of ${mode.limit} permits`] };
	return kinds[mode.kind].concat(fair ? ["fair"] : []).join(", ");
}

/** Of a small limit a box for each permit, full if it is taken. */
function showUnits(target, { mode, unitsInUse }) {
	const count = (mode.kind === "PERMITS" && mode.limit <= 20) ? mode.limit : 0;
	if (isNew(target, [count, unitsInUse])) {
		target.replaceChildren(...Array.from({ length: count }, (_, i) => element("i", "", (i < unitsInUse) ? "taken" : "")));
	}
}

/** Moves rows only where they have to. */
function arrange(locks) {
	let place = body.firstElementChild;
	for (const { key } of locks) {
		const { row, details } = shown.get(key);
		for (const part of details ? [row, details] : [row]) {
			if (part === place) {
				place = place.nextElementSibling;
			}
			else {
				body.insertBefore(part, place);
			}
		}
	}
}

function showEnd() {
	const count = latest.length;
	show(document.querySelector("#none"), !count);
	setText(document.querySelector("#none"), further ? "None found yet." : chosen ? "No held lock fits." : "Nobody holds a lock.");
	show(body.parentElement, count);
	if (!further && count <= shown.size && more.contains(document.activeElement)) {
		held.focus({ preventScroll: true });
	}
	show(more, further || count > shown.size);
	setText(more.firstElementChild, !count ? "There is more to look through."
		: `${number(shown.size)} of ${number(count)} locks are shown${further ? ", and there may be more" : ""}.`);
}

function showReadOnly(canRelease) {
	const reason = (window.top !== window) ? "Inside of another page nothing can be released."
		: "Nothing can be released here: management.endpoint.locks.access is not unrestricted.";
	const note = document.querySelector("#read-only");
	show(note, canRelease === false || window.top !== window);
	setText(note, reason);
}

/** Shows times as they are now if they go on, else as they were seen. */
export function countDown(goOn) {
	const passed = goOn ? Date.now() - listedAt : 0;
	for (const { lock, longestLease, age, left: target, bar } of shown.values()) {
		const left = Math.max(0, millis(lock.leaseLeft) - passed);
		const share = longestLease ? left / longestLease : 0;
		setText(age, wholeSpan(millis(lock.age) + passed));
		setText(target, wholeSpan(left));
		bar.value = share;
	}
	showLongest(latest.length ? Math.max(...latest.map(({ age }) => millis(age))) + passed : null);
}

function open(entry) {
	const row = details.content.firstElementChild.cloneNode(true);
	const button = row.querySelector("button");
	entry.details = row;
	row.querySelector("ol").setAttribute("aria-label", `Queue of ${entry.lock.name}`);
	button.setAttribute("aria-label", `Release ${entry.lock.name} by force`);
	button.addEventListener("click", () => confirmRelease(ENDPOINT, entry.lock, button));
	entry.row.after(row);
	entry.name.setAttribute("aria-expanded", true);
	showFacts(entry);
	fillQueue(entry);
}

function close(entry) {
	entry.details.remove();
	entry.details = null;
	entry.name.setAttribute("aria-expanded", false);
}

function showFacts({ lock, details }) {
	const { client, thread } = lock.holder;
	const list = details.querySelector(".facts");
	const process = millis(lock.clientAge) - millis(lock.age) >= 1000;
	const facts = {
		Name: lock.name,
		Client: client,
		Thread: thread && `${thread}${(lock.holdCount > 1) ? `, acquired ${lock.holdCount} times` : ""}`,
		"Fencing token": lock.token,
		"Held by this client for": process && wholeSpan(millis(lock.clientAge)),
		Holders: (lock.holders > 1) && `${lock.holders}, of which this is one`,
		Renewal: lock.renewalOverdue && "Its watchdog should have renewed it by now: its process is paused, gone or cut off from Redis, or its owner may not keep it (maxHold, a dead thread, a closed client).",
	};
	const said = Object.entries(facts).filter(([, value]) => value);
	if (isNew(list, said)) {
		list.replaceChildren(...said.map(([name, value]) => {
			const pair = element("div");
			pair.append(element("dt", name), element("dd", value));
			return pair;
		}));
	}
	show(details.querySelector("button"), releasable && !lock.masked);
}

/** One after the other, so that Redis is not asked for all of them at a time, nor again if it does not answer. */
export async function fillQueues() {
	for (const entry of [...shown.values()].filter(({ details }) => details)) {
		if (await fillQueue(entry)) {
			return;
		}
	}
}

/** Resolves to whether no answer came. */
async function fillQueue(entry) {
	if (entry.lock.masked) {
		fill(entry, "The queue cannot be seen: the name of the lock is masked.");
		return false;
	}
	if (entry.asking) {
		return false;
	}
	entry.asking = true;
	const { value, error } = await settle(ask(`${ENDPOINT}?name=${encodeURIComponent(entry.lock.name)}`));
	entry.asking = false;
	const failed = Boolean(error) && error.status !== 404;
	if (!entry.details || !isNew(entry.details, [value?.queue, value?.lock.waiters, error?.status])) {
		return failed;
	}
	if (!value) {
		fill(entry, failed ? `The queue does not come (status ${error.status}).` : "Nobody holds the lock any more.");
		return failed;
	}
	const listed = value.queue.reduce((sum, waiter) => sum + waiter.count, 0);
	const rest = value.lock.waiters - listed;
	fill(entry, value.queue.length ? "They get the lock in this order:" : "Nobody waits.", value.queue, (rest > 0) ? `and ${number(rest)} more` : "");
	return failed;
}

/** The list stays, and with it the focus and how far it was scrolled. */
function fill({ details, name }, text, waiters = [], rest = "") {
	const [, , head, list, foot] = details.firstElementChild.children;
	setText(head, text);
	setText(foot, rest);
	const scrolled = list.scrollTop;
	if (!waiters.length && list === document.activeElement) {
		name.focus();
	}
	list.replaceChildren(...waiters.map(describeWaiter));
	show(list, waiters.length);
	list.scrollTop = scrolled;
}

function describeWaiter({ application, host, client, count, threads, alive, fair }) {
	const item = element("li", `${application} on ${host}`);
	const said = fair ? [client, "fair"] : [client];
	if (threads.length) {
		const others = threads.length - THREADS_SHOWN;
		said.push(`thread${threads.length > 1 ? "s" : ""} ${threads.slice(0, THREADS_SHOWN).join(", ")}${others > 0 ? ` and ${number(others)} more` : ""}`);
	}
	if (count > threads.length && count > 1) {
		said.push(`${number(count)} threads`);
	}
	if (!alive) {
		said.push("has lost its place");
	}
	item.append(element("small", ` ${said.join(" · ")}`));
	return item;
}
