// hostile.mjs DRIVER FILE.json >HOSTILE.json: a result whose names, of programs, functions, files and whatever else
// may be any text, would do something in a page. Which members may be any text the driver says, by accepting it.
// Prints to standard error how many kinds of member that are.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [driver, file] = process.argv.slice(2);
const result = JSON.parse(readFileSync(file, "utf8"));
const evil = `<script>window.injected = 1</script>"'&</title><img src=x onerror="window.injected = 1">\u202e`;
const directory = mkdtempSync(join(tmpdir(), "hostile-"));
const changed = join(directory, "changed.json");

function isAccepted() {
	writeFileSync(changed, JSON.stringify(result));
	try {
		execFileSync(driver, [changed], { stdio: ["ignore", "ignore", "ignore"], maxBuffer: 1 << 28 });
		return true;
	} catch {
		return false;
	}
}

// Every place of a text, by the names of the members that lead to it.
const places = new Map();
function find(node, path) {
	for (const [key, value] of Object.entries(node)) {
		const name = Array.isArray(node) ? `${path}[]` : `${path}.${key}`;
		if (typeof value === "string") places.set(name, [...(places.get(name) ?? []), [node, key, value]]);
		else if (value && typeof value === "object") find(value, name);
	}
}
find(result, "");
let count = 0;
for (const list of places.values()) {
	// Names that differ stay apart.
	for (const [node, key, value] of list) node[key] = `${evil} ${value}`;
	if (isAccepted()) count++;
	else for (const [node, key, value] of list) node[key] = value;
}
rmSync(directory, { recursive: true });
console.error(count);
process.stdout.write(JSON.stringify(result));
