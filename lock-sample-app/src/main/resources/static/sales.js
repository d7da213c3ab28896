import { all, ask, pause, post } from "./http.js";
import { instances } from "./instances.js";
import { number, seconds, setText, whileDisabled } from "./page.js";
import { addItem, askedBy, failure, finish, most, sum } from "./results.js";
import { drawWaits } from "./waits.js";

const LABELS = { UNLOCKED: "Without lock", LOCKED: "With lock", FAIR: "With fair lock" };

const form = document.querySelector("#sale");
const both = document.querySelector("#both");

export function showSales() {
	both.addEventListener("submit", (event) => {
		event.preventDefault();
		whileDisabled(both, event.submitter, async () => {
			const big = ["without", "with"].map((id) => document.querySelector(`#${id} .big`));
			big.forEach((number) => number.textContent = "…");
			for (const [i, mode] of ["UNLOCKED", "LOCKED"].entries()) {
				const article = await sell(mode, 100, 1000, instances().slice(0, 1));
				big[i].textContent = article ? number(article.oversold) : "?";
			}
		});
	});
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		const { stock, orders } = form;
		const sellers = askedBy(form);
		whileDisabled(form, event.submitter, () => sell(event.submitter.value, stock.value, orders.value, sellers));
	});
}

/** Sells one article, on several instances at once, and shows how it goes. Answers what became of it, if that is known. */
export async function sell(mode, stock, orders, sellers) {
	const article = `sale-${Date.now()}`;
	const query = new URLSearchParams({ mode, stock, orders, article });
	const item = addItem("sale", LABELS[mode], sellers.length);
	setText(item, ".stock", number(stock));
	setText(item, ".orders", number(orders * sellers.length));
	const running = all(sellers.map(({ url }) => post(`${url}api/sales?${query}`)));
	try {
		const results = await watch(running, article, item);
		const sold = await ask(`api/articles/${article}`);
		finishSale(item, results, sold);
		// The sale is what it is, whether or not its waits can be drawn
		await drawWaits(mode, article, sellers).catch(() => {});
		return sold;
	}
	catch (error) {
		finish(item, failure(error));
		return null;
	}
}

async function watch(running, article, item) {
	let done = false;
	const finished = running.finally(() => done = true);
	finished.catch(() => {});
	while (!done) {
		await Promise.race([finished.catch(() => {}), pause(150)]);
		const state = done ? null : await ask(`api/articles/${article}`).catch(() => null);
		if (state) {
			showState(item, state);
		}
	}
	return finished;
}

function showState(item, { stock, sold, oversold }) {
	const whole = Math.max(stock, sold, 1);
	item.querySelector(".real").style.width = `${100 * (sold - oversold) / whole}%`;
	item.querySelector(".over").style.width = `${100 * oversold / whole}%`;
	item.querySelector(".meter").ariaLabel = `${sold} sold, ${oversold} of them oversold, of a stock of ${stock}`;
	setText(item, ".sold", number(sold));
	setText(item, ".oversold", number(oversold));
}

function finishSale(item, results, article) {
	showState(item, article);
	finish(item, {
		outcome: article.oversold ? `${number(article.oversold)} sold that never existed` : "nothing oversold",
		bad: article.oversold > 0,
		figures: { rejected: number(sum(results, "rejected")), millis: `${seconds(most(results, "millis"))} s` },
	});
}
