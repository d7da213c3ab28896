/** A new element with a text and perhaps a class. */
export function element(name, text = "", className = "") {
	const created = document.createElement(name);
	created.textContent = text;
	created.className = className;
	return created;
}

/** Sets a text only if it is another one, so that no selection is lost. */
export function setText(target, text) {
	if (target.textContent !== String(text)) {
		target.textContent = text;
	}
}

const drawn = new WeakMap();

/** Whether an element is to show other values than at the last call: what stays as it is keeps its selection. */
export function isNew(target, values) {
	const text = JSON.stringify(values);
	const changed = drawn.get(target) !== text;
	drawn.set(target, text);
	return changed;
}

export function show(target, shown) {
	target.hidden = !shown;
}

export function number(value) {
	return Number(value).toLocaleString("en");
}

/** Reads a duration like PT1H4.2S, in milliseconds; null if there is none. */
export function millis(duration) {
	const [whole, hours, minutes, seconds] = /^PT(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?[\d.]+)S)?$/.exec(duration ?? "") ?? [];
	return whole ? 1000 * (3600 * (hours ?? 0) + 60 * (minutes ?? 0) + Number(seconds ?? 0)) : null;
}

/** Says how long a time is, in two units at most. */
export function span(time) {
	if (time < 1000) {
		return `${Math.max(0, Math.round(time))} ms`;
	}
	if (time < 10_000) {
		return `${(time / 1000).toFixed(1)} s`;
	}
	return wholeSpan(time);
}

/** As span, in whole seconds, for what changes every second. */
export function wholeSpan(time) {
	const seconds = Math.max(0, Math.round(time / 1000));
	const units = [[86_400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
	const first = Math.max(0, units.findIndex(([size]) => seconds >= size));
	const parts = seconds ? units.slice(first, first + 2) : units.slice(3);
	let rest = seconds;
	return parts.map(([size, unit]) => {
		const count = Math.floor(rest / size);
		rest -= count * size;
		return count || !seconds ? `${count} ${unit}` : "";
	}).filter(Boolean).join(" ");
}

/** The time of the day, with the day unless that is today. */
export function clock(time) {
	const date = new Date(time);
	const day = (date.toDateString() === new Date().toDateString()) ? "" : `${date.toLocaleDateString("en", { day: "numeric", month: "short" })} `;
	return day + date.toLocaleTimeString("en", { hourCycle: "h23" });
}
