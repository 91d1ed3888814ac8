#include "report/page/assets.h"

#include "base/embed.h"

#define TAKE_IN(name, file)                                                                  \
	EMBED(page_##name, "src/report/page/" file);                                         \
	struct page_asset page_asset_##name(void)                                            \
	{                                                                                    \
		return (struct page_asset){page_##name##_bytes, EMBEDDED_SIZE(page_##name)}; \
	}

TAKE_IN(style, "page.css")
TAKE_IN(patterns, "patterns.svg")
TAKE_IN(common, "common.js")
TAKE_IN(charts, "charts.js")
TAKE_IN(functions, "functions.js")
TAKE_IN(run, "run.js")
TAKE_IN(judge, "judge.js")
TAKE_IN(reproduce_data, "reproduce_data.js")
TAKE_IN(reproduce_figures, "reproduce_figures.js")
