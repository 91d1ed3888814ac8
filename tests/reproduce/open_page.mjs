// open_page.mjs PAGE.html: prints ok if a real reproduction's page opens without an error and shows
// something under every figure.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "../page/browser.mjs";

const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
const complaints = [];
page.on("console", (message) => complaints.push(message.text()));
page.on("pageerror", (error) => complaints.push(String(error)));
await page.goto(pathToFileURL(resolve(process.argv[2])).href);
await page.waitForTimeout(300);
const figures = await page.$$eval("section[id^=figure], section[id^=table]", (list) =>
	list.map((one) => [one.id, one.querySelectorAll("svg.plot, table, .card").length]),
);
if (figures.length !== 14) complaints.push(`${figures.length} figures`);
for (const [id, count] of figures) if (!count) complaints.push(`${id} is empty`);
await browser.close();
console.log(complaints.length ? complaints.join("\n") : "ok");
