// The page of a judgement. A program chosen in one place is marked everywhere.

const { programs, summary, configuration } = result;
const methods = methodsInOrder([
	...new Set([
		...Object.keys(summary.mean_error),
		...programs.flatMap((program) => Object.keys(program.methods)),
	]),
]);
const limit = 0.04;
// The truth has one base; a run with units of one cycle tells what of it is the methods' `resource`.
const truthsOf = ({ truth }) =>
	[truth.a, truth.b].map((stack) =>
		Number.isFinite(truth.base_without_units)
			? {
					...stack,
					base: truth.base_without_units,
					resource: stack.base - truth.base_without_units,
				}
			: stack,
	);
const rowsOf = (program) => [
	...truthsOf(program).map((stack, index) => [index ? "truth b" : "truth a", stack, null]),
	...methods
		.filter((method) => program.methods[method])
		.map((method) => [method, program.methods[method].components, program.methods[method]]),
];
const used = componentsOf(programs.flatMap((program) => rowsOf(program).map(([, stack]) => stack)));
const inPercent = (value) => percent(value, 2);
const errorOf = (program, method) => (program.methods[method] || {}).max_error;
const over = (value) => ({ class: value > limit ? "over" : null });

// Each function marks a program where it is shown; null marks none.
const markers = [];
const programChoice = el(
	"select",
	{
		id: "program",
		on: {
			change: () => choose(programChoice.value === "" ? null : Number(programChoice.value)),
		},
	},
	el("option", { value: "" }, "none"),
	programs.map(({ name }, index) => el("option", { value: index }, name)),
);
let chosen = null;

function choose(index) {
	chosen = index;
	programChoice.value = index === null ? "" : String(index);
	for (const mark of markers) mark(index);
}
const toggle = (index) => choose(index === chosen ? null : index);

// A table with a row for each program.
function programTable(columns, options) {
	const rows = programs.map((program, index) => ({ ...program, index }));
	const found = new Map();
	const made = sortedTable(
		[
			{
				label: "program",
				value: (row) => row.name,
				cell: (row) =>
					el(
						"button",
						{
							type: "button",
							class: "choose",
							"aria-pressed": "false",
							on: { click: () => toggle(row.index) },
						},
						el("bdi", null, row.name),
					),
			},
			...columns,
		],
		{ rows, wide: true, ...options, onRow: (tr, row) => found.set(row.index, tr) },
	);
	markers.push((index) => {
		for (const [number, tr] of found) {
			tr.classList.toggle("chosen", number === index);
			tr.querySelector("button.choose").setAttribute(
				"aria-pressed",
				String(number === index),
			);
		}
	});
	return made.element;
}

// The methods that the drawings show; every drawing has its own legend.
function methodLegend(list, onChange) {
	const shown = new Set(list);
	return el(
		"div",
		{ class: "legend", role: "group", "aria-label": "methods shown" },
		list.map((method) => {
			const button = el(
				"button",
				{
					type: "button",
					"aria-pressed": "true",
					title: aboutMethod.get(method) || "",
					on: {
						click: () => {
							if (shown.has(method) && shown.size > 1) shown.delete(method);
							else shown.add(method);
							button.setAttribute("aria-pressed", String(shown.has(method)));
							onChange(list.filter((name) => shown.has(name)));
						},
					},
				},
				swatch(methodClass(method)),
				method,
			);
			return button;
		}),
	);
}

function programBars(groups, options) {
	const chart = groupedBars(groups, { ...options, onChoose: toggle });
	markers.push((index) => chart.choose(index));
	return chart;
}

function errors() {
	const words = (title, of) => (method) => ({
		title: `${title}: ${method}`,
		lines: [["", "largest error", percent(of(method), 2)]],
	});
	const groups = programs.map((program, index) => ({
		name: index,
		label: program.name,
		values: Object.fromEntries(methods.map((method) => [method, errorOf(program, method)])),
		words: (method) => {
			const {
				max_error: error,
				worst,
				max_error_a: a,
				max_error_b: b,
				max_error_interval: interval,
			} = program.methods[method];
			return {
				title: `${program.name}: ${method}`,
				lines: [
					["", "largest error", percent(error, 2), true],
					...(worst ? [[classOf(worst), "in", worst]] : []),
					...[
						["to order a", a],
						["to order b", b],
						["to the interval", interval],
						["to the range of all orders", program.methods[method].distance_to_range],
						["to the mean of all orders", program.methods[method].distance_to_mean],
					]
						.filter(([, value]) => Number.isFinite(value))
						.map(([label, value]) => ["", label, percent(value, 2)]),
				],
			};
		},
	}));
	groups.push({
		name: -1,
		label: "mean",
		strong: true,
		values: summary.mean_error,
		words: words("mean", (method) => summary.mean_error[method]),
	});
	const chart = programBars(groups, {
		series: methods,
		limit,
		end: 0.2,
		format: (value) => fixed(100 * value, 0) + " %",
		label: "Largest error of each method on each program, and the mean; the table below has the values",
	});
	const best = methods.filter((method) => method in summary.mean_error);
	const under = best.filter((method) =>
		programs.every((program) => !(errorOf(program, method) > limit)),
	);
	const table = programTable(
		methods.map((method) => ({
			label: method,
			title: aboutMethod.get(method),
			value: (row) => errorOf(row, method) ?? -1,
			cell: (row) => [
				over(errorOf(row, method)),
				optional(errorOf(row, method), inPercent),
			],
		})),
		{
			caption: "Largest error of each method",
			foot: [
				["mean", "mean_error"],
				["largest", "largest_error"],
			].map(([label, member]) => [
				label,
				...methods.map((method) =>
					optional(summary[member][method], inPercent),
				),
			]),
		},
	);
	const part = document.getElementById("errors");
	part.querySelector(".scroll").replaceWith(
		el(
			"p",
			{ class: "verdict" },
			under.length
				? ["Below 4\u00a0% on every program: ", el("strong", null, under.join(", ")), "."]
				: "No method stays below 4\u00a0% on every program.",
			" Mean error: ",
			best.map((method, i) => [
				i ? ", " : "",
				`${method} `,
				el("strong", null, percent(summary.mean_error[method])),
			]),
			".",
		),
		note(
			"The largest difference of any component from the truth, as a part of the cycles of the run. A bar that is higher than the axis is torn and has its number above it.",
		),
		controls(
			choice(
				"axis to",
				[
					[0.08, "8 %"],
					[0.2, "20 %"],
					[null, "the highest"],
				],
				0.2,
				(end) => chart.end(end),
			),
		),
		methodLegend(methods, (list) => chart.series(list)),
		chart.element,
		table,
	);
	part.dataset.short = "Errors";
}

function stackCard(program, index) {
	const rows = rowsOf(program);
	const shares = rows.map(([, stack]) => divided(stack, program.cycles));
	// A method that charges several times the real cycles would make all others too narrow.
	const range = [
		Math.max(-0.6, Math.min(0, ...shares.map(negative))),
		Math.min(1.6, Math.max(1, ...shares.map(positive))),
	];
	const card = el(
		"div",
		{ class: "card" },
		el(
			"h3",
			null,
			el(
				"button",
				{ type: "button", "aria-pressed": "false", on: { click: () => toggle(index) } },
				el("bdi", null, program.name),
			),
			el(
				"span",
				{ class: "muted" },
				"CPI " + fixed(ratio(program.cycles, program.instructions), 3),
			),
		),
		el(
			"div",
			{ class: "bars" },
			rows.map(([label, stack, method], k) => [
				el(
					"div",
					{
						class: method ? "label" : "label truth",
						title: aboutMethod.get(label) || null,
					},
					label,
				),
				tip(
					stackBar(shares[k], range, {
						class: "small",
						label:
							`${program.name}, ${label}: ` +
							inOrder(Object.keys(stack))
								.map((name) => `${name} ${percent(shares[k][name])}`)
								.join(", "),
					}),
					() => ({
						title: `${program.name}: ${label}`,
						lines: [
							...inOrder(Object.keys(stack))
								.filter((name) => stack[name])
								.map((name) => [
									classOf(name),
									name,
									[
										percent(shares[k][name], 2),
										method &&
										method.errors &&
										Number.isFinite(method.errors[name])
											? `error ${percent(method.errors[name], 2)}`
											: "",
									],
								]),
							...(method
								? [["", "largest error", ["", percent(method.max_error, 2)], true]]
								: []),
						],
					}),
				),
				el(
					"div",
					{ class: "error" + (method && method.max_error > limit ? " over" : "") },
					method ? percent(method.max_error) : "\u00a0",
				),
			]),
		),
	);
	markers.push((number) => {
		card.classList.toggle("chosen", number === index);
		card.querySelector("h3 button").setAttribute("aria-pressed", String(number === index));
	});
	return card;
}

function stackCards() {
	const isNegative = programs.some((program) =>
		rowsOf(program).some(([, stack]) => negative(stack) < 0),
	);
	const made = section(
		"stacks",
		"Stacks side by side",
		note(
			"Each as a part of the cycles of the run; the number is the largest error. ",
			isNegative
				? "What is below zero is drawn to the left of the line: a method that charged more than there was, or, in the truth, an idealised machine that was slower."
				: null,
		),
		legend(used),
		el("div", { class: "cards" }, programs.map(stackCard)),
	);
	made.dataset.short = "Stacks";
}

// Everything about the chosen program, one column for each method.
function detail() {
	const made = section("chosen", "Chosen program");
	const heading = made.querySelector("h2");
	made.hidden = true;
	markers.push((index) => {
		const link = document.querySelector("nav a[href='#chosen']");
		made.hidden = link.hidden = index === null;
		made.replaceChildren(heading);
		if (index === null) return;
		const program = programs[index];
		const shown = methods.filter((method) => program.methods[method]);
		const share = (stack, name) => [
			{ class: stack[name] < 0 ? "finding" : null },
			optional(ratio(stack[name], program.cycles), inPercent),
		];
		heading.textContent = link.textContent = program.name;
		made.append(
			note(
				`${integer(program.instructions)} instructions, ${integer(program.cycles)} cycles, CPI ${fixed(ratio(program.cycles, program.instructions), 4)}. Under each share its error; that of base is of base and resource together. The largest of a method stands out.`,
			),
			plainTable(
				{ class: "wide compare" },
				["component", "truth a", "truth b", ...shown],
				used.map((name) => [
					{},
					[{}, swatch(classOf(name)), name],
					...truthsOf(program).map((stack) => share(stack, name)),
					...shown.map((method) => {
						const { components: stack, errors: list = {}, worst } = program.methods[method];
						const rank = list[name] > limit ? "worst over" : "worst";
						return [
							...share(stack, name),
							el(
								"small",
								{ class: worst === name ? rank : "muted" },
								optional(list[name], inPercent),
							),
						];
					}),
				]),
				[
					[
						{},
						"largest error",
						"",
						"",
						...shown.map((method) => [
							over(program.methods[method].max_error),
							percent(program.methods[method].max_error, 2),
						]),
					],
				],
			),
		);
	});
}

// What the components are over all orders in which structures can become real.
function orderCard(program) {
	const { a, b, all_orders: all } = program.truth;
	const share = (value) => optional(ratio(value, program.cycles), inPercent);
	const names = inOrder(Object.keys(a));
	const paired = names.filter((name) =>
		all.interactions.some(({ first, second }) => first === name || second === name),
	);
	const together = (one, other) =>
		all.interactions.find(
			({ first, second }) =>
				(first === one && second === other) || (first === other && second === one),
		);
	return folded(
		el("bdi", null, program.name),
		plainTable(
			{ class: "wide compare" },
			["component", "lowest", "mean", "highest", "order a", "order b"],
			names.map((name) => [
				{},
				[{}, swatch(classOf(name)), name],
				share(all.lowest[name]),
				share(all.mean[name]),
				share(all.highest[name]),
				share(a[name]),
				share(b[name]),
			]),
		),
		note("Interactions: what two cost together beyond what each costs alone."),
		plainTable(
			{ class: "wide compare" },
			["", ...paired],
			paired.map((row) => [
				{},
				[{}, swatch(classOf(row)), row],
				...paired.map((name) => {
					const pair = together(row, name);
					return pair ? share(pair.cycles) : "";
				}),
			]),
		),
	);
}

function allOrders() {
	const shown = programs.filter(({ truth }) => truth.all_orders);
	if (!shown.length) return;
	const { machines, orders } = shown[0].truth.all_orders;
	section(
		"orders",
		"All orders",
		note(
			`A cycle that two misses share goes to the one that becomes real first, so a component depends on the order. There are ${integer(orders)} orders in which structures can become real, each after those without which it has no effect; ${integer(machines)} machines tell what a component is in all of them. The range goes from its lowest to its highest cycles, the mean is over all orders. A positive interaction means that each of the two makes the other worse, a negative one that they hide each other. In percent of the cycles.`,
		),
		plainTable(
			{ class: "wide" },
			["method", "from the range: mean", "largest", "from the mean: mean", "largest"],
			methods.map((method) => [
				{},
				[{}, swatch(methodClass(method)), method],
				...["distance_to_range", "distance_to_mean"].flatMap((member) =>
					["mean", "largest"].map((which) =>
						optional((summary[`${which}_${member}`] || {})[method], inPercent),
					),
				),
			]),
		),
		shown.map(orderCard),
	).dataset.short = "Orders";
}

function perEvent() {
	const figures = [
		["l1i", "Cycles per L1I miss"],
		["branch", "Cycles per misprediction"],
		["l2d", "Cycles per long data miss"],
	];
	const has = (event) =>
		programs.some((program) => program.per_event && program.per_event[event]);
	if (!figures.some(([event]) => has(event))) return;
	const made = section(
		"events",
		"Cycles per event",
		note(
			"What each method charges, over the same number of events for all: primary misses on the correct path, mispredictions that committed. The simulated difference is what idealising that structure saves, over the same events.",
		),
	);
	for (const [event, title] of figures.filter(([name]) => has(name))) {
		const found = new Set(
			programs.flatMap((program) => Object.keys((program.per_event || {})[event] || {})),
		);
		const series = [
			...methodsInOrder([...found].filter((name) => name !== "simulated")),
			...(found.has("simulated") ? ["simulated"] : []),
		];
		const value = (program, method) => ((program.per_event || {})[event] || {})[method];
		const chart = programBars(
			programs.map((program, index) => ({
				name: index,
				label: program.name,
				values: Object.fromEntries(
					series.map((method) => [method, value(program, method)]),
				),
				words: (method) => ({
					title: `${program.name}: ${method}`,
					lines: [
						[
							"",
							title.toLowerCase().replace("l1i", "L1I"),
							fixed(value(program, method), 2),
							true,
						],
						...(program.events
							? [["", "events", integer(program.events[event] || 0)]]
							: []),
					],
				}),
			})),
			{
				series,
				format: (number, list) => fixed(number, placesFor(list)),
				label: `${title}, by program and method; the table below has the values`,
			},
		);
		made.append(
			el("h3", null, title),
			methodLegend(series, (list) => chart.series(list)),
			chart.element,
			folded(
				"Values",
				programTable(
					[
						column("events", (row) => (row.events || {})[event], integer),
						...series.map((method) => ({
							label: method,
							title: aboutMethod.get(method),
							value: (row) => value(row, method) ?? -Infinity,
							cell: (row) =>
								optional(value(row, method), (number) => fixed(number, 2)),
						})),
					],
					{ caption: title },
				),
			),
		);
	}
	made.dataset.short = "Per event";
}

function overlap() {
	const losses = [
		["older_lost", "older lost", "counts of older misses lost when clearing at resolution"],
		[
			"younger_lost",
			"younger lost",
			"counts of younger correct-path misses lost when clearing at commit",
		],
		["wrong_path_kept", "wrong path kept", "counts of wrong-path misses that stayed"],
	];
	const parts = [];
	if (programs.some((program) => Number.isFinite(program.overlap)))
		parts.push(
			el(
				"div",
				null,
				el("h3", null, "Front-end losses under a long data miss"),
				note(
					"Part of the cycles in which a misprediction or an instruction miss and a long data miss overlap: charged to one, they could be charged to the other.",
				),
				programTable(
					[
						["overlap", "overlap"],
						["overlap_full", "window full as well"],
					].map(([member, label]) => column(label, (row) => row[member], inPercent)),
					{ caption: "Overlap" },
				),
			),
		);
	if (programs.some((program) => program.sfmt))
		parts.push(
			el(
				"div",
				null,
				el("h3", null, "What the shared table loses"),
				note(
					"Cycles that sfmt forgets or wrongly keeps because all branches share one set of counters, and their part of the run.",
				),
				programTable(
					losses.map(([member, label, title]) => ({
						label,
						title,
						value: (row) => (row.sfmt ? (row.sfmt[member] ?? -1) : -1),
						cell: (row) =>
							row.sfmt && Number.isFinite(row.sfmt[member])
								? [
										{},
										integer(row.sfmt[member]),
										el(
											"small",
											{ class: "muted" },
											percent(ratio(row.sfmt[member], row.cycles), 2),
										),
									]
								: "",
					})),
					{ caption: "Losses of the shared table" },
				),
			),
		);
	if (parts.length)
		section("overlap", "Overlap and losses", el("div", { class: "two" }, parts)).dataset.short =
			"Overlap";
}

function storage() {
	const rows = methods.map((method) => {
		const list = programs
			.map((program) => (program.methods[method] || {}).bits)
			.filter(Number.isFinite);
		return {
			method,
			least: Math.min(...list),
			most: Math.max(...list),
			known: list.length > 0,
		};
	});
	section(
		"storage",
		"Storage and error",
		sortedTable(
			[
				{
					label: "method",
					value: (row) => methods.indexOf(row.method),
					cell: (row) => [{}, swatch(methodClass(row.method)), row.method],
				},
				{
					label: "",
					unsorted: true,
					class: "about",
					cell: (row) => aboutMethod.get(row.method) || "",
				},
				{
					label: "bits",
					title: "of storage",
					value: (row) => (row.known ? row.most : -1),
					cell: (row) =>
						!row.known
							? "\u2013"
							: row.least === row.most
								? integer(row.most)
								: `${integer(row.least)} to ${integer(row.most)}`,
				},
				...[
					["mean error", "mean_error"],
					["largest error", "largest_error"],
				].map(([label, member]) => ({
					label,
					value: (row) => summary[member][row.method] ?? -1,
					cell: (row) => [
						over(summary[member][row.method]),
						optional(summary[member][row.method], inPercent),
					],
				})),
			],
			{ rows, caption: "Storage and error of each method" },
		).element,
	).dataset.short = "Storage";
}

function about() {
	section(
		"about",
		"What was judged",
		facts(configurationFacts(configuration)),
		folded(
			"Programs",
			programTable(
				[
					{
						label: "arguments",
						class: "left",
						value: (row) => row.arguments.join(" "),
						cell: (row) => [{}, codes(row.arguments, " ", "")],
					},
					column("instructions", (row) => row.instructions, integer),
					column("cycles", (row) => row.cycles, integer),
					column(
						"CPI",
						(row) => ratio(row.cycles, row.instructions),
						(value) => fixed(value, 4),
					),
					column("base without units", (row) => row.truth.base_without_units, integer, {
						title: "base of the truth when all units take one cycle",
					}),
					{
						label: "SHA-256",
						class: "left",
						value: (row) => row.sha256,
						cell: (row) => code(row.sha256.slice(0, 16)),
					},
				],
				{ caption: "Programs" },
			),
		),
	).dataset.short = "About";
}

errors();
detail();
stackCards();
allOrders();
perEvent();
overlap();
storage();
about();
contents();
document.querySelector("nav a[href='#chosen']").hidden = true;
document
	.getElementById("contents")
	.append(
		el("span", { class: "pick" }, el("label", { for: "program" }, "program "), programChoice),
	);
