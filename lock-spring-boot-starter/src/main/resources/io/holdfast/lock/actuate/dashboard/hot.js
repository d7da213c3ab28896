import { element, millis, number, setText, show, span } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 300;
const HEIGHT = 44;
const BASE = 36;

const list = document.querySelector("#hot");

/** One plot for each lock, all on one scale. */
export function showHot({ hot, slot }) {
	const highest = Math.max(...hot.flatMap(({ waiting }) => waiting), 0.01);
	show(document.querySelector("#cold"), !hot.length);
	show(document.querySelector("#hot-legend"), hot.length);
	setText(document.querySelector("#hot-scale"), number(highest));
	list.replaceChildren(...hot.map((lock) => item(lock, highest, millis(slot))));
}

function item(lock, highest, slotMillis) {
	const failed = lock.inVain.reduce((sum, count) => sum + count, 0);
	const facts = `${number(lock.ended)} waits, ${span(millis(lock.total) / lock.ended)} on average, longest ${span(millis(lock.longest))}${failed ? `, ${number(failed)} without the lock` : ""}`;
	const created = element("li");
	const axis = element("p", "", "axis");
	axis.append(element("span", `${span(slotMillis * lock.waiting.length)} ago`), element("span", "now"));
	axis.setAttribute("aria-hidden", true);
	created.append(element("code", lock.name, "name"), element("p", facts, "facts"), plot(lock, highest, facts), axis);
	return created;
}

function plot({ waiting, inVain, name }, highest, facts) {
	const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": `Waits for ${name}: ${facts}` });
	const step = WIDTH / waiting.length;
	const bars = waiting.map((value, i) => value ? `M${(i * step).toFixed(1)} ${BASE}v${(-Math.max(1, (BASE - 2) * value / highest)).toFixed(1)}h${(step - 1).toFixed(1)}V${BASE}z` : "");
	const marks = inVain.map((count, i) => count ? `M${(i * step).toFixed(1)} ${HEIGHT}l${((step - 1) / 2).toFixed(1)} -6l${((step - 1) / 2).toFixed(1)} 6z` : "");
	svg.append(shape("path", { class: "bars", d: bars.join("") }), shape("path", { class: "base", d: `M0 ${BASE}H${WIDTH}` }), shape("path", { class: "marks", d: marks.join("") }));
	return svg;
}

function shape(name, attributes) {
	const created = document.createElementNS(SVG, name);
	Object.entries(attributes).forEach(([key, value]) => created.setAttribute(key, value));
	return created;
}
