// The script of every page. It knows no document: whatever it needs is in the attributes that
// doc_html.c writes (see doc_html_table.h and doc_html_drawing.h). It adds what a reader can do:
// sort, find and unfold rows, change views, choose among alternatives, hide series, point at values,
// choose what the document is about. Text becomes text nodes and attribute values only, never
// markup.

const page = document.getElementById("page");
const all = (selector, within = page) => [...within.querySelectorAll(selector)];

function fill(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {}))
		if (value === true) element.setAttribute(name, "");
		else if (value !== undefined && value !== null && value !== false)
			element.setAttribute(name, value);
	element.append(...children.flat(Infinity).filter((child) => child !== null));
	return element;
}
const el = (tag, attributes, ...children) =>
	fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
	fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const swatch = (name) => el("i", { class: "swatch " + name });

// A button of its own; what it says may be elements.
function button(className, words, onClick) {
	const made = el("button", { type: "button", class: className }, words);
	if (onClick) made.addEventListener("click", onClick);
	return made;
}

// Numbers are written the same way everywhere, whatever the reader's locale.
function fixed(value, places) {
	const [whole, decimals] = Math.abs(value).toFixed(places).split(".");
	const sign = value < 0 && Number(value.toFixed(places)) !== 0 ? "-" : "";
	return sign + whole.replace(/\B(?=(\d{3})+$)/g, ",") + (decimals ? "." + decimals : "");
}
const percent = (fraction, places) => fixed(100 * fraction, places) + "\u00a0%";
const sum = (list) => list.reduce((total, value) => total + value, 0);
const positive = (list) => sum(list.filter((value) => value > 0));
const negative = (list) => sum(list.filter((value) => value < 0));

// As markup_value of the program does: p percent, c change, s signed, n any other.
function inUnit(value, unit, places) {
	const words = unit === "p" || unit === "c" ? percent(value, places) : fixed(value, places);
	return (unit === "s" || unit === "c") && value > 0 && /[1-9]/.test(words) ? "+" + words : words;
}

// A row of buttons of which one is pressed.
function choice(label, options, onChoose) {
	const buttons = options.map(([value, text], index) => {
		const made = button(null, text, () => {
			for (const one of buttons) one.setAttribute("aria-pressed", String(one === made));
			onChoose(value);
		});
		made.setAttribute("aria-pressed", String(index === 0));
		return made;
	});
	return el(
		"span",
		{ class: "controls-item" },
		el("span", { class: "muted" }, label + " "),
		el("span", { class: "choice", role: "group", "aria-label": label }, buttons),
	);
}

// Words where a reader points: {title, lines: [[swatch class or "", label, value, ...]...]}. A tap
// shows them too, and Escape hides them. They are in data-tip (a line each, fields between tabs),
// or a function gives them.
const tips = new WeakMap();
const tipBox = el("div", { id: "tip", role: "tooltip", hidden: true });
document.body.append(tipBox);

function wordsOf(text) {
	const [title, ...lines] = text.split("\n");
	return { title, lines: lines.map((line) => line.split("\t")) };
}

function showTip(words, x, y) {
	const lines = words.lines.map(([fillClass, label, ...values]) =>
		el(
			"div",
			{ class: "line" },
			el("span", null, fillClass ? swatch(fillClass) : null, label),
			values.map((text) => el("span", null, text)),
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
		const ask = tips.get(element);
		if (!ask && !element.dataset.tip) continue;
		const words = ask ? ask(event) : wordsOf(element.dataset.tip);
		if (words) showTip(words, event.clientX, event.clientY);
		else hideTip();
		return;
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

// Words in a bar are shown only while they fit.
const fitting = new ResizeObserver((entries) => {
	for (const { target } of entries) {
		const width = target.clientWidth || target.getBoundingClientRect().width;
		for (const text of target.querySelectorAll("text[data-share]")) {
			const room = width * Number(text.dataset.share) - 6;
			text.removeAttribute("display");
			text.textContent = text.dataset.long;
			if (text.getComputedTextLength() > room) text.textContent = text.dataset.short;
			if (text.getComputedTextLength() > room) text.setAttribute("display", "none");
		}
	}
});
for (const bar of all("svg.bar:has(text)")) fitting.observe(bar);

// The small stack of a table's cell, drawn when its row is first seen.
function smallStack(values, classes, [low, high]) {
	const bar = svg("svg", { class: "bar small", "aria-hidden": "true" });
	const place = (value) => (100 * (value - low)) / (high - low || 1);
	let right = 0,
		left = 0;
	values.forEach((value, index) => {
		if (!value) return;
		const from = value > 0 ? right : left + value;
		if (value > 0) right += value;
		else left += value;
		bar.append(
			svg("rect", {
				class: classes[index] || "other",
				x: place(from).toFixed(2) + "%",
				width: (place(from + Math.abs(value)) - place(from)).toFixed(2) + "%",
				height: "100%",
			}),
		);
	});
	if (low < 0)
		bar.append(
			svg("line", {
				class: "zero",
				x1: place(0) + "%",
				x2: place(0) + "%",
				y1: "-15%",
				y2: "115%",
			}),
		);
	return bar;
}

// Tables. An entry is a row with those below it; only rows that are shown are prepared.
let filters = 0;

function readRows(table) {
	const root = { children: [], level: -1, isOpen: true };
	let last = root;
	[...table.tBodies[0].rows].forEach((tr, index) => {
		const level = Number(tr.dataset.l || 0);
		while (last.level >= level) last = last.parent;
		const entry = { tr, index, level, parent: last, children: [], isOpen: true };
		entry.isFolded = "f" in tr.dataset;
		entry.isOpen = !entry.isFolded;
		last.children.push(entry);
		last = entry;
	});
	return root;
}

// What a cell is sorted by. An absent number is below all others.
function sortValue(entry, column, isNumber, view) {
	const cell = entry.tr.cells[column];
	if (!cell) return isNumber ? -Infinity : "";
	if (!isNumber) return cell.textContent.toLowerCase();
	const text = cell.dataset.v ?? cell.textContent;
	if (text === "\u00b7") return 0;
	const found = /-?[\d,]*\.?\d+/.exec(text);
	if (!found) return -Infinity;
	const value = Number(found[0].replace(/,/g, ""));
	return view && cell.dataset.v ? view.of(value, entry.tr) : value;
}

function readViews(table) {
	const whole = Number(table.dataset.whole || 1);
	return JSON.parse(table.dataset.views || "[]").map(([label, unit, places, by]) => ({
		label,
		of: (value, tr) =>
			by === 0 ? value : value / (by === 1 ? whole : Number(tr.dataset.w || 0)),
		words(value, tr) {
			const seen = this.of(value, tr);
			return value === 0 ? "\u00b7" : Number.isFinite(seen) ? inUnit(seen, unit, places) : "";
		},
	}));
}

function setUpTable(table) {
	const body = table.tBodies[0],
		scroll = table.closest(".scroll"),
		headers = [...table.tHead.rows[0].cells],
		limit = Number(table.dataset.limit || Infinity),
		classes = (table.dataset.parts || "").split(" "),
		names = JSON.parse(table.dataset.names || "[]"),
		views = readViews(table),
		root = readRows(table);
	const stackAt = headers.findIndex((th) => "places" in th.dataset);
	const controls = el("div", { class: "controls" });
	const more = button("plain", "", () => {
		isAll = true;
		draw();
	});
	const count = el("span", { class: "muted", role: "status" });
	let by = headers.findIndex((th) => th.hasAttribute("aria-sort")),
		isDown = by >= 0 && headers[by].getAttribute("aria-sort") === "descending",
		isSorted = false,
		isAll = false,
		isFull = false,
		wanted = () => true,
		view = views[0];

	const stackOf = (tr) => {
		const cell = tr.cells[stackAt];
		return cell && cell.dataset.s ? cell.dataset.s.split(" ").map(Number) : null;
	};

	// Stacks are as long as their sums beside those of their siblings, or each of full length.
	function rangeOf(entry) {
		const values = stackOf(entry.tr);
		if (isFull) return [Math.min(0, negative(values)), positive(values) || 1];
		const parent = entry.parent || root;
		if (!parent.range) {
			const stacks = parent.children.map(({ tr }) => stackOf(tr)).filter(Boolean);
			const most = (of) => stacks.reduce((high, one) => Math.max(high, of(one)), 0);
			parent.range = [-most((one) => -negative(one)), most(positive) || 1];
		}
		return parent.range;
	}

	function stackWords(tr) {
		const values = stackOf(tr),
			whole = sum(values),
			places = Number(headers[stackAt].dataset.places);
		return {
			title: (tr.querySelector("bdi") || tr.cells[0]).textContent,
			lines: values
				.map((value, index) => [classes[index] || "other", names[index], value])
				.filter(([, , value]) => value)
				.map(([part, name, value]) => [
					part,
					name,
					fixed(value, places),
					whole ? percent(value / whole, 1) : "",
				]),
		};
	}

	function drawStack(entry) {
		const values = stackAt >= 0 ? stackOf(entry.tr) : null;
		if (!values) return;
		const cell = entry.tr.cells[stackAt];
		cell.replaceChildren(smallStack(values, classes, rangeOf(entry)));
		tips.set(cell, () => stackWords(entry.tr));
		entry.isDrawn = isFull ? "full" : "weight";
	}

	// A folded row is opened by a button around its name, or before it if the name is a link.
	function prepare(entry) {
		const [first] = entry.tr.cells;
		entry.isReady = true;
		if (entry.isFolded) {
			const words = first.querySelector("a") ? [] : [...first.childNodes];
			const opener = button("open", words);
			if (!words.length) opener.setAttribute("aria-label", "open " + first.textContent);
			opener.setAttribute("aria-expanded", String(entry.isOpen));
			first.prepend(opener);
			entry.tr.classList.add("row");
		} else if (entry.tr.dataset.key && !first.querySelector("a")) {
			first.append(chooser([...first.childNodes]));
		}
	}

	function toggle(entry) {
		entry.isOpen = !entry.isOpen;
		entry.tr.querySelector("button.open").setAttribute("aria-expanded", String(entry.isOpen));
		for (const child of entry.children) show(child, entry.isOpen);
	}

	function inOrder(list) {
		const isNumber = headers[by].dataset.sort === "n",
			viewed = "viewed" in headers[by].dataset ? view : null;
		const keyed = list.map((entry) => [sortValue(entry, by, isNumber, viewed), entry]);
		const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
		keyed.sort(
			([a, one], [b, other]) =>
				(isDown ? -1 : 1) * compare(a, b) || one.index - other.index,
		);
		return keyed.map(([, entry]) => entry);
	}

	// A row and, as far as they are unfolded, those below it.
	function show(entry, isShown) {
		if (entry.tr.hidden === isShown) entry.tr.hidden = !isShown;
		if (isShown && !entry.isReady) prepare(entry);
		if (isShown && entry.isDrawn !== (isFull ? "full" : "weight")) drawStack(entry);
		for (const child of entry.children) show(child, isShown && entry.isOpen);
	}

	// Rows stay below the row that they are below of.
	function reorder() {
		const order = [];
		const add = (parent) => {
			parent.children = inOrder(parent.children);
			for (const entry of parent.children) {
				order.push(entry.tr);
				add(entry);
			}
		};
		add(root);
		body.replaceChildren(...order);
	}

	function draw() {
		let found = 0;
		for (const entry of root.children) {
			const isFound = wanted(entry);
			if (isFound) found++;
			show(entry, isFound && (isAll || found <= limit));
		}
		headers.forEach((th, index) => {
			if (th.dataset.sort)
				th.setAttribute(
					"aria-sort",
					index !== by ? "none" : isDown ? "descending" : "ascending",
				);
		});
		more.hidden = isAll || found <= limit;
		more.textContent = "show all " + fixed(found, 0);
		const whole = root.children.length,
			words = fixed(whole, 0);
		count.textContent =
			found === whole ? words + " in all" : fixed(found, 0) + " of " + words;
	}

	function sortBy(index) {
		// Numbers are sorted from the largest at first, names from the first.
		isDown = index === by ? !isDown : headers[index].dataset.sort === "n";
		by = index;
		isSorted = true;
		reorder();
		draw();
	}

	function setUpFilter() {
		const id = "filter" + (filters++ ? "-" + filters : "");
		const field = el("input", {
			type: "search",
			id,
			placeholder: "name or file",
			autocomplete: "off",
			spellcheck: "false",
		});
		field.addEventListener("input", () => {
			const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
			wanted = ({ tr }) => {
				const name = tr.cells[0].textContent.toLowerCase();
				return words.every((word) => name.includes(word));
			};
			draw();
		});
		controls.append(el("span", null, el("label", { for: id }, "find "), field), count);
	}

	function setView(chosen) {
		view = chosen;
		for (const cell of all("td[data-v]", table)) {
			if (!("viewed" in headers[cell.cellIndex].dataset)) continue;
			cell.textContent = view.words(Number(cell.dataset.v), cell.parentElement);
		}
		if (isSorted && "viewed" in headers[by].dataset) {
			reorder();
			draw();
		}
	}

	for (const [index, th] of headers.entries())
		if (th.dataset.sort) th.append(button("sort", [...th.childNodes], () => sortBy(index)));
	body.addEventListener("click", (event) => {
		const tr = event.target.closest("tr.row");
		const control = event.target.closest("a, button");
		if (!tr || (control && !control.classList.contains("open"))) return;
		// Dragging over text selects it and does not open the row.
		if (!control && !getSelection().isCollapsed) return;
		const find = ({ children }) =>
			children.reduce((found, one) => found || (one.tr === tr ? one : find(one)), null);
		toggle(find(root));
	});
	if ("filter" in table.dataset) setUpFilter();
	if (views.length > 1)
		controls.append(
			choice(
				"values as",
				views.map((one) => [one, one.label]),
				setView,
			),
		);
	if ("fill" in table.dataset)
		controls.append(
			choice(
				"bars",
				[
					[false, "by weight"],
					[true, "each full"],
				],
				(full) => {
					isFull = full;
					draw();
				},
			),
		);
	if (controls.childNodes.length) scroll.before(controls);
	if (root.children.length > limit) scroll.after(more);
	for (const tr of table.tFoot ? table.tFoot.rows : []) drawStack({ tr });
	draw();
}

// Keys: what the document is about. One chosen anywhere is marked everywhere, and its details are
// shown.
const picker = page.querySelector("nav .pick select");
let chosen = "";

// A button around a name that has a key.
function chooser(words) {
	const made = button("choose", words);
	made.setAttribute("aria-pressed", "false");
	return made;
}

function choose(key) {
	chosen = key;
	for (const element of all("[data-key]")) {
		const isChosen = element.dataset.key === key;
		if ("detail" in element.dataset) element.hidden = !isChosen;
		else element.classList.toggle("chosen", isChosen);
		const press = element.querySelector("button.choose");
		if (press) press.setAttribute("aria-pressed", String(isChosen));
	}
	if (picker) picker.value = key;
}

function setUpKeys() {
	for (const heading of all(".card[data-key] > h3"))
		heading.prepend(chooser([heading.querySelector("bdi")]));
	page.addEventListener("click", (event) => {
		const pressed = event.target.closest("button.choose, .group[data-key], .label[data-key]");
		const key = pressed && pressed.closest("[data-key]").dataset.key;
		if (pressed) choose(key === chosen ? "" : key);
	});
	if (!picker) return;
	picker.closest(".pick").hidden = false;
	picker.addEventListener("change", () => choose(picker.value));
}

// Alternatives: one is shown.
function setUpChoice(box) {
	const parts = [...box.children].filter((part) => part.classList.contains("alternative"));
	box.prepend(
		el(
			"div",
			{ class: "controls" },
			choice(
				box.dataset.label,
				parts.map((part) => [part, part.dataset.label]),
				(shown) => {
					for (const part of parts) part.hidden = part !== shown;
				},
			),
		),
	);
}

// Bars of a group are spread over its room again; see draw_bar of doc_svg.c.
function spread(group, hidden) {
	const bars = [...group.querySelectorAll("g[data-series]")];
	const shown = bars.filter((bar) => !hidden.has(bar.dataset.series));
	const room = Number(group.dataset.room),
		thick = Math.min(16, (room - 8) / (shown.length || 1));
	const start = Number(group.dataset.x) + (room - thick * shown.length) / 2;
	for (const bar of bars) {
		bar.toggleAttribute("hidden", hidden.has(bar.dataset.series));
		bar.setAttribute("transform", `translate(${start + thick * shown.indexOf(bar)} 0)`);
		bar.querySelector("rect").setAttribute("width", thick);
		bar.querySelector(".torn")?.setAttribute("transform", `scale(${thick} 1)`);
		const cut = bar.querySelector(".cut");
		if (cut) {
			const y = cut.getAttribute("transform").match(/[\d.]+(?=\) rotate)/)[0];
			cut.setAttribute("transform", `translate(${thick / 2 + 3} ${y}) rotate(-90)`);
		}
	}
}

function setUpLegend(legend) {
	const groups = all(".group", legend.closest("figure"));
	const hidden = new Set();
	const names = [...legend.children];
	legend.setAttribute("role", "group");
	legend.setAttribute("aria-label", "shown");
	for (const name of names) {
		const { series } = name.dataset;
		const press = button(null, [...name.childNodes], () => {
			// The last one that is shown stays.
			if (hidden.has(series)) hidden.delete(series);
			else if (hidden.size < names.length - 1) hidden.add(series);
			press.setAttribute("aria-pressed", String(!hidden.has(series)));
			for (const group of groups) spread(group, hidden);
		});
		press.setAttribute("aria-pressed", "true");
		press.title = name.title;
		name.replaceWith(press);
	}
}

// The values of a plot, under the pointer or one after the other by the arrow keys.
function setUpValues(box) {
	const values = JSON.parse(box.dataset.values);
	const { width, left, right, first, last, ends, xs, series } = values;
	const drawing = box.querySelector("svg");
	const length = series.reduce((most, one) => Math.max(most, one[2].length), 0);
	const live = el("div", { class: "visually-hidden", "aria-live": "polite" });
	const cursor = svg("rect", {
		class: "cursor",
		height: drawing.getAttribute("height"),
		display: "none",
	});
	let at = -1;

	const pixels = (x) => left + ((right - left) * (x - first)) / (last - first || 1);
	const end = (index) => (xs ? xs[index] : ends ? ends[index] : first + index + 1);
	const begin = (index) => (xs ? xs[index] : index ? end(index - 1) : first);
	const nearest = (x) => {
		const far = (index) => Math.abs(xs[index] - x);
		return xs.reduce((best, _, index) => (far(index) < far(best) ? index : best), 0);
	};
	const written = (value) =>
		values.percent ? percent(value, 2) : fixed(value, values.places);

	function under(clientX) {
		const box = drawing.getBoundingClientRect();
		const x = ((clientX - box.left) / box.width) * width;
		const value = first + ((x - left) / (right - left)) * (last - first);
		if (value < first || value > last) return -1;
		if (xs) return nearest(value);
		const index = ends ? ends.findIndex((one) => value <= one) : Math.floor(value - first);
		return index < length ? index : -1;
	}

	function words(index) {
		const of = values.other ? ` (${values.other})` : "";
		const title = values.titles
			? values.titles[index]
			: `${values.name} ${begin(index)}${values.shown ? ": " + values.shown + of : ""}`;
		const lines = series
			.filter((one) => (values.sum ? one[2][index] : one[2][index] !== undefined))
			.map(([part, name, shown, others]) => [
				part,
				name,
				written(shown[index]),
				others.length ? `(${others[index]})` : "",
			]);
		const total = sum(series.map((one) => one[2][index] || 0));
		if (values.sum && !values.percent) lines.push(["", "all", written(total), ""]);
		return { title, lines };
	}

	function mark(index) {
		at = index;
		if (index < 0) {
			cursor.setAttribute("display", "none");
			return;
		}
		const x = pixels(begin(index));
		cursor.removeAttribute("display");
		cursor.setAttribute("x", xs ? x - 2 : x);
		cursor.setAttribute("width", xs ? 4 : Math.max(1, pixels(end(index)) - x));
	}

	drawing.append(cursor);
	box.append(live);
	tips.set(drawing, (event) => {
		mark(under(event.clientX));
		return at < 0 ? null : words(at);
	});
	drawing.addEventListener("pointerleave", () => mark(-1));
	box.addEventListener("keydown", (event) => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (!step || !length) return;
		event.preventDefault();
		mark(Math.max(0, Math.min(length - 1, at + step)));
		const said = words(at);
		const frame = drawing.getBoundingClientRect();
		showTip(said, frame.left + (pixels(end(at)) / width) * frame.width, frame.top + 20);
		const lines = said.lines.map((line) => line.slice(1).join(" "));
		live.textContent = [said.title, ...lines].join(", ");
	});
}

// Flame graphs: find names, and look at a node with all below it as if it were the whole. The arrow
// keys go up to the caller, down to the widest callee and to both sides; Enter looks at a node, 0 or
// Escape at everything again.
function readFlame(figure) {
	const drawing = figure.querySelector("svg");
	const nodes = all("g.node", drawing).map((g) => {
		const rect = g.querySelector("rect");
		const [x, y, width] = ["x", "y", "width"].map((name) => Number(rect.getAttribute(name)));
		return { g, rect, x, y, width, name: rect.dataset.tip.split("\n")[0], children: [] };
	});
	const open = []; // the last node of each row
	for (const node of nodes) {
		while (open.length && open[open.length - 1].y >= node.y) open.pop();
		node.parent = open[open.length - 1] || null;
		if (node.parent) node.parent.children.push(node);
		open.push(node);
	}
	return { drawing, nodes };
}

function setUpFlame(figure) {
	const { drawing, nodes } = readFlame(figure);
	const [whole] = nodes;
	if (!whole) return;
	const letter = 6.2, // as in picture.h
		least = 24;
	let shown = whole,
		focused = whole;
	const said = el("span", { class: "muted", role: "status" });
	const reset = button("plain", "show all", () => look(whole));
	const field = el("input", {
		type: "search",
		placeholder: "function",
		autocomplete: "off",
		spellcheck: "false",
		"aria-label": "find in the graph",
	});
	const live = el("div", { class: "visually-hidden", "aria-live": "polite" });

	function label(node, x, width) {
		let text = node.g.querySelector("text");
		if (width < least) {
			if (text) text.remove();
			return;
		}
		if (!text) {
			text = svg("text", { y: node.y + 13, "font-size": 11 });
			node.g.append(text);
		}
		const room = Math.floor((width - 6) / letter);
		text.setAttribute("x", x + 3);
		text.textContent =
			node.name.length <= room ? node.name : node.name.slice(0, Math.max(0, room - 2)) + "..";
	}

	const isBelow = (node, top) => node && (node === top || isBelow(node.parent, top));

	// What called the node that is looked at fills its row; what is beside it is hidden.
	function look(node) {
		shown = node;
		const scale = whole.width / node.width;
		for (const one of nodes) {
			const isAbove = isBelow(node, one);
			const x = isAbove ? whole.x : whole.x + (one.x - node.x) * scale;
			const width = isAbove ? whole.width : one.width * scale;
			const isShown = isAbove || isBelow(one, node);
			one.g.toggleAttribute("hidden", !isShown);
			one.g.classList.toggle("above", isAbove && one !== node);
			if (!isShown) continue;
			one.rect.setAttribute("x", x);
			one.rect.setAttribute("width", width);
			label(one, x, width);
		}
		reset.hidden = node === whole;
		if (!isBelow(focused, node) && !isBelow(node, focused)) focus(node);
	}

	function find() {
		const words = field.value.trim().toLowerCase();
		let width = 0,
			count = 0;
		const mark = (node, isInside) => {
			const isFound = words !== "" && node.name.toLowerCase().includes(words);
			node.g.classList.toggle("found", isFound);
			count += isFound;
			// What is found below another is in its width.
			if (isFound && !isInside) width += node.width;
			for (const child of node.children) mark(child, isInside || isFound);
		};
		mark(whole, false);
		drawing.classList.toggle("finding", words !== "");
		said.textContent =
			words === "" ? "" : `${fixed(count, 0)} found, ${percent(width / whole.width, 1)}`;
	}

	function focus(node) {
		focused.g.classList.remove("focused");
		focused = node;
		node.g.classList.add("focused");
	}

	function step(node) {
		if (!node || node.g.hasAttribute("hidden")) return;
		focus(node);
		const words = wordsOf(node.rect.dataset.tip);
		const box = node.rect.getBoundingClientRect();
		showTip(words, box.left + Math.min(box.width, 40), box.bottom);
		live.textContent = [words.title, ...words.lines.map((line) => line.join(" "))].join(", ");
	}

	function beside(node, by) {
		const row = node.parent ? node.parent.children : [node];
		return row[row.indexOf(node) + by];
	}

	const widest = (node) =>
		node.children.reduce((best, one) => (best && best.width >= one.width ? best : one), null);
	const keys = {
		ArrowUp: () => step(focused.parent),
		ArrowDown: () => step(widest(focused)),
		ArrowLeft: () => step(beside(focused, -1)),
		ArrowRight: () => step(beside(focused, 1)),
		Enter: () => look(focused),
		0: () => look(whole),
		Escape: () => look(whole),
	};
	const box = drawing.parentElement;
	box.tabIndex = 0;
	box.setAttribute("role", "application");
	box.setAttribute(
		"aria-label",
		"flame graph: arrow keys go from function to function, Enter looks at one, 0 at all",
	);
	box.addEventListener("keydown", (event) => {
		const act = keys[event.key];
		if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
		event.preventDefault();
		act();
	});
	drawing.addEventListener("click", (event) => {
		const g = event.target.closest("g.node");
		const node = nodes.find((one) => one.g === g);
		if (!node) return;
		focus(node);
		look(node);
	});
	field.addEventListener("input", find);
	reset.hidden = true;
	box.before(el("div", { class: "controls" }, el("span", null, "find ", field), said, reset));
	box.append(live);
}

// A link may lead into what is folded.
function reveal() {
	let part = document.querySelector(":target");
	for (const target = part; part; part = part.parentElement) {
		if (part.tagName !== "DETAILS" || part.open) continue;
		part.open = true;
		target.scrollIntoView();
	}
}

for (const box of all(".alternatives")) setUpChoice(box);
for (const table of all("table")) setUpTable(table);
for (const legend of all(".legend[data-hide]")) setUpLegend(legend);
for (const box of all("[data-values]")) setUpValues(box);
for (const figure of all("figure.flame")) setUpFlame(figure);
setUpKeys();
addEventListener("hashchange", reveal);
reveal();
