// Drawings. A stack is an object {component: value}; negative parts are drawn to the left of zero
// (or below it), so that the parts right of zero minus those left of it are the whole.

const positive = (stack) => sum(Object.values(stack).filter((value) => value > 0));
const negative = (stack) => sum(Object.values(stack).filter((value) => value < 0));

// [component, from, to] for each part wide enough to be seen.
function segments(stack) {
	let right = 0,
		left = 0;
	const list = [];
	for (const component of inOrder(Object.keys(stack))) {
		const value = stack[component];
		if (value > 0) {
			list.push([component, right, right + value]);
			right += value;
		} else if (value < 0) {
			list.push([component, left + value, left]);
			left += value;
		}
	}
	return list;
}

// Words in a bar are shown only while they fit.
const fitting = new ResizeObserver((entries) => {
	for (const { target } of entries) {
		const width = target.clientWidth || target.getBoundingClientRect().width;
		for (const text of target.querySelectorAll("text[data-share]")) {
			const room = width * Number(text.dataset.share) - 6;
			text.removeAttribute("display");
			if (text.dataset.long) text.textContent = text.dataset.long;
			if (text.getComputedTextLength() > room && text.dataset.short)
				text.textContent = text.dataset.short;
			if (text.getComputedTextLength() > room) text.setAttribute("display", "none");
		}
	}
});

// range: [low, high] in the stack's unit. options: class, words(component, value) for labels, tip
// (component, value), total (a dashed line), label (alternative text), classOf, short.
function stackBar(stack, range, options) {
	const [low, high] = range;
	const place = (value) => (100 * (value - low)) / (high - low || 1);
	const paint = options.classOf || classOf;
	const bar = svg("svg", {
		class: "bar " + (options.class || ""),
		role: "img",
		"aria-label": options.label,
	});

	for (const [component, from, to] of segments(stack)) {
		const left = place(from),
			width = place(to) - left;
		const rect = svg("rect", {
			class: paint(component),
			"data-component": component,
			x: left.toFixed(3) + "%",
			width: width.toFixed(3) + "%",
			height: "100%",
		});
		if (options.tip) tip(rect, () => options.tip(component, stack[component]));
		bar.append(rect);
		if (options.words)
			bar.append(
				svg("text", {
					class: "on-" + paint(component),
					x: (left + width / 2).toFixed(3) + "%",
					y: "50%",
					"dominant-baseline": "central",
					"data-share": (width / 100).toFixed(5),
					display: "none",
					"data-long": options.words(component, stack[component]),
					"data-short": options.short ? options.short(component) : component,
				}),
			);
	}
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
	if (options.total !== undefined && options.total < high)
		bar.append(
			svg("line", {
				class: "total",
				x1: place(options.total) + "%",
				x2: place(options.total) + "%",
				y1: "-15%",
				y2: "115%",
			}),
		);
	if (options.words) fitting.observe(bar);
	return bar;
}

function barAxis(range, unit, format) {
	const [low, high] = range;
	const list = ticks(low, high, 5);
	const axis = svg("svg", { class: "axis", "aria-hidden": "true" });
	for (const value of list) {
		const x = (100 * (value - low)) / (high - low || 1);
		axis.append(svg("line", { x1: x + "%", x2: x + "%", y1: 0, y2: 5 }));
		axis.append(
			svg(
				"text",
				{ x: x + "%", y: 17 },
				format ? format(value) : fixed(value, placesFor(list)),
			),
		);
	}
	if (unit) axis.append(svg("text", { x: "100%", y: 17, "text-anchor": "end" }, unit));
	return axis;
}

function legend(list) {
	return el(
		"div",
		{ class: "legend" },
		list.map((component) =>
			el(
				"span",
				{ title: aboutComponent.get(component) },
				swatch(classOf(component)),
				component,
			),
		),
	);
}

// A line across a plot, and the word at its left.
const across = (kind, x1, x2, y) => svg("line", { class: kind, x1, x2, y1: y, y2: y });
const beside = (x, y, words, kind) =>
	svg("text", { class: kind, x: x - 6, y: y + 4, "text-anchor": "end" }, words);

// Calls draw(width) with the available width, now and whenever it changes.
function whenSized(holder, draw) {
	let last = 0;
	new ResizeObserver(([entry]) => {
		const width = Math.floor(entry.contentRect.width);
		if (width > 0 && width !== last) {
			last = width;
			draw(width);
		}
	}).observe(holder);
	return () => last && draw(last);
}

// Stacks over time: points are {from, to (on the x axis), stack (already in the y unit), words()}.
// state.share: every column filled to 1. The left and right keys move the cursor.
function overTime(points, options) {
	const holder = el("div", {
		class: "time",
		tabindex: 0,
		role: "img",
		"aria-label": options.label,
	});
	const live = el("div", { class: "visually-hidden", "aria-live": "polite" });
	const state = { share: false };
	const last = points[points.length - 1].to;
	let cursor = -1,
		geometry = null;

	function mark(index) {
		cursor = index;
		const { mark: rect, x } = geometry;
		if (index < 0) {
			rect.setAttribute("display", "none");
			return;
		}
		rect.removeAttribute("display");
		rect.setAttribute("x", x(points[index].from));
		rect.setAttribute("width", Math.max(1, x(points[index].to) - x(points[index].from)));
	}

	function draw(width) {
		const height = 250,
			left = 44,
			right = 10,
			top = 10,
			bottom = 30;
		const stacks = points.map(({ stack }) => divided(stack, state.share ? positive(stack) : 1));
		// What is left at the end of a run is an interval too, and of few instructions: it is cut at
		// the top where its quotient is higher than those of all others.
		const long = 0.9 * Math.max(...points.map(({ from, to }) => to - from));
		const whole = stacks.filter((_, index) => points[index].to - points[index].from >= long);
		const high = Math.max(...whole.map(positive), 1e-9);
		const x = (value) => left + ((width - left - right) * value) / last;
		const y = (value) => height - bottom - ((height - top - bottom) * Math.min(value, high)) / high;
		const plot = svg("svg", { class: "plot", width, height, "aria-hidden": "true" });
		const yTicks = ticks(0, high, 5),
			xTicks = ticks(0, last, Math.max(2, Math.floor(width / 140)));

		for (const value of yTicks) {
			const words = state.share
				? fixed(100 * value, 0) + " %"
				: fixed(value, placesFor(yTicks));
			plot.append(
				across("tick", left, width - right, y(value)),
				beside(left, y(value), words),
			);
		}
		for (const value of xTicks)
			plot.append(
				svg(
					"text",
					{
						x: x(value),
						y: height - bottom + 16,
						"text-anchor": value ? "middle" : "start",
					},
					options.xWords(value),
				),
			);
		const base = points.map(() => 0);
		for (const component of options.components) {
			let upper = "",
				lower = "";
			stacks.forEach((stack, index) => {
				const from = base[index],
					to = from + Math.max(0, stack[component] || 0);
				const x1 = x(points[index].from).toFixed(2),
					x2 = x(points[index].to).toFixed(2);
				base[index] = to;
				upper += `${index ? "L" : "M"}${x1} ${y(to).toFixed(2)}H${x2}`;
				lower = `L${x2} ${y(from).toFixed(2)}H${x1}` + lower;
			});
			plot.append(
				svg("path", {
					class: classOf(component),
					"data-component": component,
					d: upper + lower + "Z",
				}),
			);
		}
		geometry = {
			x,
			left,
			width,
			right,
			mark: svg("rect", {
				class: "cursor",
				y: top,
				height: height - top - bottom,
				display: "none",
			}),
		};
		plot.append(geometry.mark);
		holder.replaceChildren(plot, live);
		mark(cursor);
	}

	function under(clientX) {
		const box = holder.getBoundingClientRect();
		const at =
			((clientX - box.left - geometry.left) /
				(geometry.width - geometry.left - geometry.right)) *
			last;
		return at < 0 || at > last
			? -1
			: Math.max(
					0,
					points.findIndex(({ to }) => at <= to),
				);
	}

	tip(holder, (event) => {
		const index = geometry ? under(event.clientX) : -1;
		if (geometry) mark(index);
		return index < 0 ? null : points[index].words();
	});
	holder.addEventListener("pointerleave", () => geometry && mark(-1));
	holder.addEventListener("keydown", (event) => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (!step || !geometry) return;
		event.preventDefault();
		mark(Math.max(0, Math.min(points.length - 1, cursor + step)));
		const words = points[cursor].words();
		const box = holder.getBoundingClientRect();
		showTip(words, box.left + geometry.x(points[cursor].to), box.top + 20);
		live.textContent = [
			words.title,
			...words.lines.map(([, label, value]) => `${label} ${[value].flat().join(" ")}`),
		].join(", ");
	});
	const redraw = whenSized(holder, draw);
	return {
		element: holder,
		share(isShare) {
			state.share = isShare;
			redraw();
		},
	};
}

// Bars in groups: groups {name, label, values: {series: number}, words(series)}; a horizontal line
// at `limit`. A bar higher than the axis is cut and its number written above it. The axis ends at
// options.end (null: at the highest bar); without it a little above the lower nine tenths of the
// bars, so that a method with very large values does not flatten the rest.
function groupedBars(groups, options) {
	const holder = el("div", { class: "scroll" });
	const state = { series: options.series, chosen: null, end: options.end };

	function axisEnd() {
		if (state.end) return state.end;
		const all = groups
			.flatMap(({ values }) => state.series.map((name) => values[name]))
			.filter((value) => Number.isFinite(value))
			.map(Math.abs)
			.sort((a, b) => a - b);
		if (!all.length) return 1;
		const most = all[all.length - 1],
			usual = all[Math.floor(0.9 * (all.length - 1))];
		return (
			(options.end === undefined && most > 1.8 * usual && usual > 0 ? 1.25 * usual : most) ||
			1
		);
	}

	function draw(space) {
		const bars = state.series.length;
		const room = Math.max((space - 52) / groups.length, Math.min(64, bars * 7 + 12), 30);
		const width = Math.floor(52 + room * groups.length),
			left = 46,
			bottom = 62;
		const end = axisEnd(),
			isCut = groups.some(({ values }) => state.series.some((name) => values[name] > end));
		const top = isCut ? 40 : 12,
			height = 250 + top;
		const low = Math.min(
			0,
			...groups.flatMap(({ values }) =>
				state.series.map((name) => Math.max(-end / 4, values[name] || 0)),
			),
		);
		const y = (value) =>
			height - bottom - ((height - top - bottom) * (value - low)) / (end - low);
		const yTicks = ticks(low, end, 5);
		const plot = svg("svg", {
			class: "plot",
			width,
			height,
			role: "img",
			"aria-label": options.label,
		});

		groups.forEach((group, index) => {
			const x = left + room * index;
			plot.append(
				svg("rect", {
					class: group.name === state.chosen ? "band chosen" : "band",
					x,
					y: 0,
					width: room,
					height,
				}),
			);
		});
		for (const value of yTicks) {
			plot.append(across(value ? "tick" : "zero", left, width, y(value)));
			if (!options.limit || Math.abs(y(value) - y(options.limit)) > 11)
				plot.append(beside(left, y(value), options.format(value, yTicks)));
		}
		groups.forEach((group, index) => {
			const x = left + room * index,
				thick = Math.min(16, (room - 10) / bars);
			const start = x + (room - thick * bars) / 2;
			const part = svg("g", { class: "group" });
			state.series.forEach((name, k) => {
				const value = group.values[name];
				if (!Number.isFinite(value)) return;
				const shown = Math.max(low, Math.min(end, value));
				const rect = svg("rect", {
					class: "column " + methodClass(name),
					"data-series": name,
					x: start + k * thick,
					y: Math.min(y(shown), y(0)),
					width: thick,
					height: Math.max(0.5, Math.abs(y(shown) - y(0))),
				});
				tip(rect, () => group.words(name));
				part.append(rect);
				if (value > end) {
					const middle = start + (k + 0.5) * thick;
					part.append(
						svg(
							"text",
							{
								class: "cut",
								x: middle,
								y: top - 4,
								"dominant-baseline": "central",
								transform: `rotate(-90 ${middle} ${top - 4})`,
							},
							options.format(value, [0, 10]),
						),
					);
					part.append(
						svg("path", {
							class: "torn",
							d: `M${start + k * thick - 1} ${top + 9}l${thick + 2} -4v3l${-thick - 2} 4z`,
						}),
					);
				}
			});
			const middle = x + room / 2;
			part.append(
				svg(
					"text",
					{
						class: group.strong || group.name === state.chosen ? "strong" : null,
						x: middle,
						y: height - bottom + 14,
						"text-anchor": "end",
						transform: `rotate(-38 ${middle} ${height - bottom + 10})`,
					},
					group.label,
				),
			);
			if (options.onChoose && !group.strong)
				part.addEventListener("click", () => options.onChoose(group.name));
			plot.append(part);
		});
		if (options.limit) {
			const words = options.format(options.limit, [0, 10]);
			plot.append(
				across("limit", left, width, y(options.limit)),
				beside(left, y(options.limit), words, "limit-label"),
			);
		}
		holder.replaceChildren(plot);
	}

	const redraw = whenSized(holder, draw);
	return {
		element: holder,
		choose(name) {
			state.chosen = name;
			redraw();
		},
		series(list) {
			state.series = list;
			redraw();
		},
		end(value) {
			state.end = value;
			redraw();
		},
	};
}
