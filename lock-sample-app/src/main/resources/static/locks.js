import { ask, repeat } from "./http.js";
import { labelOf, paint, portOf } from "./instances.js";
import { element, setText } from "./page.js";

const POLL_MILLIS = 500;
const AFTERGLOW_MILLIS = 1500;
const QUEUES_SHOWN = 5;

const list = document.querySelector("#locks");
const count = document.querySelector("#lock-count");
const problem = document.querySelector("#locks-error");
const template = document.querySelector("#lock-template");

/** What is on the page, by lock name. */
const shown = new Map();

export function showLocks() {
	repeat(POLL_MILLIS, async () => {
		try {
			update(await askForLocks());
			problem.hidden = true;
		}
		catch (error) {
			problem.textContent = error.message;
			problem.hidden = false;
		}
		await showQueues();
	});
	requestAnimationFrame(countDown);
}

/** All that are held, page by page. A lock may be on two of them. */
async function askForLocks() {
	const locks = new Map();
	let next = "";
	do {
		const page = await ask(`actuator/locks?limit=1000${next && `&cursor=${encodeURIComponent(next)}`}`);
		page.locks.forEach((lock) => locks.set(lock.name, lock));
		next = page.next;
	} while (next);
	return [...locks.values()];
}

function update(locks) {
	const now = performance.now();
	count.textContent = locks.length;
	for (const lock of locks) {
		const entry = shown.get(lock.name) ?? add(lock.name);
		refresh(entry, lock, now);
	}
	for (const [name, entry] of shown) {
		entry.item.classList.toggle("released", entry.seenAt !== now);
		if (now - entry.seenAt > AFTERGLOW_MILLIS) {
			entry.item.remove();
			shown.delete(name);
		}
	}
}

function add(name) {
	const item = template.content.firstElementChild.cloneNode(true);
	const entry = { item, longestLease: 0 };
	item.dataset.name = name;
	item.querySelector(".name").textContent = name;
	list.append(item);
	shown.set(name, entry);
	return entry;
}

function refresh(entry, lock, now = performance.now()) {
	entry.lock = lock;
	entry.seenAt = now;
	entry.longestLease = Math.max(entry.longestLease, millisLeft(lock));
	const { item } = entry;
	setText(item, ".type", lock.type.toLowerCase());
	const { application, host, client, thread } = lock.holder;
	setText(item, ".instance", labelOf(client));
	paint(item.querySelector(".instance"), portOf(client));
	setText(item, ".client", `${application} on ${host}, client ${client}${thread ? `, thread ${thread}` : ""}`);
	setText(item, ".token", lock.token);
	if (!lock.waiters) {
		setText(item, ".waiters", "nobody");
	}
}

/** Asks for the queues of the first few locks that have one. */
async function showQueues() {
	const queued = [...shown.values()].filter(({ item, lock }) => lock.waiters && !isReleased(item));
	await Promise.all(queued.slice(0, QUEUES_SHOWN).map(showQueue));
}

async function showQueue(entry) {
	const answer = await ask(`actuator/locks?name=${encodeURIComponent(entry.lock.name)}`).catch(() => null);
	if (answer) {
		refresh(entry, answer.lock);
		entry.item.querySelector(".waiters").replaceChildren(...summary(answer.queue));
	}
}

/** One tag for each instance that waits, with the number of its threads if there are several. */
function summary(queue) {
	if (!queue.length) {
		return ["nobody"];
	}
	const byInstance = Map.groupBy(queue, (waiter) => waiter.client);
	return [...byInstance].map(([client, waiters]) => {
		const threads = waiters.reduce((sum, waiter) => sum + waiter.count, 0);
		const tag = element("span", labelOf(client) + ((threads > 1) ? ` × ${threads}` : ""), "instance tag");
		paint(tag, portOf(client));
		return tag;
	});
}

function countDown(now) {
	for (const { item, lock, seenAt, longestLease } of shown.values()) {
		const left = isReleased(item) ? 0 : Math.max(0, millisLeft(lock) - (now - seenAt));
		item.querySelector("progress").value = longestLease ? left / longestLease : 0;
		setText(item, ".left", isReleased(item) ? "released" : `${(left / 1000).toFixed(1)} s left`);
	}
	requestAnimationFrame(countDown);
}

function isReleased(item) {
	return item.classList.contains("released");
}

/** Reads a duration like PT1M4.2S. */
function millisLeft({ leaseLeft }) {
	const [, hours, minutes, seconds] = /PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?/.exec(leaseLeft);
	return 1000 * (3600 * (hours ?? 0) + 60 * (minutes ?? 0) + Number(seconds ?? 0));
}
