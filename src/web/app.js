// The page of `cyclestack serve`. It uses the API alone (/api/v1/openapi.json), builds elements and
// sets text, never markup: what comes from a program is text wherever it is shown.

const api = "/api/v1";
const page = document.getElementById("page");

// ---- Elements ----

function h(tag, attributes = {}, ...children) {
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
function s(tag, attributes = {}, ...children) {
	const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
	element.append(...children);
	return element;
}
let unique = 0;
// A label above a control, and a place for what is wrong with it.
function field(label, control, name = "", wide = false) {
	control.id ||= `f${++unique}`;
	const message = h("span", { class: "message", id: `${control.id}-message`, role: "alert", "data-field": name });
	control.setAttribute("aria-describedby", message.id);
	return h("div", { class: wide ? "field wide" : "field" }, h("label", { for: control.id }, label), control, message);
}
function box(label, attributes) {
	return h("label", {}, h("input", { type: "checkbox", ...attributes }), label);
}
const whole = (number) => Number(number).toLocaleString("en");
const short = (number) => {
	const units = ["", "k", "M", "G", "T"];
	let i = 0;
	for (; Math.abs(number) >= 1000 && i < 4; i++) number /= 1000;
	return i ? number.toFixed(Math.abs(number) < 10 ? 1 : 0) + " " + units[i] : String(number);
};
const when = (text) => (text ? text.replace("T", " ").replace("Z", " UTC") : "");

// ---- The API ----

class Refused extends Error {
	constructor(status, body) {
		super(body.error || `the server answered ${status}`);
		this.status = status;
		this.field = body.field || "";
	}
}
async function ask(path, options = {}) {
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
const post = (path, body) =>
	ask(path, body ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) } : { method: "POST" });
const upload = (file) =>
	ask(`/uploads?name=${encodeURIComponent(file.name)}`, {
		method: "POST",
		headers: { "Content-Type": "application/octet-stream" },
		body: file,
	});

let asking = null;
function askForToken() {
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
const listOf = (path) => (lists[path] ||= ask(path));

// ---- What is to be counted: functions down, signals and groups across ----

const ALL = "";
const ROWS_SHOWN = 200;

class Picker {
	constructor(counters = [], groups = []) {
		this.ticked = new Set(); // "signal|function" or "group:NAME|function"
		this.columns = ["group:cache", "group:branch", "group:cpi", "committed", "l1d.misses", "branches.mispredicted"];
		this.functions = [];
		for (const pair of counters) this.tick(...this.split(pair));
		for (const pair of groups) {
			const [name, where] = this.split(pair);
			this.tick("group:" + name, where);
		}
		this.search = h("input", { type: "search", placeholder: "part of a name", oninput: () => this.draw() });
		this.signal = h("input", { list: "signals", placeholder: "such as l2.misses", autocomplete: "off" });
		this.status = h("p", { class: "note", "aria-live": "polite" });
		this.table = h("div", { class: "scroll", role: "region", "aria-label": "Pairs of signals and functions", tabindex: 0 });
		this.chips = h("ul", { class: "chips", "aria-label": "What is counted" });
		const known = h("datalist", { id: "signals" });
		this.meanings = {};
		listOf("/signals").then((list) => {
			for (const one of list.signals) {
				this.meanings[one.name] = `${one.meaning} (${one.unit})`;
				known.append(h("option", { value: one.name }, one.meaning));
			}
			this.draw();
		});
		listOf("/groups").then((list) => {
			for (const one of list.groups) {
				this.meanings["group:" + one.name] = one.meaning + " " + one.lines.join("; ");
				if (!this.columns.includes("group:" + one.name)) this.columns.splice(3, 0, "group:" + one.name);
			}
			this.draw();
		});
		this.element = h(
			"div",
			{},
			h(
				"div",
				{ class: "row" },
				field("Search functions", this.search, "", true),
				field("Another signal as a column", this.signal, "signal"),
				h("button", { type: "button", onclick: () => this.addColumn() }, "Add column"),
				known,
			),
			this.status,
			this.table,
			h("p", { class: "note" }, "Counted:"),
			this.chips,
			h("span", { class: "message", role: "alert", "data-field": "counters" }),
		);
		this.draw();
	}
	split(pair) {
		const at = pair.indexOf("@");
		return at < 0 ? [pair, ALL] : [pair.slice(0, at), pair.slice(at + 1)];
	}
	tick(column, where) {
		if (!this.columns.includes(column)) this.columns.push(column);
		this.ticked.add(column + "|" + where);
	}
	addColumn() {
		const name = this.signal.value.trim();
		const message = this.element.querySelector('[data-field="signal"]');
		message.textContent = "";
		if (!name) return;
		if (this.meanings[name] === undefined && !/[*?[]/.test(name)) {
			message.textContent = "There is no such signal: choose one of the list, or write a pattern such as l1d.*";
			return;
		}
		if (!this.columns.includes(name)) this.columns.push(name);
		this.signal.value = "";
		this.draw();
	}
	async load(program) {
		this.functions = [];
		this.status.textContent = program ? "Reading the program's functions ..." : "";
		this.draw();
		if (!program) return;
		try {
			const list = await listOf("/functions?program=" + encodeURIComponent(program));
			const seen = new Set();
			this.functions = list.functions.map((one) => one.name).filter((name) => !seen.has(name) && seen.add(name));
			this.status.textContent = `${whole(this.functions.length)} functions`;
		} catch (error) {
			this.status.textContent = error.message;
		}
		this.draw();
	}
	label(column) {
		return column.startsWith("group:") ? column.slice(6) + " (group)" : column;
	}
	draw() {
		const wanted = this.search.value.toLowerCase();
		const used = new Set([...this.ticked].map((key) => key.slice(key.indexOf("|") + 1)));
		const found = this.functions.filter((name) => name.toLowerCase().includes(wanted));
		const first = found.filter((name) => used.has(name));
		const rest = found.filter((name) => !used.has(name));
		const rows = [ALL, ...first, ...rest].slice(0, ROWS_SHOWN + 1);
		const cell = (column, where) =>
			h(
				"td",
				{ class: "tick" },
				h("input", {
					type: "checkbox",
					"aria-label": `${this.label(column)} in ${where || "all code"}`,
					checked: this.ticked.has(column + "|" + where),
					onchange: (event) => {
						if (event.target.checked) this.ticked.add(column + "|" + where);
						else this.ticked.delete(column + "|" + where);
						this.drawChips();
					},
				}),
			);
		this.table.replaceChildren(
			h(
				"table",
				{ class: "pairs" },
				h(
					"thead",
					{},
					h(
						"tr",
						{},
						h("th", { scope: "col" }, "Function"),
						this.columns.map((column) =>
							h("th", { scope: "col", class: "column", title: this.meanings[column] || "" }, this.label(column)),
						),
					),
				),
				h(
					"tbody",
					{},
					rows.map((where) =>
						h("tr", {}, h("th", { scope: "row" }, where || "all code"), this.columns.map((column) => cell(column, where))),
					),
				),
			),
		);
		if (found.length > ROWS_SHOWN)
			this.table.append(h("p", { class: "note" }, `${whole(found.length - ROWS_SHOWN)} more: search for a part of their name`));
		this.drawChips();
	}
	drawChips() {
		this.chips.replaceChildren(
			...[...this.ticked].map((key) => {
				const [column, where] = [key.slice(0, key.indexOf("|")), key.slice(key.indexOf("|") + 1)];
				const text = this.label(column) + (where ? " in " + where : "");
				return h(
					"li",
					{},
					text,
					h(
						"button",
						{
							type: "button",
							"aria-label": "Do not count " + text,
							onclick: () => {
								this.ticked.delete(key);
								this.draw();
							},
						},
						"×",
					),
				);
			}),
		);
		if (!this.ticked.size) this.chips.append(h("li", {}, "nothing yet "));
	}
	// A blank in a name of C++ is written as ?, which fits any character.
	value() {
		const counters = [],
			groups = [];
		for (const key of this.ticked) {
			const [column, where] = [key.slice(0, key.indexOf("|")), key.slice(key.indexOf("|") + 1)];
			const at = where ? "@" + where.replace(/\s/g, "?") : "";
			if (column.startsWith("group:")) groups.push(column.slice(6) + at);
			else counters.push(column + at);
		}
		return { counters, groups };
	}
}

// ---- The machine: a preset and its parameters ----

class Machine {
	constructor(name = "midcore", set = {}) {
		this.set = { ...set };
		this.select = h("select", { onchange: () => this.load() });
		this.search = h("input", { type: "search", placeholder: "part of a name, such as l1d", oninput: () => this.draw() });
		this.about = h("p", { class: "note" });
		this.table = h("div", { class: "scroll", role: "region", "aria-label": "Parameters", tabindex: 0 });
		this.summary = h("summary", {}, "Change parameters");
		this.doubts = h("p", { class: "note", "aria-live": "polite" });
		this.element = h(
			"fieldset",
			{},
			h("legend", {}, "Machine"),
			h("div", { class: "row" }, field("Core", this.select, "machine")),
			this.about,
			h("details", {}, this.summary, field("Search parameters", this.search, "", true), this.table),
			this.doubts,
			h("span", { class: "message", role: "alert", "data-field": "set" }),
		);
		this.messages = {};
		this.ready = Promise.all([listOf("/machines"), listOf("/parameters")]).then(([machines, parameters]) => {
			this.presets = machines.presets;
			this.parameters = parameters.parameters;
			this.select.append(...this.presets.map((one) => h("option", { value: one.name }, one.name)));
			this.select.value = name;
			return this.load();
		});
	}
	async load() {
		const name = this.select.value;
		this.about.textContent = this.presets.find((one) => one.name === name)?.about || "";
		this.values = (await listOf("/machines/" + name)).parameters;
		await this.check();
		this.draw();
	}
	draw() {
		const wanted = this.search.value.toLowerCase();
		const rows = this.parameters.filter(
			(one) => (one.key + " " + one.help).toLowerCase().includes(wanted) && (one.key in this.values || one.key in this.set),
		);
		this.inputs = {};
		this.table.replaceChildren(
			h(
				"table",
				{ class: "narrow" },
				h("thead", {}, h("tr", {}, ["Parameter", "Value", "What it is"].map((text) => h("th", { scope: "col" }, text)))),
				h(
					"tbody",
					{},
					rows.map((one) => {
						const id = "p-" + one.key;
						const message = h("span", { class: "message", id: id + "-message", role: "alert" });
						const input = h("input", {
							id,
							value: this.set[one.key] ?? String(this.values[one.key] ?? ""),
							"aria-describedby": id + "-message",
							size: 12,
							oninput: (event) => this.change(one.key, event.target.value),
						});
						this.inputs[one.key] = [input, message];
						return h(
							"tr",
							{},
							h("th", { scope: "row" }, h("label", { for: id }, h("code", {}, one.key))),
							h("td", {}, input, h("div", {}, message)),
							h("td", {}, one.help, " ", h("span", { class: "muted" }, `(${one.takes})`)),
						);
					}),
				),
			),
		);
		this.show();
	}
	change(key, text) {
		if (text === String(this.values[key] ?? "")) delete this.set[key];
		else this.set[key] = text;
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.check(), 200);
	}
	async check() {
		const asked = JSON.stringify(this.set);
		const found = await post(`/machines/${this.select.value}/check`, { set: this.set });
		if (asked !== JSON.stringify(this.set)) return;
		this.messages = found.messages;
		this.doubts.textContent = found.doubts.length ? "Doubtful: " + found.doubts.join("; ") : "";
		this.show();
	}
	show() {
		const count = Object.keys(this.set).length;
		this.summary.textContent = count ? `Change parameters (${count} changed)` : "Change parameters";
		for (const [key, [input, message]] of Object.entries(this.inputs || {})) {
			message.textContent = this.messages[key] || "";
			if (this.messages[key]) input.setAttribute("aria-invalid", "true");
			else input.removeAttribute("aria-invalid");
		}
	}
	value() {
		return { machine: this.select.value, set: this.set };
	}
}

// ---- A new run ----

const COMMANDS = [
	["stat", "Counters, live", "what is ticked below, interval by interval, while it runs"],
	["run", "Where the cycles go", "stack, advice, functions, lines, flame graph"],
	["judge", "Judge ways of counting", "about twenty simulations"],
	["sweep", "Sweep parameters", "one simulation for each machine of the grid"],
];

// What of the fields a run that is done again fills in.
function again() {
	try {
		const kept = JSON.parse(sessionStorage.getItem("again") || "null");
		sessionStorage.removeItem("again");
		return kept;
	} catch {
		return null;
	}
}

async function newRun() {
	const before = again() || {};
	const machine = new Machine(before.machine, before.set);
	const picker = new Picker(before.counters || ["committed"], before.groups || []);
	const workload = h("select", {}),
		size = h("select", {}, ["test", "small", "ref"].map((one) => h("option", {}, one)));
	const file = h("input", { type: "file" }),
		kept = h("select", {}, h("option", { value: "" }, "none"));
	const args = h("textarea", { rows: 2, spellcheck: "false", placeholder: "one in each line" });
	const input = h("input", { type: "file" }),
		files = h("input", { type: "file", multiple: true });
	const every = h("input", { type: "number", min: 1, max: 4294967295, value: before.every || 1000000, required: true });
	const intervals = h("input", { type: "number", min: 0, value: before.intervals || 0 });
	const instructions = h("input", { type: "number", min: 1, placeholder: "no other limit" });
	const seconds = h("input", { type: "number", min: 1, placeholder: "no other limit" });
	const grid = h("input", { placeholder: "rob.size=64,128 l1d.size=16k,32k", spellcheck: "false" });
	const boxes = COMMANDS.map(([name]) =>
		h("input", { type: "checkbox", value: name, checked: before.command ? before.command === name : name === "stat", onchange: () => show() }),
	);
	const counting = h(
		"fieldset",
		{},
		h("legend", {}, "What to count"),
		h("p", {}, "Tick a signal in a function, or in all code; a group has several signals at once."),
		picker.element,
		h("div", { class: "row" }, field("Interval, in cycles", every, "every")),
	);
	const sweeping = h("div", { class: "row" }, field("Grid: every value with every other", grid, "grid", true));
	const plain = h("div", { class: "row" }, field("A stack for every so many instructions (0: none)", intervals, "intervals"));
	const message = h("p", { class: "message", role: "alert" });
	const button = h("button", { class: "main" }, "Run");
	const status = h("span", { class: "note", "aria-live": "polite" });
	let uploaded = null;

	const program = () => uploaded?.id || (kept.value ? kept.value : `@${workload.value}:${size.value}`);
	const changed = () => picker.load(program());
	const show = () => {
		const has = (name) => boxes.find((one) => one.value === name).checked;
		counting.hidden = !has("stat");
		sweeping.hidden = !has("sweep");
		plain.hidden = !has("run");
	};
	workload.addEventListener("change", () => {
		uploaded = null;
		file.value = kept.value = "";
		changed();
	});
	size.addEventListener("change", changed);
	kept.addEventListener("change", () => {
		uploaded = null;
		file.value = "";
		changed();
	});
	file.addEventListener("change", async () => {
		uploaded = null;
		if (!file.files.length) return changed();
		status.textContent = "Uploading ...";
		try {
			uploaded = await upload(file.files[0]);
			status.textContent = `${uploaded.name}: ${whole(uploaded.bytes)} bytes, SHA-256 ${uploaded.id.slice(0, 12)}`;
			kept.value = "";
			changed();
		} catch (error) {
			status.textContent = error.message;
		}
	});

	const order = async () => {
		const one = { program: program(), ...machine.value() };
		const name = uploaded?.name || kept.selectedOptions[0]?.dataset.name;
		if (one.program[0] !== "@" && name) one.name = name;
		const lines = args.value.split("\n").filter((line) => line);
		if (lines.length) one.arguments = lines;
		if (input.files.length) one.input = (await upload(input.files[0])).id;
		if (files.files.length) {
			one.files = [];
			for (const each of files.files) one.files.push({ name: each.name, upload: (await upload(each)).id });
		}
		if (instructions.value) one.instructions = Number(instructions.value);
		if (seconds.value) one.seconds = Number(seconds.value);
		return one;
	};
	const detail = (command) => {
		if (command === "stat") return { ...picker.value(), every: Number(every.value) };
		if (command === "run") return Number(intervals.value) ? { intervals: Number(intervals.value) } : {};
		if (command === "sweep") return { grid: grid.value.split(/\s+/).filter((text) => text) };
		return {};
	};
	const form = h(
		"form",
		{
			novalidate: true,
			onsubmit: async (event) => {
				event.preventDefault();
				for (const one of form.querySelectorAll("[data-field]")) one.textContent = "";
				message.textContent = "";
				button.disabled = true;
				try {
					const common = await order();
					const begun = [];
					for (const one of boxes.filter((each) => each.checked))
						begun.push(await post("/runs", { command: one.value, ...common, ...detail(one.value) }));
					if (!begun.length) throw new Error("What is to be measured? Tick at least one.");
					location.href = begun[0].link;
				} catch (error) {
					const name = (error.field || "").startsWith("set.") ? "set" : error.field;
					const place = name && form.querySelector(`[data-field="${CSS.escape(name)}"]`);
					(place || message).textContent = error.message;
					(place?.parentElement?.querySelector("input, select, textarea") || button).focus();
				}
				button.disabled = false;
			},
		},
		h(
			"fieldset",
			{},
			h("legend", {}, "Program"),
			h(
				"div",
				{ class: "row" },
				field("Workload", workload, "program"),
				field("Size", size),
				field("or upload a RISC-V Linux program (ELF)", file, "program-file", true),
				field("or one uploaded before", kept),
			),
			status,
			h(
				"div",
				{ class: "row" },
				field("Arguments", args, "arguments", true),
				field("Standard input", input, "input"),
				field("Files, which it finds in /files", files, "files"),
			),
			h(
				"details",
				{},
				h("summary", {}, "Limits"),
				h("div", { class: "row" }, field("Instructions", instructions, "instructions"), field("Seconds", seconds, "seconds")),
			),
		),
		machine.element,
		h(
			"fieldset",
			{},
			h("legend", {}, "What to measure"),
			h(
				"div",
				{ class: "row" },
				COMMANDS.map(([, title, about], i) => h("label", {}, boxes[i], h("strong", {}, title), h("span", { class: "muted" }, " " + about))),
			),
			plain,
			sweeping,
		),
		counting,
		h("p", { class: "row" }, button),
		message,
	);
	const runs = h("section", { id: "runs" }, h("h2", {}, "Runs"), h("p", { class: "note" }, "none yet"));
	page.replaceChildren(h("h1", {}, "New run"), form, runs);
	document.title = "New run · cyclestack";
	show();
	listRuns(runs);
	const [list, uploads] = await Promise.all([listOf("/workloads"), ask("/uploads"), machine.ready]);
	workload.append(...list.workloads.map((one) => h("option", { value: one.name, title: one.about }, one.name)));
	kept.append(...uploads.uploads.map((one) => h("option", { value: one.id, "data-name": one.name }, `${one.name || "unnamed"} (${one.id.slice(0, 8)})`)));
	if (before.program?.startsWith("@")) [workload.value, size.value] = [before.program.slice(1).split(":")[0], before.program.split(":")[1] || "small"];
	else if (before.program) kept.value = before.program;
	args.value = (before.arguments || []).join("\n");
	await changed();
}

const programOf = (order) => order.name || (order.program[0] === "@" ? order.program : order.program.slice(0, 12));

async function listRuns(place) {
	const { runs } = await ask("/runs?limit=200");
	if (!runs.length) return;
	const chosen = new Set();
	const compare = h("button", { type: "button", disabled: true, onclick: () => (location.href = "/compare?runs=" + [...chosen].join(",")) }, "Compare the ticked");
	place.replaceChildren(
		h("h2", {}, "Runs"),
		h(
			"div",
			{ class: "scroll", tabindex: 0, role: "region", "aria-label": "Runs" },
			h(
				"table",
				{ class: "narrow" },
				h("thead", {}, h("tr", {}, ["", "Run", "Program", "Machine", "State", "Created"].map((text) => h("th", { scope: "col" }, text)))),
				h(
					"tbody",
					{},
					runs.map((run) =>
						h(
							"tr",
							{},
							h(
								"td",
								{},
								h("input", {
									type: "checkbox",
									"aria-label": `Compare run ${run.id}`,
									onchange: (event) => {
										if (event.target.checked) chosen.add(run.id);
										else chosen.delete(run.id);
										compare.disabled = chosen.size < 2;
									},
								}),
							),
							h("td", {}, h("a", { href: run.link }, `${run.id} ${run.order.command}`)),
							h("td", {}, programOf(run.order)),
							h("td", {}, run.order.machine),
							h("td", {}, h("span", { class: "state " + run.state }, run.state)),
							h("td", {}, when(run.created)),
						),
					),
				),
			),
		),
		h("p", { class: "row" }, compare),
	);
}

// ---- A run, while it runs and afterwards ----

// Why dispatch slots were empty, from signals that every run of stat has.
const STACK = [
	["base", "useful instructions", "base", []],
	["wrong path", "instructions of wrong paths", "branch", ["lost.wrong_path"]],
	["redirects", "front end on its way to another place", "other", ["lost.fetch.misfetch", "lost.fetch.taken", "lost.fetch.nowhere", "lost.fetch.branches"]],
	["instruction misses", "front end waits for a line or a translation", "l2i", ["lost.fetch.l1i", "lost.fetch.l2i", "lost.fetch.l3i", "lost.fetch.itlb"]],
	["front end", "front end too empty for other reasons", "l1i", ["lost.fetch.none", "lost.fetch.buffer", "lost.fetch.serialise", "lost.fetch.done", "lost.serialise"]],
	["L1D misses", "window full behind a load that missed in the L1D", "l1d", ["lost.window.l1d", "lost.window.mshr"]],
	["further misses", "window full behind a load that missed further out", "l2d", ["lost.window.l2d", "lost.window.l3d"]],
	["data TLB", "window full behind a translation", "dtlb", ["lost.window.dtlb"]],
	["other", "window full behind operations, stores and what else", "resource", null],
];
const BINS = 800;

class Series {
	constructor() {
		this.bins = [];
		this.each = 1;
		this.partial = null;
		this.inPartial = 0;
	}
	add(values) {
		this.partial = this.partial ? this.partial.map((value, i) => value + values[i]) : values.slice();
		if (++this.inPartial < this.each) return;
		this.bins.push(this.partial);
		this.partial = null;
		this.inPartial = 0;
		if (this.bins.length < BINS) return;
		const merged = [];
		for (let i = 0; i + 1 < this.bins.length; i += 2) merged.push(this.bins[i].map((value, k) => value + this.bins[i + 1][k]));
		this.bins = merged;
		this.each *= 2;
	}
}

class Live {
	constructor() {
		this.stack = new Series();
		this.sums = STACK.map(() => 0);
		this.drawing = s("svg", { class: "time", viewBox: "0 0 1000 200", preserveAspectRatio: "none", role: "img", "aria-label": "Where the dispatch slots went, over time; the last values are in the list below" });
		this.legend = h("ul", { class: "legend" });
		this.body = h("tbody");
		this.packets = h("p", { class: "note", "aria-live": "off" });
		this.element = h(
			"section",
			{ id: "live", hidden: true },
			h("h2", {}, "Live"),
			h("h3", {}, "Dispatch slots over time"),
			this.drawing,
			this.legend,
			h("h3", {}, "Counters, interval by interval"),
			h(
				"div",
				{ class: "scroll", tabindex: 0, role: "region", "aria-label": "Counters" },
				h(
					"table",
					{ class: "narrow" },
					h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Counter"), h("th", { scope: "col", class: "number" }, "Last interval"), h("th", { scope: "col", class: "number" }, "Since it is counted"), h("th", { scope: "col" }, "Over time"))),
					this.body,
				),
			),
			this.packets,
		);
	}
	begin(epoch) {
		if (epoch.epoch === this.epoch) return;
		this.epoch = epoch.epoch;
		this.index = Object.fromEntries(epoch.counters.map((name, i) => [name, i]));
		this.names = epoch.counters;
		this.shown = epoch.counters.map((name, i) => i).filter((i) => !this.names[i].startsWith("lost") && this.names[i] !== "slots");
		this.counts = new Series();
		this.totals = this.names.map(() => 0);
		this.rows = this.shown.map((i) => {
			const path = s("path", { d: "" });
			const row = { last: h("td", { class: "number" }), total: h("td", { class: "number" }), path };
			row.element = h("tr", {}, h("th", { scope: "row" }, this.names[i]), row.last, row.total, h("td", {}, s("svg", { class: "spark", viewBox: "0 0 300 30", preserveAspectRatio: "none", "aria-hidden": "true" }, path)));
			return row;
		});
		this.body.replaceChildren(...this.rows.map((row) => row.element));
		this.element.hidden = false;
	}
	take(interval) {
		if (interval.epoch !== this.epoch) return;
		const of = (name) => interval.values[this.index[name]] || 0;
		this.last = interval.values;
		this.counts.add(interval.values);
		this.totals = this.totals.map((value, i) => value + interval.values[i]);
		const all = of("slots"),
			parts = STACK.map(([, , , names]) => (names || []).reduce((sum, name) => sum + of(name), 0));
		parts[0] = Math.max(0, all - of("lost") - of("lost.wrong_path"));
		parts[parts.length - 1] = Math.max(0, all - parts.reduce((sum, value) => sum + value, 0));
		this.stack.add(parts);
		this.sums = this.sums.map((value, i) => value + parts[i]);
		this.packets.textContent = `${whole(interval.packets)} UDP packets received, ${whole(interval.lost)} lost`;
		this.wanted ||= requestAnimationFrame(() => this.draw());
	}
	draw() {
		this.wanted = 0;
		const bins = this.stack.bins,
			width = 1000 / Math.max(1, bins.length);
		const totals = bins.map((bin) => bin.reduce((sum, value) => sum + value, 0) || 1);
		const edges = bins.map(() => 0);
		const paths = STACK.map(([, , colour], k) => {
			const low = [],
				high = [];
			bins.forEach((bin, i) => {
				const from = edges[i],
					to = from + bin[k] / totals[i];
				edges[i] = to;
				const [x0, x1] = [(i * width).toFixed(1), ((i + 1) * width).toFixed(1)];
				low.push(`${x0},${(200 - from * 200).toFixed(1)}`, `${x1},${(200 - from * 200).toFixed(1)}`);
				high.push(`${x0},${(200 - to * 200).toFixed(1)}`, `${x1},${(200 - to * 200).toFixed(1)}`);
			});
			return s("polygon", { points: [...low, ...high.reverse()].join(" "), class: "stack-" + colour });
		});
		this.drawing.replaceChildren(...paths);
		const sum = this.sums.reduce((a, b) => a + b, 0) || 1;
		this.legend.replaceChildren(
			...STACK.map(([name, meaning, colour], k) =>
				h("li", { title: meaning }, h("i", { class: "swatch-" + colour }), `${name} ${((100 * this.sums[k]) / sum).toFixed(1)} %`),
			),
		);
		this.shown.forEach((i, row) => {
			this.rows[row].last.textContent = whole(this.last[i]);
			this.rows[row].total.textContent = whole(this.totals[i]);
			const values = this.counts.bins.map((bin) => bin[i]),
				most = Math.max(1, ...values);
			this.rows[row].path.setAttribute(
				"d",
				values.map((value, k) => `${k ? "L" : "M"}${((300 * k) / Math.max(1, values.length - 1)).toFixed(1)} ${(29 - (28 * value) / most).toFixed(1)}`).join(""),
			);
		});
	}
}

const WORDS = {
	queued: "It waits for its turn.",
	running: "It is being simulated.",
	done: "Its result is there.",
	partial: "It was stopped; the result is of what had been simulated.",
	failed: "It has no result.",
	stopped: "It was stopped before it had a result.",
	interrupted: "The server ended while it was simulated; it has no result.",
};

// What an exit status means.
function meaning(run) {
	const status = run.status;
	if (status === null || run.state === "queued" || run.state === "running") return "";
	if (status > 128 && status < 160 && run.state === "done") {
		const why = status === 137 ? ": it is what ends a program that fills more memory than it may" : "";
		return `The program was killed by signal ${status - 128}${why}.`;
	}
	if (run.state === "done") return `The program ended with status ${status}.`;
	return "";
}

async function showRun(id) {
	let run = await ask("/runs/" + id);
	const order = run.order;
	const live = new Live();
	const state = h("span", { class: "state" }),
		words = h("span", {}),
		bar = h("progress", { max: 1, value: 0, "aria-label": "Progress" }),
		progress = h("p", { class: "note" }),
		said = h("ul", {}),
		result = h("div", {}),
		output = h("section", { hidden: true }, h("h2", {}, "What the program printed"));
	const stop = h("button", { type: "button", class: "danger", onclick: () => post(`/runs/${id}/stop`).catch(tell) }, "Stop"),
		remove = h(
			"button",
			{
				type: "button",
				class: "danger",
				onclick: () => ask("/runs/" + id, { method: "DELETE" }).then(() => (location.href = "/"), tell),
			},
			"Delete",
		),
		repeat = h(
			"button",
			{
				type: "button",
				onclick: () => {
					sessionStorage.setItem("again", JSON.stringify(run.order));
					location.href = "/";
				},
			},
			"Run again, with changes",
		);
	const message = h("p", { class: "message", role: "alert" });
	const tell = (error) => (message.textContent = error.message);
	const configure = order.command === "stat" ? configuration(id, order) : null;
	const changes = Object.entries(order.set || {}).map(([key, value]) => `${key}=${value}`);
	page.replaceChildren(
		h("p", { class: "kicker" }, `Run ${id} · ${order.command}`),
		h("h1", {}, `${programOf(order)} on ${order.machine}`),
		h("p", { class: "facts" }, [...(order.arguments || []).map((text) => "argument " + text), ...changes, ...(order.grid || [])].map((text) => h("span", { class: "badge" }, text)).flatMap((one) => [one, " "])),
		h("p", { "aria-live": "polite" }, state, " ", words),
		bar,
		progress,
		h("p", { class: "row" }, stop, repeat, remove),
		message,
		h("details", { class: "note" }, h("summary", {}, "What the program may do here"),
			h("p", {}, `It runs in a jailed process: no network, no other processes, of the host's files only those given to it, read-only, in /files; at most ${whole(order.memory / 1048576)} MB of memory, ${whole(order.instructions)} instructions and ${whole(order.seconds)} seconds. What it tries beyond that fails inside it, and is said below.`)),
		said,
		live.element,
		configure?.element ?? "",
		result,
		output,
	);
	let finished = false;
	const update = () => {
		document.title = `${run.state} · ${programOf(order)} · cyclestack`;
		state.textContent = run.state;
		state.className = "state " + run.state;
		words.textContent = [WORDS[run.state], meaning(run)].filter((text) => text).join(" ");
		said.replaceChildren(...run.said.map((text) => h("li", {}, text)));
		const isOver = run.state !== "queued" && run.state !== "running";
		stop.hidden = isOver;
		remove.hidden = !isOver;
		bar.hidden = run.state !== "running";
		progress.hidden = isOver;
		if (configure) configure.element.hidden = run.state !== "running";
		if (run.progress) move(run.progress);
		if (isOver && !finished) {
			finished = true;
			finish();
		}
	};
	const move = (value) => {
		if (value.share >= 0) bar.value = value.share;
		else bar.removeAttribute("value");
		progress.textContent = value.text;
	};
	const finish = async () => {
		for (const [which, title] of [["output", "Output"], ["errors", "Errors"]]) {
			const text = await (await fetch(`${api}/runs/${id}/${which}`)).text();
			if (!text) continue;
			output.hidden = false;
			output.append(h("h3", {}, title), h("pre", { class: "out", tabindex: 0 }, text.length > 100000 ? text.slice(0, 100000) + "\n..." : text));
		}
		if (run.state !== "done" && run.state !== "partial") return;
		result.replaceChildren(...resultLinks(`/runs/${id}/result`, ""), h("iframe", { class: "result", title: "The result", src: `${api}/runs/${id}/result/html`, sandbox: "allow-scripts allow-popups allow-downloads" }));
	};
	update();
	if (finished) return;
	const events = new EventSource(`${api}/runs/${id}/events`);
	events.addEventListener("state", (event) => {
		const now = JSON.parse(event.data);
		// Events of the past come again with the page.
		if (now.state === "running" && finished) return;
		run = now;
		update();
		if (finished) events.close();
	});
	events.addEventListener("progress", (event) => move(JSON.parse(event.data)));
	events.addEventListener("said", (event) => said.append(h("li", {}, JSON.parse(event.data).text)));
	events.addEventListener("epoch", (event) => live.begin(JSON.parse(event.data)));
	events.addEventListener("interval", (event) => live.take(JSON.parse(event.data)));
}

function resultLinks(path, query) {
	const link = (format, text, attributes = {}) => h("a", { class: "button", href: `${api}${path}/${format}?${query}${attributes.download !== undefined ? "&download=1" : ""}`.replace("?&", "?").replace(/\?$/, ""), ...attributes }, text);
	return [
		h("h2", {}, "Result"),
		h(
			"p",
			{ class: "row" },
			link("html", "Open as a page"),
			link("html", "HTML file", { download: "" }),
			link("json", "JSON", { download: "" }),
			link("csv", "CSV", { download: "" }),
			link("svg", "SVG", { download: "" }),
			link("text", "Text"),
		),
	];
}

// Other counters while it runs.
function configuration(id, order) {
	const picker = new Picker(order.counters || [], order.groups || []);
	const every = h("input", { type: "number", min: 1, max: 4294967295, value: order.every || 1000000 });
	const message = h("p", { role: "status" });
	const details = h(
		"details",
		{
			ontoggle: () => {
				if (details.open && !picker.functions.length) picker.load(order.program);
			},
		},
		h("summary", {}, "Count something else from now on"),
		picker.element,
		h("div", { class: "row" }, field("Interval, in cycles", every, "every"),
			h(
				"button",
				{
					type: "button",
					onclick: async () => {
						message.textContent = "";
						message.className = "";
						try {
							await post(`/runs/${id}/counters`, { ...picker.value(), every: Number(every.value) });
							message.textContent = "Accepted: it holds from the end of the interval on.";
						} catch (error) {
							message.className = "message";
							message.textContent = error.message;
						}
					},
				},
				"Count this",
			)),
		message,
	);
	return { element: h("section", { id: "configure" }, details) };
}

// ---- Runs beside each other ----

async function compareRuns() {
	const { runs } = await ask("/runs?limit=500");
	const given = (new URLSearchParams(location.search).get("runs") || "").split(",").filter((text) => /^\d+$/.test(text));
	const usable = runs.filter((run) => run.state === "done" || run.state === "partial");
	const selects = [0, 1].map(() => h("select", {}, usable.map((run) => h("option", { value: run.id }, `${run.id} ${run.order.command}: ${programOf(run.order)} on ${run.order.machine}`))));
	const place = h("div", {});
	document.title = "Compare · cyclestack";
	page.replaceChildren(
		h("h1", {}, "Compare"),
		h(
			"form",
			{
				onsubmit: (event) => {
					event.preventDefault();
					location.href = `/compare?runs=${selects[0].value},${selects[1].value}`;
				},
			},
			h("div", { class: "row" }, field("Run A", selects[0]), field("with run B", selects[1]), h("button", { class: "main", disabled: usable.length < 2 }, "Compare")),
		),
		usable.length < 2 ? h("p", { class: "note" }, "Two runs with a result are needed.") : "",
		place,
	);
	if (given.length < 2) return;
	[selects[0].value, selects[1].value] = given;
	// Each of the others beside the first.
	for (const other of given.slice(1)) {
		const query = `a=${given[0]}&b=${other}`;
		const section = h("section", {}, h("h2", {}, `Run ${given[0]} with run ${other}`));
		place.append(section);
		const response = await fetch(`${api}/compare/json?${query}`);
		if (!response.ok) {
			section.append(h("p", { class: "message", role: "alert" }, (await response.json()).error));
			continue;
		}
		section.append(...resultLinks("/compare", query).slice(1), h("iframe", { class: "result", title: `Run ${given[0]} with run ${other}`, src: `${api}/compare/html?${query}`, sandbox: "allow-scripts allow-popups allow-downloads" }));
	}
}

// ---- Which page it is ----

const run = location.pathname.match(/^\/runs\/(\d+)$/);
const shown = run ? showRun(run[1]) : location.pathname === "/compare" ? compareRuns() : newRun();
shown.catch((error) => page.append(h("p", { class: "message", role: "alert" }, error.message)));
