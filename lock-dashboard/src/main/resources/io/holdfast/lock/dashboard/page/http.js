const PATIENCE_MILLIS = 10_000;

/** An answer that is older is not counted on any more: locks may have been renewed since, and clients closed. */
export const FRESH_MILLIS = 10_000;

/** What is up with Redis, by the reason that the endpoint gives. Others give reasons, too. */
export const REDIS_STATES = new Map([
	["UNREACHABLE", "Redis gives no answer"],
	["TIMED_OUT", "Redis gives no answer"],
	["UNAVAILABLE", "Redis is not available for now"],
	["REFUSED", "Redis refuses"],
]);

/** Asks the application and answers its JSON. What it throws has the status, or 0 if there was no answer, or not all of it. */
export async function ask(url, options = {}) {
	// With these headers Spring Security answers with a status where a browser would get its login page
	const headers = { Accept: "application/json", "X-Requested-With": "XMLHttpRequest", ...options.headers };
	const signal = AbortSignal.timeout(PATIENCE_MILLIS);
	// The address of the page may have a user and a password, with which the browser would refuse to ask
	const address = Object.assign(new URL(url, location.href), { username: "", password: "" });
	const response = await fetch(address, { redirect: "manual", signal, ...options, headers }).catch(() => refuse(0));
	if (response.type === "opaqueredirect") {
		refuse(401);
	}
	const text = await response.text().catch(() => "");
	const body = parse(text);
	if (!response.ok) {
		refuse(response.status, body);
	}
	return body ?? refuse(isLoginPage(response, text) ? 401 : 0);
}

function parse(text) {
	try {
		return JSON.parse(text);
	}
	catch {
		return null;
	}
}

/** Whether that is a page for people, which asks them to sign in. JSON that cannot be read was cut off on its way. */
function isLoginPage({ headers }, text) {
	return Boolean(text.trim()) && !/^\s*[{[]/.test(text) && !/json/i.test(headers.get("Content-Type"));
}

export function refuse(status, body = null) {
	throw Object.assign(new Error(`status ${status}`), { status, body });
}

/** Resolves to { value } or { error }; never rejects. */
export function settle(promise) {
	return promise.then((value) => ({ value }), (error) => ({ error }));
}
