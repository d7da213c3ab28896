import { ask, post, repeat } from "./http.js";
import { instances, isPort, paint } from "./instances.js";
import { element, number, seconds, setText } from "./page.js";

const job = document.querySelector("#jobs");
const button = document.querySelector("#stocktaking");
const shelves = document.querySelector("#shelves");
const takeover = document.querySelector("#takeover");
const reports = document.querySelector("#reports");

/** The stocktaking as it was when last asked, and when its latest shelf was counted. */
let last = null;
let countedAt = 0;

export function showJobs() {
	button.addEventListener("click", async () => {
		button.disabled = true;
		// Whoever is asked begins. One that does not serve this page can be killed while one looks on
		const [self, other = self] = instances();
		await post(`${other.url}api/jobs/stocktaking`).catch(() => post(`${self.url}api/jobs/stocktaking`)).catch((error) => setText(job, "#counted", error.message));
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
	setText(job, "#counted", `${now.counted} of ${now.shelves} shelves counted, ${number(now.units)} units${doneBy(now, finished)}`);
	if (last?.id !== now.id) {
		takeover.textContent = "";
	}
	else if (last.port && last.token !== now.token) {
		takeover.textContent = `:${now.port} took over from :${last.port}, ${seconds(performance.now() - countedAt)} s after its last shelf`;
	}
	if (last?.id !== now.id || last.counted !== now.counted) {
		countedAt = performance.now();
	}
	last = now;
}

function doneBy({ port, pid }, finished) {
	if (!port) {
		return "";
	}
	return finished ? `, finished by :${port}` : isPort(port) ? ` by :${port}, which serves this page` : ` by :${port}. Try: kill -9 ${pid}`;
}

async function showReports() {
	const [entries, attempts] = await Promise.all([ask("api/jobs/sales-report"), ask("api/jobs/sales-report/attempts")]);
	reports.replaceChildren(...entries.map(({ period, sold, port }) => {
		const item = document.createElement("li");
		item.append(element("p", `${time(period)}, ${number(sold)} sold`), tag(port, "wrote it"));
		for (const attempt of attempts.filter((each) => each.period === period && each.port !== port)) {
			item.append(tag(attempt.port, `${attempt.outcome} at ${preciseTime(attempt.at)}`));
		}
		return item;
	}));
}

function tag(port, deed) {
	const created = element("span", `:${port} ${deed}`, "instance tag");
	paint(created, port);
	return created;
}

function time(instant) {
	return new Date(instant).toLocaleTimeString("en-GB");
}

function preciseTime(instant) {
	return `${time(instant)}.${String(new Date(instant).getMilliseconds()).padStart(3, "0")}`;
}
