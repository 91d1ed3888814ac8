// choose.js - what is chosen before a run: what is to be counted, and the machine.
import { field, h, listOf, post, whole } from "./lib.js";

// ---- What is to be counted: functions down, signals and groups across ----

const ALL = "";
const ROWS_SHOWN = 200;

export class Picker {
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

export class Machine {
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

