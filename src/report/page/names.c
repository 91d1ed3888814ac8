#include "report/page/names.h"

#include <stdio.h>

#include "base/err.h"
#include "count/count.h"
#include "value/component.h"
#include "value/topdown.h"

/* Variants of one rule are left out: the style sheet has no colour for them. */
static json_t *methods(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < observer_methods(); i++)
		if (observer_kinds[i]->is_usual)
			json_array_append_new(list, json_pack("[ss]", observer_kinds[i]->name,
							      observer_kinds[i]->summary));
	return list;
}

/* [[group, component, {slot: component}]...]: what each group is made of, and in which colours. */
static json_t *topdown(void)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < TOPDOWN_GROUPS; i++) {
		json_t *slots = json_object();

		for (unsigned k = 0; k < TOPDOWN_COUNT; k++)
			if (topdown_slots[k].group == i)
				json_object_set_new(
					slots, topdown_slots[k].name,
					json_string(
						component_rows[topdown_slots[k].component].name));
		json_array_append_new(
			list, json_pack("[sso]", topdown_groups[i].name,
					component_rows[topdown_groups[i].component].name, slots));
	}
	return list;
}

json_t *page_names(void)
{
	json_t *components = json_array();

	for (int i = 0; i < COMPONENT_COUNT; i++)
		json_array_append_new(components, json_pack("[ss]", component_rows[i].name,
							    component_rows[i].meaning));
	return json_pack("{s:o, s:o, s:o}", "components", components, "methods", methods(),
			 "topdown", topdown());
}

json_t *page_causes(unsigned levels)
{
	json_t *causes = json_object();

	for (int i = 0; i < CAUSE_COUNT; i++) {
		enum component component = cause_component(levels, (enum cause)i);

		json_object_set_new(causes, cause_rows[i].name,
				    json_string(component_rows[component].name));
	}
	return causes;
}

char *page_component_style(void)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	BUG_ON(!out);
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		const char *name = component_rows[i].name;

		fprintf(out,
			":root { --%s: %s; } .%s { fill: var(--%s); } "
			"i.swatch.%s { background: var(--%s); } "
			"svg text.on-%s { fill: var(--on-%s); }\n",
			name, component_rows[i].rgb, name, name, name, name, name,
			component_rows[i].is_dark ? "dark" : "light");
	}
	BUG_ON(fclose(out) != 0);
	return text;
}
