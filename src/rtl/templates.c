#include "rtl/templates.h"

#include <string.h>

#include "base/array.h"
#include "base/embed.h"
#include "base/err.h"

EMBED(rtl_bench, "src/rtl/templates/bench.v");
EMBED(rtl_makefile, "src/rtl/templates/Makefile.in");
EMBED(rtl_counters, "src/rtl/templates/counters.v");
EMBED(rtl_power5, "src/rtl/templates/power5.v");
EMBED(rtl_tables, "src/rtl/templates/tables.v");
EMBED(rtl_fmt, "src/rtl/templates/fmt.v");
EMBED(rtl_sfmt, "src/rtl/templates/sfmt.v");
EMBED(rtl_window, "src/rtl/templates/window.v");
EMBED(rtl_blocked, "src/rtl/templates/blocked.v");
EMBED(rtl_branch_table, "src/rtl/templates/branch_table.v");
EMBED(rtl_vclk, "src/rtl/templates/vclk.v");
EMBED(rtl_vclk_access, "src/rtl/templates/vclk_access.v");
EMBED(rtl_vclk_stamps, "src/rtl/templates/vclk_stamps.v");
EMBED(rtl_vclk_units, "src/rtl/templates/vclk_units.v");
EMBED(rtl_vclk_waits, "src/rtl/templates/vclk_waits.v");
EMBED(rtl_stats, "src/rtl/templates/stats.v");
EMBED(rtl_stats_naive, "src/rtl/templates/stats_naive.v");
EMBED(rtl_statistics_module, "src/rtl/templates/statistics_module.v");
EMBED(rtl_statistics_naive, "src/rtl/templates/statistics_naive.v");
EMBED(rtl_statistics_parts, "src/rtl/templates/statistics_parts.v");

#define ROW(name)                                                 \
	{                                                         \
#name, rtl_##name##_bytes, rtl_##name##_bytes_end \
	}

static const struct {
	const char *name, *bytes, *end;
} rows[] = {
	ROW(bench),
	ROW(makefile),
	ROW(counters),
	ROW(power5),
	ROW(tables),
	ROW(fmt),
	ROW(sfmt),
	ROW(window),
	ROW(blocked),
	ROW(branch_table),
	ROW(vclk),
	ROW(vclk_access),
	ROW(vclk_stamps),
	ROW(vclk_units),
	ROW(vclk_waits),
	ROW(stats),
	ROW(stats_naive),
	ROW(statistics_module),
	ROW(statistics_naive),
	ROW(statistics_parts),
};

struct rtl_template template_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return (struct rtl_template){rows[i].bytes,
						     (size_t)(rows[i].end - rows[i].bytes)};
	BUG("there is no template %s", name);
}
