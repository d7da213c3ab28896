import { all, post } from "./http.js";
import { instances } from "./instances.js";
import { number, setText, whileDisabled } from "./page.js";

const LABELS = { UNLOCKED: "Without lock", LOCKED: "With lock" };
const SHOWN = 2;

const form = document.querySelector("#payment");
const list = document.querySelector("#payments");
const template = document.querySelector("#payment-template");
const verdict = document.querySelector("#verdict");

export function showPayments() {
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		const payers = form.everywhere.checked ? instances() : instances().slice(0, 1);
		whileDisabled(form, event.submitter, () => pay(event.submitter.value, form.orders.value, payers));
	});
}

/** Has each order paid twice by each of the instances, all at once. */
async function pay(mode, orders, payers) {
	const item = addItem(mode, orders, payers.length);
	const query = new URLSearchParams({ mode, orders, batch: `batch-${Date.now()}` });
	try {
		const results = await all(payers.map(({ url }) => post(`${url}api/payments?${query}`)));
		finish(item, results);
	}
	catch (error) {
		setText(item, ".outcome", error.message);
		item.classList.add("bad");
		item.dataset.state = "failed";
	}
	verdict.textContent = item.querySelector(".head").innerText;
}

function addItem(mode, orders, payers) {
	const item = template.content.firstElementChild.cloneNode(true);
	item.dataset.state = "running";
	setText(item, ".mode", LABELS[mode] + ((payers > 1) ? `, ${payers} instances at once` : ""));
	setText(item, ".outcome", "paying …");
	setText(item, ".orders", number(orders));
	setText(item, ".clicks", number(2 * orders * payers));
	list.prepend(item);
	while (list.children.length > SHOWN) {
		list.lastElementChild.remove();
	}
	return item;
}

/** The instance that was done last has seen the charges of all. */
function finish(item, results) {
	const most = (name) => Math.max(...results.map((result) => result[name]));
	const twice = most("chargedTwice");
	setText(item, ".charges", number(most("charges")));
	setText(item, ".twice", number(twice));
	setText(item, ".outcome", twice ? `${number(twice)} customers charged twice` : "everybody charged once");
	item.classList.add(twice ? "bad" : "good");
	item.dataset.state = "done";
}
