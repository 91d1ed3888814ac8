// shoot.mjs PAGE.html NAME [dark] [top]: NAME-1200.png and NAME-360.png, the page at both widths, or the
// top of it.
// PLAYWRIGHT names the folder that tests/page/install made.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const [file, name, ...how] = process.argv.slice(2);
if (!file || !name) {
	console.error("usage: shoot.mjs PAGE.html NAME [dark] [top]");
	process.exit(2);
}
const browser = await launch();
for (const [width, height] of [
	[1200, 1000],
	[360, 640],
]) {
	const page = await browser.newPage({
		viewport: { width, height },
		colorScheme: how.includes("dark") ? "dark" : "light",
		deviceScaleFactor: width < 600 ? 2 : 1,
	});
	await page.goto(pathToFileURL(resolve(file)).href);
	await page.waitForTimeout(300);
	await page.screenshot({ path: `${name}-${width}.png`, fullPage: !how.includes("top") });
	await page.close();
}
await browser.close();
