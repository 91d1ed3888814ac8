// The page of a run. Slots are converted to cycles only here.

const { values, stacks, exact } = result;
const { cycles, instructions } = values;
const perCycle = exact.slots_per_cycle;
const componentOf = JSON.parse(document.getElementById("causes").textContent);

// {cause: slots} as {component: cycles}.
function roll(slots) {
	const stack = Object.create(null);
	for (const [cause, count] of Object.entries(slots)) {
		const component = componentOf[cause];
		stack[component] = (stack[component] || 0) + count / perCycle;
	}
	return stack;
}
const cyclesOf = (slots) => sum(Object.values(slots)) / perCycle;

// The causes of most of the cycles of a row.
function mostly(slots) {
	const total = sum(Object.values(slots));
	return Object.entries(slots)
		.filter(([, count]) => count > 0.08 * total)
		.sort((a, b) => b[1] - a[1])
		.slice(0, 3)
		.map(([cause, count]) => `${cause} ${percent(count / total, 0)}`)
		.join(", ");
}

function stackWords(title, stack, count) {
	const total = sum(Object.values(stack));
	return {
		title,
		lines: [
			...inOrder(Object.keys(stack))
				.filter((name) => stack[name])
				.map((name) => [
					classOf(name),
					name,
					[integer(stack[name]), percent(ratio(stack[name], total))],
				]),
			[
				"",
				count ? `cycles (CPI ${fixed(total / count, 3)})` : "cycles",
				integer(total),
				true,
			],
		],
	};
}

const componentTip =
	(where, whole = cycles) =>
	(component, value) => ({
		title: where ? `${where}: ${component}` : component,
		lines: [
			["", "cycles", integer(value)],
			["", "CPI", fixed(ratio(value, instructions), 4)],
			["", "share", percent(ratio(value, whole), 2)],
		],
	});

// The page already has the bar without words: they depend on the available width.
function mainBar() {
	const bar = stackBar(stacks.exact.components, [0, positive(stacks.exact.components)], {
		class: "main",
		label: "stack of the whole run; the table below has its values",
		words: (component, value) => `${component} ${percent(ratio(value, cycles))}`,
		tip: componentTip(""),
	});
	document.querySelector("#stack svg.main").replaceWith(bar);
	document.getElementById("stack").dataset.short = "Stack";
}

// Adjacent intervals are added up if there are more than a screen has columns.
function merged(list, most) {
	const group = Math.ceil(list.length / most);
	const points = [];
	let from = 0,
		before = 0;
	for (let i = 0; i < list.length; i += group) {
		const part = list.slice(i, i + group);
		const count = sum(part.map((interval) => interval.instructions));
		const slots = {};
		for (const interval of part)
			for (const [cause, value] of Object.entries(interval.slots))
				slots[cause] = (slots[cause] || 0) + value;
		const stack = roll(slots),
			start = from,
			startCycle = before;
		from += count;
		before += sum(part.map((interval) => interval.cycles));
		points.push({
			from: start,
			to: from,
			stack: divided(stack, count),
			words: () => {
				const words = stackWords(
					`instructions ${integer(start)} to ${integer(start + count)}`,
					stack,
					count,
				);
				words.lines.push(["", "from cycle", integer(startCycle)]);
				return words;
			},
		});
	}
	return points;
}

const short = (value) =>
	value >= 1e9
		? `${+(value / 1e9).toFixed(2)} G`
		: value >= 1e6
			? `${+(value / 1e6).toFixed(2)} M`
			: value >= 1e3
				? `${+(value / 1e3).toFixed(2)} k`
				: integer(value);

function time() {
	const list = (exact.intervals || []).filter((interval) => interval.instructions > 0);
	if (list.length < 2) return;
	const points = merged(list, 1000);
	const used = componentsOf(points.map(({ stack }) => stack));
	const chart = overTime(points, {
		components: used,
		xWords: short,
		label: `Stack over time, ${list.length} intervals; left and right arrow keys step through them`,
	});
	const made = section(
		"time",
		"The stack over time",
		note(
			`${integer(list.length)} intervals of ${integer(list[0].instructions)} instructions. Across: instructions. Up: cycles per instruction. An interval that is shorter than the others, as the last may be, is cut where it is higher than they are.`,
		),
		controls(
			choice(
				"show",
				[
					[false, "CPI"],
					[true, "shares"],
				],
				false,
				(share) => chart.share(share),
			),
		),
		legend(used),
		chart.element,
	);
	made.dataset.short = "Over time";
}

function threads() {
	const list = exact.threads || [];
	if (list.length < 2) return;
	const rows = withStacks(list);
	const most = largest(rows.map((row) => row.cycles));
	section(
		"threads",
		"Threads",
		sortedTable(
			[
				column("thread", (row) => row.id, String),
				barColumn(
					() => [0, most],
					(row) => `thread ${row.id}`,
				),
				column(
					"share",
					(row) => row.cycles,
					(value) => percent(ratio(value, cycles), 2),
				),
				column("cycles", (row) => row.cycles, integer),
				mostlyColumn,
			],
			{ rows, sort: [0, false], limit: 100 },
		).element,
	);
}

// Bars below each other with one axis. list: [label, about, stack in cycles].
function barsWithAxis(list, options) {
	const scaled = list.map(([, , stack]) => divided(stack, instructions));
	const range = [Math.min(0, ...scaled.map(negative)), Math.max(...scaled.map(positive), 1e-9)];
	const total = ratio(cycles, instructions);
	return el(
		"div",
		{ class: "bars" },
		list.map(([label, about, stack], index) => {
			const below = Object.entries(stack)
				.filter(([, value]) => value < 0)
				.map(([name, value]) => `${name} ${percent(ratio(value, cycles))}`);
			return [
				el(
					"div",
					{ class: "label" },
					el("strong", null, label),
					about ? el("small", null, about) : null,
					below.length
						? el("small", { class: "finding" }, "below zero: " + below.join(", "))
						: null,
				),
				stackBar(scaled[index], range, {
					class: "middle",
					label:
						`${label}: ` +
						inOrder(Object.keys(stack))
							.map((name) => `${name} ${percent(ratio(stack[name], cycles))}`)
							.join(", "),
					words: (name, value) => `${name} ${percent(ratio(value, total), 0)}`,
					tip: (name) => componentTip(label)(name, stack[name]),
					total: options && options.total ? total : undefined,
				}),
			];
		}),
		el("div", { class: "gap" }),
		barAxis(range, ""),
	);
}

function architectures() {
	const list = methodsInOrder(Object.keys(stacks));
	if (list.length < 2) return;
	const used = componentsOf(list.map((name) => stacks[name].components));
	const isNegative = list.some((name) => negative(stacks[name].components) < 0);
	const state = { unit: "share" };
	const units = {
		share: (value) => percent(ratio(value, cycles), 2),
		cycles: integer,
		cpi: (value) => fixed(ratio(value, instructions), 4),
	};
	const table = sortedTable(
		[
			{ label: "method", value: (name) => list.indexOf(name), cell: (name) => name },
			...used.map((component) => ({
				label: component,
				title: aboutComponent.get(component),
				value: (name) => stacks[name].components[component] || 0,
				cell: (name) => {
					const value = stacks[name].components[component];
					return value === undefined
						? ""
						: [{ class: value < 0 ? "finding" : null }, units[state.unit](value)];
				},
			})),
			{
				label: "bits",
				title: "of storage",
				value: (name) => stacks[name].bits || 0,
				cell: (name) =>
					Number.isFinite(stacks[name].bits) ? integer(stacks[name].bits) : "\u2013",
			},
		],
		{ rows: list, wide: true, caption: "Counter architectures" },
	);
	const made = section(
		"architectures",
		"What hardware counters would have said",
		note(
			"The same run, counted in different ways; cycles per instruction. ",
			isNegative
				? "Where a method charges more than there was, its base, which is what remains, falls below zero and is drawn to the left; the dashed line is the CPI there really was."
				: null,
		),
		legend(used),
		barsWithAxis(
			list.map((name) => [name, aboutMethod.get(name), stacks[name].components]),
			{ total: isNegative },
		),
		el("h3", null, "Values"),
		controls(
			unitChoice("as", (unit) => {
				state.unit = unit;
				table.redraw();
			}),
		),
		table.element,
	);
	made.dataset.short = "Counters";
}

const topdownFill = Object.assign(
	Object.create(null),
	...names.topdown.map(([group, component, slots]) => ({ [group]: component, ...slots })),
);
const topdownParent = Object.assign(
	Object.create(null),
	...names.topdown.map(([group, , slots]) => ({
		[group]: Object.keys(slots).filter((slot) => slot !== group),
	})),
);

function topdown() {
	const { level1, level2 = {} } = result.topdown;
	const total = sum(Object.values(level1)) || 1;
	const readable = (name) => name.replace(/_/g, " ");
	const claimed = new Set(Object.values(topdownParent).flat());
	const second = {};
	for (const parent of Object.keys(level1)) {
		const children = (topdownParent[parent] || []).filter((name) => name in level2);
		if (!children.length) second[parent] = level1[parent];
		for (const child of children) second[child] = level2[child];
	}
	for (const name of Object.keys(level2)) if (!claimed.has(name)) second[name] = level2[name];
	const bar = (levels, label) =>
		stackBar(levels, [0, Math.max(total, positive(levels))], {
			class: "middle",
			label,
			classOf: (name) => topdownFill[name] || "other",
			words: (name, value) => `${readable(name)} ${percent(value / total)}`,
			short: readable,
			tip: (name, value) => ({
				title: readable(name),
				lines: [
					["", "slots", integer(value)],
					["", "share", percent(value / total, 2)],
				],
			}),
		});
	const rows = Object.entries(level1)
		.flatMap(([name, value]) => [
			{ name, value, level: 1 },
			...(topdownParent[name] || [])
				.filter((child) => child in level2)
				.map((child) => ({ name: child, value: level2[child], level: 2 })),
		])
		.concat(
			Object.keys(level2)
				.filter((name) => !claimed.has(name))
				.map((name) => ({ name, value: level2[name], level: 2 })),
		);
	return folded(
		"Top-down",
		note(`Every cycle has ${result.topdown.slots_per_cycle} slots; what became of them.`),
		el(
			"div",
			{ class: "bars" },
			el("div", { class: "label" }, el("strong", null, "level 1")),
			bar(level1, "top-down, level 1"),
			el("div", { class: "label" }, el("strong", null, "level 2")),
			bar(second, "top-down, level 2"),
		),
		plainTable(
			{ class: "stack" },
			["category", "slots", "share"],
			rows.map(({ name, value, level }) => [
				{ class: level === 2 ? "part" : null },
				[{}, swatch(topdownFill[name] || "other"), readable(name)],
				integer(value),
				percent(value / total, 2),
			]),
		),
	);
}

function stages() {
	const list = Object.entries(result.stages);
	const used = componentsOf(list.map(([, stack]) => stack));
	return folded(
		"Stages",
		note(
			"The stack as seen where instructions are dispatched, issued and committed; where these disagree, causes overlap.",
		),
		legend(used),
		barsWithAxis(list.map(([name, stack]) => [name, "", stack])),
		sortedTable(
			[
				{
					label: "stage",
					value: ([name]) => list.findIndex(([other]) => other === name),
					cell: ([name]) => name,
				},
				...used.map((component) => ({
					label: component,
					title: aboutComponent.get(component),
					value: ([, stack]) => stack[component] || 0,
					cell: ([, stack]) =>
						stack[component] === undefined
							? ""
							: percent(ratio(stack[component], cycles), 2),
				})),
			],
			{ rows: list, wide: true, caption: "Stages" },
		).element,
	);
}

function views() {
	if (!result.topdown && !result.stages) return;
	section(
		"views",
		"Other views",
		result.topdown ? topdown() : null,
		result.stages ? stages() : null,
	);
}

function allValues() {
	const list = Object.entries(values);
	const made = section(
		"values",
		"All counted values",
		folded(
			`${list.length} values`,
			el(
				"ul",
				{ class: "values" },
				list.map(([name, value]) =>
					el(
						"li",
						null,
						code(name),
						el(
							"span",
							null,
							Number.isInteger(value) ? integer(value) : fixed(value, 4),
						),
					),
				),
			),
		),
	);
	made.dataset.short = "Values";
}

function about() {
	const { program, configuration } = result;
	const made = section(
		"about",
		"What was run",
		facts([
			["program", code(program.name)],
			["arguments", codes(program.arguments, " ", "none")],
			["program, SHA-256", code(program.sha256)],
			...configurationFacts(configuration),
			["skipped before", integer(result.skipped_instructions) + " instructions"],
			[
				"exit status",
				String(result.status) + (result.partial ? ", partial: a limit ended the run" : ""),
			],
		]),
	);
	made.dataset.short = "About";
}

mainBar();
functions();
annotations.forEach(annotation);
time();
threads();
architectures();
views();
allValues();
about();
contents();
