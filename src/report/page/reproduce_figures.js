// What judge.js has drawn, put under the figures of the paper; words on hovering over a curve.

const slot = (id) => document.querySelector(`#${id} .slot`);

// A section of the judgement goes, its content but for the heading under a figure.
function place(section, id) {
	const from = document.getElementById(section);
	if (!from) return;
	if (id && slot(id))
		slot(id).replaceChildren(...[...from.children].filter(({ tagName }) => tagName !== "H2"));
	from.remove();
}

function placeEvents() {
	const from = document.getElementById("events");
	if (!from) return;
	const figures = new Map([
		["Cycles per L1I miss", "figure-4"],
		["Cycles per misprediction", "figure-6"],
		["Cycles per long data miss", "figure-9"],
	]);
	const note = from.querySelector(".note");
	let target = null;
	for (const child of [...from.children]) {
		if (child.tagName === "H3") {
			target = slot(figures.get(child.textContent));
			target.replaceChildren();
		} else if (target) {
			target.append(child);
		}
	}
	if (note) slot("figure-4").prepend(note);
	from.remove();
}

function curveWords(plot) {
	const isStretch = plot.kind === "stretch";
	const drawing = document.querySelector(`#figure-${plot.figure} svg.plot`);
	if (!drawing) return;
	const [left, right, width] = [46, 14, 760];
	const length = plot.example.useful_issued.length;
	tip(drawing, (event) => {
		const box = drawing.getBoundingClientRect();
		const x = ((event.clientX - box.left) / box.width) * width;
		const at = Math.floor(((x - left) / (width - left - right)) * length);
		if (at < 0 || at >= length) return null;
		const line = (label, series) => [
			"",
			label,
			isStretch
				? String(plot.example[series][at])
				: [fixed(plot.mean[series][at], 2), `(${plot.example[series][at]})`],
		];
		return {
			title: `cycle ${at - plot.before}${isStretch ? "" : ": mean (example)"}`,
			lines: [
				line("issued, useful", "useful_issued"),
				line("dispatched, useful", "useful_dispatched"),
				line("dispatched, all", "dispatched"),
				line("committed", "committed"),
				line("reorder buffer", "rob_used"),
			],
		};
	});
}

function variants() {
	const rows = Object.entries(allMethods).map(([method, { bits }]) => ({
		method,
		bits,
		mean: allErrors.mean_error[method],
		most: allErrors.largest_error[method],
	}));
	slot("figure-10").replaceChildren(
		sortedTable(
			[
				{
					label: "method",
					value: (row) => rows.indexOf(row),
					cell: (row) => [{ title: aboutMethod.get(row.method) }, row.method],
				},
				{
					label: "bits",
					value: (row) => row.bits ?? -1,
					cell: (row) => (row.bits === null ? "\u2013" : integer(row.bits)),
				},
				column("mean error", (row) => row.mean, inPercent),
				column("largest error", (row) => row.most, inPercent),
			],
			{ rows, caption: "Storage and error of every method and variant" },
		).element,
	);
}

placeEvents();
place("stacks", "figure-11");
place("storage", null);
place("overlap", null);
variants();
for (const plot of result.plots) curveWords(plot);

const links = document.getElementById("contents");
const pick = links.querySelector(".pick");
links.replaceChildren();
contents();
links.append(pick);
links.querySelector("a[href='#chosen']").hidden = true;
