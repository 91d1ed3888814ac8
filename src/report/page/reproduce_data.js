// A reproduction may contain a judgement, which judge.js draws; it finds it as if it were the
// page's result. Variants of one rule have a separate table, so that the drawings show what papers
// show.
const isVariant = (method) => method === "fmt-rob" || method.startsWith("sfmt-");

for (const object of [
	...Object.values(result.judge.summary),
	...result.judge.programs.flatMap((program) => [
		program.methods,
		...Object.values(program.per_event || {}),
	]),
])
	for (const method of Object.keys(object).filter(isVariant)) delete object[method];
// Programs also have the names that the paper uses.
for (const program of result.judge.programs) {
	const pair = result.programs.find(({ name }) => name === program.name);
	if (pair) program.name = `${pair.paper}: ${pair.ours}`;
}
Object.assign(result, result.judge);
// The errors are drawn in place of the scrolling table in an element of that name.
const errorsSlot = page.querySelector(".slot[data-part=errors]");
errorsSlot.id = "errors";
errorsSlot.replaceChildren(el("div", { class: "scroll" }));
