// visit.mjs - what tests of the server's page share: a browser, pages in it, and lines "ok NAME" or "not ok NAME: WHY".
import { launch } from "../page/browser.mjs";

export const patience = 120000;
export const browser = await launch();

export async function check(name, promise) {
	try {
		await promise();
		console.log(`ok ${name}`);
	} catch (error) {
		console.log(`not ok ${name}: ${String(error.message || error).split("\n").slice(0, 5).join(" ")}`);
	}
}
export const holds = (condition, what) => {
	if (!condition) throw new Error(what);
};
// A page of its own user, what it said to the console, and what it asked for.
export async function visit(address, options = {}) {
	const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
	const page = await context.newPage();
	page.setDefaultTimeout(patience);
	const said = [],
		asked = [];
	page.on("console", (message) => said.push(message.text()));
	page.on("pageerror", (error) => said.push(String(error)));
	page.on("request", (request) => asked.push(request.url()));
	await page.goto(address);
	return { page, said, asked, close: () => context.close() };
}
export const stateIs = (page, ...states) =>
	page.waitForFunction((wanted) => wanted.includes(document.querySelector(".state")?.textContent), states, { timeout: patience });
