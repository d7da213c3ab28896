import { isNew, number, setText, show } from "./dom.js";
import { bars, floor, line } from "./plot.js";

const WIDTH = 600;
const BASE = 38;
const SLOTS = 60;

const figure = document.querySelector("#trend");

/** Whether it gets worse: how many held a lock in this process, and how many waited, over five minutes. */
export function showTrend({ trend }) {
	show(figure, trend.waiting.length);
	if (!trend.waiting.length || !isNew(figure, trend)) {
		return;
	}
	const [waiting, held] = [trend.waiting, trend.held].map((values) => `${number(values.at(-1))} a moment ago, at most ${number(Math.max(...values))}`);
	setText(document.querySelector("#trend-waiting"), waiting);
	setText(document.querySelector("#trend-held"), held);
	const svg = figure.querySelector("svg");
	svg.setAttribute("aria-label", `This process over five minutes. Waiting: ${waiting}. Held: ${held}.`);
	const old = Array(SLOTS - trend.waiting.length).fill(null);
	svg.replaceChildren(bars([...old, ...trend.waiting], WIDTH, BASE), floor(WIDTH, BASE), line([...old, ...trend.held], WIDTH, BASE));
}
