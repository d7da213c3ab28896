import { number } from "./page.js";
import { most, showResults } from "./results.js";

/** Each order is paid twice by each of the instances. The one that was done last has seen the charges of all. */
export function showPayments() {
	const labels = { orders: "orders", clicks: "clicks", charges: "charges", twice: "charged twice" };
	showResults("payment", "api/payments", labels, (answers) => {
		const twice = most(answers, "chargedTwice");
		const orders = most(answers, "orders");
		return {
			outcome: twice ? `${number(twice)} customers charged twice` : "everybody charged once",
			bad: twice > 0,
			figures: {
				orders: number(orders),
				clicks: number(2 * orders * answers.length),
				charges: number(most(answers, "charges")),
				twice: number(twice),
			},
		};
	}, "batch");
}
