import { element, millis, number, setText, show, span, wholeSpan } from "./dom.js";
import { ask, settle } from "./http.js";
import { confirmRelease } from "./release.js";

const ENDPOINT = document.body.dataset.locks;
const FEW = 200;
const MANY = 1000;
/** A list that Redis gives in small pages ends somewhere. */
const REQUESTS = 20;
/** What the Actuator shows instead of a name; nothing can be done with it. */
const MASKED = "******";

const filter = document.querySelector("#filter");
const body = document.querySelector("#locks");
const template = document.querySelector("#row");
const more = document.querySelector("#more");

/** What is on the page, by name, client and token. */
const shown = new Map();
let wanted = FEW;

export function askForActivity() {
	return ask(new URL("activity", import.meta.url));
}

/** As many of the locks as are wanted. One may be on two pages of the endpoint. */
export async function askForLocks() {
	const locks = new Map();
	let cursor = "";
	for (let requests = 0; requests < REQUESTS && locks.size < wanted && cursor !== null; requests++) {
		const query = new URLSearchParams({ limit: Math.min(MANY, wanted - locks.size) });
		["prefix", "holder", "type", "heldLongerThan"].forEach((name) => filter[name].value && query.set(name, filter[name].value));
		if (cursor) {
			query.set("cursor", cursor);
		}
		const page = await ask(`${ENDPOINT}?${query}`);
		page.locks.forEach((lock) => locks.set(keyOf(lock), lock));
		cursor = page.next ?? null;
	}
	return { locks: [...locks.values()], more: cursor !== null };
}

function keyOf({ name, token, holder }) {
	return `${name} ${holder.client} ${token}`;
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
		listener();
	});
}

/** What is shown now, each with what is left of its lease. */
export function found() {
	return [...shown.values()].map(({ lock }) => lock);
}

export function showLocks({ locks, more: further }, releasable) {
	const now = performance.now();
	const isReleasable = Boolean(releasable) && window.top === window;
	for (const lock of sorted(locks)) {
		const entry = shown.get(keyOf(lock)) ?? add(lock);
		refresh(entry, lock, now, isReleasable);
	}
	for (const [key, entry] of shown) {
		if (entry.seenAt !== now) {
			remove(entry);
			shown.delete(key);
		}
	}
	arrange(sorted(locks));
	showEnd(locks.length, further);
	showReadOnly(releasable);
	countDown();
}

function sorted(locks) {
	const byAge = (one, other) => Date.parse(one.since) - Date.parse(other.since);
	const byWaiters = (one, other) => other.waiters - one.waiters || byAge(one, other);
	return [...locks].sort((filter.order.value === "age") ? byAge : byWaiters);
}

function add(lock) {
	const row = template.content.firstElementChild.cloneNode(true);
	const part = (selector) => row.querySelector(selector);
	const entry = { row, longestLease: 0, queue: null, age: part(".age"), left: part(".left"), bar: part("progress"), waiters: part(".waiters"), nobody: part(".nobody"), release: part(".action button") };
	row.dataset.name = lock.name;
	part(".name").textContent = lock.name;
	part(".type").textContent = lock.type.toLowerCase();
	show(part(".type"), lock.type !== "REENTRANT");
	part(".who").textContent = `${lock.holder.application} on ${lock.holder.host}`;
	show(part(".own"), lock.holder.own);
	part(".client").textContent = lock.holder.client;
	entry.waiters.addEventListener("click", () => entry.queue ? closeQueue(entry) : openQueue(entry));
	entry.release.addEventListener("click", () => confirmRelease(ENDPOINT, entry.lock, entry.release));
	shown.set(keyOf(lock), entry);
	return entry;
}

function remove({ row, queue }) {
	row.remove();
	queue?.remove();
}

function refresh(entry, lock, now, releasable) {
	entry.lock = lock;
	entry.seenAt = now;
	entry.millisLeft = millis(lock.leaseLeft);
	entry.longestLease = Math.max(entry.longestLease, entry.millisLeft);
	const { thread } = lock.holder;
	const times = (lock.holdCount > 1) ? `, acquired ${lock.holdCount} times` : "";
	setText(entry.row.querySelector(".thread"), thread ? `thread ${thread}${times}` : "");
	setText(entry.waiters, number(lock.waiters));
	entry.waiters.setAttribute("aria-label", `${lock.waiters} waiting for ${lock.name}, show the queue`);
	show(entry.waiters, lock.waiters > 0 || entry.queue);
	show(entry.nobody, !lock.waiters && !entry.queue);
	entry.release.setAttribute("aria-label", `Release ${lock.name} by force`);
	show(entry.release, releasable && lock.name !== MASKED);
	if (entry.queue) {
		fillQueue(entry);
	}
}

/** Moves rows only where they have to, and gives the focus back that a move takes away. */
function arrange(locks) {
	const focused = document.activeElement;
	let place = body.firstElementChild;
	for (const lock of locks) {
		const { row, queue } = shown.get(keyOf(lock));
		for (const part of queue ? [row, queue] : [row]) {
			if (part === place) {
				place = place.nextElementSibling;
			}
			else {
				body.insertBefore(part, place);
			}
		}
	}
	if (focused !== document.activeElement && body.contains(focused)) {
		focused.focus({ preventScroll: true });
	}
}

function showEnd(count, further) {
	const filtered = [...new FormData(filter)].some(([name, value]) => value && name !== "order");
	show(document.querySelector("#none"), !count);
	setText(document.querySelector("#none"), filtered ? "No held lock fits." : "Nobody holds a lock.");
	show(body.parentElement, count);
	show(more, further);
	setText(more.firstElementChild, `${number(count)} locks are shown, there are more.`);
}

function showReadOnly(releasable) {
	const reason = (window.top !== window) ? "Inside of another page nothing can be released."
		: "Nothing can be released here: management.endpoint.locks.access is not unrestricted.";
	const note = document.querySelector("#read-only");
	show(note, releasable === false || window.top !== window);
	setText(note, reason);
}

/** Times go on between two answers. */
export function countDown() {
	const now = performance.now();
	for (const entry of shown.values()) {
		const passed = now - entry.seenAt;
		const left = Math.max(0, entry.millisLeft - passed);
		const share = entry.longestLease ? left / entry.longestLease : 0;
		setText(entry.age, wholeSpan(millis(entry.lock.age) + passed));
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

async function fillQueue(entry) {
	const { value } = await settle(ask(`${ENDPOINT}?name=${encodeURIComponent(entry.lock.name)}`));
	if (!entry.queue) {
		return;
	}
	const cell = entry.queue.firstElementChild;
	if (!value) {
		setText(cell, "The queue cannot be seen: the lock is free by now, or its name is masked.");
		return;
	}
	const listed = value.queue.reduce((sum, waiter) => sum + waiter.count, 0);
	const list = element("ol");
	list.append(...value.queue.map(describeWaiter));
	cell.replaceChildren(element("p", `Fencing token ${value.lock.token}. They get the lock in this order:`), list);
	if (value.lock.waiters > listed) {
		cell.append(element("p", `and ${number(value.lock.waiters - listed)} more`));
	}
}

function describeWaiter({ application, host, client, count, threads, alive, type }) {
	const item = element("li", `${application} on ${host}`);
	const details = [client, type.toLowerCase()];
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
