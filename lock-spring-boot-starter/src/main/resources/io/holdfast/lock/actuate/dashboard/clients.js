import { cell, clock, element, isNew, millis, number, setText, span, wholeSpan } from "./dom.js";
import { FRESH_MILLIS, ask } from "./http.js";

const LOST_SHOWN = 20;
const CLIENTS_SHOWN = 50;

const REASONS = {
	expired: ["Lease ended", "It was not renewed in time: Redis did not answer, or this process stood still."],
	gone: ["Gone from Redis", "Redis no longer knows the hold: its data was lost (restart, failover, eviction), the key was deleted, or the lease ended by Redis' clock."],
	forced: ["Released by force", "An operator did that."],
	closed: ["Client closed", "The owner was still at work."],
	deadlock: ["Deadlock", "Threads of this process wait for each other. The log has their stacks."],
};

/** How many there have been; the application forgets those beyond its limit. */
export function countLost({ incidents, incidentLimit }) {
	return number(incidents.length) + (incidents.length < incidentLimit ? "" : "+");
}

export function showLost({ incidents, incidentLimit }) {
	const list = document.querySelector("#lost");
	if (!isNew(list, incidents)) {
		return;
	}
	const items = incidents.slice(0, LOST_SHOWN).map(({ at, what, names, token }) => {
		const [title, reason] = REASONS[what] ?? [what, ""];
		const item = element("li");
		item.append(element("time", clock(at)), element("b", title), element("code", names.join(", "), "name"), element("small", `${reason}${token ? ` Fencing token ${token}.` : ""}`));
		item.firstElementChild.dateTime = at;
		return item;
	});
	if (incidents.length > LOST_SHOWN) {
		items.push(element("li", `and ${number(incidents.length - LOST_SHOWN)}${incidents.length < incidentLimit ? "" : " or more"} before`, "quiet"));
	}
	list.replaceChildren(...items);
}

const WORDS = {
	UP: "up",
	SUBSCRIPTION_DOWN: "subscription down",
	RENEWALS_LATE: "renewals late",
	OUT_OF_SERVICE: "out of service",
	SILENT: "does not answer",
	ABSENT: "not subscribed",
	UNKNOWN: "not known yet",
};
const NOTES = {
	SILENT: "It stands still, has just ended, or is cut off from Redis.",
	ABSENT: "Its subscription is down, or the process is gone; then its locks end with their leases.",
};
/** Those for whom somebody may have to do something come first. */
const ORDER = ["ABSENT", "SILENT", "OUT_OF_SERVICE", "RENEWALS_LATE", "SUBSCRIPTION_DOWN"];
/** A client that has held a lock this long and is still unlisted is missing, not just new. */
const YOUNG_MILLIS = 10_000;

/** When the others had answered among whom a client was missing first that holds a lock. */
let missedSince = new Map();

export function askForClients() {
	return ask(new URL("clients", import.meta.url));
}

/** This client as it knows itself, the others as they answered, and who else holds a lock. */
export function showClients(own, others, locks, locksAskedAt) {
	const held = locksByClient(locks);
	const listed = withOwn(own, others?.clients ?? []);
	const ids = new Set(listed.map(({ client }) => client.id));
	const areComplete = others && !others.missing;
	const areFresh = areComplete && performance.now() - others.askedAt < FRESH_MILLIS;
	const missed = new Map();
	const unlisted = [...held].filter(([id]) => !ids.has(id)).map(([id, theirs]) => {
		if (areComplete && theirs.some(({ age }) => millis(age) >= YOUNG_MILLIS)) {
			missed.set(id, missedSince.get(id) ?? (areFresh ? others.answeredAt : undefined));
		}
		// A list of locks that was asked for before may have those of one that was closed between
		const isMissing = missed.get(id) <= locksAskedAt;
		return { ...theirs[0].holder, own: false, client: { id, status: isMissing ? "ABSENT" : "UNKNOWN", held: theirs.length } };
	});
	missedSince = missed;
	const all = [...listed, ...unlisted];
	all.sort((one, other) => rank(one) - rank(other) || other.own - one.own || other.client.held - one.client.held);
	const shown = all.slice(0, CLIENTS_SHOWN);
	const body = document.querySelector("#clients");
	if (isNew(body, shown.map(({ client, application, own }) => [client.id, application, own]))) {
		body.replaceChildren(...shown.map(row));
	}
	shown.forEach((each, i) => fill(body.rows[i], each.client, held.get(each.client.id) ?? []));
	setText(document.querySelector("#clients-note"), note(others, all));
}

/** Another process of the same address may have answered, to which another client is its own. */
function withOwn(own, clients) {
	if (!own) {
		return clients;
	}
	const others = clients.filter(({ client }) => client.id !== own.id).map((each) => ({ ...each, own: false }));
	return [{ ...clients.find(({ client }) => client.id === own.id), own: true, client: own }, ...others];
}

function rank({ client }) {
	return ORDER.includes(client.status) ? ORDER.indexOf(client.status) : ORDER.length;
}

function locksByClient(locks) {
	const groups = new Map();
	for (const lock of locks) {
		const { client } = lock.holder;
		if (!groups.has(client)) {
			groups.set(client, []);
		}
		groups.get(client).push(lock);
	}
	return groups;
}

function note(others, all) {
	const more = all.length > CLIENTS_SHOWN ? ` ${number(all.length)} in all, ${CLIENTS_SHOWN} are shown.` : "";
	if (!others) {
		return `How other clients are is not known.${more}`;
	}
	return (others.missing ? `There may be others: ${others.missing}.` : "All subscribed clients by their own reports, and any other that holds a lock in the list.") + more;
}

function row({ application, host, own, client }) {
	const created = element("tr");
	const header = element("th");
	created.setAttribute("role", "row");
	header.setAttribute("role", "rowheader");
	header.scope = "row";
	if (application) {
		header.append(element("b", `${application} on ${host}`), " ");
	}
	if (own) {
		header.append(element("span", "this process", "tag"), " ");
	}
	header.append(element("code", client.id, "id"));
	created.append(header, ...["Status", "Holds", "Shortest lease left", "Waiting", "Renewals", "Subscription"].map(cell));
	return created;
}

function fill({ cells }, client, locks) {
	const { status, held, work } = client;
	const bad = ORDER.includes(status);
	const silent = !(status in WORDS) || ["SILENT", "ABSENT", "UNKNOWN"].includes(status);
	if (isNew(cells[1], status)) {
		const words = element("div", "", bad ? "bad" : "");
		if (bad) {
			words.append(element("span", "▲ ", "sign"));
		}
		words.append(WORDS[status] ?? status, element("small", NOTES[status] ?? ""));
		cells[1].replaceChildren(words);
	}
	const facts = [number(silent ? locks.length : held), shortest(locks), work ? number(work.waiting) : "–", silent ? "–" : renewals(client), silent ? "–" : subscription(client)];
	facts.forEach((fact, i) => setText(cells[i + 2], fact));
}

function shortest(locks) {
	return locks.length ? wholeSpan(locks.reduce((least, { leaseLeft }) => Math.min(least, millis(leaseLeft)), Infinity)) : "–";
}

function renewals({ overdueRenewals, lastAnswer, unavailableFor, failure, work }) {
	const lag = millis(work?.renewalLag);
	const facts = [overdueRenewals ? `${number(overdueRenewals)} late${lag ? ` by ${span(lag)}` : ""}` : "in time"];
	if (work?.failedRenewals) {
		facts.push(`${number(work.failedRenewals)} failed since the start`);
	}
	if (work?.pendingReleases) {
		facts.push(`${number(work.pendingReleases)} releases without an answer`);
	}
	facts.push(unavailableFor ? `Redis has failed for ${span(millis(unavailableFor))} (${failure})` : lastAnswer ? `Redis answered ${span(millis(lastAnswer))} ago` : "Redis was not asked yet");
	return facts.join(", ");
}

function subscription({ subscriptionDownFor, work }) {
	const again = work?.resubscriptions ? `, made again ${work.resubscriptions === 1 ? "once" : `${number(work.resubscriptions)} times`}` : "";
	return (subscriptionDownFor ? `no message for ${span(millis(subscriptionDownFor))}` : "up") + again;
}
