const SVG = "http://www.w3.org/2000/svg";

/** A part of a drawing, with its attributes. */
export function shape(name, attributes) {
	const created = document.createElementNS(SVG, name);
	Object.entries(attributes).forEach(([key, value]) => created.setAttribute(key, value));
	return created;
}

/** Bars over a base line, one for each value; the highest is as high as there is room. */
export function bars(values, width, base) {
	const step = width / values.length;
	const highest = Math.max(...values);
	return shape("path", { class: "bars", d: values.map((value, i) => value
		? `M${(i * step).toFixed(1)} ${base}v${(-Math.max(1, (base - 2) * value / highest)).toFixed(1)}h${(step * 0.8).toFixed(1)}V${base}z` : "").join("") });
}

/** A line through the values, from 0 at the base. What was before the first of them is null. */
export function line(values, width, base) {
	const step = width / values.length;
	const highest = Math.max(...values, 1e-9);
	const points = values.map((value, i) => value === null ? "" : `${((i + 0.4) * step).toFixed(1)} ${(base - (base - 3) * value / highest).toFixed(1)}`)
		.filter(Boolean);
	return shape("path", { class: "line", d: points.length ? `M${points.join("L")}` : "" });
}

/** The line below everything. */
export function floor(width, base) {
	return shape("path", { class: "base", d: `M0 ${base}H${width}` });
}
