import { number, seconds } from "./page.js";
import { most, showResults, sum } from "./results.js";

export function showPrices() {
	const labels = { reads: "reads", torn: "torn", most: "most at once", millis: "time" };
	showResults("price", "api/prices", labels, (answers) => {
		const torn = sum(answers, "torn");
		return {
			outcome: torn ? `${number(torn)} read half old, half new` : "nothing torn",
			bad: torn > 0,
			figures: {
				reads: number(sum(answers, "reads")),
				torn: number(torn),
				most: number(most(answers, "mostAtOnce")),
				millis: `${seconds(most(answers, "millis"))} s`,
			},
		};
	}, "list");
}
