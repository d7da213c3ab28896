import { ask, element, repeat, setText } from "./http.js";
import { paint } from "./instances.js";

const job = document.querySelector("#jobs");
const button = document.querySelector("#stocktaking");
const shelves = document.querySelector("#shelves");
const takeover = document.querySelector("#takeover");
const reports = document.querySelector("#reports");

/** The stocktaking as it was when last asked. */
let last = null;

export function showJobs() {
	button.addEventListener("click", async () => {
		button.disabled = true;
		await ask("api/jobs/stocktaking", { method: "POST" }).catch((error) => setText(job, "#counted", error.message));
		await showStocktaking();
	});
	repeat(500, showStocktaking);
	repeat(2000, showReports);
}

async function showStocktaking() {
	const now = await ask("api/jobs/stocktaking");
	if (!now) {
		return;
	}
	const finished = now.counted === now.shelves;
	button.disabled = !finished;
	shelves.max = now.shelves;
	shelves.value = now.counted;
	setText(job, "#counted", `${now.counted} of ${now.shelves} shelves counted, ${now.units.toLocaleString("en")} units${doneBy(now, finished)}`);
	if (last?.id !== now.id) {
		takeover.textContent = "";
	}
	else if (last.pid && last.pid !== now.pid) {
		takeover.textContent = `:${now.port} took over from :${last.port} at shelf ${now.counted + 1}`;
	}
	last = now;
}

function doneBy({ port, pid }, finished) {
	if (!port) {
		return "";
	}
	return finished ? `, finished by :${port}` : ` by :${port}. Try: kill -9 ${pid}`;
}

async function showReports() {
	const entries = await ask("api/jobs/sales-report");
	reports.replaceChildren(...entries.map(({ period, sold, port }) => {
		const item = document.createElement("li");
		const by = element("span", `:${port}`, "instance tag");
		paint(by, port);
		item.append(element("span", new Date(period).toLocaleTimeString("en-GB")), element("span", `${sold.toLocaleString("en")} sold`), by);
		return item;
	}));
}
