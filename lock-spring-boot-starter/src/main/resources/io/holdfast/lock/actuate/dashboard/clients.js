import { cell, clock, element, isNew, millis, number, setText, span, wholeSpan } from "./dom.js";
import { ask } from "./http.js";

const LOST_SHOWN = 20;
/** So many the application remembers; there may have been more. */
const LOST_KEPT = 100;
const CLIENTS_SHOWN = 50;

const REASONS = {
	expired: ["Lease ended", "It was not renewed in time: Redis did not answer, or this process stood still."],
	gone: ["Gone from Redis", "Redis no longer knows the hold: its data was lost (restart, failover, eviction), the key was deleted, or the lease ended by Redis' clock."],
	forced: ["Released by force", "An operator did that."],
	closed: ["Client closed", "The owner was still at work."],
	deadlock: ["Deadlock", "Threads of this process wait for each other. The log has their stacks."],
};

/** How many there have been. */
export function countLost({ length }) {
	return number(length) + (length < LOST_KEPT ? "" : "+");
}

export function showLost(incidents) {
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
		items.push(element("li", `and ${number(incidents.length - LOST_SHOWN)}${incidents.length < LOST_KEPT ? "" : " or more"} before`, "quiet"));
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
	UNKNOWN: "not known",
};
const NOTES = {
	SILENT: "It stands still, has just ended, or is cut off from Redis.",
	ABSENT: "Its subscription is down, or the process is gone; then its locks end with their leases.",
};
/** Those for whom somebody may have to do something come first. */
const ORDER = ["ABSENT", "SILENT", "OUT_OF_SERVICE", "RENEWALS_LATE", "SUBSCRIPTION_DOWN"];
/** Who has held a lock for so long and is not in the list is not just too young for it. */
const YOUNG_MILLIS = 10_000;

export function askForClients() {
	return ask(new URL("clients", import.meta.url));
}

/** This client as it knows itself, the others as they answered, and who else holds a lock. */
export function showClients(own, others, locks) {
	const held = locksByClient(locks);
	const known = (others?.clients ?? []).filter((each) => !each.own);
	const ids = new Set([own.id, ...known.map(({ client }) => client.id)]);
	const complete = others && !others.missing;
	const absent = [...held.values()].filter(([{ holder }]) => !ids.has(holder.client)).map((theirs) => {
		const [{ holder }] = theirs;
		const old = theirs.some(({ age }) => millis(age) >= YOUNG_MILLIS);
		return { ...holder, own: false, client: { id: holder.client, status: complete && old ? "ABSENT" : "UNKNOWN", held: theirs.length } };
	});
	const self = { ...others?.clients.find((each) => each.own), own: true, client: own };
	const all = [self, ...known, ...absent].map((each) => ({ ...each, rank: ORDER.indexOf(each.client.status) }));
	all.sort((one, other) => (one.rank >>> 0) - (other.rank >>> 0) || other.own - one.own || other.client.held - one.client.held);
	const shown = all.slice(0, CLIENTS_SHOWN);
	const body = document.querySelector("#clients");
	if (isNew(body, shown.map(({ client, application }) => [client.id, application]))) {
		body.replaceChildren(...shown.map(row));
	}
	shown.forEach((each, i) => fill(body.rows[i], each, held.get(each.client.id) ?? []));
	setText(document.querySelector("#clients-note"), note(others, all));
}

function locksByClient(locks) {
	const groups = new Map();
	locks.forEach((lock) => groups.set(lock.holder.client, [...groups.get(lock.holder.client) ?? [], lock]));
	return groups;
}

function note(others, all) {
	const more = all.length > CLIENTS_SHOWN ? ` ${number(all.length)} in all, ${CLIENTS_SHOWN} are shown.` : "";
	if (!others) {
		return `How other clients are is not known.${more}`;
	}
	return (others.missing ? `There may be others: ${others.missing}.` : "All that are subscribed, as they say themselves, and who else holds a lock of the list.") + more;
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

function fill({ cells }, { client, rank }, locks) {
	const { status, held, work } = client;
	const silent = !(status in WORDS) || ["SILENT", "ABSENT", "UNKNOWN"].includes(status);
	if (isNew(cells[1], status)) {
		const words = element("div", "", rank >= 0 ? "bad" : "");
		if (rank >= 0) {
			words.append(element("span", "▲ ", "sign"));
		}
		words.append(WORDS[status] ?? status, element("small", NOTES[status] ?? ""));
		cells[1].replaceChildren(words);
	}
	const facts = [number(silent ? locks.length : held), shortest(locks), work ? number(work.waiting) : "–", silent ? "–" : renewals(client), silent ? "–" : subscription(client)];
	facts.forEach((fact, i) => setText(cells[i + 2], fact));
}

function shortest(locks) {
	return locks.length ? wholeSpan(Math.min(...locks.map(({ leaseLeft }) => millis(leaseLeft)))) : "–";
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
