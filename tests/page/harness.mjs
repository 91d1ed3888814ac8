// harness.mjs - what tests of pages in a browser share: lines "ok NAME" and "not ok NAME: WHY", opened
// pages with what they said and asked for, and measures of a page.
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const browser = await launch();
export const finish = async () => {
	await browser.close();
	console.log("done");
};

export async function check(name, promise) {
	try {
		await promise();
		console.log(`ok ${name}`);
	} catch (error) {
		const why = String(error.message || error).split("\n").slice(0, 4);
		console.log(`not ok ${name}: ${why.join(" ")}`);
	}
}
export function same(got, wanted, what = "") {
	const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
	if (a !== b) throw new Error(`${what} got ${a}, wanted ${b}`);
}
export function holds(condition, what) {
	if (!condition) throw new Error(what);
}

// An opened page of the directory with its messages and requests.
export async function open(directory, name, options = {}) {
	const context = await browser.newContext({
		viewport: { width: 1200, height: 800 },
		...options,
	});
	const page = await context.newPage();
	const said = [],
		asked = [];
	page.on("console", (message) => said.push(message.text()));
	page.on("pageerror", (error) => said.push(String(error)));
	page.on("request", (request) => asked.push(request.url()));
	const url = pathToFileURL(join(resolve(directory), name + ".html")).href;
	const begin = Date.now();
	await page.goto(url);
	await page.waitForTimeout(150);
	return { page, said, asked, url, took: Date.now() - begin, close: () => context.close() };
}

export const number = (text) => Number(text.replace(/[^0-9.-]/g, ""));
export const widthOf = (page) => page.evaluate(() => document.scrollingElement.scrollWidth);
export const headers = (page, table) =>
	page.$$eval(`${table} > thead th`, (list) =>
		list.map((th) => th.innerText.replace(/[^\w .-]/g, "").trim()),
	);
// The texts of one column in the rows of level 0 that are to be seen.
export const columnTexts = (page, table, index) =>
	page.$$eval(
		`${table} > tbody > tr:not([data-l]):not([hidden])`,
		(rows, k) => rows.map((row) => row.children[k].innerText.trim()),
		index,
	);

// The lowest contrast of text with what is behind it, in this scheme: [ratio, element].
export const contrast = (page) =>
	page.evaluate(() => {
		const channels = (color) => color.match(/[\d.]+/g).map(Number);
		const light = (color) => {
			const [r, g, b] = channels(color).map((c) =>
				(c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4,
			);
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		// The first background that hides all others; "" if a pale one comes before it.
		const paperOf = (element) => {
			for (let behind = element; behind; behind = behind.parentElement) {
				const paper = getComputedStyle(behind).backgroundColor;
				const alpha = channels(paper)[3];
				if (alpha === undefined || alpha > 0.9) return paper;
				if (alpha > 0) return "";
			}
			return "";
		};
		let worst = [21, ""];
		const walker = document.createTreeWalker(
			document.getElementById("page"),
			NodeFilter.SHOW_TEXT,
		);
		while (walker.nextNode()) {
			const element = walker.currentNode.parentElement;
			const isOurs = !element.closest("svg.bar, script, noscript, [aria-pressed=false], [opacity]");
			if (!walker.currentNode.data.trim() || !isOurs || !element.checkVisibility()) continue;
			if (element.matches(".node text")) continue;
			const paper = paperOf(element);
			if (!paper) continue;
			const style = getComputedStyle(element);
			const ink = element instanceof SVGElement ? style.fill : style.color;
			const [a, b] = [light(ink), light(paper)].sort((x, y) => y - x);
			const value = (a + 0.05) / (b + 0.05);
			if (value < worst[0]) worst = [value, element.outerHTML.slice(0, 100)];
		}
		return worst;
	});

// [policy violations, type of what a foreign script would have made, requests that arrived] when a
// script on the page asks for three things.
export async function breakOut(page) {
	let reached = 0;
	const server = createServer((request, response) => {
		reached++;
		response.end();
	});
	await new Promise((done) => server.listen(0, "127.0.0.1", done));
	const stopped = await page.evaluate(async (address) => {
		let count = 0;
		document.addEventListener("securitypolicyviolation", () => count++);
		await fetch(address).catch(() => {});
		const image = document.createElement("img"),
			script = document.createElement("script");
		image.src = address;
		script.textContent = "window.foreign = 1";
		document.body.append(image, script);
		await new Promise((done) => setTimeout(done, 300));
		return [count, typeof window.foreign];
	}, `http://127.0.0.1:${server.address().port}/`);
	server.close();
	return [...stopped, reached];
}
