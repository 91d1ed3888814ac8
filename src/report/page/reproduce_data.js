// A reproduction holds a judgement, which judge.js draws; it finds it as if it stood alone. Variants
// of one rule have a table of their own (figure 10), so that the drawings show what the paper shows.
const allMethods = result.judge.programs.length ? { ...result.judge.programs[0].methods } : {};
const allErrors = structuredClone(result.judge.summary);
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
