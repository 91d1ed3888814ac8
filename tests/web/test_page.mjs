// test_page.mjs DIRECTORY: uses the page of the server at SERVE_URL as a person would, and prints a line "ok NAME" or
// "not ok NAME: WHY" for each thing promised.
import { join } from "node:path";
import { launch } from "../page/browser.mjs";

const directory = process.argv[2],
	base = process.env.SERVE_URL;
const browser = await launch();
const patience = 120000;

async function check(name, promise) {
	try {
		await promise();
		console.log(`ok ${name}`);
	} catch (error) {
		console.log(`not ok ${name}: ${String(error.message || error).split("\n").slice(0, 5).join(" ")}`);
	}
}
const holds = (condition, what) => {
	if (!condition) throw new Error(what);
};
async function visit(path, options = {}) {
	const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
	const page = await context.newPage();
	page.setDefaultTimeout(patience);
	const said = [],
		asked = [];
	page.on("console", (message) => said.push(message.text()));
	page.on("pageerror", (error) => said.push(String(error)));
	page.on("request", (request) => asked.push(request.url()));
	await page.goto(base + path);
	return { page, said, asked, close: () => context.close() };
}
const tick = (page, name) => page.getByRole("checkbox", { name, exact: true });
const stateIs = (page, ...states) =>
	page.waitForFunction((wanted) => wanted.includes(document.querySelector(".state")?.textContent), states, { timeout: patience });

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
await browser.close();
console.log("done");
