import { number, seconds } from "./page.js";
import { most, showResults, sum } from "./results.js";

export function showParcels() {
	const labels = { shipped: "shipped", refused: "refused", most: "most at once", millis: "time" };
	showResults("parcel", "api/parcels", labels, (answers) => {
		const refused = sum(answers, "refused");
		return {
			outcome: refused ? `${number(refused)} parcels refused` : "all parcels shipped",
			bad: refused > 0,
			figures: {
				shipped: number(sum(answers, "shipped")),
				refused: number(refused),
				most: number(most(answers, "mostAtOnce")),
				millis: `${seconds(most(answers, "millis"))} s`,
			},
		};
	});
}
