import { element, isNew, millis, number, setText, show, span } from "./dom.js";
import { bars, floor, line, shape } from "./plot.js";

const WIDTH = 300;
const HEIGHT = 40;
const BASE = 32;

const list = document.querySelector("#hot");

/** One plot for each lock, on its own scale: a pile at one must not flatten the others. */
export function showHot({ hot }) {
	show(document.querySelector("#hot-legend"), hot.length);
	if (isNew(list, hot.map(({ name }) => name))) {
		list.replaceChildren(...hot.map(item));
	}
	hot.forEach((lock, i) => draw(list.children[i], lock));
}

function item({ name }) {
	const created = element("li");
	created.append(element("code", name, "name"), element("span", "", "facts"), shape("svg", {}));
	return created;
}

function draw(drawn, lock) {
	const [handOvers, failed] = [lock.got, lock.inVain].map((counts) => counts.reduce((sum, count) => sum + count, 0));
	const facts = [`at most ${number(Math.max(...lock.waiting).toPrecision(2))} at a time`,
		lock.underWay && `${number(lock.underWay)} wait now`,
		handOvers && `${number(handOvers)} hand-overs`,
		failed && `${number(failed)} without the lock`,
		`longest ${span(millis(lock.longest))}`].filter(Boolean).join(", ");
	setText(drawn.querySelector(".facts"), facts);
	if (isNew(drawn, lock)) {
		drawn.querySelector("svg").replaceWith(plot(lock, facts));
	}
}

function plot({ waiting, got, inVain, name }, facts) {
	const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": `Waits for ${name}: ${facts}` });
	const step = WIDTH / waiting.length;
	const marks = inVain.map((count, i) => count ? `M${(i * step).toFixed(1)} ${HEIGHT}l${(step * 0.4).toFixed(1)} -6l${(step * 0.4).toFixed(1)} 6z` : "");
	svg.append(bars(waiting, WIDTH, BASE), floor(WIDTH, BASE), line(got, WIDTH, BASE), shape("path", { class: "marks", d: marks.join("") }));
	return svg;
}
