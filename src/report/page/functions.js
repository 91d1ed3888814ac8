// Functions, their lines and their instructions: tables of rows that each have a stack.

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
	{ label: "cycles", value: (row) => row.cycles, cell: (row) => integer(row.cycles) },
	{
		label: "CPI",
		title: "cycles per instruction executed here",
		value: (row) => ratio(row.cycles, instructionsOf(row)),
		cell: (row) => (instructionsOf(row) ? fixed(row.cycles / instructionsOf(row), 3) : ""),
	},
];

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
	const rows = lines.map((line) => ({
		...line,
		stack: roll(line.slots),
		cycles: cyclesOf(line.slots),
	}));
	const most = largest(rows.map((row) => row.cycles));
	const where = (row) =>
		row.file
			? `${row.file.split("/").pop()}:${row.line}`
			: row.line
				? `line ${row.line}`
				: "no line known";
	return sortedTable(
		[
			{
				label: "line",
				class: "code",
				value: (row) => row.file + "\0" + String(row.line).padStart(9),
				cell: (row) => [{ title: row.file }, el("code", null, where(row))],
			},
			barColumn(() => [0, most], where),
			...rowColumns(most, (row) => row.executed),
			{
				label: "executed",
				title: "instructions",
				value: (row) => row.executed,
				cell: (row) => integer(row.executed),
			},
			{ label: "mostly", unsorted: true, class: "mostly", cell: (row) => mostly(row.slots) },
		],
		{ rows, sort: [0, false], limit: 200, caption: `Lines of ${name}` },
	).element;
}

function functionDetail(row) {
	const parts = [];
	if (result.annotation && result.annotation.function === row.name)
		parts.push(el("p", null, el("a", { href: "#annotation" }, "its instructions, one by one")));
	parts.push(
		row.lines.length
			? lineTable(row.name, row.lines)
			: el(
					"p",
					{ class: "note" },
					"No source lines are known: the program has no line table for this function.",
				),
	);
	return parts;
}

function functions() {
	if (!exact.functions.length) return;
	const state = { unit: "share", full: false };
	const rows = exact.functions.map((row) => ({
		...row,
		stack: roll(row.slots),
		cycles: cyclesOf(row.slots),
	}));
	const most = largest(rows.map((row) => row.cycles));
	const used = inOrder([...new Set(rows.flatMap((row) => Object.keys(row.stack)))]);
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
		el("p", { class: "note" }, "Open a function to see its source lines."),
		el(
			"div",
			{ class: "controls" },
			el("span", null, el("label", { for: "filter" }, "find "), filter),
			count,
			choice(
				"components as",
				[
					["share", "% of run"],
					["cycles", "cycles"],
					["cpi", "CPI"],
				],
				"share",
				(unit) => {
					state.unit = unit;
					table.redraw();
				},
			),
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

function annotation() {
	if (!result.annotation || !result.annotation.instructions.length) return;
	const rows = result.annotation.instructions.map((row, index) => ({
		...row,
		index,
		stack: roll(row.slots),
		cycles: cyclesOf(row.slots),
	}));
	const most = largest(rows.map((row) => row.cycles));
	const table = sortedTable(
		[
			{
				label: "address",
				class: "code",
				value: (row) => row.index,
				cell: (row) => el("code", null, row.pc),
			},
			{
				label: "instruction",
				class: "code",
				value: (row) => row.text,
				cell: (row) => el("code", null, row.text.replace(/\t/g, " ")),
			},
			{
				label: "line",
				class: "code",
				value: (row) => row.file + "\0" + String(row.line).padStart(9),
				cell: (row) => [
					{ title: row.file },
					row.line ? `${row.file.split("/").pop()}:${row.line}` : "",
				],
			},
			barColumn(
				() => [0, most],
				(row) => `${row.pc} ${row.text}`,
			),
			...rowColumns(most, (row) => row.executed),
			{
				label: "executed",
				title: "times",
				value: (row) => row.executed,
				cell: (row) => integer(row.executed),
			},
			{ label: "mostly", unsorted: true, class: "mostly", cell: (row) => mostly(row.slots) },
		],
		{ rows, sort: [0, false], limit: 400, wide: true, caption: "Instructions" },
	);
	const made = section(
		"annotation",
		"Instructions of " + result.annotation.function,
		el(
			"p",
			{ class: "note" },
			"In the order of their addresses. A cycle is charged to the instruction that held up the others, which is not always the one that waited.",
		),
		table.element,
	);
	made.dataset.short = "Instructions";
}
