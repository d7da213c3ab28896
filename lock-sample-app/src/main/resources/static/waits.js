import { ask } from "./http.js";
import { instances, paint } from "./instances.js";
import { seconds, whileDisabled } from "./page.js";
import { sell } from "./sales.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 300;
const HEIGHT = 150;
const LEFT = 2;
const BOTTOM = 18;
const ORDERS = 300;

const form = document.querySelector("#compare");

/** The latest waits of each kind of lock: for each instance its port and its waits. */
const latest = new Map();

export function showWaits() {
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		whileDisabled(form, event.submitter, async () => {
			await sell("LOCKED", ORDERS, ORDERS, instances());
			await sell("FAIR", ORDERS, ORDERS, instances());
		});
	});
}

/** Draws how long buyers waited, beside the latest sale with the other kind of lock and on the same scale. */
export async function drawWaits(mode, article, sellers) {
	if (mode === "UNLOCKED") {
		return;
	}
	latest.set(mode, await Promise.all(sellers.map(async ({ port, url }) =>
		({ port, waits: await ask(`${url}api/articles/${article}/waits`) }))));
	const longest = largest([...latest.values()].flat().flatMap(({ waits }) => waits.map(({ millis }) => millis)), 1);
	for (const [drawn, series] of latest) {
		draw(document.querySelector(`#waits-${drawn}`), series, longest);
	}
	form.parentElement.classList.add("drawn");
}

function draw(figure, series, longest) {
	const times = series.flatMap(({ waits }) => waits.map(({ at }) => at));
	const start = -largest(times.map((time) => -time), -Infinity);
	const end = largest(times, start + 1);
	const svg = figure.querySelector("svg");
	svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
	svg.replaceChildren(
		shape("path", { class: "axis", d: `M${LEFT} 4V${HEIGHT - BOTTOM}H${WIDTH}` }),
		label(LEFT + 5, 12, "start", `${seconds(longest)} s of waiting`),
		label(LEFT, HEIGHT - 4, "start", "answered after"),
		label(WIDTH, HEIGHT - 4, "end", `${seconds(end - start)} s`),
		...series.map(({ port, waits }) => dots(port, waits, (wait) => ({
			x: LEFT + 2 + (WIDTH - LEFT - 4) * (wait.at - start) / (end - start),
			y: (HEIGHT - BOTTOM - 2) - (HEIGHT - BOTTOM - 8) * wait.millis / longest,
		}))));
	const summary = series.map(summarise).join("; ");
	svg.setAttribute("aria-label", `Waits, ${summary}`);
	figure.querySelector(".summary").textContent = summary;
}

/** As Math.max, which does not take this many arguments. */
function largest(values, least) {
	return values.reduce((one, other) => Math.max(one, other), least);
}

/** All buyers of an instance as one path of dots. */
function dots(port, waits, place) {
	const created = shape("path", {
		class: "dots",
		d: waits.map(place).map(({ x, y }) => `M${x.toFixed(1)} ${y.toFixed(1)}h.01`).join(""),
	});
	paint(created, port);
	return created;
}

function summarise({ port, waits }) {
	const sorted = waits.map(({ millis }) => millis).sort((one, other) => one - other);
	return `:${port} half within ${seconds(sorted[sorted.length >> 1])} s, longest ${seconds(sorted.at(-1))} s`;
}

function label(x, y, anchor, text) {
	const created = shape("text", { x, y, "text-anchor": anchor });
	created.textContent = text;
	return created;
}

function shape(name, attributes) {
	const created = document.createElementNS(SVG, name);
	Object.entries(attributes).forEach(([key, value]) => created.setAttribute(key, value));
	return created;
}
