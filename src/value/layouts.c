#include "value/layout.h"

#include <stddef.h>

#define ONE	 LAYOUT_ONE
#define LIST	 LAYOUT_LIST
#define MAP	 LAYOUT_MAP
#define OPTIONAL LAYOUT_MAY_BE_MISSING
#define NULLABLE LAYOUT_MAY_BE_NULL
#define COMPARED LAYOUT_COMPARED

#define PART(id)   static const struct layout_member id##_members[] = {
#define RESULT(id) PART(id)
#define MEMBER(text, of_shape, of_kind, bits, in_unit, about) \
	{.name = text,                                        \
	 .shape = of_shape,                                   \
	 .kind = LAYOUT_##of_kind,                            \
	 .flags = bits,                                       \
	 .unit = in_unit,                                     \
	 .meaning = about},
#define OBJECT(text, of_shape, part, bits, about) \
	{.name = text,                            \
	 .shape = of_shape,                       \
	 .kind = LAYOUT_OBJECT,                   \
	 .flags = bits,                           \
	 .unit = "",                              \
	 .meaning = about,                        \
	 .of = &(part)},
/* clang-format off */
#define LAST_ROW {0} };
/* clang-format on */
#define END(id, title, about) \
	LAST_ROW              \
	static const struct layout id = {.name = title, .meaning = about, .members = id##_members};
#define END_RESULT(id, command, is, about) \
	LAST_ROW                           \
	const struct layout id = {         \
		.name = command, .schema = is, .meaning = about, .members = id##_members};
#define END_OTHERS(id, title, about, of_kind, in_unit, others_about)                 \
	LAST_ROW                                                                     \
	static const struct layout_member id##_others = {                            \
		.kind = LAYOUT_##of_kind, .unit = in_unit, .meaning = others_about}; \
	static const struct layout id = {                                            \
		.name = title, .meaning = about, .members = id##_members, .others = &id##_others};

#include "value/layouts.def"

const struct layout *const layout_facts = &facts;

const struct layout *const layouts[] = {
	&layout_run_1,	     &layout_run,	   &layout_stat,
	&layout_collected,   &layout_repeat,	   &layout_exec,
	&layout_advise,	     &layout_judge,	   &layout_sweep,
	&layout_reproduce,   &layout_diff,	   &layout_results,
	&layout_query,	     &layout_signals,	   &layout_explain,
	&layout_workloads,   &layout_measure,	   &layout_model,
	&layout_inspect,     &layout_compose,	   &layout_trace,
	&layout_cycles,	     &layout_config,	   &layout_config_list,
	&layout_config_keys, &layout_config_check, &layout_config_diff,
	&layout_trace_head,  &layout_cycles_head,  NULL};
