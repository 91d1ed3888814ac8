// open_speedscope.mjs FOLDER FILE NAME...: opens the speedscope of that folder (the npm package) in a headless Chromium,
// loads the file and prints what its sandwich view says: "total", the sum of all that functions have themselves, and how
// many there are; then for each function named "NAME TOTAL SELF".
// PLAYWRIGHT and CHROMIUM are as for the tests of pages.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "../tests/page/browser.mjs";

const [folder, file, ...names] = process.argv.slice(2);
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1200, height: 20000 } });
const said = [];
page.on("pageerror", (error) => said.push(String(error)));
// As its own command does it: a script beside the page hands over the bytes.
const script = join(mkdtempSync(join(tmpdir(), "speedscope-")), "profile.js");
writeFileSync(
	script,
	`speedscope.loadFileFromBase64(${JSON.stringify(basename(file))}, ${JSON.stringify(readFileSync(file).toString("base64"))})`,
);
await page.goto(
	pathToFileURL(join(resolve(folder), "dist/release/index.html")).href + "#localProfilePath=" + script,
);
await page.getByText("Sandwich").click();
await page.waitForSelector("table tr td");
await page.waitForTimeout(500);
const rows = await page.$$eval("table tr", (list) =>
	list.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.innerText.trim())),
);
if (process.env.SHOT)
	await page.screenshot({ path: process.env.SHOT, clip: { x: 0, y: 0, width: 1200, height: 700 } });
const weight = (text) => Number(text.split(" ")[0].replace(/,/g, ""));
const functions = rows.filter((row) => row.length === 3);
if (said.length) throw new Error(said.join("; "));
console.log("total", functions.reduce((sum, row) => sum + weight(row[1]), 0), functions.length);
for (const name of names) {
	const row = functions.find((one) => one[2] === name);
	console.log(name, row ? `${weight(row[0])} ${weight(row[1])}` : "is not there");
}
await browser.close();
