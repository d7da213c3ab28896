import { element, isNew, millis, number, setText, show, span, wholeSpan } from "./dom.js";
import { ask, refuse, settle } from "./http.js";
import { confirmRelease } from "./release.js";

const ENDPOINT = document.body.dataset.locks;
const FEW = 200;
const MANY = 1000;
/** A list that Redis gives in small pages ends somewhere. */
const REQUESTS = 20;

const filter = document.querySelector("#filter");
const body = document.querySelector("#locks");
const template = document.querySelector("#row");
const held = document.querySelector("#held");
const more = document.querySelector("#more");

/** What is on the page, by key. */
const shown = new Map();
let wanted = FEW;
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
		page.locks.forEach((lock) => locks.set(keyOf(lock, locks), lock));
		cursor = page.next ?? null;
	}
	return { locks: [...locks].map(([key, lock]) => ({ ...lock, key })), more: cursor !== null, chosen };
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
	filter.addEventListener("submit", (event) => event.preventDefault());
	filter.addEventListener("input", () => {
		clearTimeout(pending);
		pending = setTimeout(listener, 300);
	});
	more.querySelector("button").addEventListener("click", () => {
		wanted = (wanted < MANY) ? MANY : wanted + MANY;
		requestsAllowed += REQUESTS;
		listener();
	});
}

export function showLocks({ locks, more: further, chosen }, releasable) {
	const now = performance.now();
	const isReleasable = Boolean(releasable) && window.top === window;
	const focused = document.activeElement;
	const neighbours = neighboursOf(focused.closest("#locks > tr"));
	for (const lock of locks) {
		const entry = shown.get(lock.key) ?? add(lock);
		refresh(entry, lock, now, isReleasable);
	}
	for (const [key, entry] of shown) {
		if (entry.seenAt !== now) {
			remove(entry);
			shown.delete(key);
		}
	}
	arrange(sorted(locks));
	giveFocusBack(focused, neighbours);
	showEnd(locks.length, further, chosen);
	showReadOnly(releasable);
	countDown(false);
}

function sorted(locks) {
	const byAge = (one, other) => Date.parse(one.since) - Date.parse(other.since);
	const byWaiters = (one, other) => other.waiters - one.waiters || byAge(one, other);
	return [...locks].sort((filter.order.value === "age") ? byAge : byWaiters);
}

/** The other rows, in the order in which they take over the focus of this one. */
function neighboursOf(row) {
	const rows = [...body.children];
	const i = rows.indexOf(row);
	return row ? [...rows.slice(i + 1), ...rows.slice(0, i).reverse()] : [];
}

/** To what had it before rows were moved, or to the same in the next row that is there. */
function giveFocusBack(focused, neighbours) {
	if (neighbours.length && !focused.isConnected) {
		const same = focused.matches(".waiters") ? ".waiters" : ".action button";
		const next = neighbours.filter(({ isConnected }) => isConnected).map((row) => row.querySelector(same)).find((part) => part?.checkVisibility());
		(next ?? held).focus({ preventScroll: true });
	}
	else if (focused !== document.activeElement && focused.isConnected) {
		focused.focus({ preventScroll: true });
	}
}

function add(lock) {
	const row = template.content.firstElementChild.cloneNode(true);
	const part = (selector) => row.querySelector(selector);
	const entry = { row, queue: null, lock, longestLease: 0, age: part(".age"), process: part(".process"), left: part(".left"), bar: part("progress"), waiters: part(".waiters"), nobody: part(".nobody"), release: part(".action button") };
	row.dataset.name = lock.name;
	part(".name").textContent = lock.name;
	entry.waiters.addEventListener("click", () => entry.queue ? closeQueue(entry) : openQueue(entry));
	entry.release.addEventListener("click", () => confirmRelease(ENDPOINT, entry.lock, entry.release));
	shown.set(lock.key, entry);
	return entry;
}

function remove({ row, queue }) {
	row.remove();
	queue?.remove();
}

function refresh(entry, lock, now, releasable) {
	const { application, host, client, own, thread } = lock.holder;
	const part = (selector) => entry.row.querySelector(selector);
	const sameOwner = entry.lock.holder.client === client && entry.lock.token === lock.token;
	entry.lock = lock;
	entry.seenAt = now;
	entry.millisLeft = millis(lock.leaseLeft);
	entry.longestLease = Math.max(sameOwner ? entry.longestLease : 0, entry.millisLeft);
	const times = (lock.holdCount > 1) ? `, acquired ${lock.holdCount} times` : "";
	const kinds = {
		EXCLUSIVE: [],
		SHARED: ["reader"],
		PERMITS: [`${lock.mode.units} of ${lock.mode.limit} permits, ${Math.max(0, lock.mode.limit - lock.unitsInUse)} free`]
	};
	const words = kinds[lock.mode.kind].concat(lock.fair ? ["fair"] : [],
			lock.holders > 1 ? [`one of ${lock.holders} holders`] : []);
	setText(part(".kind"), words.join(", "));
	show(part(".kind"), words.length > 0);
	setText(part(".who"), `${application} on ${host}`);
	show(part(".own"), own);
	setText(part(".client"), client);
	setText(part(".thread"), thread ? `thread ${thread}${times}` : "");
	setText(entry.waiters, number(lock.waiters));
	entry.waiters.setAttribute("aria-label", `${lock.waiters} waiting for ${lock.name}, show the queue`);
	show(entry.waiters, lock.waiters > 0 || entry.queue);
	show(entry.nobody, !lock.waiters && !entry.queue);
	entry.release.setAttribute("aria-label", `Release ${lock.name} by force`);
	show(entry.release, releasable && !lock.masked);
}

/** Moves rows only where they have to. */
function arrange(locks) {
	let place = body.firstElementChild;
	for (const { key } of locks) {
		const { row, queue } = shown.get(key);
		for (const part of queue ? [row, queue] : [row]) {
			if (part === place) {
				place = place.nextElementSibling;
			}
			else {
				body.insertBefore(part, place);
			}
		}
	}
}

function showEnd(count, further, chosen) {
	show(document.querySelector("#none"), !count);
	setText(document.querySelector("#none"), further ? "None found yet." : chosen ? "No held lock fits." : "Nobody holds a lock.");
	show(body.parentElement, count);
	show(more, further);
	setText(more.firstElementChild, count ? `${number(count)} locks are shown, there may be more.` : "There is more to look through.");
}

function showReadOnly(releasable) {
	const reason = (window.top !== window) ? "Inside of another page nothing can be released."
		: "Nothing can be released here: management.endpoint.locks.access is not unrestricted.";
	const note = document.querySelector("#read-only");
	show(note, releasable === false || window.top !== window);
	setText(note, reason);
}

/** Shows times as they are now if they go on, else as they were seen. */
export function countDown(goOn) {
	const now = performance.now();
	for (const entry of shown.values()) {
		const passed = goOn ? now - entry.seenAt : 0;
		const left = Math.max(0, entry.millisLeft - passed);
		const share = entry.longestLease ? left / entry.longestLease : 0;
		const age = millis(entry.lock.age);
		const clientAge = millis(entry.lock.clientAge);
		setText(entry.age, wholeSpan(age + passed));
		setText(entry.process, `its process for ${wholeSpan(clientAge + passed)}`);
		show(entry.process, clientAge - age >= 1000);
		setText(entry.left, wholeSpan(left));
		entry.bar.value = share;
		entry.bar.classList.toggle("low", share < 1 / 3);
	}
}

function openQueue(entry) {
	const row = element("tr", "", "queue");
	const cell = element("td");
	row.setAttribute("role", "row");
	cell.setAttribute("role", "cell");
	cell.colSpan = 6;
	const list = element("ol");
	list.setAttribute("aria-label", `Queue of ${entry.lock.name}`);
	list.tabIndex = 0;
	list.hidden = true;
	cell.append(element("p"), list, element("p"));
	row.append(cell);
	entry.queue = row;
	entry.row.after(row);
	entry.waiters.setAttribute("aria-expanded", true);
	fillQueue(entry);
}

function closeQueue(entry) {
	entry.queue.remove();
	entry.queue = null;
	entry.waiters.setAttribute("aria-expanded", false);
}

/** One after the other, so that Redis is not asked for all of them at a time. */
export async function fillQueues() {
	for (const entry of [...shown.values()].filter(({ queue }) => queue)) {
		await fillQueue(entry);
	}
}

async function fillQueue(entry) {
	if (entry.lock.masked) {
		fill(entry, "The queue cannot be seen: the name of the lock is masked.");
		return;
	}
	if (entry.asking) {
		return;
	}
	entry.asking = true;
	const { value, error } = await settle(ask(`${ENDPOINT}?name=${encodeURIComponent(entry.lock.name)}`));
	entry.asking = false;
	if (!entry.queue || !isNew(entry.queue, [value?.queue, value?.lock.token, value?.lock.waiters, error?.status])) {
		return;
	}
	if (!value) {
		fill(entry, (error.status === 404) ? "Nobody holds the lock any more." : `The queue does not come (status ${error.status}).`);
		return;
	}
	const listed = value.queue.reduce((sum, waiter) => sum + waiter.count, 0);
	const rest = value.lock.waiters - listed;
	fill(entry, `Fencing token ${value.lock.token}. They get the lock in this order:`, value.queue, (rest > 0) ? `and ${number(rest)} more` : "");
}

/** The list stays, and with it the focus and how far it was scrolled. */
function fill(entry, text, waiters = [], rest = "") {
	const [head, list, foot] = entry.queue.firstElementChild.children;
	setText(head, text);
	setText(foot, rest);
	const scrolled = list.scrollTop;
	if (!waiters.length && list === document.activeElement) {
		entry.waiters.focus();
	}
	list.replaceChildren(...waiters.map(describeWaiter));
	show(list, waiters.length);
	list.scrollTop = scrolled;
}

function describeWaiter({ application, host, client, count, threads, alive, fair }) {
	const item = element("li", `${application} on ${host}`);
	const details = fair ? [client, "fair"] : [client];
	if (threads.length) {
		details.push(`thread${threads.length > 1 ? "s" : ""} ${threads.join(", ")}`);
	}
	if (count > threads.length && count > 1) {
		details.push(`${number(count)} threads`);
	}
	if (!alive) {
		details.push("has lost its place");
	}
	item.append(element("small", ` ${details.join(" · ")}`));
	return item;
}
