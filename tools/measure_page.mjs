// measure_page.mjs PROGRAM INTERVALS: rows of tools/measure-page, of the server at SERVE_URL.
import { launch } from "../tests/page/browser.mjs";

const [, , program, wanted] = process.argv;
const base = process.env.SERVE_URL;
const browser = await launch();
const patience = 1200000;
const row = (what, value) => console.log(`| ${what} | ${value} |`);
const seconds = async (what, act) => {
	const begin = performance.now();
	const more = await act();
	row(what, `${((performance.now() - begin) / 1000).toFixed(1)} s${more ? ", " + more : ""}`);
};
async function open() {
	const page = await (await browser.newContext({ viewport: { width: 1400, height: 900 } })).newPage();
	page.setDefaultTimeout(patience);
	return page;
}
const post = (page, body) =>
	page.evaluate(
		async (text) => {
			const answer = await fetch("/api/v1/runs", { method: "POST", headers: { "Content-Type": "application/json" }, body: text });
			return (await answer.json()).id;
		},
		JSON.stringify(body),
	);
const get = (page, path) => page.evaluate(async (from) => (await fetch(from)).json(), "/api/v1" + path);
const over = (page) =>
	page.waitForFunction(() => ["done", "partial", "failed"].includes(document.querySelector(".state")?.textContent), null, { timeout: patience });
// How long the page does not answer, at most, while `act` is done.
async function longest(page, act) {
	await page.evaluate(() => {
		window.longest = 0;
		let last = performance.now();
		window.timer = setInterval(() => {
			const now = performance.now();
			window.longest = Math.max(window.longest, now - last);
			last = now;
		}, 10);
	});
	await act();
	return page.evaluate(() => (clearInterval(window.timer), window.longest / 1000));
}

const page = await open();
await page.goto(base + "/");
await page.getByText(/^[0-9,]+ functions$/).waitFor();
await seconds("the upload of a large program, until its functions are in the table", async () => {
	await page.getByLabel("or upload a RISC-V Linux program (ELF)").setInputFiles(program);
	await page.getByText(/^1?[0-9]?[0-9],[0-9]+ functions$/).waitFor();
	return page.getByText(/^[0-9,]+ functions$/).textContent();
});
await seconds("a search among them, until what is found is there", async () => {
	await page.getByLabel("Search functions").fill("function_0777");
	await page.getByRole("checkbox", { name: "committed in function_07777", exact: true }).waitFor();
});
await seconds("a tick, until it is in the list of what is counted", async () => {
	await page.getByRole("checkbox", { name: "committed in function_07777", exact: true }).check();
	await page.getByText("committed in function_07777").first().waitFor();
});
const { uploads } = await get(page, "/uploads");

// How long an interval must be, for there to be so many.
const order = { command: "stat", program: "@hanoi:small", counters: ["committed", "l1d.misses@main"], instructions: 2000000 };
await page.goto(`${base}/runs/${await post(page, { ...order, every: 1000000000 })}`);
await over(page);
const once = await get(page, new URL(page.url()).pathname + "/result/json");
const cycles = once.counters.find((one) => one.signal === "cycles").total;
const id = await post(page, { ...order, every: Math.floor(cycles / Number(wanted)) });
await seconds("a run that is watched, until counters are drawn", async () => {
	await page.goto(`${base}/runs/${id}`);
	await page.locator("#live .spark path[d^='M']").first().waitFor();
});
row("the longest time in which the page does not answer while it is watched to its end", `${(await longest(page, () => over(page))).toFixed(1)} s`);
const result = await get(page, `/runs/${id}/result/json`);
row("its intervals", result.counters[0].intervals.length.toLocaleString("en"));
for (const format of ["json", "html"]) {
	const bytes = await page.evaluate(async (path) => (await (await fetch(path)).blob()).size, `/api/v1/runs/${id}/result/${format}`);
	row(`its result as ${format}`, `${(bytes / 1048576).toFixed(1)} MB`);
}
const again = await open();
await seconds("its page opened again, until the result is there and answers", async () => {
	await again.goto(`${base}/runs/${id}`);
	const frame = again.frameLocator("iframe.result");
	await frame.getByText("committed").first().waitFor();
	await frame.locator("body").evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))));
});
await seconds("a run of the large program by itself, its page opened again until the result is there", async () => {
	const large = await post(again, { command: "run", program: uploads[0].id, name: "large" });
	await again.goto(`${base}/runs/${large}`);
	await over(again);
	await again.frameLocator("iframe.result").getByText("function_").first().waitFor();
	return "with its simulation";
});
await browser.close();
