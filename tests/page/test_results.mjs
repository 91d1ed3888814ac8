// test_results.mjs DIRECTORY: opens the pages of kept results, and of the same results with hostile names, in a
// browser and prints a line "ok NAME" or "not ok NAME: WHY" for each thing promised. What a reader can do with a
// page is that of every document (test_document.mjs); its numbers are held by tests/report.
import { readdirSync } from "node:fs";
import { check, contrast, finish, holds, open as openIn, same, widthOf } from "./harness.mjs";

const directory = process.argv[2];
const open = (name, options) => openIn(directory, name, options);
const pages = readdirSync(directory)
	.filter((file) => file.endsWith(".html"))
	.map((file) => file.replace(/\.html$/, ""))
	.sort();
const kept = pages.filter((name) => !name.startsWith("hostile-"));
// Layout and colours come from one style: with FULL=1 every page is looked at, otherwise three.
const isWhole = process.env.FULL === "1";
const looked = isWhole ? pages : ["run", "run-source", "diff-calls", "judge", "hostile-reproduce-eyerman2006"];

const unfold = (page) =>
	page.evaluate(() => {
		for (const fold of document.querySelectorAll("details")) fold.open = true;
		for (const one of [...document.querySelectorAll("button.open")].slice(0, 20)) one.click();
		for (const one of document.querySelectorAll("button.plain, .alternatives .choice button")) one.click();
	});

for (const name of pages)
	await check(`${name}: the page says nothing, asks for nothing and runs nothing but its script`, async () => {
		const view = await open(name);
		await unfold(view.page);
		const chosen = view.page.locator("#program");
		if (await chosen.count()) await chosen.selectOption({ index: 1 });
		// What is pointed at is shown in words.
		for (const element of (await view.page.$$("[data-tip], svg.bar")).slice(0, 3))
			await element.hover({ timeout: 300, force: true }).catch(() => {});
		same(
			await view.page.evaluate(() => [
				typeof window.injected,
				document.images.length,
				document.scripts.length,
				document.querySelectorAll("[onload], [onerror]").length,
			]),
			["undefined", 0, 1, 0],
		);
		if (name.startsWith("hostile-"))
			holds((await view.page.textContent("body")).includes("<script>window.injected"), "names are shown");
		same(/[\u202a-\u202e]/.test(await view.page.textContent("main")), false, "what turns other letters");
		same(view.said, []);
		same(view.asked, [view.url]);
		await view.close();
	});
for (const name of looked) {
	await check(`${name}: fits 360 by 640, also with everything unfolded`, async () => {
		const view = await open(name, { viewport: { width: 360, height: 640 } });
		holds((await widthOf(view.page)) <= 360, `it is ${await widthOf(view.page)} wide`);
		await unfold(view.page);
		await view.page.waitForTimeout(100);
		holds((await widthOf(view.page)) <= 360, `unfolded it is ${await widthOf(view.page)} wide`);
		await view.close();
	});
	for (const scheme of ["light", "dark"])
		await check(`${name}: ${scheme}: every word has a contrast of 4.5 at least`, async () => {
			const view = await open(name, { colorScheme: scheme });
			await unfold(view.page);
			const [worst, where] = await contrast(view.page);
			await view.close();
			holds(worst >= 4.5, `${worst.toFixed(2)} in ${where}`);
		});
}
for (const name of kept.filter((one) => /^(run|diff)/.test(one)))
	await check(`${name}: no column is cut at 1200`, async () => {
		const { page, close } = await open(name, { viewport: { width: 1200, height: 800 } });
		await unfold(page);
		const cut = await page.$$eval(".scroll", (boxes) =>
			boxes.filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.innerHTML.slice(0, 80)),
		);
		await close();
		same(cut, []);
	});
for (const name of kept)
	await check(`${name}: without scripts every table and drawing is there`, async () => {
		const counts = [];
		for (const javaScriptEnabled of [true, false]) {
			const { page, close } = await open(name, { javaScriptEnabled });
			const parts = ["table", "tbody tr", "svg.plot", "svg.main", "section"];
			counts.push(await Promise.all(parts.map((one) => page.locator(`main ${one}`).count())));
			for (const table of await page.locator("main table:not(details table)").all())
				same(javaScriptEnabled || (await table.isVisible()), true, await table.getAttribute("id"));
			await close();
		}
		same(counts[1], counts[0]);
	});
await finish();
