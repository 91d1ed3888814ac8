// Functions, their lines and their instructions: tables of rows with a stack each.

const rowColumns = (whole, instructionsOf) => [
	{
		label: "share",
		title: "of the cycles of the run",
		class: "heat",
		value: (row) => row.cycles,
		cell: (row) => [
			{ heat: Math.min(0.55, ratio(row.cycles, whole)) },
			percent(ratio(row.cycles, cycles), 2),
		],
	},
	column("cycles", (row) => row.cycles, integer),
	{
		label: "CPI",
		title: "cycles per instruction executed here",
		value: (row) => ratio(row.cycles, instructionsOf(row)),
		cell: (row) => (instructionsOf(row) ? fixed(row.cycles / instructionsOf(row), 3) : ""),
	},
];

const withStacks = (list) =>
	list.map((row, index) => ({
		...row,
		index,
		stack: roll(row.slots),
		cycles: cyclesOf(row.slots),
	}));

const mostlyColumn = {
	label: "mostly",
	unsorted: true,
	class: "mostly",
	cell: (row) => mostly(row.slots),
};

const lineColumn = (where) => ({
	label: "line",
	class: "code",
	value: (row) => row.file + "\0" + String(row.line).padStart(9),
	cell: (row) => [{ title: row.file }, where(row)],
});

const barColumn = (range, title) => ({
	label: "stack",
	unsorted: true,
	class: "barcell left",
	cell: (row) => [
		{},
		tip(stackBar(row.stack, range(row), { class: "small", label: title(row) }), () =>
			stackWords(title(row), row.stack, row.executed),
		),
	],
});

function lineTable(name, lines) {
	const rows = withStacks(lines);
	const most = largest(rows.map((row) => row.cycles));
	const where = (row) =>
		row.file
			? `${row.file.split("/").pop()}:${row.line}`
			: row.line
				? `line ${row.line}`
				: "no line known";
	return sortedTable(
		[
			lineColumn((row) => code(where(row))),
			barColumn(() => [0, most], where),
			...rowColumns(most, (row) => row.executed),
			column("executed", (row) => row.executed, integer, { title: "instructions" }),
			mostlyColumn,
		],
		{ rows, sort: [0, false], limit: 200, caption: `Lines of ${name}` },
	).element;
}

// The functions of --annotate, in their order.
const annotations = [result.annotation, ...(result.more_annotations || [])].filter(Boolean);

const annotationId = (index) => (index ? `annotation-${index + 1}` : "annotation");

function functionDetail(row) {
	const parts = [];
	annotations.forEach((one, index) => {
		if (one.function === row.name)
			parts.push(
				el("p", null, el("a", { href: "#" + annotationId(index) }, "its instructions, one by one")),
			);
	});
	parts.push(
		row.lines.length
			? lineTable(row.name, row.lines)
			: note("No source lines are known: the program has no line table for this function."),
	);
	return parts;
}

function functions() {
	if (!exact.functions.length) return;
	const state = { unit: "share", full: false };
	const rows = withStacks(exact.functions);
	const most = largest(rows.map((row) => row.cycles));
	const used = componentsOf(rows.map((row) => row.stack));
	const units = {
		share: (row, component) => percent(ratio(row.stack[component] || 0, cycles), 2),
		cycles: (row, component) => integer(row.stack[component] || 0),
		cpi: (row, component) =>
			row.executed ? fixed((row.stack[component] || 0) / row.executed, 3) : "",
	};
	const orders = {
		share: (row, component) => row.stack[component] || 0,
		cycles: (row, component) => row.stack[component] || 0,
		cpi: (row, component) => ratio(row.stack[component] || 0, row.executed),
	};
	const count = el("span", { class: "muted", role: "status" });
	const table = sortedTable(
		[
			{
				label: "function",
				value: (row) => row.name.toLowerCase(),
				cell: (row) => [
					{ title: row.name },
					el("span", { class: "name" }, el("bdi", null, row.name)),
					row.file
						? el(
								"span",
								{ class: "where" },
								`${row.file.split("/").pop()}${row.line ? ":" + row.line : ""}`,
							)
						: null,
				],
			},
			barColumn(
				(row) => [0, state.full ? row.cycles || 1 : most],
				(row) => row.name,
			),
			...rowColumns(most, (row) => row.executed),
			...used.map((component) => ({
				label: component,
				title: aboutComponent.get(component),
				value: (row) => orders[state.unit](row, component),
				cell: (row) =>
					row.stack[component]
						? units[state.unit](row, component)
						: [{ class: "muted" }, "\u00b7"],
			})),
		],
		{
			rows,
			sort: [2, true],
			limit: 50,
			wide: true,
			detail: functionDetail,
			caption: "Functions, each with its stack",
			onDraw: (shown) => {
				count.textContent =
					shown === rows.length
						? `${integer(shown)} functions`
						: `${integer(shown)} of ${integer(rows.length)}`;
			},
		},
	);
	const filter = el("input", {
		type: "search",
		id: "filter",
		placeholder: "name or file",
		autocomplete: "off",
		spellcheck: "false",
		on: {
			input: () => {
				const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
				table.filter((row) =>
					words.every((word) => (row.name + " " + row.file).toLowerCase().includes(word)),
				);
			},
		},
	});
	section(
		"functions",
		"Functions",
		note("Open a function to see its source lines."),
		controls(
			el("span", null, el("label", { for: "filter" }, "find "), filter),
			count,
			unitChoice("components as", (unit) => {
				state.unit = unit;
				table.redraw();
			}),
			choice(
				"bars",
				[
					[false, "by weight"],
					[true, "each full"],
				],
				false,
				(full) => {
					state.full = full;
					table.redraw();
				},
			),
		),
		legend(used),
		table.element,
	);
}

function annotation(one, index) {
	if (!one.instructions.length) return;
	const rows = withStacks(one.instructions);
	const most = largest(rows.map((row) => row.cycles));
	const table = sortedTable(
		[
			{
				label: "address",
				class: "code",
				value: (row) => row.index,
				cell: (row) => code(row.pc),
			},
			{
				label: "instruction",
				class: "code",
				value: (row) => row.text,
				cell: (row) => code(row.text.replace(/\t/g, " ")),
			},
			lineColumn((row) => (row.line ? `${row.file.split("/").pop()}:${row.line}` : "")),
			barColumn(
				() => [0, most],
				(row) => `${row.pc} ${row.text}`,
			),
			...rowColumns(most, (row) => row.executed),
			column("executed", (row) => row.executed, integer, { title: "times" }),
			mostlyColumn,
		],
		{ rows, sort: [0, false], limit: 400, wide: true, caption: "Instructions" },
	);
	const made = section(
		annotationId(index),
		"Instructions of " + one.function,
		note(
			"In the order of their addresses. A cycle is charged to the instruction that held up the others, which is not always the one that waited.",
		),
		table.element,
	);
	made.dataset.short = index ? one.function : "Instructions";
}
