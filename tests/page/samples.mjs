// samples.mjs DIRECTORY: writes made-up results there, the same every time; they add up as real ones
// do. run, plain (as little as there can be), large, hostile; judge, inorder-judge, hostile-judge; reproduce,
// hostile-reproduce; model, hostile-model; inspect, hostile-inspect.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

let state = 12345;
function random() {
	state = (Math.imul(state, 1103515245) + 12345) >>> 0;
	return (state >>> 8) / 2 ** 24;
}
const between = (low, high) => low + (high - low) * random();
const whole = (value) => Math.round(value);
const sum = (object) => Object.values(object).reduce((a, b) => a + b, 0);
const hash = () =>
	Array.from({ length: 64 }, () => "0123456789abcdef"[Math.floor(random() * 16)]).join("");

const causes = [
	"base",
	"dependence",
	"latency",
	"serialise",
	"store",
	"mshr",
	"l1i",
	"l2i",
	"itlb",
	"btb",
	"branch",
	"l1d",
	"l2d",
	"dtlb",
];
const componentOf = {
	dependence: "base",
	serialise: "base",
	latency: "resource",
	store: "resource",
	mshr: "l2d",
	btb: "branch",
};
const components = ["base", "l1i", "l2i", "itlb", "branch", "l1d", "l2d", "dtlb", "resource"];
const width = 4;

const configuration = {
	name: "eyerman2006",
	changes: ["core.rob=128", "l2.latency=12"],
	sha256: hash(),
};

// Different functions have different causes.
const characters = [
	{ base: 5, dependence: 3, l1d: 1.5, l2d: 9, dtlb: 1.2, mshr: 1.4 },
	{ base: 6, dependence: 2, branch: 5, btb: 0.4, l1d: 0.6 },
	{ base: 4, l1i: 3, l2i: 1.5, itlb: 0.5, branch: 1 },
	{ base: 5, dependence: 4, latency: 4, store: 0.8 },
	{ base: 9, dependence: 1, l1d: 0.7 },
	{ base: 3, serialise: 2, store: 1, l2d: 0.5 },
];

function slotsOf(character, total) {
	const weights = Object.entries(character).map(([cause, weight]) => [
		cause,
		weight * between(0.6, 1.4),
	]);
	const all = weights.reduce((a, [, weight]) => a + weight, 0);
	const slots = {};
	for (const cause of causes) {
		const found = weights.find(([name]) => name === cause);
		const count = found ? whole((total * found[1]) / all) : 0;
		if (count > 0) slots[cause] = count;
	}
	return slots;
}

function add(into, slots) {
	for (const [cause, count] of Object.entries(slots)) into[cause] = (into[cause] || 0) + count;
	return into;
}

const words = [
	"compress",
	"deflate",
	"match",
	"huffman",
	"window",
	"insert",
	"lookup",
	"rebalance",
	"node",
	"hash",
	"emit",
	"parse",
	"token",
	"flush",
	"copy",
	"crc32",
	"memcpy",
	"malloc",
	"free",
	"qsort",
	"compare",
	"walk",
	"visit",
	"reduce",
];

function functions(count) {
	const list = [];
	for (let i = 0; i < count; i++) {
		const file = `src/${words[Math.floor(random() * words.length)]}.c`;
		const character = characters[Math.floor(random() * characters.length)];
		const total = 6e7 / (i + 1.4) ** 1.5;
		const line = whole(between(20, 400));
		const lines =
			i % 13 === 12
				? []
				: Array.from({ length: 3 + (i % 9) }, (_, k) => {
						const slots = slotsOf(
							character,
							(total * between(0.2, 2)) / 8 / (1 + (k % 4)),
						);
						return {
							file,
							line: line + 1 + k * 2,
							executed: whole((sum(slots) / width) * between(0.4, 1.6)),
							slots,
						};
					});
		const slots = lines.length
			? lines.reduce((into, part) => add(into, part.slots), {})
			: slotsOf(character, total / 6);
		const executed = lines.length
			? lines.reduce((a, part) => a + part.executed, 0)
			: whole(sum(slots) / width);
		list.push({
			name: `${words[Math.floor(random() * words.length)]}_${words[(i * 7) % words.length]}${i > 23 ? "_" + i : ""}`,
			file: lines.length ? file : "",
			line: lines.length ? line : 0,
			executed,
			slots,
			lines,
		});
	}
	return list.sort((a, b) => sum(b.slots) - sum(a.slots));
}

function roll(slots, cycles) {
	const stack = Object.fromEntries(components.map((name) => [name, 0]));
	for (const [cause, count] of Object.entries(slots))
		stack[componentOf[cause] || cause] += Math.floor(count / width);
	stack.base += cycles - sum(stack);
	return stack;
}

// The same run as another method measures it; the base is the remainder.
function seenBy(exact, cycles, factors, spread) {
	const stack = { ...exact };
	for (const name of components.slice(1))
		stack[name] = whole(exact[name] * (factors[name] ?? 1) * between(1 - spread, 1 + spread));
	stack.base = 0;
	stack.base = cycles - sum(stack);
	return stack;
}

const views = {
	naive: [
		{ l1d: 14, l2d: 2.1, branch: 0.6, l1i: 1.8, l2i: 1.4, dtlb: 2, resource: 0 },
		0.1,
		null,
	],
	"naive-nonspec": [
		{ l1d: 4, l2d: 1.7, branch: 0.6, l1i: 1.4, dtlb: 1.6, resource: 0 },
		0.1,
		null,
	],
	power5: [{ branch: 0.55, l1i: 0.7, l2d: 1.12 }, 0.05, null],
	fmt: [{}, 0.03, 4224],
	"fmt-published": [{ branch: 1.9 }, 0.03, 4224],
	sfmt: [{ l1i: 0.94 }, 0.04, 736],
};

function runResult(count, intervalCount = 96) {
	const list = functions(count);
	let total = list.reduce((into, one) => add(into, one.slots), {});
	// A whole number of cycles, as in a real run.
	total.base += (width - (sum(total) % width)) % width;
	list[0].slots.base =
		(list[0].slots.base || 0) +
		total.base -
		list.reduce((a, one) => a + (one.slots.base || 0), 0);
	total = Object.fromEntries(causes.map((cause) => [cause, total[cause] || 0]));
	const cycles = sum(total) / width,
		instructions = list.reduce((a, one) => a + one.executed, 0);
	const exact = roll(total, cycles);
	const stacks = { exact: { components: exact, bits: null } };
	for (const [name, [factors, spread, bits]] of Object.entries(views))
		stacks[name] = { components: seenBy(exact, cycles, factors, spread), bits };
	// Each interval has its share of every cause, by its phase.
	const weights = Array.from({ length: intervalCount }, (_, i) => {
		const phase = characters[[0, 0, 1, 3, 0, 2, 4, 0][Math.floor((8 * i) / intervalCount)]];
		const level = (0.7 + 0.3 * Math.sin(i / 4)) * between(0.9, 1.1);
		return Object.fromEntries(
			causes.map((cause) => [cause, level * ((phase[cause] || 0) + 0.1)]),
		);
	});
	const allWeights = weights.reduce((into, one) => add(into, one), {});
	const intervals = weights.map((one) => {
		const slots = {};
		for (const cause of causes) {
			const count = Math.floor((total[cause] * one[cause]) / allWeights[cause]);
			if (count > 0) slots[cause] = count;
		}
		return {
			instructions: whole(instructions / intervalCount),
			cycles: Math.floor(sum(slots) / width),
			slots,
		};
	});
	const slots = cycles * width,
		retiring = instructions,
		speculation = whole(slots * 0.14),
		frontend = whole(slots * 0.11);
	const backend = slots - retiring - speculation - frontend;
	const hot = list[0];
	const text = [
		"ld a4,0(a5)",
		"addi a5,a5,8",
		"add a0,a0,a4",
		"lw t1,16(s0)",
		"mul t1,t1,a3",
		"bne a5,a2,-12",
		"sd a0,24(sp)",
		"fmadd.d fa5,fa4,fa3,fa5",
	];
	return {
		schema: "cyclestack-run-2",
		program: { name: "deflate", arguments: ["-9", "input file.txt"], sha256: hash() },
		configuration,
		skipped_instructions: 1000000,
		partial: false,
		status: 0,
		values: {
			cycles,
			instructions,
			fetched: whole(instructions * 1.31),
			"fetched.wrong_path": whole(instructions * 0.29),
			issued: whole(instructions * 1.1),
			squashed: whole(instructions * 0.1),
			branches: whole(instructions * 0.17),
			"branches.mispredicted": whole(instructions * 0.008),
			...Object.fromEntries(
				["l1i", "l1d", "l2.instructions", "l2.data", "itlb", "dtlb"].flatMap((name, i) =>
					["accesses", "misses", "pending"].map((what, k) => [
						`${name}.${what}`,
						whole((instructions * 0.3) / (i + 1) / 17 ** k),
					]),
				),
			),
		},
		stacks,
		topdown: {
			slots_per_cycle: width,
			level1: {
				retiring,
				bad_speculation: speculation,
				frontend_bound: frontend,
				backend_bound: backend,
			},
			level2: {
				fetch_latency: whole(frontend * 0.8),
				fetch_bandwidth: frontend - whole(frontend * 0.8),
				branch_mispredicts: speculation,
				memory_bound: whole(backend * 0.7),
				core_bound: backend - whole(backend * 0.7),
			},
		},
		stages: Object.fromEntries(
			["dispatch", "issue", "commit"].map((stage, i) => [
				stage,
				seenBy(
					exact,
					cycles,
					{ l2d: 1 + 0.12 * i, branch: 1 - 0.2 * i, l1i: 1 - 0.2 * i },
					0.03,
				),
			]),
		),
		exact: {
			slots_per_cycle: width,
			causes: total,
			functions: list,
			threads: [{ id: 1, slots: total }],
			intervals,
		},
		annotation: {
			function: hot.name,
			instructions: Array.from({ length: 24 }, (_, i) => {
				const line = hot.lines[Math.floor((i * hot.lines.length) / 24)];
				const share = (i % 3 ? 0.3 : 2) / 8;
				const part = Object.fromEntries(
					Object.entries(line.slots).map(([cause, count]) => [
						cause,
						Math.floor(count * share),
					]),
				);
				return {
					pc: "0x" + (0x10436 + 4 * i).toString(16),
					text: text[i % text.length],
					file: line.file,
					line: line.line,
					executed: whole(line.executed / 6),
					slots: part,
				};
			}),
		},
	};
}

// Every string that a program or a user can choose contains an attempt to inject markup.
function hostile() {
	const made = runResult(6);
	const attack = `</script><script>window.injected=1</script><img src=x onerror="window.injected=2"><!--<script>`;
	const quotes = `"'><svg onload=window.injected=3>\u2028\u2029\u202e&lt;`;
	made.program = { name: attack, arguments: [attack, quotes, "]]>"], sha256: attack };
	made.configuration = { name: quotes, changes: [attack], sha256: quotes };
	made.exact.functions[0].name = attack;
	made.exact.functions[1].name = quotes;
	made.exact.functions[1].file = "javascript:window.injected=4";
	made.exact.functions[2].name = "__proto__";
	made.exact.functions[0].lines[0].file = attack;
	made.values[attack] = 7;
	made.stacks[attack] = made.stacks.fmt;
	made.stages['x" onload="window.injected=5'] = made.stages.issue;
	made.annotation.function = attack;
	made.annotation.instructions[0].text = attack;
	made.annotation.instructions[1].pc = quotes;
	return made;
}

// As little as the schema allows.
function plain() {
	const made = runResult(3);
	for (const name of ["topdown", "stages", "annotation"]) delete made[name];
	delete made.exact.intervals;
	made.stacks = { exact: made.stacks.exact };
	made.exact.functions.forEach((one) => {
		one.lines = [];
	});
	made.partial = true;
	made.status = 124;
	return made;
}

// All orders around two of them.
function allOrders(a, b) {
	const each = (of) => Object.fromEntries(Object.keys(a).map((name) => [name, of(name)]));
	const pairs = ["l1i", "branch", "l1d"];
	return {
		machines: 72,
		orders: 1260,
		lowest: each((name) => Math.min(a[name], b[name]) - 100),
		highest: each((name) => Math.max(a[name], b[name]) + 100),
		mean: each((name) => (a[name] + b[name]) / 2),
		interactions: pairs.flatMap((first, i) =>
			pairs.slice(i + 1).map((second) => ({ first, second, cycles: 0.5 + 1000 * (i - 0.5) })),
		),
	};
}

function judgeResult() {
	const list = [
		"bzip2",
		"crafty",
		"eon",
		"gap",
		"gcc",
		"gzip",
		"mcf",
		"parser",
		"perlbmk",
		"twolf",
		"vortex",
		"vpr",
	];
	const programs = list.map((name, index) => {
		const character = characters[[1, 1, 2, 4, 2, 0, 0, 1, 2, 0, 2, 3][index]];
		const mixed = Object.fromEntries(
			causes.map((cause) => [
				cause,
				(character[cause] || 0) +
					(["latency", "serialise", "store"].includes(cause) ? 0 : 0.25),
			]),
		);
		const instructions = whole(between(2.6e7, 3.4e7)),
			cycles = whole(instructions * (name === "mcf" ? 3.1 : between(0.45, 1.3)));
		const exact = roll(slotsOf(mixed, cycles * width), cycles);
		const a = seenBy(exact, cycles, {}, 0.04),
			b = seenBy(a, cycles, {}, 0.03);
		if (index === 3) ((a.itlb = -whole(cycles * 0.004)), (a.base += exact.itlb - a.itlb));
		const methods = {};
		for (const [method, [factors, spread, bits]] of Object.entries({
			...views,
			exact: [{}, 0.02, null],
		})) {
			const stack = method === "exact" ? exact : seenBy(exact, cycles, factors, spread);
			const errors = {};
			for (const component of components)
				errors[component] =
					Math.max(
						Math.abs(stack[component] - a[component]),
						Math.abs(stack[component] - b[component]),
					) / cycles;
			const worst = components.reduce((x, y) => (errors[y] > errors[x] ? y : x));
			methods[method] = {
				components: stack,
				errors,
				max_error: errors[worst],
				max_error_a: errors[worst] * 0.9,
				max_error_b: errors[worst],
				max_error_interval: errors[worst] * 0.7,
				distance_to_range: errors[worst] * 0.6,
				distance_to_mean: errors[worst] * 0.8,
				worst,
				bits,
			};
		}
		const perEvent = (mean) => ({
			naive: mean * 1.2,
			"naive-nonspec": mean * 1.1,
			power5: mean * between(0.5, 0.7),
			fmt: mean * between(1, 1.06),
			"fmt-published": mean * between(1.3, 1.6),
			sfmt: mean * between(0.95, 1.02),
			exact: mean * between(0.98, 1.02),
			simulated: mean,
		});
		const distant = perEvent(between(60, 190));
		distant.naive = 250;
		distant["naive-nonspec"] = 250;
		return {
			name,
			arguments: ["test"],
			sha256: hash(),
			instructions,
			cycles,
			truth: { a, b, base_without_units: whole(a.base * 0.9), all_orders: allOrders(a, b) },
			methods,
			events: {
				l1i: whole(between(1e3, 4e5)),
				branch: whole(between(1e5, 4e5)),
				l2d: whole(between(1e4, 5e5)),
			},
			per_event: {
				l1i: perEvent(between(7, 12)),
				branch: perEvent(between(14, 40)),
				l2d: distant,
			},
			overlap: between(0, 0.03),
			overlap_full: between(0, 0.008),
			sfmt: {
				older_lost: whole(between(0, 4e4)),
				younger_lost: whole(between(0, 9e5)),
				wrong_path_kept: whole(between(0, 7e4)),
			},
		};
	});
	const mean = (numbers) => numbers.reduce((x, y) => x + y, 0) / numbers.length;
	const largest = (numbers) => Math.max(...numbers);
	const each = (reduce, member) =>
		Object.fromEntries(
			Object.keys(programs[0].methods).map((name) => [
				name,
				reduce(programs.map((one) => one.methods[name][member])),
			]),
		);
	return {
		schema: "cyclestack-judge-1",
		configuration,
		programs,
		summary: {
			mean_error: each(mean, "max_error"),
			largest_error: each(largest, "max_error"),
			mean_distance_to_range: each(mean, "distance_to_range"),
			largest_distance_to_range: each(largest, "distance_to_range"),
			mean_distance_to_mean: each(mean, "distance_to_mean"),
			largest_distance_to_mean: each(largest, "distance_to_mean"),
		},
	};
}

// On an in-order core only some methods are there, and nothing that needs the others.
function inorderJudge() {
	const made = judgeResult();
	const kept = ["exact", "naive"];
	const only = (object) =>
		Object.fromEntries(Object.entries(object).filter(([name]) => kept.includes(name)));
	made.left_out = Object.keys(made.programs[0].methods).filter((name) => !kept.includes(name));
	for (const program of made.programs) {
		program.methods = only(program.methods);
		for (const member of ["events", "per_event", "overlap", "overlap_full", "sfmt", "sfmt_losses"])
			delete program[member];
	}
	for (const member of Object.keys(made.summary))
		made.summary[member] = only(made.summary[member]);
	return made;
}

function hostileJudge() {
	const made = judgeResult();
	made.programs.length = 2;
	made.programs[0].name = `</script><script>window.injected=1</script><img src=x onerror=window.injected=2>`;
	made.programs[1].methods['"><img src=x onerror=window.injected=3>'] =
		made.programs[1].methods.fmt;
	made.summary.mean_error['"><img src=x onerror=window.injected=3>'] = 0.5;
	made.configuration = { ...made.configuration, name: "<!--<script>" };
	return made;
}

const figureIds = [
	...["figure-1", "figure-2", "figure-3", "figure-4", "figure-5", "figure-6", "figure-7"],
	...["figure-8", "figure-9", "table-1", "figure-10", "table-2", "figure-11", "figure-12"],
];

function reproduceResult() {
	const judge = judgeResult();
	const programs = judge.programs.map((program) => {
		const paper = program.name;
		program.name = `@our${paper}:test`;
		for (const variant of ["sfmt-resolve", "fmt-rob"])
			program.methods[variant] = program.methods.sfmt;
		return { name: program.name, paper, ours: "our" + paper, overlap: 0.01 };
	});
	for (const list of Object.values(judge.summary))
		list["sfmt-resolve"] = list["fmt-rob"] = list.sfmt;
	const curve = (length, high) => Array.from({ length }, () => whole(between(0, high)));
	const plot = (figure, kind, after) => {
		const length = 31 + after;
		const series = () => ({
			useful_issued: curve(length, 6),
			dispatched: curve(length, 4),
			useful_dispatched: curve(length, 4),
			committed: curve(length, 4),
			rob_used: curve(length, 128),
		});
		return {
			figure,
			kind,
			program: "@ourvortex:small",
			instructions: 4000000,
			found: 1234,
			found_by_program: {},
			before: 30,
			first_cycle: 100123,
			pc: "0x1234",
			example: { ...series(), events: [{ cycle: 0, what: "l1i" }] },
			mean: series(),
		};
	};
	const loss = (name) => ({
		name,
		iside: 1000,
		older_lost: { cycles: 80, of_run: 0.02, of_iside: 0.08 },
		younger_lost: { cycles: 10, of_run: 0.002, of_iside: null },
		wrong_path_kept: { cycles: 20, of_run: 0.004, of_iside: 0.02 },
	});
	return {
		schema: "cyclestack-reproduce-1",
		paper: { name: "x", authors: ["A", "B", "C"], year: 2006, title: "T", venue: "V" },
		size: "test",
		partial: false,
		example: "@ourtwolf:test",
		programs,
		figures: figureIds.map((id) => ({
			id,
			label: id[0].toUpperCase() + id.slice(1).replace("-", " "),
			title: `Title of ${id}`,
			shows: `What ${id} shows.`,
			paper: [{ text: `Stated of ${id}`, section: "1.2" }],
			figure_only: id !== "table-1",
		})),
		machine: [{ what: "window", key: "rob.size", paper: "128", ours: "128" }],
		judge,
		plots: [
			plot(2, "stretch", 560),
			plot(3, "l1i", 60),
			plot(5, "branch", 60),
			plot(7, "long", 320),
			plot(8, "overlap", 320),
		],
		claims: [
			{ id: "a", claim: "A claim", section: "1", test: "A test", ours: "Ours", holds: true },
			{
				id: "b",
				claim: "Another",
				section: "2",
				test: "Its test",
				ours: "Theirs",
				holds: false,
				on: 3,
				of: 12,
			},
			{ id: "c", claim: "Third", section: "3", test: "No test", ours: "No", holds: null },
		],
		clearing: {
			programs: programs.map(({ name }) => loss(name)),
			total: loss("all"),
			answer: "The answer.",
		},
	};
}

function hostileReproduce() {
	const made = reproduceResult();
	const attack = `</script><script>window.injected=1</script><img src=x onerror="window.injected=2"><!--`;
	made.paper.title = made.paper.venue = made.size = attack;
	made.judge.programs[0].name = attack;
	made.programs[1].ours = made.programs[1].paper = attack;
	made.figures[0].title = made.figures[0].label = attack;
	made.plots[0].program = made.plots[1].program = attack;
	made.claims[0].ours = made.clearing.answer = made.machine[0].ours = attack;
	return made;
}

// A grid of six design points with their simulation, and the first one explained.
function modelResult() {
	const components = () => ({
		base: between(0.3, 0.6),
		branch: between(0.05, 0.2),
		icache: between(0, 0.1),
		dmiss: between(0.5, 2),
	});
	const line = (rest) => ({
		pc: "0x1" + whole(between(1000, 9999)),
		function: "walk_arcs",
		file: "net/walk.c",
		line: whole(between(1, 400)),
		...rest,
	});
	const counts = ["windows", "full_windows", "mshr_windows", "serialized_misses", "load_misses"];
	const others = ["store_misses", "mispredictions", "fetch_misses", "fetch_long_misses"];
	const points = [];
	for (const rob of ["64", "128", "256"])
		for (const mshrs of ["8", "unlimited"]) {
			const modelled = components(),
				simulated = components();
			const cpi = sum(simulated) * 0.97;
			points.push({
				set: { "rob.size": rob, "l2.mshrs": mshrs },
				technique: "swam-mlp, pending hits, distance",
				cpi: sum(modelled),
				components: modelled,
				detail: {
					...Object.fromEntries([...counts, ...others].map((name) => [name, 1000])),
					mean_distance: 40.5,
					compensation_cycles: 10125,
					labellings: 1,
				},
				simulated: { cpi, components: simulated },
				error: {
					dmiss: modelled.dmiss / simulated.dmiss - 1,
					cpi: sum(modelled) / cpi - 1,
				},
			});
		}
	return {
		schema: "cyclestack-model-1",
		program: { name: "netflow", arguments: ["small"], sha256: hash() },
		configuration,
		instructions: 35140098,
		points,
		explanation: {
			cycles: 1e6,
			functions: [0.8, 0.2].map((share) => missShare(share, { function: `function${share}` })),
			lines: [0.7, 0.2, 0.1].map((share, k) =>
				missShare(share, { function: "main", file: "netflow.c", line: 100 + k }),
			),
			windows: [3, 2].map((length) => ({
				windows: 12,
				cycles: 4e5,
				share: 0.4,
				from: 1000,
				to: 1256,
				misses: 9,
				serialized_misses: length,
				ended_by: "window full",
				chain: Array.from({ length }, (_, k) =>
					line({ instruction: 1000 + k, misses: 1, depends_on: k ? "registers" : "nothing" }),
				),
			})),
			ends: [
				{ ended_by: "window full", windows: 24, serialized_misses: 60, cycles: 1e6, share: 1 },
			],
		},
	};
}

function missShare(share, place) {
	return {
		...place,
		cycles: share * 1e6,
		share,
		serialized_misses: whole(share * 1000),
		misses: 1000,
		depends_on: {
			nothing: 0,
			registers: whole(share * 1000),
			memory: 0,
			"pending hit": 0,
			"store address": 0,
		},
	};
}

function hostileModel() {
	const made = modelResult();
	const attack = `</script><script>window.injected=1</script><img src=x onerror="window.injected=2"><!--`;
	made.configuration = { ...made.configuration, name: attack };
	made.program.name = attack;
	for (const point of made.points) {
		point.technique = attack;
		point.set[attack] = attack;
	}
	made.explanation.lines[0].function = made.explanation.lines[0].file = attack;
	made.explanation.functions[0].function = made.explanation.ends[0].ended_by = attack;
	made.explanation.lines[0].depends_on = { [attack]: 1 };
	made.explanation.windows[0].chain[0].depends_on = attack;
	made.explanation.windows[0].ended_by = made.explanation.windows[0].chain[0].function = attack;
	return made;
}

// The events of a machine with caches of 32 KB and 256 KB: readings as such caches would give them.
function inspectResult() {
	const capacities = [32768, 262144];
	const sizes = [4096, 16384, 32768, 65536, 262144, 524288];
	const hits = (level) => (bytes) =>
		bytes <= capacities[level] && (level === 0 || bytes > capacities[level - 1]) ? 1 : 0;
	const misses = (level) => (bytes) => (bytes > capacities[level] ? 1 : 0);
	const swept = (slope) => {
		const slopes = {};
		for (const bytes of sizes) {
			for (const unit of [64, 128, 256]) slopes[`read:${unit}:${bytes}`] = slope(bytes);
			for (const pages of [4, 16, 64]) slopes[`block:${pages}:${bytes}`] = slope(bytes);
			slopes[`order:${bytes}`] = slopes[`order:1:${bytes}`] = slopes[`order:2:${bytes}`] = slope(bytes);
		}
		return slopes;
	};
	let code = 0;
	const event = (name, verdict, slopes, rest) => ({
		type: 4,
		code: code++,
		name,
		verdict,
		also: [],
		confidence: between(0.9, 1),
		margin: between(0.5, 0.9),
		slopes,
		plateaus: {},
		...rest,
	});
	const overK = (slope) => Object.fromEntries([2, 4, 8, 16].map((k) => [`branch_k:${k}`, slope(k)]));
	return {
		schema: "cyclestack-inspect-1",
		on: "sim",
		configuration,
		machine: {
			line_bytes: 64,
			page_bytes: 4096,
			data_bytes: capacities,
			instruction_bytes: [16384],
			data_pages: [48, 512],
			instruction_pages: [24],
			tells_executed: true,
		},
		events: [
			event("fetched.conditional", "conditional branches, executed", overK((k) => 2 + 1.5 / k), {
				claim: "conditional branches, executed",
				holds: true,
			}),
			event("l1d.hits", "data cache accesses, level 1, hits", swept(hits(0))),
			event("l2.data.hits", "data cache accesses, level 2, hits", swept(hits(1))),
			event("l1d.misses", "data cache accesses, level 1, misses", swept(misses(0)), {
				also: ["data cache accesses, level 2, accesses"],
			}),
			event("l2.data.misses", "data cache accesses, level 2, misses", swept(misses(1))),
			event("loads", "stores", { load: 0, store: 4 }, { claim: "loads", holds: false }),
			event("cycles", "none of these", swept((bytes) => Math.log2(bytes)), { confidence: 0 }),
			event(null, "nothing", {}),
		],
	};
}

function hostileInspect() {
	const made = inspectResult();
	const attack = `</script><script>window.injected=1</script><img src=x onerror="window.injected=2"><!--`;
	made.configuration = { ...made.configuration, name: attack };
	for (const one of made.events) {
		one.name = attack;
		one.also.push(attack);
	}
	made.events.push({ ...made.events[0], verdict: attack, claim: attack, slopes: { [attack]: 1 } });
	return made;
}

const directory = process.argv[2];
for (const [name, made] of Object.entries({
	run: runResult(40),
	hostile: hostile(),
	plain: plain(),
	large: runResult(2000, 5000),
	judge: judgeResult(),
	"inorder-judge": inorderJudge(),
	"hostile-judge": hostileJudge(),
	reproduce: reproduceResult(),
	"hostile-reproduce": hostileReproduce(),
	model: modelResult(),
	"hostile-model": hostileModel(),
	inspect: inspectResult(),
	"hostile-inspect": hostileInspect(),
}))
	writeFileSync(join(directory, name + ".json"), JSON.stringify(made));
