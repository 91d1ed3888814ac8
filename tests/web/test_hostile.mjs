// test_hostile.mjs DIRECTORY: what the pages of runs, named in DIRECTORY/numbers, say of what their programs tried.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { browser, check, holds, stateIs, visit } from "./visit.mjs";

const numbers = Object.fromEntries(
	readFileSync(join(process.argv[2], "numbers"), "utf8")
		.trim()
		.split("\n")
		.map((line) => line.split(" ")),
);
const WANTED = {
	files: ["done", [/^The program tried to open "\/etc\/passwd", which was not given to it: /]],
	connect: ["done", [/^The program tried to reach a network \(IPv4\): /]],
	fork: ["done", [/^The program tried to start another process \(fork\): /]],
	exec: ["done", [/^The program tried to become another program \(exec\): /]],
	memory: ["done", [/^The program tried to fill more memory than the [0-9]+ bytes that it may: it was killed\.$/]],
	disk: ["done", [/^The program tried to write "\/files\/filled": /, /"\/tmp\/filled"/, /more memory than the [0-9]+ bytes/]],
	print: ["partial", [/^The program printed more than the 4096 bytes that are kept/, /^The program went on for longer than it may: /]],
	ever: ["partial", [/^The program went on for longer than it may: it was stopped when its time was over/]],
	read: ["done", []],
};
for (const [what, [state, sentences]] of Object.entries(WANTED))
	await check(`${what}: the page says what was tried`, async () => {
		const view = await visit(`${process.env.SERVE_URL}/runs/${numbers[what]}`);
		await stateIs(view.page, state);
		const found = await view.page.locator("#contained li").allTextContents();
		holds(found.length === sentences.length && sentences.every((one, i) => one.test(found[i])), found.join(" | "));
		holds((await view.page.locator("#contained").isVisible()) === sentences.length > 0, "shown if there is something to say");
		holds((await view.page.locator("main b").count()) === 0, "a name is text");
		holds(view.said.length === 0, view.said.join(" | "));
		await view.close();
	});
await browser.close();
console.log("done");
