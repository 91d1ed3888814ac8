// test_pages.mjs DIRECTORY: opens the pages made of the samples in a browser and prints a line
// "ok NAME" or "not ok NAME: WHY" for each thing promised.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const directory = resolve(process.argv[2]);
const sample = (name) => JSON.parse(readFileSync(join(directory, name + ".json"), "utf8"));
const browser = await launch();

async function check(name, promise) {
	try {
		await promise();
		console.log(`ok ${name}`);
	} catch (error) {
		console.log(
			`not ok ${name}: ${String(error.message || error)
				.split("\n")
				.slice(0, 4)
				.join(" ")}`,
		);
	}
}
function same(got, wanted, what = "") {
	const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
	if (a !== b) throw new Error(`${what} got ${a}, wanted ${b}`);
}
function holds(condition, what) {
	if (!condition) throw new Error(what);
}

// An opened page with its messages and requests.
async function open(name, options = {}) {
	const context = await browser.newContext({
		viewport: { width: 1200, height: 800 },
		...options,
	});
	const page = await context.newPage();
	const said = [],
		asked = [];
	page.on("console", (message) => said.push(message.text()));
	page.on("pageerror", (error) => said.push(String(error)));
	page.on("request", (request) => asked.push(request.url()));
	const url = pathToFileURL(join(directory, name + ".html")).href;
	await page.goto(url);
	await page.waitForTimeout(150);
	return { page, said, asked, url, close: () => context.close() };
}

const number = (text) => Number(text.replace(/[^0-9.-]/g, ""));
const columnTexts = (page, table, index) =>
	page.$$eval(
		`${table} > tbody > tr:not(:has(td.detail))`,
		(rows, k) => rows.map((row) => row.children[k].innerText.trim()),
		index,
	);
const headers = (page, table) =>
	page.$$eval(`${table} > thead th`, (list) =>
		list.map((th) => th.innerText.replace(/[^\w .-]/g, "").trim()),
	);
const sortButton = (page, table, index) =>
	page.locator(`${table} > thead th`).nth(index).locator("button.sort");
const widthOf = (page) => page.evaluate(() => document.scrollingElement.scrollWidth);
const total = (slots) => Object.values(slots).reduce((a, b) => a + b, 0);

// Colours of text and background of everything with words, in this scheme.
const contrast = (page) =>
	page.evaluate(() => {
		const channels = (color) => color.match(/[\d.]+/g).map(Number);
		const light = (color) => {
			const [r, g, b] = channels(color).map((c) =>
				(c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4,
			);
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		let worst = [21, ""];
		const walker = document.createTreeWalker(
			document.getElementById("page"),
			NodeFilter.SHOW_TEXT,
		);
		while (walker.nextNode()) {
			const element = walker.currentNode.parentElement;
			if (
				!walker.currentNode.data.trim() ||
				element.closest("svg, script, noscript, [aria-pressed=false]") ||
				!element.checkVisibility()
			)
				continue;
			let behind = element,
				paper = "";
			for (; behind; behind = behind.parentElement) {
				paper = getComputedStyle(behind).backgroundColor;
				const alpha = channels(paper)[3];
				if (alpha === undefined || alpha > 0.9) break;
				if (alpha > 0) paper = null;
				if (paper === null) break;
			}
			if (!paper) continue;
			const [a, b] = [light(getComputedStyle(element).color), light(paper)].sort(
				(x, y) => y - x,
			);
			const value = (a + 0.05) / (b + 0.05);
			if (value < worst[0]) worst = [value, element.outerHTML.slice(0, 100)];
		}
		return worst;
	});

async function runPage() {
	const result = sample("run");
	const { functions, slots_per_cycle: perCycle } = result.exact;
	const cycles = (one) => total(one.slots) / perCycle;
	const table = "#functions > div > .scroll > table";
	const view = await open("run");
	const { page } = view;

	await check("the stack of the run: the table's components add up to its cycles", async () => {
		const shown = await page.$$eval("#stack tbody tr:not(.part)", (rows) =>
			rows.map((row) => [row.children[0].innerText.trim(), row.children[4].innerText]),
		);
		same(
			Object.fromEntries(shown.map(([name, text]) => [name, number(text)])),
			result.stacks.exact.components,
		);
		same(
			shown.reduce((sum, [, text]) => sum + number(text), 0),
			result.values.cycles,
		);
	});
	await check(
		"the stack of the run: one segment for each component, over the whole width",
		async () => {
			const shares = await page.$$eval("#stack svg.main rect", (list) =>
				list.map((rect) => parseFloat(rect.getAttribute("width"))),
			);
			same(
				shares.length,
				Object.values(result.stacks.exact.components).filter((value) => value > 0).length,
			);
			holds(
				Math.abs(shares.reduce((a, b) => a + b, 0) - 100) < 0.1,
				`they cover ${shares} %`,
			);
		},
	);
	await check("functions: all are there, the hottest first", async () => {
		same((await columnTexts(page, table, 0)).length, functions.length);
		const shown = (await columnTexts(page, table, 3)).map(number);
		same(
			shown,
			functions.map((one) => Math.round(cycles(one))).sort((a, b) => b - a),
		);
		same(
			await page.getAttribute(`${table} > thead th:nth-child(3)`, "aria-sort"),
			"descending",
			"share",
		);
	});
	await check("functions: sorted by every column, both ways", async () => {
		const labels = await headers(page, table);
		holds(labels.length > 10, `columns ${labels}`);
		for (let index = 0; index < labels.length; index++) {
			if (labels[index] === "stack") continue;
			for (const wanted of index
				? ["descending", "ascending"]
				: ["ascending", "descending"]) {
				// The column sorted at first is sorted without a click.
				if (
					(await page
						.locator(`${table} > thead th`)
						.nth(index)
						.getAttribute("aria-sort")) !== wanted
				)
					await sortButton(page, table, index).click();
				same(
					await page.locator(`${table} > thead th`).nth(index).getAttribute("aria-sort"),
					wanted,
					labels[index],
				);
				same(
					await page
						.locator(
							`${table} > thead th[aria-sort=ascending], ${table} > thead th[aria-sort=descending]`,
						)
						.count(),
					1,
				);
				const texts = await columnTexts(page, table, index);
				const values = index
					? texts.map((text) => (text === "\u00b7" ? 0 : number(text)))
					: texts.map((text) => text.split(/\s/)[0].toLowerCase());
				const ordered = values.every(
					(value, i) =>
						!i ||
						(wanted === "ascending" ? values[i - 1] <= value : values[i - 1] >= value),
				);
				holds(ordered, `${labels[index]} ${wanted}: ${values}`);
			}
		}
	});
	await check("functions: the order by CPI is that of the result", async () => {
		const index = (await headers(page, table)).indexOf("CPI");
		await sortButton(page, table, index).click();
		const wanted = functions
			.map((one) => [cycles(one) / one.executed, one.name])
			.sort((a, b) => b[0] - a[0])
			.map(([, name]) => name);
		same(
			(
				await page.$$eval(`${table} > tbody .name`, (list) =>
					list.map((one) => one.innerText),
				)
			).slice(0, 10),
			wanted.slice(0, 10),
		);
	});
	await check("functions: the filter leaves those that match, and gives all back", async () => {
		await page.fill("#filter", "flush");
		const wanted = functions.filter((one) =>
			(one.name + " " + one.file).toLowerCase().includes("flush"),
		).length;
		holds(wanted > 0 && wanted < functions.length, "the sample has such functions");
		same((await columnTexts(page, table, 0)).length, wanted);
		await page.fill("#filter", "no such function");
		same((await columnTexts(page, table, 0)).length, 0);
		await page.fill("#filter", "");
		same((await columnTexts(page, table, 0)).length, functions.length);
	});
	await check(
		"functions: a click opens the source lines with their cycles, another closes them",
		async () => {
			const one = functions.find((candidate) => candidate.lines.length > 3);
			const row = page
				.locator(`${table} > tbody > tr.row`, {
					has: page.locator(".name", { hasText: new RegExp(`^${one.name}$`) }),
				})
				.first();
			await row.locator("td").nth(3).click();
			same(await row.locator("button.open").getAttribute("aria-expanded"), "true");
			const shown = await page.$$eval("td.detail tbody tr", (rows) =>
				rows.map((line) => line.children[3].innerText),
			);
			same(
				shown.map(number),
				one.lines.map((line) => Math.round(total(line.slots) / perCycle)),
			);
			same(await page.locator("td.detail svg.bar").count(), one.lines.length, "bars");
			await row.locator("td").nth(3).click();
			same(await page.locator("td.detail").count(), 0);
		},
	);
	await check(
		"functions: the keyboard reaches a function, opens it with Enter and sorts",
		async () => {
			await page.focus("#filter");
			let reached = false;
			for (let i = 0; i < 40 && !reached; i++) {
				await page.keyboard.press("Tab");
				reached = await page.evaluate(() =>
					document.activeElement.classList.contains("open"),
				);
			}
			holds(reached, "no function within 40 tabs of the filter");
			await page.keyboard.press("Enter");
			same(
				await page.evaluate(() => document.activeElement.getAttribute("aria-expanded")),
				"true",
			);
			same(await page.locator("td.detail").count(), 1);
			await sortButton(page, table, 0).focus();
			await page.keyboard.press("Enter");
			same(
				await page.locator(`${table} > thead th`).nth(0).getAttribute("aria-sort"),
				"ascending",
			);
			same(await page.locator("td.detail").count(), 1, "what is open stays open");
		},
	);
	await check("functions: components in cycles are those of the result", async () => {
		await page.locator("#functions .choice button", { hasText: "cycles" }).click();
		await sortButton(page, table, 3).click();
		const index = (await headers(page, table)).indexOf("base");
		const first = [...functions].sort((a, b) => cycles(b) - cycles(a))[0].slots;
		const wanted = Math.round(
			((first.base || 0) + (first.dependence || 0) + (first.serialise || 0)) / perCycle,
		);
		same(number((await columnTexts(page, table, index))[0]), wanted);
	});
	await check("instructions of the annotated function are listed in order", async () => {
		const shown = await page.$$eval("#annotation tbody tr", (rows) =>
			rows.map((row) => [row.children[0].innerText, row.children[1].innerText]),
		);
		same(
			shown,
			result.annotation.instructions.map(({ pc, text }) => [pc, text]),
		);
	});
	await check(
		"stack over time: hovering shows the values of the interval under the pointer",
		async () => {
			await page.locator("#time").scrollIntoViewIfNeeded();
			// Scrolling hides what hovering shows, which takes effect a frame later.
			await page.waitForTimeout(200);
			const box = await page.locator("#time .time").boundingBox();
			await page.mouse.move(box.x + 44 + (box.width - 54) * (10.5 / 96), box.y + 100);
			const words = await page.innerText("#tip");
			const one = result.exact.intervals[10];
			holds(
				words.includes(Math.round(total(one.slots) / perCycle).toLocaleString("en-US")),
				`it says ${words}`,
			);
			holds(await page.isVisible("#tip"), "it is not to be seen");
		},
	);
	await check("stack over time: arrow keys step through the intervals", async () => {
		await page.mouse.move(0, 0);
		await page.focus("#time .time");
		await page.keyboard.press("ArrowRight");
		const first = await page.innerText("#tip");
		await page.keyboard.press("ArrowRight");
		holds(
			(await page.isVisible("#tip")) && (await page.innerText("#tip")) !== first,
			"nothing changed",
		);
		await page.keyboard.press("Escape");
		same(await page.isVisible("#tip"), false);
	});
	await check(
		"counter architectures: what is negative is drawn left of zero and named",
		async () => {
			const bar = page.locator("#architectures svg.bar").nth(1);
			const parts = await bar.evaluate((svg) => {
				const zero = parseFloat(svg.querySelector("line.zero").getAttribute("x1"));
				return [...svg.querySelectorAll("rect")].map((rect) => [
					rect.dataset.component,
					parseFloat(rect.getAttribute("x")) + parseFloat(rect.getAttribute("width")) <=
						zero + 0.01,
				]);
			});
			same(
				parts.filter(([, left]) => left).map(([name]) => name),
				Object.entries(result.stacks.naive.components)
					.filter(([, value]) => value < 0)
					.map(([name]) => name),
			);
			const label = await page.locator("#architectures .label").nth(1).innerText();
			holds(/below zero: base -\d/.test(label), `the label is ${label}`);
		},
	);
	await check("counter architectures: the table has every value", async () => {
		await page.locator("#architectures .choice button", { hasText: "cycles" }).click();
		for (const [method, { components }] of Object.entries(result.stacks)) {
			const texts = await page
				.locator("#architectures tbody tr", {
					has: page.locator("th", { hasText: new RegExp(`^${method}$`) }),
				})
				.locator("td")
				.allInnerTexts();
			same(texts.slice(0, -1).map(number), Object.values(components), method);
		}
	});
	await check("top-down and stages unfold", async () => {
		for (const word of ["Top-down", "Stages"]) {
			await page.locator("#views summary", { hasText: word }).click();
			holds(
				await page
					.locator("#views details", { hasText: word })
					.locator("svg.bar")
					.first()
					.isVisible(),
				word,
			);
		}
	});
	await check("every value and hash is on the page", async () => {
		await page.locator("#values summary").click();
		same(await page.locator("#values li").count(), Object.keys(result.values).length);
		const about = await page.innerText("#about");
		holds(
			about.includes(result.program.sha256) && about.includes(result.configuration.sha256),
			"a hash is missing",
		);
	});
	await check("the page asks for nothing but itself", async () => same(view.asked, [view.url]));
	await check("the page raises no error and says nothing", async () => same(view.said, []));
	await check("the policy stops what a script might ask for", async () => {
		let reached = 0;
		const server = createServer((request, response) => {
			reached++;
			response.end();
		});
		await new Promise((done) => server.listen(0, "127.0.0.1", done));
		const stopped = await page.evaluate(async (address) => {
			let count = 0;
			document.addEventListener("securitypolicyviolation", () => count++);
			await fetch(address).catch(() => {});
			const image = document.createElement("img"),
				script = document.createElement("script");
			image.src = address;
			script.textContent = "window.foreign = 1";
			document.body.append(image, script);
			await new Promise((done) => setTimeout(done, 300));
			return [count, typeof window.foreign];
		}, `http://127.0.0.1:${server.address().port}/`);
		server.close();
		same(stopped, [3, "undefined"]);
		same(reached, 0, "requests");
	});
	await view.close();
}

async function fits(name, act) {
	const view = await open(name, { viewport: { width: 360, height: 640 } });
	holds((await widthOf(view.page)) <= 360, `it is ${await widthOf(view.page)} wide`);
	await act(view.page);
	await view.page.waitForTimeout(100);
	const wide = await widthOf(view.page);
	same(view.said, []);
	await view.close();
	holds(wide <= 360, `opened, it is ${wide} wide`);
}
const unfold = async (page) => {
	await page.evaluate(() =>
		document.querySelectorAll("details").forEach((one) => {
			one.open = true;
		}),
	);
	for (const button of await page.$$("button.open").then((list) => list.slice(0, 2)))
		await button.click();
};

async function schemes(name) {
	for (const scheme of ["light", "dark"]) {
		await check(
			`${name}: ${scheme}: words stand out from their paper by 4.5 to 1`,
			async () => {
				const view = await open(name, { colorScheme: scheme });
				await unfold(view.page);
				const paper = await view.page.evaluate(
					() => getComputedStyle(document.body).backgroundColor,
				);
				const [worst, where] = await contrast(view.page);
				await view.close();
				same(number(paper.split(",")[0]) < 128, scheme === "dark", `the paper is ${paper}`);
				holds(worst >= 4.5, `${worst.toFixed(2)} in ${where}`);
			},
		);
	}
}

async function withoutScripts() {
	await check("without scripts: the stack of the run is there", async () => {
		const view = await open("run", {
			javaScriptEnabled: false,
			viewport: { width: 360, height: 640 },
		});
		const text = await view.page.innerText("#stack");
		const result = sample("run");
		for (const [component, value] of Object.entries(result.stacks.exact.components))
			holds(
				text.includes(component) && text.includes(value.toLocaleString("en-US")),
				component,
			);
		holds((await view.page.locator("#stack svg.main rect").count()) > 3, "no bar");
		holds((await widthOf(view.page)) <= 360, "it is too wide");
		await view.close();
	});
	await check("without scripts: the errors of all methods are there", async () => {
		const view = await open("judge", { javaScriptEnabled: false });
		const judge = sample("judge");
		same(await view.page.locator("#errors tbody tr").count(), judge.programs.length);
		holds(
			(await view.page.innerText("#errors tfoot")).includes(
				(100 * judge.summary.mean_error.fmt).toFixed(2),
			),
			"the mean of fmt",
		);
		await view.close();
	});
}

async function hostile() {
	const result = sample("hostile");
	for (const name of ["hostile", "hostile-judge", "hostile-reproduce", "hostile-model", "hostile-inspect"]) {
		await check(`${name}: names are shown and do nothing`, async () => {
			const view = await open(name);
			await unfold(view.page);
			for (const element of await view.page.$$("svg.bar, .card"))
				await element.hover({ timeout: 500, force: true }).catch(() => {});
			await view.page.waitForTimeout(200);
			same(
				await view.page.evaluate(() => [
					typeof window.injected,
					document.images.length,
					document.scripts.length,
					document.querySelectorAll("[onload], [onerror]").length,
				]),
				["undefined", 0, name === "hostile" ? 4 : 3, 0],
			);
			same(view.said, []);
			same(view.asked, [view.url]);
			await view.close();
		});
	}
	await check("hostile: a name is shown letter by letter", async () => {
		const view = await open("hostile");
		same(await view.page.$eval("h1 bdi", (one) => one.textContent), result.program.name);
		same(
			await view.page.title(),
			`${result.program.name} on ${result.configuration.name} - cyclestack`,
		);
		const shown = await view.page.$$eval("#functions .name", (list) =>
			list.map((one) => one.textContent).sort(),
		);
		same(shown, result.exact.functions.map((one) => one.name).sort());
		await view.close();
	});
}

async function otherRuns() {
	await check("a result with only what it must have gives a page", async () => {
		const view = await open("plain");
		same(view.said, []);
		same(await view.page.$$eval("section", (list) => list.map((one) => one.id)), [
			"stack",
			"functions",
			"values",
			"about",
		]);
		holds(
			(await view.page.innerText(".badge.warn")).includes("partial"),
			"it does not say that it is partial",
		);
		await view.close();
	});
	await check(
		"2,000 functions and 5,000 intervals: shown within five seconds, the first 50, then all",
		async () => {
			const start = Date.now();
			const view = await open("large");
			const took = Date.now() - start;
			const rows = () => view.page.locator("#functions tr.row").count();
			same(await rows(), 50);
			await view.page.locator("#functions button.plain").click();
			same(await rows(), 2000);
			same(view.said, []);
			await view.close();
			holds(took < 5000, `${took} ms`);
		},
	);
}

async function inorderJudgePage() {
	const judge = sample("inorder-judge");
	const view = await open("inorder-judge");
	const { page } = view;

	await check("inorder-judge: the methods that are there, and which are left out", async () => {
		same(
			await page.locator("#errors .plot").first().locator("rect.column").count(),
			2 * (judge.programs.length + 1),
		);
		same(
			await page.evaluate(() =>
				document.querySelector("header .muted").textContent.split(" Left out, ")[1],
			),
			`because they count what only an out-of-order core has: ${judge.left_out.join(", ")}.`,
		);
		same(await page.locator("#events, #overlap").count(), 0);
	});
	await check("inorder-judge: the page raises no error and says nothing", async () =>
		same(view.said, []),
	);
	await view.close();
}

async function judgePage() {
	const judge = sample("judge");
	const methods = Object.keys(judge.programs[0].methods);
	const table = "#errors table";
	const view = await open("judge");
	const { page } = view;
	const bars = (part) => page.locator(`${part} .plot`).first().locator("rect.column");

	await check("judge: errors: a bar for every method on every program and the mean", async () => {
		same(await bars("#errors").count(), methods.length * (judge.programs.length + 1));
	});
	await check(
		"judge: errors: bars are as high as their error beside the line at 4 %",
		async () => {
			await page.locator("#errors .choice button", { hasText: "8 %" }).click();
			const line = await page.locator("#errors .limit").getAttribute("y1");
			const tops = await page.$$eval("#errors rect.column[data-series=fmt]", (list) =>
				list.map((rect) => Number(rect.getAttribute("y"))),
			);
			judge.programs.forEach((program, index) =>
				same(
					tops[index] < Number(line),
					program.methods.fmt.max_error > 0.04,
					program.name,
				),
			);
			const naive = await page.$$eval("#errors rect.column[data-series='naive']", (list) =>
				list.map((rect) => Number(rect.getAttribute("y"))),
			);
			judge.programs.forEach((program, index) =>
				same(
					naive[index] < Number(line),
					program.methods.naive.max_error > 0.04,
					program.name,
				),
			);
		},
	);
	await check("judge: errors: the table is sorted by any method", async () => {
		const labels = await headers(page, table);
		for (const method of ["fmt", "naive"]) {
			await sortButton(page, table, labels.indexOf(method)).click();
			const shown = (await columnTexts(page, table, labels.indexOf(method))).map(number);
			same(
				shown,
				judge.programs
					.map((program) => Number((100 * program.methods[method].max_error).toFixed(2)))
					.sort((a, b) => b - a),
				method,
			);
		}
	});
	await check("judge: a method that is hidden leaves the drawing", async () => {
		await page.locator("#errors .legend button", { hasText: /^naive$/ }).click();
		same(await bars("#errors").count(), (methods.length - 1) * (judge.programs.length + 1));
		await page.locator("#errors .legend button", { hasText: /^naive$/ }).click();
	});
	await check("judge: stacks: two truths and every method for every program", async () => {
		same(await page.locator(".card").count(), judge.programs.length);
		same(
			await page.locator(".card svg.bar").count(),
			judge.programs.length * (methods.length + 2),
		);
	});
	await check("judge: stacks: the legend has resource, and both truths show it", async () => {
		const names = await page.locator("#stacks .legend").innerText();
		holds(names.split(/\s+/).includes("resource"), names);
		for (const index of [0, 1])
			holds(
				(await page
					.locator(".card")
					.first()
					.locator("svg.bar")
					.nth(index)
					.locator("[data-component=resource], .resource")
					.count()) > 0,
				`truth ${index}`,
			);
	});
	await check("judge: all orders: the range and the mean of every component", async () => {
		const { truth, cycles } = judge.programs[1];
		const part = page.locator("#orders details").nth(1);
		same(await page.locator("#orders details").count(), judge.programs.length);
		await part.locator("summary").click();
		const table = part.locator("table").first();
		same(await table.locator("tbody tr").count(), Object.keys(truth.a).length);
		const row = await table
			.locator("tbody tr", { hasText: "branch" })
			.locator("td")
			.allInnerTexts();
		for (const [index, stack] of ["lowest", "mean", "highest"].entries())
			same(
				parseFloat(row[index]).toFixed(2),
				((100 * truth.all_orders[stack].branch) / cycles).toFixed(2),
			);
		same(await part.locator("table").nth(1).locator("tbody tr").count(), 3);
	});
	await check(
		"judge: cycles per event: three drawings, each with the simulated difference",
		async () => {
			same(await page.locator("#events .plot").count(), 3);
			same(
				await page.locator("#events .plot rect.column[data-series=simulated]").count(),
				3 * judge.programs.length,
			);
		},
	);
	await check(
		"judge: a program chosen in the list is marked everywhere, and shown in detail",
		async () => {
			const [program] = judge.programs.slice(4);
			await page.selectOption("#program", { label: program.name });
			same(await page.locator(".card.chosen h3 button").allInnerTexts(), [program.name]);
			same(await page.locator(`${table} tr.chosen`).count(), 1);
			same(await page.locator(".band.chosen").count(), 4, "drawings");
			same(await page.innerText("#chosen h2"), program.name);
			const text = await page.innerText("#chosen tfoot");
			holds(
				text.includes((100 * program.methods.power5.max_error).toFixed(2)),
				"the error of power5",
			);
		},
	);
	await check("judge: the keyboard chooses another program, and none", async () => {
		await page.locator(`${table} tbody button.choose`).nth(2).focus();
		await page.keyboard.press("Enter");
		const name = await page.locator(`${table} tbody button.choose`).nth(2).innerText();
		same(await page.locator(".card.chosen h3 button").allInnerTexts(), [name]);
		await page.keyboard.press("Enter");
		same(await page.locator(".chosen").count(), 0);
		same(await page.isVisible("#chosen"), false);
	});
	await check("judge: hovering shows a bar's number", async () => {
		await page.locator("#events .plot").first().scrollIntoViewIfNeeded();
		await page.waitForTimeout(200);
		await page
			.locator("#events .plot")
			.first()
			.locator("rect.column[data-series=fmt]")
			.nth(3)
			.hover();
		const words = await page.innerText("#tip");
		holds(
			words.includes(judge.programs[3].name) &&
				words.includes(judge.programs[3].per_event.l1i.fmt.toFixed(2)),
			words,
		);
	});
	await check("judge: overlap, losses and storage are those of the result", async () => {
		const text = await page.innerText("#overlap");
		for (const program of judge.programs)
			holds(
				text.includes((100 * program.overlap).toFixed(2)) &&
					text.includes(program.sfmt.younger_lost.toLocaleString("en-US")),
				program.name,
			);
		holds((await page.innerText("#storage")).includes("4,224"), "bits of fmt");
	});
	await check("judge: the page asks for nothing but itself", async () =>
		same(view.asked, [view.url]),
	);
	await check("judge: the page raises no error and says nothing", async () =>
		same(view.said, []),
	);
	await view.close();
}

async function reproducePage() {
	const result = sample("reproduce");
	const view = await open("reproduce");
	const { page } = view;
	const main = Object.keys(result.judge.programs[0].methods).filter(
		(name) => name !== "fmt-rob" && !name.startsWith("sfmt-"),
	);

	await check("reproduce: every figure is there, headed by its number", async () => {
		for (const { id, label, paper } of result.figures) {
			holds((await page.innerText(`#${id} h2`)).startsWith(label), id);
			holds((await page.innerText(`#${id}`)).includes(paper[0].text), id);
			same(await page.locator(`nav a[href='#${id}']`).count(), 1, id);
		}
	});
	await check("reproduce: nothing of a figure is empty", async () => {
		for (const { id } of result.figures)
			holds(
				(await page.locator(`#${id} svg.plot, #${id} table, #${id} .card`).count()) > 0,
				id,
			);
	});
	await check("reproduce: penalties stand under figures 4, 6 and 9", async () => {
		for (const id of ["figure-4", "figure-6", "figure-9"])
			same(
				await page.locator(`#${id} rect.column`).count(),
				result.judge.programs.length * (main.length + 1),
				id,
			);
	});
	await check("reproduce: figure 12 leaves variants of a rule to figure 10", async () => {
		same(
			await page.locator("#figure-12 rect.column").count(),
			main.length * (result.judge.programs.length + 1),
		);
		holds((await page.innerText("#figure-10")).includes("sfmt-resolve"), "a variant");
	});
	await check("reproduce: programs have the paper's name and ours", async () => {
		const shown = await page.locator("#figure-11 .card h3 button").allInnerTexts();
		same(
			shown,
			result.programs.map(({ paper, ours }) => `${paper}: ${ours}`),
		);
	});
	await check("reproduce: claims have their verdicts", async () =>
		same(
			await page.$$eval("#claims tbody td:last-child", (list) =>
				list.map((one) => one.innerText),
			),
			["holds", "does not hold", "not measured"],
		),
	);
	await check("reproduce: hovering over a curve shows its cycle", async () => {
		const drawing = page.locator("#figure-3 svg.plot");
		await drawing.scrollIntoViewIfNeeded();
		await drawing.hover({ position: { x: 400, y: 120 } });
		const words = await page.innerText("#tip");
		const at = Math.floor(((400 - 46) / 700) * 91);
		holds(
			words.includes(`cycle ${at - 30}:`) &&
				words.includes(result.plots[1].mean.rob_used[at].toFixed(2)),
			words,
		);
	});
	await check("reproduce: a program chosen is marked everywhere", async () => {
		await page.selectOption("#program", { index: 5 });
		same(await page.locator(".card.chosen").count(), 1);
		same(await page.isVisible("#chosen"), true);
		await page.selectOption("#program", { index: 0 });
	});
	await check("reproduce: the page asks for nothing but itself, and says nothing", async () => {
		same(view.asked, [view.url]);
		same(view.said, []);
	});
	await view.close();
	await check("reproduce: without scripts claims, statements and curves are there", async () => {
		const bare = await open("reproduce", { javaScriptEnabled: false });
		same(await bare.page.locator("#claims tbody tr").count(), 3);
		for (const id of ["figure-1", "figure-2", "figure-3", "figure-5", "figure-7", "figure-8"])
			same(await bare.page.locator(`#${id} svg.plot`).count(), 1, id);
		same(
			await bare.page.locator("#figure-12 tbody tr").count(),
			result.judge.programs.length,
		);
		await bare.close();
	});
}

async function modelPage() {
	const result = sample("model");
	const view = await open("model");
	const { page } = view;
	const numbers = async (table, index) => (await columnTexts(page, table, index)).map(number);

	await check("model: a drawing for each parameter of the grid", async () =>
		same(await page.locator("#cpi svg.plot").count(), 2),
	);
	await check("model: every point modelled and simulated, as the result has it", async () => {
		const near = (got, wanted) =>
			holds(
				got.length === wanted.length && got.every((one, i) => Math.abs(one - wanted[i]) < 6e-5),
				`${got} are not ${wanted}`,
			);
		near(await numbers("#points table", 2), result.points.map((one) => one.cpi));
		near(await numbers("#points table", 6), result.points.map((one) => one.components.dmiss));
		near(await numbers("#points table", 7), result.points.map((one) => one.simulated.cpi));
	});
	await check("model: lines and chains of misses are named", async () => {
		const text = await page.evaluate(() => document.body.textContent);
		for (const one of result.explanation.windows[0].chain)
			holds(text.includes(`${one.function}, ${one.file}:${one.line} (${one.pc})`), one.pc);
		for (const one of result.explanation.lines)
			holds(text.includes(`${one.function}, ${one.file}:${one.line}`), one.line);
		for (const one of result.explanation.functions) holds(text.includes(one.function), one.function);
	});
	await check("model: without scripts points and drawings are there", async () => {
		const bare = await open("model", { javaScriptEnabled: false });
		same(await bare.page.locator("#points tbody tr").count(), result.points.length);
		same(await bare.page.locator("#cpi svg.plot").count(), 2);
		await bare.close();
	});
	await check("model: the page raises no error and asks for nothing", async () => {
		same(view.said, []);
		same(view.asked, [view.url]);
	});
	await view.close();
}

async function inspectPage() {
	const result = sample("inspect");
	const view = await open("inspect");
	const { page } = view;
	const drawn = ["figure10", "figure12", "figure13", "figure14", "figure15", "figure17"];
	const rows = async (where) =>
		same(await where.locator("#events tbody tr").count(), result.events.length);

	await check("inspect: every event with its verdict, what coincides and whether its name holds", async () => {
		await rows(page);
		const column = (index) => columnTexts(page, "#events table", index);
		same(await column(0), result.events.map((one) => one.name ?? `${one.type}:${one.code}`));
		same(await column(1), result.events.map((one) => one.verdict));
		same((await column(2)).map(number), result.events.map((one) => Number(one.confidence.toFixed(2))));
		same(await column(3), result.events.map((one) => one.also.join(", ")));
		same(
			await column(4),
			result.events.map((one) => {
				const words = { true: "as its name says", false: "NOT as its name says" };
				return words[one.holds] ?? "";
			}),
		);
	});
	await check("inspect: the sizes found", async () => {
		const found = await columnTexts(page, "#machine table", 1);
		const { machine } = result;
		same(found.slice(0, 2), [`${machine.line_bytes}`, `${machine.page_bytes}`]);
		same(found[2], machine.data_bytes.join(", "));
		same(found[4], machine.data_pages.join(", "));
	});
	await check("inspect: figures 10, 12 to 15 and 17 are drawn, 16 is a table", async () => {
		for (const id of drawn) same([id, await page.locator(`#${id} svg.plot`).count()], [id, 1]);
		same(await page.locator("#figure16 tbody tr").count(), 3);
	});
	await check("inspect: drawings name the events, found by their verdicts", async () => {
		const words = (id) => page.locator(`#${id}`).textContent();
		for (const name of ["l1d.hits", "l2.data.hits"])
			holds((await words("figure12")).includes(name), name);
		for (const name of ["l1d.misses", "l2.data.misses"])
			holds((await words("figure13")).includes(name), name);
		holds(!(await page.evaluate(() => document.body.textContent)).includes("Not drawn"), "not drawn");
	});
	await check("inspect: without scripts verdicts and drawings are there", async () => {
		const bare = await open("inspect", { javaScriptEnabled: false });
		await rows(bare.page);
		same(await bare.page.locator("svg.plot").count(), drawn.length);
		await bare.close();
	});
	await check("inspect: the page raises no error and asks for nothing", async () => {
		same(view.said, []);
		same(view.asked, [view.url]);
	});
	await view.close();
}

// Layout and colours come from one style: with CI set, every page is looked at, otherwise two.
const isWhole = process.env.CI || process.env.FULL === "1";
const narrow = ["run", "judge", "reproduce", "hostile", "hostile-judge", "large", "model", "hostile-model", "inspect", "hostile-inspect"];
const coloured = ["run", "judge", "reproduce", "model", "inspect"];

await runPage();
for (const name of isWhole ? narrow : ["run", "hostile-judge"])
	await check(`${name}: fits 360 by 640, also with everything unfolded`, () =>
		fits(name, async (page) => {
			await unfold(page);
			if (name === "judge" || name === "reproduce")
				await page.selectOption("#program", { index: 3 });
		}),
	);
for (const name of isWhole ? coloured : ["inspect"]) await schemes(name);
await withoutScripts();
await hostile();
await otherRuns();
await judgePage();
await inorderJudgePage();
await reproducePage();
await modelPage();
await inspectPage();
await browser.close();
console.log("done");
