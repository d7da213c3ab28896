import { cell, clock, element, isNew, millis, number, setText, span, wholeSpan } from "./dom.js";

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

/** This client as it knows itself, the others as far as their locks show them. */
export function showClients(own, locks) {
	const others = Object.entries(Object.groupBy?.(locks, ({ holder }) => holder.client) ?? group(locks)).filter(([id]) => id !== own.id);
	const rows = others.sort(([, one], [, other]) => other.length - one.length).slice(0, CLIENTS_SHOWN).map(([id, held]) =>
		[id, "", number(held.length), shortest(held), "not known here", "not known here"]);
	const ofOwn = locks.filter(({ holder }) => holder.client === own.id);
	rows.unshift([own.id, "this process", number(own.held), shortest(ofOwn), renewals(own), subscription(own)]);
	const body = document.querySelector("#clients");
	if (isNew(body, rows.map(([id]) => id))) {
		body.replaceChildren(...rows.map(([id, tag]) => row(id, tag)));
	}
	rows.forEach(([, , ...facts], i) => facts.forEach((fact, j) => setText(body.rows[i].cells[j + 1], fact)));
}

function group(locks) {
	const groups = {};
	locks.forEach((lock) => (groups[lock.holder.client] ??= []).push(lock));
	return groups;
}

function row(id, tag) {
	const created = element("tr");
	const header = element("th");
	created.setAttribute("role", "row");
	header.setAttribute("role", "rowheader");
	header.scope = "row";
	header.append(element("code", id, "name"));
	if (tag) {
		header.append(" ", element("span", tag, "tag"));
	}
	created.append(header, cell("Holds"), cell("Shortest lease left"), cell("Renewals"), cell("Subscription"));
	return created;
}

function shortest(locks) {
	return locks.length ? wholeSpan(Math.min(...locks.map(({ leaseLeft }) => millis(leaseLeft)))) : "–";
}

function renewals({ overdueRenewals, lastAnswer, unavailableFor, failure, work }) {
	const facts = [overdueRenewals ? `${number(overdueRenewals)} late` : "in time"];
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
