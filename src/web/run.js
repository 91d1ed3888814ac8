// run.js - a run, while it runs and afterwards.
import { Picker } from "./choose.js";
import { api, ask, field, h, page, post, programOf, whole } from "./lib.js";
import { Live } from "./live.js";

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

export async function showRun(id) {
	let run = await ask("/runs/" + id);
	const order = run.order;
	const live = new Live();
	const state = h("span", { class: "state" }),
		words = h("span", {}),
		bar = h("progress", { max: 1, value: 0, "aria-label": "Progress" }),
		progress = h("p", { class: "note" }),
		contained = h("ul", {}),
		tried = h("section", { id: "contained", hidden: true }, h("h2", {}, "What the program tried and may not"), contained),
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
		tried,
		said,
		live.element,
		configure?.element ?? "",
		result,
		output,
	);
	let finished = false;
	const hear = (sentence) => {
		const list = sentence.contained ? contained : said;
		// Events of the past come again with the page.
		if ([...list.children].some((one) => one.textContent === sentence.text)) return;
		if (sentence.contained) tried.hidden = false;
		list.append(h("li", {}, sentence.text));
	};
	const update = () => {
		document.title = `${run.state} · ${programOf(order)} · cyclestack`;
		state.textContent = run.state;
		state.className = "state " + run.state;
		words.textContent = [WORDS[run.state], meaning(run)].filter((text) => text).join(" ");
		contained.replaceChildren();
		said.replaceChildren();
		for (const text of run.said) hear({ text, contained: run.contained.includes(text) });
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
	const goOn = async () => {
		try {
			run = await ask("/runs/" + id);
		} catch (error) {
			// An answer, such as that there is no such run, or none at all.
			if (error.status) tell(error);
			else setTimeout(goOn, 2000);
			return;
		}
		update();
		if (!finished) watch();
	};
	const watch = () => {
		const events = new EventSource(`${api}/runs/${id}/events`);
		events.addEventListener("open", () => (message.textContent = ""));
		events.addEventListener("error", () => {
			if (finished) return;
			message.textContent = "The server does not answer. This page goes on by itself as soon as it does.";
			// A browser asks again by itself, but not after an answer that was no stream of events.
			if (events.readyState === EventSource.CLOSED) setTimeout(goOn, 2000);
		});
		listen(events);
	};
	const listen = (events) => {
		events.addEventListener("state", (event) => {
			const now = JSON.parse(event.data);
			// Events of the past come again with the page.
			if (now.state === "running" && finished) return;
			run = now;
			update();
			if (finished) events.close();
		});
		events.addEventListener("progress", (event) => move(JSON.parse(event.data)));
		events.addEventListener("said", (event) => hear(JSON.parse(event.data)));
		events.addEventListener("epoch", (event) => live.begin(JSON.parse(event.data)));
		events.addEventListener("interval", (event) => live.take(JSON.parse(event.data)));
	};
	watch();
}

export function resultLinks(path, query) {
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
			link("sqlite", "SQLite", { download: "" }),
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

