#include "report/page/assets.h"

/* The path is relative to the root of the source, where the compiler is started. */
#define TAKE_IN(name, file)                                                                        \
	__asm__(".pushsection .rodata.page_" #name ", \"a\", @progbits\n"                          \
		".globl page_bytes_" #name "\n"                                                    \
		".hidden page_bytes_" #name "\n"                                                   \
		"page_bytes_" #name ":\n"                                                          \
		".incbin \"src/report/page/" file "\"\n"                                           \
		".globl page_bytes_" #name "_end\n"                                                \
		".hidden page_bytes_" #name "_end\n"                                               \
		"page_bytes_" #name "_end:\n"                                                      \
		".byte 0\n"                                                                        \
		".popsection\n");                                                                  \
	extern const char page_bytes_##name[] __attribute__((visibility("hidden")));               \
	extern const char page_bytes_##name##_end[] __attribute__((visibility("hidden")));         \
	struct page_asset page_asset_##name(void)                                                  \
	{                                                                                          \
		return (struct page_asset){page_bytes_##name,                                      \
					   (size_t)(page_bytes_##name##_end - page_bytes_##name)}; \
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
