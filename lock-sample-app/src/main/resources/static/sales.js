import { all, ask, pause, post } from "./http.js";
import { instances } from "./instances.js";
import { number, setText, whileDisabled } from "./page.js";
import { drawWaits } from "./waits.js";

const LABELS = { UNLOCKED: "Without lock", LOCKED: "With lock", FAIR: "With fair lock" };
const SHOWN = 3;

const form = document.querySelector("#sale");
const list = document.querySelector("#sales");
const template = document.querySelector("#sale-template");
const verdict = document.querySelector("#verdict");

export function showSales() {
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		const { stock, orders, everywhere } = form;
		const sellers = everywhere.checked ? instances() : instances().slice(0, 1);
		whileDisabled(form, event.submitter, () => sell(event.submitter.value, stock.value, orders.value, sellers));
	});
}

/** Sells one article, on several instances at once, and shows how it goes. */
export async function sell(mode, stock, orders, sellers) {
	const article = `sale-${Date.now()}`;
	const query = new URLSearchParams({ mode, stock, orders, article });
	const item = addItem(mode, stock, orders * sellers.length, sellers.length);
	const running = all(sellers.map(({ url }) => post(`${url}api/sales?${query}`)));
	try {
		const results = await watch(running, article, item);
		finish(item, results, await ask(`api/articles/${article}`));
	}
	catch (error) {
		setText(item, ".outcome", error.message);
		item.classList.add("bad");
		item.dataset.state = "failed";
		verdict.textContent = error.message;
		return;
	}
	// The sale is what it is, whether or not its waits can be drawn
	await drawWaits(mode, article, sellers).catch(() => {});
}

function addItem(mode, stock, orders, instances) {
	const item = template.content.firstElementChild.cloneNode(true);
	item.dataset.state = "running";
	setText(item, ".mode", LABELS[mode] + ((instances > 1) ? `, ${instances} instances at once` : ""));
	setText(item, ".stock", number(stock));
	setText(item, ".orders", number(orders));
	setText(item, ".outcome", "selling …");
	list.prepend(item);
	while (list.children.length > SHOWN) {
		list.lastElementChild.remove();
	}
	return item;
}

/** Shows what the database has of the article until all requests have answered. */
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

function finish(item, results, article) {
	showState(item, article);
	setText(item, ".rejected", number(results.reduce((sum, result) => sum + result.rejected, 0)));
	setText(item, ".millis", `${(Math.max(...results.map((result) => result.millis)) / 1000).toFixed(1)} s`);
	const outcome = article.oversold ? `${number(article.oversold)} sold that never existed` : "nothing oversold";
	setText(item, ".outcome", outcome);
	item.classList.add(article.oversold ? "bad" : "good");
	item.dataset.state = "done";
	verdict.textContent = `${item.querySelector(".mode").textContent}: ${outcome}`;
}
