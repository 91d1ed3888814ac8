// A headless Chromium. PLAYWRIGHT is the folder playwright-core was installed into (one that has
// node_modules), CHROMIUM the program; both have defaults.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export async function launch() {
	const folder = process.env.PLAYWRIGHT || dirname(fileURLToPath(import.meta.url));
	const { chromium } = createRequire(join(folder, "package.json"))("playwright-core");
	// The sandbox needs rights that containers and root do not have; the only page is our own.
	return chromium.launch({
		executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: ["--no-sandbox"],
	});
}
