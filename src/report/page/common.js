// Functions that both pages use: elements, numbers, words on hovering, tables. Text from the result
// becomes text nodes and attribute values only, never markup.

const result = JSON.parse(document.getElementById("result").textContent);
const names = JSON.parse(document.getElementById("names").textContent);
const page = document.getElementById("page");

const components = names.components.map(([name]) => name);
const aboutComponent = new Map(names.components);
const aboutMethod = new Map(names.methods);

function fill(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {})) {
		if (name === "on") {
			for (const [event, handler] of Object.entries(value))
				element.addEventListener(event, handler);
		} else if (value === true) {
			element.setAttribute(name, "");
		} else if (value !== undefined && value !== null && value !== false) {
			element.setAttribute(name, value);
		}
	}
	element.append(
		...children.flat(Infinity).filter((child) => child !== null && child !== undefined),
	);
	return element;
}

function el(tag, attributes, ...children) {
	return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
	return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

// Numbers are written the same way everywhere, whatever the reader's locale.
function fixed(value, places) {
	const [whole, decimals] = Math.abs(value).toFixed(places).split(".");
	const sign = value < 0 && Number(value.toFixed(places)) !== 0 ? "-" : "";
	return sign + whole.replace(/\B(?=(\d{3})+$)/g, ",") + (decimals ? "." + decimals : "");
}
const integer = (value) => fixed(value, 0);
const percent = (fraction, places = 1) => fixed(100 * fraction, places) + "\u00a0%";
const ratio = (part, whole) => (whole ? part / whole : 0);
const largest = (list) => list.reduce((most, value) => Math.max(most, value), 1e-9);
const sum = (list) => list.reduce((total, value) => total + value, 0);

// A step of 1, 2 or 5 times a power of ten, with about `wanted` steps up to `high`.
function niceStep(high, wanted) {
	const rough = high / wanted;
	const power = 10 ** Math.floor(Math.log10(rough));
	return power * [1, 2, 5, 10].find((step) => step * power >= rough * 0.999);
}

function ticks(low, high, wanted) {
	const list = [];
	if (!(high > low)) return [0];
	const step = niceStep(high - low, wanted);
	for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++)
		list.push(i * step);
	return list;
}
const placesFor = (list) =>
	list.length < 2
		? 0
		: Math.max(0, Math.min(6, -Math.floor(Math.log10(Math.abs(list[1] - list[0])) + 1e-9)));

// A known name is its own class; anything else is drawn as "other".
const known = new Set(components);
const classOf = (component) => (known.has(component) ? component : "other");
const methodClass = (method) =>
	aboutMethod.has(method) || method === "simulated" ? "m-" + method : "other";
const swatch = (name) => el("i", { class: "swatch " + name });

const inOrder = (keys) => [
	...components.filter((name) => keys.includes(name)),
	...keys.filter((name) => !known.has(name)),
];
const methodsInOrder = (keys) => [
	...names.methods.map(([name]) => name).filter((name) => keys.includes(name)),
	...keys.filter((name) => !aboutMethod.has(name)),
];

// Elements of sections.
const note = (...children) => el("p", { class: "note" }, children);
const code = (text) => el("code", null, text);
const controls = (...children) => el("div", { class: "controls" }, children);
const folded = (title, ...children) => el("details", null, el("summary", null, title), children);

// Each word as code, separated by `between`; `none` if there are no words.
const codes = (words, between, none) =>
	words && words.length ? words.map((word, i) => [i ? between : "", code(word)]) : none;

// Lines of [label, content].
const facts = (lines) =>
	el(
		"dl",
		{ class: "about" },
		lines.map(([label, content]) => [el("dt", null, label), el("dd", null, content)]),
	);
const configurationFacts = ({ name, changes, sha256 }) => [
	["configuration", code(name)],
	["changed", codes(changes, ", ", "nothing")],
	["configuration, SHA-256", code(sha256)],
];

// Stacks, {component: value}: the components that occur, and a stack divided by a number.
const componentsOf = (stacks) => inOrder([...new Set(stacks.flatMap(Object.keys))]);
const divided = (stack, by) =>
	Object.fromEntries(Object.entries(stack).map(([name, value]) => [name, ratio(value, by)]));

// Hovering: an element with words shows them; so does a tap, and Escape hides them.
const tips = new WeakMap();
const tipBox = el("div", { id: "tip", role: "tooltip", hidden: true });
document.body.append(tipBox);

// words() gives {title, lines: [[swatch class or "", label, value or [value, further], strong]...]}.
function tip(element, words) {
	tips.set(element, words);
	return element;
}

function showTip(words, x, y) {
	const lines = (words.lines || []).map(([fillClass, label, value, strong]) =>
		el(
			"div",
			{ class: strong ? "line strong" : "line" },
			el("span", null, fillClass ? swatch(fillClass) : null, label),
			[value].flat().map((text) => el("span", null, text)),
		),
	);
	tipBox.replaceChildren(el("b", null, words.title), ...lines);
	tipBox.hidden = false;
	const box = tipBox.getBoundingClientRect();
	const right = document.documentElement.clientWidth - 6;
	const left = x + 14 + box.width > right ? x - 14 - box.width : x + 14;
	tipBox.style.left = Math.max(6, Math.min(left, right - box.width)) + "px";
	tipBox.style.top =
		Math.max(6, y + 16 + box.height > innerHeight ? y - 12 - box.height : y + 16) + "px";
}

function hideTip() {
	tipBox.hidden = true;
}

function followPointer(event) {
	for (let element = event.target; element instanceof Element; element = element.parentElement) {
		const words = tips.get(element);
		if (words) {
			const now = words(event);
			if (now) showTip(now, event.clientX, event.clientY);
			else hideTip();
			return;
		}
	}
	hideTip();
}
document.addEventListener("pointermove", followPointer);
document.addEventListener("pointerdown", followPointer);
document.addEventListener("pointerleave", hideTip);
document.addEventListener("scroll", hideTip, { passive: true, capture: true });
document.addEventListener("keydown", (event) => {
	if (event.key === "Escape") hideTip();
});

// A row of buttons of which one is pressed.
function choice(label, options, chosen, onChoose) {
	const buttons = options.map(([value, text]) =>
		el(
			"button",
			{
				type: "button",
				"aria-pressed": String(value === chosen),
				on: {
					click: (event) => {
						for (const button of buttons)
							button.setAttribute(
								"aria-pressed",
								String(button === event.currentTarget),
							);
						onChoose(value);
					},
				},
			},
			text,
		),
	);
	return el(
		"span",
		{ class: "controls-item" },
		el("label", null, label + " "),
		el("span", { class: "choice", role: "group", "aria-label": label }, buttons),
	);
}

const unitChoice = (label, onChoose) =>
	choice(
		label,
		[
			["share", "% of run"],
			["cycles", "cycles"],
			["cpi", "CPI"],
		],
		"share",
		onChoose,
	);

function section(id, title, ...children) {
	const element = el(
		"section",
		{ id, "aria-labelledby": id + "-title" },
		el("h2", { id: id + "-title" }, title),
		children,
	);
	page.append(element);
	return element;
}

function contents() {
	for (const part of page.querySelectorAll("section[id]"))
		document
			.getElementById("contents")
			.append(
				el(
					"a",
					{ href: "#" + part.id },
					part.dataset.short || part.querySelector("h2").textContent,
				),
			);
}

// A column of sortedTable with a number in each row; absent values sort below all others.
const optional = (value, words) => (Number.isFinite(value) ? words(value) : "");
const column = (label, of, words, more) => ({
	label,
	value: (row) => of(row) ?? -1,
	cell: (row) => optional(of(row), words),
	...more,
});

// A table that cannot be sorted. A row is [attributes, ...cells], a cell content or [attributes,
// ...content]; the first cell of a row is its heading.
function plainTable(attributes, labels, rows, foot = []) {
	const line = ([ofRow, ...cells]) =>
		el(
			"tr",
			ofRow,
			cells.map((cell, index) => {
				const [more, ...content] = Array.isArray(cell) ? cell : [{}, cell];
				return index
					? el("td", more, content)
					: el("th", { scope: "row", ...more }, content);
			}),
		);
	return el(
		"div",
		{ class: "scroll" },
		el(
			"table",
			attributes,
			el(
				"thead",
				null,
				el(
					"tr",
					null,
					labels.map((label) => el("th", { scope: "col" }, label)),
				),
			),
			el("tbody", null, rows.map(line)),
			foot.length ? el("tfoot", null, foot.map(line)) : null,
		),
	);
}

// A table sorted by any column. Columns: {label, title, value(row): number or string, cell(row):
// node, text or [attributes, ...children], class, unsorted}. Options: rows, sort: [column index,
// descending], foot (a row of cells), caption, limit (rows shown at first), detail(row): content
// below an opened row, open(row): what the first column's button contains, rowClass(row), wide.
// Returns {element, filter(predicate), redraw(), table}.
function sortedTable(columns, options) {
	const rows = options.rows.map((row, index) => ({ row, index, tr: null, detail: null }));
	const limit = options.limit || Infinity;
	let [by, descending] = options.sort || [-1, false];
	let wanted = () => true;
	let all = false;

	const headers = columns.map((column, index) =>
		el(
			"th",
			{ scope: "col", class: column.class, title: column.title },
			column.unsorted
				? column.label
				: el(
						"button",
						{ type: "button", class: "sort", on: { click: () => sortBy(index) } },
						column.label,
					),
		),
	);
	const body = el("tbody");
	const table = el(
		"table",
		{ class: options.wide ? "wide" : null },
		options.caption ? el("caption", { class: "visually-hidden" }, options.caption) : null,
		el("thead", null, el("tr", null, headers)),
		body,
		options.foot
			? el(
					"tfoot",
					null,
					options.foot.map((cells) =>
						el(
							"tr",
							null,
							cells.map((cell, index) =>
								index ? el("td", null, cell) : el("th", { scope: "row" }, cell),
							),
						),
					),
				)
			: null,
	);
	const more = el("button", {
		type: "button",
		class: "plain",
		on: {
			click: () => {
				all = true;
				draw();
			},
		},
	});
	const element = el("div", null, el("div", { class: "scroll" }, table), more);

	function toggle(entry, button) {
		const isOpen = button.getAttribute("aria-expanded") === "true";
		button.setAttribute("aria-expanded", String(!isOpen));
		if (isOpen) {
			entry.detail.remove();
			entry.detail = null;
			return;
		}
		entry.detail = el(
			"tr",
			null,
			el(
				"td",
				{ class: "detail", colspan: columns.length },
				el("div", { class: "inside" }, options.detail(entry.row)),
			),
		);
		entry.tr.after(entry.detail);
	}

	function makeRow(entry) {
		const cells = columns.map((column, index) => {
			const made = column.cell ? column.cell(entry.row) : column.value(entry.row);
			const [attributes, ...children] = Array.isArray(made) ? made : [{}, made];
			const { heat, ...rest } = attributes;
			const cell = el(index ? "td" : "th", {
				scope: index ? null : "row",
				class: column.class,
				...rest,
			});
			if (heat) cell.style.setProperty("--hot", heat.toFixed(3));
			if (index || !options.detail) {
				cell.append(...children.flat());
				return cell;
			}
			const button = el(
				"button",
				{ type: "button", class: "open", "aria-expanded": "false" },
				children,
			);
			cell.append(button);
			return cell;
		});
		const tr = el("tr", { class: options.detail ? "row" : null }, cells);
		if (options.rowClass && options.rowClass(entry.row))
			tr.classList.add(options.rowClass(entry.row));
		if (options.detail)
			tr.addEventListener("click", () => {
				// Dragging over text selects it and does not open the row.
				if (getSelection().isCollapsed) toggle(entry, tr.querySelector("button.open"));
			});
		if (options.onRow) options.onRow(tr, entry.row);
		return tr;
	}

	function draw() {
		const list = rows.filter((entry) => wanted(entry.row));
		if (by >= 0) {
			const { value } = columns[by];
			const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
			list.sort(
				(a, b) =>
					(descending ? -1 : 1) * compare(value(a.row), value(b.row)) ||
					a.index - b.index,
			);
		}
		headers.forEach((header, index) => {
			if (!columns[index].unsorted)
				header.setAttribute(
					"aria-sort",
					index !== by ? "none" : descending ? "descending" : "ascending",
				);
		});
		const shown = all ? list : list.slice(0, limit);
		body.replaceChildren(
			...shown.flatMap((entry) => {
				entry.tr = entry.tr || makeRow(entry);
				return entry.detail ? [entry.tr, entry.detail] : [entry.tr];
			}),
		);
		more.hidden = shown.length === list.length;
		more.textContent = `show all ${integer(list.length)}`;
		if (options.onDraw) options.onDraw(list.length);
	}

	function sortBy(index) {
		// Numbers are sorted from the largest at first, names from the first.
		const firstDown = rows.length > 0 && typeof columns[index].value(rows[0].row) === "number";
		descending = index === by ? !descending : firstDown;
		by = index;
		draw();
	}

	draw();
	return {
		element,
		table,
		filter(predicate) {
			wanted = predicate;
			draw();
		},
		redraw() {
			for (const entry of rows) {
				const isOpen = entry.detail;
				entry.tr = isOpen ? makeRow(entry) : null;
				if (isOpen)
					entry.tr.querySelector("button.open").setAttribute("aria-expanded", "true");
			}
			draw();
		},
	};
}
