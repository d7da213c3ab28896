import { ask, goThrough, repeat } from "./http.js";
import { element, setText } from "./page.js";

/** Each for a light page and for a dark one. */
const COLOURS = [["#0d9488", "#2dd4bf"], ["#7c3aed", "#c4b5fd"], ["#ea580c", "#fdba74"], ["#2563eb", "#93c5fd"], ["#be185d", "#f9a8d4"]];

const list = document.querySelector("#instances");
const offline = document.querySelector("#offline");
const alone = document.querySelector("#alone");
const everywhere = document.querySelectorAll("[name=everywhere]");

/** The ports of all that were ever seen by this page. */
const known = new Set();
let alive = [];

/** Through which instance the page goes on while its own does not answer. */
let elsewhere = "";

export function showInstances() {
	repeat(1000, async () => {
		try {
			alive = await ask("api/instances");
		}
		catch (error) {
			goOnElsewhere();
			throw error;
		}
		await comeBack();
		alive.forEach(({ port }) => known.add(port));
		list.replaceChildren(...alive.map(item));
		everywhere.forEach((box) => box.disabled = alive.length < 2);
		alone.hidden = alive.length !== 1;
		setText(alone, "span", Number(location.port) + 1);
	});
}

/** All instances that run, each with its port and address, this one first. They are expected on this host. */
export function instances() {
	if (!alive.length) {
		return [{ port: Number(location.port), url: "" }];
	}
	const ordered = alive.toSorted((one, other) => isThisOne(other) - isThisOne(one));
	return ordered.map((instance) => ({ port: instance.port, url: url(instance) }));
}

export function isPort(port) {
	return String(port) === location.port;
}

/** Gives an element the colour of an instance. */
export function paint(target, port) {
	const index = [...known].indexOf(port);
	target.style.setProperty("--port", (index < 0) ? "" : `light-dark(${COLOURS[index % COLOURS.length]})`);
}

function item(instance) {
	const created = document.createElement("li");
	const name = isThisOne(instance) ? element("b", `:${instance.port}`) : link(instance, `:${instance.port}`);
	created.append(name, element("span", `pid ${instance.pid}${isThisOne(instance) ? ", this one" : ""}`));
	paint(created, instance.port);
	return created;
}

/** The next request goes to another instance: the one that was asked may be dead. */
function goOnElsewhere() {
	const other = alive.find((instance) => !isThisOne(instance) && url(instance) !== elsewhere);
	offline.textContent = "This instance does not answer. ";
	elsewhere = other ? url(other) : "";
	goThrough(elsewhere);
	if (other) {
		offline.append(`The page goes on with :${other.port}, which has `, link(other, "a page, too"), ".");
	}
	offline.hidden = false;
}

/** Asks this instance again, once it answers. */
async function comeBack() {
	if (!offline.hidden && await ask(new URL("api/instances", location).href).then(() => true, () => false)) {
		elsewhere = "";
		goThrough(elsewhere);
		offline.hidden = true;
	}
}

function link(instance, text) {
	const created = element("a", text);
	created.href = url(instance);
	return created;
}

function isThisOne(instance) {
	return isPort(instance.port);
}

function url(instance) {
	return `${location.protocol}//${location.hostname}:${instance.port}/`;
}
