// shoot.mjs URL DIRECTORY DONE LIVE: the pictures of docs/pictures of the page of a server, with the numbers of a run that is
// over and of a long one that is under way.
import { join } from "node:path";
import { launch } from "../page/browser.mjs";

const [base, directory, done, live] = process.argv.slice(2);
const browser = await launch();
const pages = [
	["serve-new", "/", 1400, 1300, "light"],
	["serve-live", `/runs/${live}`, 1400, 900, "light"],
	["serve-live", `/runs/${live}`, 1400, 900, "dark"],
	["serve-result", `/runs/${done}`, 1400, 1300, "light"],
	["serve-new", "/", 400, 900, "dark"],
	["serve-live", `/runs/${live}`, 400, 900, "light"],
	["serve-live", `/runs/${live}`, 400, 900, "dark"],
];
for (const [name, path, width, height, scheme] of pages) {
	const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
	const page = await context.newPage();
	await page.goto(base + path);
	await page.waitForTimeout(6000);
	if (name === "serve-result") await page.evaluate(() => scrollTo(0, 0));
	await page.screenshot({ path: join(directory, `${name}-${width}${scheme === "dark" ? "-dark" : ""}.png`) });
	await context.close();
}
await browser.close();
