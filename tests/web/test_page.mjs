// test_page.mjs DIRECTORY: uses the page of the server at SERVE_URL as a person would, and prints a line "ok NAME" or
// "not ok NAME: WHY" for each thing promised.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { browser, check, holds, stateIs, visit as visitAt } from "./visit.mjs";

const directory = process.argv[2],
	base = process.env.SERVE_URL;
const visit = (path, options) => visitAt(base + path, options);
const tick = (page, name) => page.getByRole("checkbox", { name, exact: true });

const user = await visit("/");
const page = user.page;
await check("a program is uploaded and its functions are listed", async () => {
	await page.getByLabel("or upload a RISC-V Linux program (ELF)").setInputFiles(join(directory, "<b>hanoi"));
	await page.getByText(/<b>hanoi: [0-9,]+ bytes/).waitFor();
	await page.getByText(/^[0-9,]+ functions$/).waitFor();
	await page.getByLabel("Search functions").fill("main");
	await tick(page, "committed in main").check();
	await tick(page, "cache (group) in all code").check();
	holds((await page.locator(".chips li").count()) === 3, "three chips");
});
await check("what the configuration reader says stands beside the field", async () => {
	await page.getByText("Change parameters").click();
	await page.getByLabel("Search parameters").fill("rob.size");
	await page.locator("#p-rob\\.size").fill("banana");
	await page.locator("#p-rob\\.size-message").getByText("rob.size").waitFor();
	await page.locator("#p-rob\\.size").fill("64");
	await page.waitForFunction(() => !document.getElementById("p-rob.size-message").textContent);
	holds((await page.getByText("Change parameters (1 changed)").count()) === 1, "the change is counted");
});
await check("an order that cannot be is refused beside its field", async () => {
	await page.getByLabel("Interval, in cycles").fill("0");
	await page.getByRole("button", { name: "Run", exact: true }).click();
	await page.locator('[data-field="every"]').getByText("every: expected").waitFor();
	await page.getByLabel("Interval, in cycles").fill("20000");
});
await check("it runs, and its result is shown", async () => {
	await page.getByLabel("Arguments").fill("test");
	await page.getByRole("button", { name: "Run", exact: true }).click();
	await page.waitForURL(/\/runs\/\d+$/);
	await stateIs(page, "done");
	await page.frameLocator("iframe.result").getByText("committed@main").first().waitFor();
	await page.locator("pre.out").getByText(/^hanoi test/).waitFor();
	holds((await page.locator("h1").textContent()) === "<b>hanoi on midcore", "the name is text");
	holds((await page.locator("main b").count()) === 0, "and no markup");
});
const first = page.url();

await check("a long run is watched, also by a second user", async () => {
	await page.goto(base + "/");
	await page.getByLabel("Workload", { exact: true }).selectOption("objdb");
	await page.getByLabel("Size", { exact: true }).selectOption("ref");
	await page.getByText(/^[0-9,]+ functions$/).waitFor();
	await page.getByLabel("Interval, in cycles").fill("20000");
	await page.getByRole("button", { name: "Run", exact: true }).click();
	await page.waitForURL(/\/runs\/\d+$/);
	await page.locator("#live .spark path[d^='M']").first().waitFor();
	await page.getByText(/UDP packets received, 0 lost/).waitFor();
	const other = await visit(new URL(page.url()).pathname);
	await other.page.locator("#live .spark path[d^='M']").first().waitFor();
	holds(other.said.length === 0, String(other.said));
	await other.close();
});
await check("it goes on when the page is loaded again", async () => {
	await page.reload();
	await stateIs(page, "running");
	await page.locator("#live svg.time polygon").first().waitFor();
});
await check("counters are configured while it runs, with the keyboard alone", async () => {
	const summary = page.getByText("Count something else from now on");
	await summary.focus();
	await page.keyboard.press("Enter");
	await page.locator("#configure").getByText(/^[0-9,]+ functions$/).waitFor();
	await page.locator("#configure").getByLabel("Search functions").fill("db_set");
	const wanted = page.locator("#configure").getByRole("checkbox", { name: "l1d.misses in db_set", exact: true });
	await wanted.focus();
	await page.keyboard.press("Space");
	await page.getByRole("button", { name: "Count this" }).focus();
	await page.keyboard.press("Enter");
	await page.getByText("Accepted").waitFor();
	await page.locator("#live").getByText("l1d.misses@db_set").waitFor();
});
await check("it is stopped, and has a partial result", async () => {
	await page.getByRole("button", { name: "Stop" }).click();
	await stateIs(page, "partial");
	await page.frameLocator("iframe.result").getByText("partial").first().waitFor();
});
await check("two runs are compared", async () => {
	await page.goto(base + "/");
	for (const size of ["64", "128"]) {
		const answer = await page.evaluate(
			async (rob) => (await fetch("/api/v1/runs", { method: "POST", headers: { "Content-Type": "application/json" },
				body: JSON.stringify({ command: "run", program: "@hanoi:test", instructions: 100000, set: { "rob.size": rob } }) })).status,
			size,
		);
		holds(answer === 201, `answered ${answer}`);
	}
	await page.goto(base + "/runs/4");
	await stateIs(page, "partial");
	await page.goto(base + "/runs/3");
	await stateIs(page, "partial");
	await page.goto(base + "/#runs");
	await page.getByRole("checkbox", { name: "Compare run 3" }).check();
	await page.getByRole("checkbox", { name: "Compare run 4" }).check();
	await page.getByRole("button", { name: "Compare the ticked" }).click();
	await page.frameLocator("iframe.result").getByText("rob.size").first().waitFor();
});
await check("advice is ordered, and its document is shown", async () => {
	await page.goto(base + "/");
	await page.getByLabel("Workload", { exact: true }).selectOption("hanoi");
	await page.getByLabel("Size", { exact: true }).selectOption("test");
	await page.getByRole("checkbox", { name: /^Counters, live/ }).uncheck();
	await page.getByRole("checkbox", { name: /^Advise/ }).check();
	await page.getByText("Limits", { exact: true }).click();
	await page.getByLabel("Instructions", { exact: true }).fill("100000");
	await page.getByRole("button", { name: "Run", exact: true }).click();
	await page.waitForURL(/\/runs\/\d+$/);
	await stateIs(page, "done", "partial");
	await page.frameLocator("iframe.result").getByRole("heading", { name: /machine/i }).first().waitFor();
});
await check("a result is downloaded as a SQLite file", async () => {
	const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "SQLite" }).click()]);
	holds(/^cyclestack-\d+\.db$/.test(download.suggestedFilename()), download.suggestedFilename());
	await download.saveAs(join(directory, "downloaded.db"));
});
await check("what a sweep or model is made of is asked for where it is ticked", async () => {
	await page.goto(base + "/");
	const grid = page.getByLabel("Grid: every value with every other");
	holds(!(await grid.isVisible()), "no grid for counters");
	await page.getByRole("checkbox", { name: /^Model/ }).check();
	holds(await grid.isVisible(), "a grid");
	holds(await page.getByLabel(/simulate each machine too/).isVisible(), "a comparison");
});
await check("nothing went wrong on the way, and nobody else was asked", async () => {
	const wrong = user.said.filter((text) => !/status of 422|status of 409/.test(text));
	holds(wrong.length === 0, wrong.join(" | "));
	const foreign = user.asked.filter((address) => !address.startsWith(base + "/") && !address.startsWith("data:"));
	holds(foreign.length === 0, foreign.join(" "));
});
for (const path of ["/", "/compare", new URL(first).pathname])
	for (const scheme of ["light", "dark"])
		await check(`${path} fits a phone, ${scheme}`, async () => {
			const view = await visit(path, { viewport: { width: 360, height: 700 }, colorScheme: scheme });
			await view.page.locator("h1").first().waitFor();
			await view.page.waitForTimeout(500);
			const width = await view.page.evaluate(() => document.scrollingElement.scrollWidth);
			holds(width <= 360, `it is ${width} wide`);
			const nameless = await view.page.evaluate(() =>
				[...document.querySelectorAll("input, select, textarea, button, iframe, [role=region], [role=img]")]
					.filter((one) => !(one.labels?.length || one.getAttribute("aria-label") || one.title || one.textContent.trim()))
					.map((one) => one.outerHTML.slice(0, 80)),
			);
			holds(nameless.length === 0, "without a name: " + nameless.join(" "));
			await view.close();
		});
// The server is killed and started again, at the same place, while pages of it are open.
const order = (from, what) =>
	from.evaluate(
		async (body) => (await (await fetch("/api/v1/runs", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })).json()).id,
		what,
	);
await check("a server that is killed and started again: pages go on by themselves", async () => {
	const long = { command: "stat", program: "@objdb:ref", counters: ["committed"], every: 20000 };
	const watched = await order(page, long);
	await order(page, long);
	const waits = await order(page, { command: "exec", program: "@hanoi:test" });
	const running = await visit(`/runs/${watched}`),
		queued = await visit(`/runs/${waits}`);
	await running.page.locator("#live .spark path[d^='M']").first().waitFor();
	await stateIs(queued.page, "queued");
	for (const one of [running, queued]) await one.page.evaluate(() => (window.isTheSamePage = true));
	process.kill(Number(process.env.SERVE_PID), "SIGKILL");
	for (const one of [running, queued]) await one.page.getByText("The server does not answer.").waitFor();
	const server = spawn(process.env.CYCLESTACK, ["serve", "--listen", new URL(base).host, "--store", join(directory, "s.db"), "--jobs", "1"], { stdio: "ignore" });
	writeFileSync(join(directory, "second"), String(server.pid));
	server.unref();
	await stateIs(running.page, "interrupted");
	await running.page.getByText("The server ended while it was simulated; it has no result.").waitFor();
	await running.page.getByRole("button", { name: "Run again, with changes" }).waitFor();
	await stateIs(queued.page, "done");
	await queued.page.locator("pre.out").getByText(/^hanoi test/).waitFor();
	for (const one of [running, queued]) {
		holds(await one.page.evaluate(() => window.isTheSamePage === true), "it was not loaded again");
		holds((await one.page.getByText("The server does not answer.").count()) === 0, "the sentence is gone");
		await one.close();
	}
	await page.goto(first);
	await stateIs(page, "done");
	await page.frameLocator("iframe.result").getByText("committed@main").first().waitFor();
});
await browser.close();
console.log("done");
