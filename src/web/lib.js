// lib.js - elements and the API, for the other files of the page. Elements are built and text is set, never markup: what
// comes from a program is text wherever it is shown.

export const api = "/api/v1";
export const page = document.getElementById("page");

// ---- Elements ----

export function h(tag, attributes = {}, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (value === undefined || value === null || value === false) continue;
		if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
		else if (name === "value") element.value = value;
		else if (name === "checked") element.checked = value;
		else element.setAttribute(name, value === true ? "" : value);
	}
	element.append(...children.flat().filter((child) => child !== null && child !== undefined));
	return element;
}
export function s(tag, attributes = {}, ...children) {
	const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
	element.append(...children);
	return element;
}
let unique = 0;
// A label above a control, and a place for what is wrong with it.
export function field(label, control, name = "", wide = false) {
	control.id ||= `f${++unique}`;
	const message = h("span", { class: "message", id: `${control.id}-message`, role: "alert", "data-field": name });
	control.setAttribute("aria-describedby", message.id);
	return h("div", { class: wide ? "field wide" : "field" }, h("label", { for: control.id }, label), control, message);
}
export const whole = (number) => Number(number).toLocaleString("en");
export const when = (text) => (text ? text.replace("T", " ").replace("Z", " UTC") : "");

// ---- The API ----

class Refused extends Error {
	constructor(status, body) {
		super(body.error || `the server answered ${status}`);
		this.status = status;
		this.field = body.field || "";
	}
}
export async function ask(path, options = {}) {
	const response = await fetch(api + path, { credentials: "same-origin", ...options });
	const text = await response.text();
	let body = {};
	try {
		body = JSON.parse(text);
	} catch {
		body = { error: text.slice(0, 200) };
	}
	if (response.status === 401) {
		await askForToken();
		return ask(path, options);
	}
	if (!response.ok) throw new Refused(response.status, body);
	return body;
}
export const post = (path, body) =>
	ask(path, body ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) } : { method: "POST" });
export const upload = (file) =>
	ask(`/uploads?name=${encodeURIComponent(file.name)}`, {
		method: "POST",
		headers: { "Content-Type": "application/octet-stream" },
		body: file,
	});

let asking = null;
export function askForToken() {
	asking ||= new Promise((done) => {
		const input = h("input", { type: "password", autocomplete: "current-password", size: 40 });
		const entry = field("Token", input, "token", true);
		const form = h(
			"form",
			{
				onsubmit: async (event) => {
					event.preventDefault();
					const response = await fetch(api + "/session", {
						method: "POST",
						headers: { "Content-Type": "application/json" },
						body: JSON.stringify({ token: input.value }),
					});
					if (response.ok) {
						form.remove();
						asking = null;
						done();
					} else entry.querySelector(".message").textContent = "The token is wrong.";
				},
			},
			h("section", {}, h("h1", {}, "Who are you?"), h("p", {}, "This server asks for its token."), entry, h("button", { class: "main" }, "Enter")),
		);
		page.prepend(form);
		input.focus();
	});
	return asking;
}

const lists = {};
export const listOf = (path) => (lists[path] ||= ask(path));

// What a run is of, in words.
export const programOf = (order) => order.name || (order.program[0] === "@" ? order.program : order.program.slice(0, 12));
