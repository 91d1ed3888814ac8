// The page of `cyclestack serve`. It uses the API alone (/api/v1/openapi.json).
import { Machine, Picker } from "./choose.js";
import { api, ask, field, h, listOf, page, post, programOf, upload, when, whole } from "./lib.js";
import { resultLinks, showRun } from "./run.js";

// ---- A new run ----

const COMMANDS = [
	["stat", "Counters, live", "what is ticked below, interval by interval, while it runs"],
	["run", "Where the cycles go", "stack, advice, functions, lines, flame graph"],
	["judge", "Judge ways of counting", "about twenty simulations"],
	["sweep", "Sweep parameters", "one simulation for each machine of the grid"],
	["advise", "Advise", "what would help the program and the machine; some dozens of simulations"],
	["model", "Model", "CPI predicted from its instructions, for each machine of the grid"],
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
	const grid = h("input", { value: (before.grid || []).join(" "), placeholder: "rob.size=64,128 l1d.size=16k,32k", spellcheck: "false" });
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
	const against = h("input", { type: "checkbox", checked: before.against || false });
	const comparing = h("label", {}, against, "of the model: simulate each machine too, and say the error");
	const sweeping = h("div", { class: "row" }, field("Grid: every value with every other", grid, "grid", true), comparing);
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
		sweeping.hidden = !has("sweep") && !has("model");
		comparing.hidden = !has("model");
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
		const machines = { grid: grid.value.split(/\s+/).filter((text) => text) };
		if (command === "sweep") return machines;
		if (command === "model") return { ...machines, against: against.checked };
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

// ---- What the store has ----

async function showResults() {
	const { results } = await ask("/results?limit=500");
	const columns = results.length ? Object.keys(results[0]).filter((name) => typeof results[0][name] !== "object" && name !== "id") : [];
	document.title = "Results · cyclestack";
	page.replaceChildren(
		h("h1", {}, "Results"),
		h("p", { class: "note" }, "All results of the store, also those of commands that were given it; the latest first."),
		results.length
			? h(
					"div",
					{ class: "scroll", tabindex: 0, role: "region", "aria-label": "Results" },
					h(
						"table",
						{ class: "narrow" },
						h("thead", {}, h("tr", {}, ["result", ...columns].map((text) => h("th", { scope: "col" }, text)))),
						h(
							"tbody",
							{},
							results.map((one) =>
								h(
									"tr",
									{},
									h("td", {}, h("a", { href: `${api}/results/${one.id}/html` }, String(one.id))),
									columns.map((name) => h("td", {}, name === "received" ? when(new Date(1000 * one[name]).toISOString().slice(0, 19) + "Z") : String(one[name] ?? ""))),
								),
							),
						),
					),
				)
			: h("p", {}, "There are none yet."),
	);
}

// ---- Which page it is ----

const run = location.pathname.match(/^\/runs\/(\d+)$/);
const shown = run ? showRun(run[1]) : location.pathname === "/compare" ? compareRuns() : location.pathname === "/results" ? showResults() : newRun();
shown.catch((error) => page.append(h("p", { class: "message", role: "alert" }, error.message)));
