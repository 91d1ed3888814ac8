// Moves what judge.js has drawn under the figures of the paper that show it; shows words when a
// reader points at a plot.

// data-part is "section" or "section:heading": a section's content without its heading, or what
// follows a heading up to the next.
function fillSlot(slot) {
	const [id, heading] = slot.dataset.part.split(":");
	const from = document.getElementById(id);
	if (!from || from === slot) return;
	const parts = [...from.children].filter(({ tagName }) => tagName !== "H2");
	if (!heading) {
		slot.replaceChildren(...parts);
		return;
	}
	const first = parts.findIndex((part) => part.tagName === "H3" && part.textContent === heading);
	if (first < 0) return;
	const end = parts.findIndex((part, i) => i > first && part.tagName === "H3");
	slot.replaceChildren(
		...parts.filter((part) => part.className === "note").map((part) => part.cloneNode(true)),
		...parts.slice(first + 1, end < 0 ? undefined : end),
	);
}

// A plot's values: {x, name, shown, other, places, left, right, width, length, series: [[words, values,
// others]]}; see papers/content_html.c.
function plotWords(box) {
	const { x, name, shown, other, places, left, right, width, length, series } = JSON.parse(
		box.dataset.values,
	);
	const drawing = box.querySelector("svg");
	tip(drawing, (event) => {
		const { left: start, width: wide } = drawing.getBoundingClientRect();
		const across = ((event.clientX - start) / wide) * width;
		const at = Math.floor(((across - left) / (width - left - right)) * length);
		if (at < 0 || at >= length) return null;
		return {
			title: `${name} ${x + at}: ${shown}${other ? ` (${other})` : ""}`,
			lines: series.map(([words, values, others]) => [
				"",
				words,
				others.length
					? [fixed(values[at], places), `(${others[at]})`]
					: fixed(values[at], places),
			]),
		};
	});
}

for (const slot of page.querySelectorAll(".slot")) fillSlot(slot);
for (const id of ["stacks", "events", "storage", "overlap"]) document.getElementById(id)?.remove();
for (const box of page.querySelectorAll("[data-values]")) plotWords(box);

const links = document.getElementById("contents");
const pick = links.querySelector(".pick");
links.replaceChildren();
contents();
if (pick) {
	links.append(pick);
	links.querySelector("a[href='#chosen']").hidden = true;
}
