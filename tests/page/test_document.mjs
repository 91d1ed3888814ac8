// test_document.mjs DIRECTORY: opens the pages of made-up documents (document.c) in a browser and prints
// a line "ok NAME" or "not ok NAME: WHY" for each thing a reader can do.
import {
	breakOut,
	check,
	columnTexts,
	contrast,
	finish,
	headers,
	holds,
	number,
	open,
	same,
	widthOf,
} from "./harness.mjs";

const directory = process.argv[2];
const programs = ["chess", "sort", "fft"];
const view = await open(directory, "plain");
const { page } = view;
const header = (table, index) => page.locator(`${table} > thead th`).nth(index);
const sorts = (table, index) => header(table, index).locator("button.sort");

// What the rows that are to be seen are sorted by: the value behind a cell, or what it shows.
const sortValues = (table, index, isWords) =>
	page.$$eval(
		`${table} > tbody > tr:not([data-l]):not([hidden])`,
		(rows, [k, words]) =>
			rows.map((row) => {
				const text = row.children[k].dataset.v ?? row.children[k].innerText.trim();
				if (words) return text.toLowerCase();
				return text === "" ? -1e99 : text === "\u00b7" ? 0 : Number(text.replace(/[^0-9.-]/g, ""));
			}),
		[index, isWords],
	);

async function sortsBothWays(table, index, label) {
	const isWords = (await header(table, index).getAttribute("data-sort")) === "w";
	const order = () => header(table, index).getAttribute("aria-sort");
	for (const wanted of ["ascending", "descending"]) {
		for (let i = 0; i < 2 && (await order()) !== wanted; i++) await sorts(table, index).click();
		same(await order(), wanted, label);
		const values = await sortValues(table, index, isWords);
		const isOrdered = values.every(
			(value, i) => !i || (wanted === "ascending" ? values[i - 1] <= value : values[i - 1] >= value),
		);
		holds(isOrdered, `${label} ${wanted}: ${values}`);
	}
}

await check("contents: a link to each section", async () => {
	const links = await page.$$eval("nav#contents a", (list) =>
		list.map((one) => [one.getAttribute("href"), one.innerText]),
	);
	same(links[0], ["#stack", "Stack"], "its short title");
	for (const [target] of links) same(await page.locator(`section${target}`).count(), 1, target);
	same(links.length, 5);
});
for (const table of ["#units", "#functions", "#errors"])
	await check(`${table}: sorted by every column, both ways`, async () => {
		const labels = await headers(page, table);
		let sorted = 0;
		for (const [index, label] of labels.entries()) {
			if (!(await sorts(table, index).count())) continue;
			await sortsBothWays(table, index, label);
			const marked = `${table} th[aria-sort=ascending], ${table} th[aria-sort=descending]`;
			same(await page.locator(marked).count(), 1, "one column is marked");
			sorted++;
		}
		holds(sorted >= labels.length - 1, `${sorted} of ${labels}`);
	});
await check("numbers are sorted from the largest at first, names from the first", async () => {
	await sorts("#functions", 0).click();
	await sorts("#functions", 3).click();
	same(await header("#functions", 3).getAttribute("aria-sort"), "descending");
	await sorts("#functions", 0).click();
	same(await header("#functions", 0).getAttribute("aria-sort"), "ascending");
});
await check("find: the field leaves the rows that match, and gives all back", async () => {
	const shown = async () => (await columnTexts(page, "#functions", 0)).length;
	await page.fill("#filter", "function_1");
	same(await shown(), 3);
	same(await page.innerText("#all-functions [role=status]"), "3 of 12");
	await page.fill("#filter", "no such function");
	same(await shown(), 0);
	await page.fill("#filter", "");
	same(await shown(), 8);
	same(await page.innerText("#all-functions [role=status]"), "12 in all");
});
await check("rows: a click opens one, those below it stay there when sorted, another closes it", async () => {
	const row = page.locator("#functions tr.row:not([hidden])").nth(2);
	const name = await row.locator("bdi").innerText();
	await row.locator("td").nth(3).click();
	same(await row.locator("button.open").getAttribute("aria-expanded"), "true");
	const below = () =>
		page.$$eval("#functions tbody tr:not([hidden])", (rows) => {
			const texts = rows.map((one) => [one.dataset.l || "0", one.querySelector("bdi").innerText]);
			const at = texts.findIndex(([level]) => level === "1");
			return [texts[at - 1][1], texts.filter(([level]) => level === "1").length];
		});
	same(await below(), [name, 2]);
	same(await page.locator("#functions tr[data-l]:not([hidden]) svg.bar").count(), 2, "bars");
	await sorts("#functions", 3).click();
	same(await below(), [name, 2], "after sorting");
	await page.locator("#functions tr.row", { has: page.locator("bdi", { hasText: new RegExp(`^${name}$`) }) })
		.locator("td").nth(3).click();
	same(await page.locator("#functions tr[data-l]:not([hidden])").count(), 0);
});
await check("rows: one whose name is a link is opened by the button before it", async () => {
	const row = page.locator("#functions tr.row:has(a)");
	await row.locator("a").click();
	same(await row.locator("button.open").getAttribute("aria-expanded"), "false");
	await row.locator("button.open").click();
	same(await page.locator("#functions tr[data-l]:not([hidden])").count(), 2);
	await row.locator("button.open").click();
	same(await page.locator("#functions tr[data-l]:not([hidden])").count(), 0);
});
const flame = page.locator("figure#flame");
const nodes = () =>
	flame.locator("g.node:not([hidden])").evaluateAll((list) =>
		list.map((g) => {
			const rect = g.querySelector("rect");
			return [rect.dataset.tip.split("\n")[0], Math.round(Number(rect.getAttribute("width")))];
		}),
	);
const whole = (await nodes())[0][1];
const share = (part) => Math.round(part * whole);
const atFirst = [["main", whole], ["solve", share(0.6)], ["plain", share(0.4)], ["print", share(0.3)]];
await check("a flame graph: what is found stands out, and its share is said", async () => {
	same(await nodes(), atFirst);
	const find = flame.locator("input");
	await find.fill("LAI");
	same(await flame.locator(".found").count(), 1);
	same(await flame.locator("[role=status]").innerText(), "1 found, 40.0\u00a0%");
	// What is found inside of what is found counts once.
	await find.fill("l");
	same(await flame.locator("[role=status]").innerText(), "2 found, 60.0\u00a0%");
	await find.fill("");
	same(await flame.locator(".found, .finding").count(), 0);
	same(await flame.locator("[role=status]").innerText(), "");
});
await check("a flame graph: a click makes a node the whole, and all is shown again", async () => {
	await flame.locator("g.node rect").nth(1).click();
	same(await nodes(), [["main", whole], ["solve", whole], ["plain", share(2 / 3)]]);
	same(await flame.locator("g.node.above").count(), 1);
	await flame.locator("button.plain").click();
	same(await nodes(), atFirst);
	same(await flame.locator("button.plain").isVisible(), false);
});
await check("a flame graph: the keyboard goes up, down and sideways, in and out", async () => {
	const box = flame.locator("div.scroll");
	const at = () => flame.locator(".focused rect").evaluate((rect) => rect.dataset.tip.split("\n")[0]);
	await box.focus();
	await page.keyboard.press("ArrowUp");
	await page.keyboard.press("ArrowDown");
	const seen = [await at()];
	for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowDown", "ArrowDown", "ArrowUp"]) {
		await page.keyboard.press(key);
		seen.push(await at());
	}
	same(seen, ["solve", "print", "print", "solve", "plain", "plain", "solve"]);
	holds((await flame.locator("[aria-live]").innerText()).startsWith("solve"), "it is said");
	await page.keyboard.press("Enter");
	same((await nodes()).length, 3);
	await page.keyboard.press("0");
	same(await nodes(), atFirst);
});
await check("a listing: lines and instructions side by side, below each other where it is narrow", async () => {
	const boxes = async () => {
		const one = page.locator("#listing .pair:not(.head)").first();
		return [await one.locator(".at").first().boundingBox(), await one.locator(".insns").boundingBox()];
	};
	let [line, insns] = await boxes();
	holds(insns.x >= line.x + line.width && Math.abs(insns.y - line.y) < 4, "side by side");
	await page.setViewportSize({ width: 400, height: 800 });
	[line, insns] = await boxes();
	holds(insns.y >= line.y + line.height - 1 && insns.x + insns.width <= 400, "below");
	await page.setViewportSize({ width: 1200, height: 800 });
});
await check("a listing has nothing to sort, and one scale for all its stacks", async () => {
	same(await page.locator("#listing button").count(), 0);
	const widths = await page.$$eval("#listing svg.bar", (bars) =>
		bars.map((bar) =>
			[...bar.querySelectorAll("rect")].reduce((sum, rect) => sum + parseFloat(rect.getAttribute("width")), 0),
		),
	);
	same(widths.map(Math.round), [10, 20, 90, 100]);
});
await check("rows: selecting text does not open one", async () => {
	const cell = page.locator("#functions tr.row:not([hidden]) td:nth-child(4)").first();
	const box = await cell.boundingBox();
	await page.mouse.move(box.x + 2, box.y + box.height / 2);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 4 });
	await page.mouse.up();
	same(await page.locator("#functions tr[data-l]:not([hidden])").count(), 0);
	await page.evaluate(() => getSelection().removeAllRanges());
});
await check("rows: the keyboard reaches one, opens it with Enter and sorts", async () => {
	await page.focus("#filter");
	let reached = false;
	for (let i = 0; i < 40 && !reached; i++) {
		await page.keyboard.press("Tab");
		reached = await page.evaluate(() => document.activeElement.classList.contains("open"));
	}
	holds(reached, "no row within 40 tabs of the field");
	await page.keyboard.press("Enter");
	same(await page.evaluate(() => document.activeElement.getAttribute("aria-expanded")), "true");
	same(await page.locator("#functions tr[data-l]:not([hidden])").count(), 2);
	await sorts("#functions", 0).focus();
	await page.keyboard.press("Enter");
	same(await page.locator("#functions tr[data-l]:not([hidden])").count(), 2, "what is open stays open");
	const opened = page.locator("#functions button.open[aria-expanded=true]");
	await opened.focus();
	await page.keyboard.press("Space");
	same(await page.locator("#functions tr[data-l]:not([hidden])").count(), 0);
});
await check("rows: a button shows all of them", async () => {
	const more = page.locator("#all-functions button.plain");
	same(await more.innerText(), "show all 12");
	await more.click();
	same((await columnTexts(page, "#functions", 0)).length, 12);
	same(await more.isVisible(), false);
});
await check("views: values as shares, cycles and CPI", async () => {
	const at = (await headers(page, "#functions")).indexOf("base");
	const first = page.locator("#functions tr.row").first();
	const raw = Number(await first.locator("td").nth(at - 1).getAttribute("data-v"));
	const weight = Number(await first.getAttribute("data-w"));
	const whole = Number(await page.getAttribute("#functions", "data-whole"));
	const shown = async (label) => {
		await page.locator("#all-functions .choice button", { hasText: label }).click();
		return number(await first.locator("td").nth(at - 1).innerText());
	};
	same(await shown("cycles"), raw);
	same((await shown("CPI")).toFixed(3), (raw / weight).toFixed(3));
	same((await shown("% of run")).toFixed(2), ((100 * raw) / whole).toFixed(2));
});
await check("views: a column is sorted by what is seen", async () => {
	const at = (await headers(page, "#functions")).indexOf("base");
	await page.locator("#all-functions .choice button", { hasText: "CPI" }).click();
	await sorts("#functions", at).click();
	const shown = (await columnTexts(page, "#functions", at)).map(number);
	same(shown, [...shown].sort((a, b) => b - a));
});
await check("stacks of rows: by weight, or each of full length", async () => {
	const ends = () =>
		page.$$eval("#functions tr.row:not([hidden]) svg.bar", (bars) =>
			bars.map((bar) =>
				[...bar.querySelectorAll("rect")].reduce((sum, rect) => sum + parseFloat(rect.getAttribute("width")), 0),
			),
		);
	const byWeight = await ends();
	same(byWeight.length, 12);
	holds(Math.max(...byWeight) > 99.8 && Math.min(...byWeight) < 50, `${byWeight}`);
	await page.locator("#all-functions .choice button", { hasText: "each full" }).click();
	for (const end of await ends()) holds(Math.abs(end - 100) < 0.2, `${end}`);
	await page.locator("#all-functions .choice button", { hasText: "by weight" }).click();
});
await check("stacks of rows: pointing at one shows its parts", async () => {
	const bar = page.locator("#functions tr.row:not([hidden]) svg.bar").first();
	await bar.scrollIntoViewIfNeeded();
	await page.waitForTimeout(200);
	await bar.hover();
	const words = await page.innerText("#tip");
	for (const part of ["base", "l1d"]) holds(words.includes(part), words);
});
await check("words of a bar are shown where they fit", async () => {
	const shown = await page.$$eval("#stack svg.main text", (list) =>
		list.map((text) => [text.getAttribute("display"), text.textContent]),
	);
	same(shown[0][0], null);
	holds(/^base 63\.3/.test(shown[0][1]), shown[0][1]);
});
await check("lying stacks: what is negative is left of zero", async () => {
	const sides = await page.locator("#drawings .bars svg.bar").first().evaluate((bar) => {
		const zero = parseFloat(bar.querySelector("line.zero").getAttribute("x1"));
		return [...bar.querySelectorAll("rect")].map((rect) => [
			rect.dataset.part,
			parseFloat(rect.getAttribute("x")) + parseFloat(rect.getAttribute("width")) <= zero + 0.01,
		]);
	});
	same(sides, [["base", true], ["branch", false], ["l1d", false], ["dtlb", false]]);
	same(await page.locator("#drawings .bars line.limit").count(), 3, "the line at the limit");
});
await check("a choice shows one alternative", async () => {
	const parts = page.locator("#drawings .alternative");
	same([await parts.nth(0).isVisible(), await parts.nth(1).isVisible()], [true, false]);
	const press = page.locator("#drawings .choice button", { hasText: "shares" });
	await press.click();
	same([await parts.nth(0).isVisible(), await parts.nth(1).isVisible()], [false, true]);
	same(await press.getAttribute("aria-pressed"), "true");
	await page.locator("#drawings .choice button", { hasText: "CPI" }).click();
});
const time = "#drawings .alternative:not([hidden]) .values";
await check("over time: pointing shows the values of the interval", async () => {
	await page.locator(time).scrollIntoViewIfNeeded();
	// Scrolling hides what pointing shows, which takes effect a frame later.
	await page.waitForTimeout(200);
	const box = await page.locator(`${time} svg`).boundingBox();
	await page.mouse.move(box.x + 46 + (1080 - 60) * (10.5 / 95.1), box.y + 100);
	const words = await page.innerText("#tip");
	holds(words.includes("interval 10") && words.includes("base"), words);
	holds(await page.isVisible("#tip"), "it is not to be seen");
});
await check("over time: arrow keys step through the values, and say them; Escape hides", async () => {
	await page.mouse.move(0, 0);
	await page.focus(time);
	await page.keyboard.press("ArrowRight");
	holds((await page.innerText("#tip")).includes("interval 0"), await page.innerText("#tip"));
	await page.keyboard.press("ArrowRight");
	holds((await page.innerText("#tip")).includes("interval 1"), await page.innerText("#tip"));
	holds((await page.textContent(`${time} [aria-live]`)).includes("interval 1, base"), "it is said");
	await page.keyboard.press("Escape");
	same(await page.isVisible("#tip"), false);
});
await check("plot: pointing shows both lists of values", async () => {
	const drawing = page.locator("#drawings .values svg").first();
	await drawing.scrollIntoViewIfNeeded();
	await page.waitForTimeout(200);
	await drawing.hover({ position: { x: 46 + 700 * (20.5 / 40), y: 120 } });
	const words = await page.innerText("#tip");
	holds(words.includes("cycle 10: mean (example)") && words.includes("(20)"), words);
});
await check("flame graph and pipeline: pointing names the place and the stage", async () => {
	for (const [where, wanted] of [["#flame", ["main", "100.00"]], ["#pipeline", ["fetch", "cycles 98 to 103"]]]) {
		await page.locator(`${where} [data-tip]`).first().scrollIntoViewIfNeeded();
		await page.waitForTimeout(200);
		await page.locator(`${where} [data-tip]`).first().hover({ position: { x: 20, y: 5 } });
		const words = await page.innerText("#tip");
		for (const word of wanted) holds(words.includes(word), words);
	}
});
await check("bars: pointing shows the number", async () => {
	const bar = page.locator("#judged .group[data-key=sort] [data-tip]").nth(1);
	await bar.scrollIntoViewIfNeeded();
	await page.waitForTimeout(200);
	await bar.hover();
	const words = await page.innerText("#tip");
	holds(words.includes("sort") && words.includes("fmt") && words.includes("6.0"), words);
});
await check("bars: those above the axis are torn, with their number", async () => {
	same(await page.locator("#judged .torn").count(), await page.locator("#judged text.cut").count());
	holds((await page.locator("#judged .torn").count()) >= 2, "torn bars");
});
await check("bars: a hidden series leaves the drawing, the others take its room, one always stays", async () => {
	const shown = () => page.locator("#judged .group g[data-series]:not([hidden])").count();
	const place = () =>
		page.locator("#judged .group[data-key=sort] g[data-series='1']").getAttribute("transform");
	const press = (name) => page.locator("#judged .legend button", { hasText: name });
	const [before, at] = [await shown(), await place()];
	await press("naive").click();
	same(await press("naive").getAttribute("aria-pressed"), "false");
	same(await shown(), before - programs.length);
	holds((await place()) !== at, "it moved");
	for (const name of ["fmt", "exact"]) await press(name).click();
	same(await page.locator("#judged .legend button[aria-pressed=true]").allInnerTexts(), ["exact"]);
	holds((await shown()) > 0, "one stays");
	for (const name of ["naive", "fmt"]) await press(name).click();
	same([await shown(), await place()], [before, at]);
});
await check("keys: one chosen in the list is marked everywhere, and its details are shown", async () => {
	same(await page.isVisible("#chosen-1"), false);
	await page.selectOption("#program", { label: "sort" });
	same(await page.locator(".card.chosen h3 button").allInnerTexts(), ["sort"]);
	same(await page.locator("#errors tr.chosen").count(), 1);
	same(await page.locator(".group.chosen").count(), 1);
	same(await page.isVisible("#chosen-1"), true);
	same(await page.isVisible("#chosen-0"), false);
});
await check("keys: the keyboard chooses another, and none", async () => {
	const press = page.locator("#errors tr[data-key=fft] button.choose");
	await press.focus();
	await page.keyboard.press("Enter");
	same(await page.locator(".card.chosen h3 button").allInnerTexts(), ["fft"]);
	same(await press.getAttribute("aria-pressed"), "true");
	same(await page.inputValue("#program"), "fft");
	await page.keyboard.press("Enter");
	same(await page.locator(".chosen").count(), 0);
});
await check("keys: a click on a group of bars or a card chooses, another gives back", async () => {
	for (const where of [".group[data-key=fft] [data-tip]", ".card[data-key=fft] h3 button"]) {
		await page.locator(`#judged ${where}`).first().click();
		same(await page.locator("#errors tr.chosen").count(), 1, where);
		await page.locator(`#judged ${where}`).first().click();
		same(await page.locator(".chosen").count(), 0, where);
	}
});
await check("folds open, and a link to what is inside opens them", async () => {
	same(await page.locator("#about dl").isVisible(), false);
	await page.locator("#about summary").click();
	same(await page.locator("#about dl").isVisible(), true);
	await page.locator("#about summary").click();
	await page.evaluate(() => (location.hash = "#everything"));
	await page.waitForTimeout(100);
	same(await page.locator("#about dl").isVisible(), true, "by its link");
});
await check("what is not for pages is not there", async () => {
	same((await page.textContent("main")).includes("Not in a page."), false);
	same((await headers(page, "#units")).includes("text only"), false);
});
await check("the page asks for nothing but itself", async () => same(view.asked, [view.url]));
await check("the page raises no error and says nothing", async () => same(view.said, []));
await check("the policy stops what a script might ask for", async () =>
	same(await breakOut(page), [3, "undefined", 0]),
);
await view.close();

for (const name of ["plain", "hostile", "large"])
	await check(`${name}: fits 360 by 640, also with everything unfolded`, async () => {
		const narrow = await open(directory, name, { viewport: { width: 360, height: 640 } });
		holds((await widthOf(narrow.page)) <= 360, `it is ${await widthOf(narrow.page)} wide`);
		await narrow.page.evaluate(() => {
			for (const fold of document.querySelectorAll("details")) fold.open = true;
			for (const one of [...document.querySelectorAll("button.open")].slice(0, 20)) one.click();
			for (const one of document.querySelectorAll("button.plain, .alternatives .choice button")) one.click();
		});
		if (await narrow.page.locator("#program").count())
			await narrow.page.selectOption("#program", { index: 1 });
		await narrow.page.waitForTimeout(100);
		holds((await widthOf(narrow.page)) <= 360, `unfolded it is ${await widthOf(narrow.page)} wide`);
		same(narrow.said, []);
		await narrow.close();
	});
for (const scheme of ["light", "dark"])
	await check(`${scheme}: every word has a contrast of 4.5 at least`, async () => {
		const coloured = await open(directory, "plain", { colorScheme: scheme });
		await coloured.page.selectOption("#program", { index: 1 });
		await coloured.page.locator("#about summary").click();
		const [worst, where] = await contrast(coloured.page);
		holds(worst >= 4.5, `${worst.toFixed(2)} at ${where}`);
		await coloured.close();
	});
await check("without scripts every table, row, alternative and drawing is there", async () => {
	const bare = await open(directory, "plain", { javaScriptEnabled: false });
	const count = (selector) => bare.page.locator(selector).count();
	const seen = async (selector) => {
		let visible = 0;
		for (const one of await bare.page.locator(selector).all()) visible += await one.isVisible();
		return visible;
	};
	same(await count("table"), 3);
	same(await seen("#listing .at"), 8);
	same(await seen("#functions tbody tr"), 36);
	same(await seen("#drawings .alternative"), 2);
	same(await seen("[data-detail]"), 3);
	same(await seen("svg.plot"), 7);
	same(await seen(".pick, button"), 0, "nothing that cannot be used");
	await bare.close();
});
await check("hostile names do nothing, and are shown as text", async () => {
	const hostile = await open(directory, "hostile");
	await hostile.page.fill("#filter", "script");
	await hostile.page.locator("#functions tr.row:not([hidden])").first().locator("td").nth(2).click();
	await hostile.page.locator("#flame [data-tip]").nth(2).hover();
	holds((await hostile.page.innerText("#tip")).includes("<script>window.hostile"), "as text");
	same(await hostile.page.evaluate(() => typeof window.hostile), "undefined");
	same(await hostile.page.locator("main img, main script").count(), 0);
	holds((await hostile.page.innerText("h1")).includes("<script>window.hostile = 1</script>\"'&<img"), "the heading");
	same(/[\u0000-\u0009\u000b-\u001f\u202a-\u202e]/.test(await hostile.page.textContent("main")), false, "control characters");
	same(hostile.said, []);
	same(hostile.asked, [hostile.url]);
	await hostile.close();
});
await check("2,000 rows and 5,000 points are there within five seconds", async () => {
	const large = await open(directory, "large");
	holds(large.took < 5000, `it took ${large.took} ms`);
	same((await columnTexts(large.page, "#functions", 0)).length, 50);
	await large.page.locator("#all-functions button.plain").click();
	same((await columnTexts(large.page, "#functions", 0)).length, 2000);
	const values = JSON.parse(await large.page.getAttribute("#time .values", "data-values"));
	same(values.ends.length, 1000, "steps");
	same(large.said, []);
	await large.close();
});
await finish();
