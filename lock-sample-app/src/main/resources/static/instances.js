import { ask, element, repeat } from "./http.js";

const COLOURS = ["#0d9488", "#7c3aed", "#ea580c", "#2563eb", "#be185d"];

const list = document.querySelector("#instances");
const offline = document.querySelector("#offline");
const everywhere = document.querySelector("#sale [name=everywhere]");

/** All that were ever seen by this page, by the id of their lock client: a holder may be dead already. */
const known = new Map();
let alive = [];

export function showInstances() {
	repeat(1000, async () => {
		try {
			alive = await ask("api/instances");
			offline.hidden = true;
		}
		catch (error) {
			tellOffline();
			throw error;
		}
		alive.forEach(remember);
		list.replaceChildren(...alive.map(item));
		everywhere.disabled = alive.length < 2;
	});
}

/** The addresses of all instances, this one first. They are expected on this host. */
export function instanceUrls() {
	const others = alive.filter((instance) => !isThisOne(instance));
	return ["", ...others.map(url)];
}

/** How the page calls the instance with this lock client. */
export function labelOf(client) {
	const instance = known.get(client);
	return instance ? `:${instance.port}` : "unknown instance";
}

/** Gives an element the colour of an instance. */
export function paint(target, port) {
	const ports = [...new Set([...known.values()].map((instance) => instance.port))];
	const index = ports.indexOf(port);
	target.style.setProperty("--port", (index < 0) ? "" : COLOURS[index % COLOURS.length]);
}

export function portOf(client) {
	return known.get(client)?.port;
}

function remember(instance) {
	known.set(instance.client, instance);
}

function item(instance) {
	const created = document.createElement("li");
	const name = isThisOne(instance) ? element("b", `:${instance.port}`) : element("a", `:${instance.port}`);
	if (!isThisOne(instance)) {
		name.href = url(instance);
	}
	created.append(name, element("span", `pid ${instance.pid}${isThisOne(instance) ? ", this one" : ""}`));
	paint(created, instance.port);
	return created;
}

function tellOffline() {
	const other = alive.find((instance) => !isThisOne(instance));
	offline.textContent = "This instance does not answer. ";
	if (other) {
		const link = element("a", `Go on with :${other.port}`);
		link.href = url(other);
		offline.append(link);
	}
	offline.hidden = false;
}

function isThisOne(instance) {
	return String(instance.port) === location.port;
}

function url(instance) {
	return `${location.protocol}//${location.hostname}:${instance.port}/`;
}
