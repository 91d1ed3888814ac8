// A reproduction may hold a judgement, which judge.js draws; it finds it as if it stood alone. Variants
// of one rule have a table of their own, so that the drawings show what papers show.
const isVariant = (method) => method === "fmt-rob" || method.startsWith("sfmt-");

for (const object of [
	...Object.values(result.judge.summary),
	...result.judge.programs.flatMap((program) => [
		program.methods,
		...Object.values(program.per_event || {}),
	]),
])
	for (const method of Object.keys(object).filter(isVariant)) delete object[method];
// Under the names the paper has for them, too.
for (const program of result.judge.programs) {
	const pair = result.programs.find(({ name }) => name === program.name);
	if (pair) program.name = `${pair.paper}: ${pair.ours}`;
}
Object.assign(result, result.judge);
// The errors are drawn in place of what scrolls in an element of that name.
const errorsSlot = page.querySelector(".slot[data-part=errors]");
errorsSlot.id = "errors";
errorsSlot.replaceChildren(el("div", { class: "scroll" }));
