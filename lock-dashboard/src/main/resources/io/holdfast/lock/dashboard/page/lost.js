import { clock, element, isNew, number } from "./dom.js";

const LOST_SHOWN = 20;

const REASONS = {
	expired: ["Lease ended", "It was not renewed in time: Redis did not answer, or this process stood still."],
	gone: ["Gone from Redis", "Redis no longer knows the hold: its data was lost (restart, failover, eviction), the key was deleted, or the lease ended by Redis' clock."],
	forced: ["Lost by force", "An operator released it."],
	released: ["Released by force", "Through this process, by"],
	max_hold: ["Held for too long", "Its owner had it for as long as max-hold allows. A thread dump shows whether it hangs."],
	closed: ["Client closed", "The owner was still at work."],
	error: ["Error", "Something unexpected, such as a lack of memory, hit what this process knew of the lock. The log has it."],
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
	const items = incidents.slice(0, LOST_SHOWN).map(({ at, what, names, token, by }) => {
		const [title, reason] = REASONS[what] ?? [what, ""];
		const item = element("li");
		item.append(element("time", clock(at)), element("b", title), element("code", names.join(", "), "name"), element("small", `${reason}${by ? ` ${by}.` : ""}${token ? ` Fencing token ${token}.` : ""}`));
		item.firstElementChild.dateTime = at;
		return item;
	});
	if (incidents.length > LOST_SHOWN) {
		items.push(element("li", `and ${number(incidents.length - LOST_SHOWN)}${incidents.length < incidentLimit ? "" : " or more"} before`, "quiet"));
	}
	list.replaceChildren(...items);
}
