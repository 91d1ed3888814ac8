// live.js - the drawings and tables of a run while it runs.
import { h, s, whole } from "./lib.js";

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

export class Live {
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
