import { element, isNew, millis, number, setText, show, span } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 300;
const HEIGHT = 44;
const BASE = 36;

const list = document.querySelector("#hot");

/** One plot for each lock, all on one scale. */
export function showHot({ hot, slot }) {
	const highest = Math.max(...hot.flatMap(({ waiting }) => waiting), 0.01);
	show(document.querySelector("#hot-legend"), hot.length);
	setText(document.querySelector("#hot-scale"), number(highest.toPrecision(3)));
	if (isNew(list, hot.map(({ name }) => name))) {
		list.replaceChildren(...hot.map((lock) => item(lock, millis(slot))));
	}
	hot.forEach((lock, i) => draw(list.children[i], lock, highest));
}

function item({ name, waiting }, slotMillis) {
	const created = element("li");
	const axis = element("p", "", "axis");
	axis.append(element("span", `${span(slotMillis * waiting.length)} ago`), element("span", "now"));
	axis.setAttribute("aria-hidden", true);
	created.append(element("code", name, "name"), element("p", "", "facts"), shape("svg", {}), axis);
	return created;
}

function draw(drawn, lock, highest) {
	const failed = lock.inVain.reduce((sum, count) => sum + count, 0);
	const facts = `${number(lock.ended)} waits, ${span(millis(lock.total))} in all, longest ${span(millis(lock.longest))}${failed ? `, ${number(failed)} without the lock` : ""}`;
	setText(drawn.querySelector(".facts"), facts);
	if (isNew(drawn, [lock, highest])) {
		drawn.querySelector("svg").replaceWith(plot(lock, highest, facts));
	}
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
