#include "report/page/names.h"

#include "base/array.h"
#include "report/stack.h"

static const struct {
	const char *name, *meaning;
} methods[] = {
	{"exact", "charges every lost dispatch slot; may use what hardware cannot see"},
	{"naive", "misses times a fixed penalty; base is what remains"},
	{"naive-nonspec", "the same, counting only instructions that commit"},
	{"power5", "looks at the oldest instruction when nothing commits"},
	{"fmt", "frontend miss event table, every cycle charged once"},
	{"fmt-published", "frontend miss event table, to the letter of its paper"},
	{"sfmt", "the shared, simplified frontend miss event table"},
	{"afmt", "sfmt that knows a full window by the age of the miss at its head"},
};

json_t *page_names(void)
{
	json_t *component_list = json_array(), *cause_list = json_array(),
	       *method_list = json_array();

	for (int i = 0; i < STACK_COMPONENT_COUNT; i++)
		json_array_append_new(component_list, json_pack("[ss]", stack_components[i].name,
								stack_components[i].meaning));
	for (int i = 0; i < STACK_CAUSE_COUNT; i++) {
		enum stack_component two = stack_component_of((enum stack_cause)i, 2);
		bool moves = two != stack_component_of((enum stack_cause)i, 3);

		json_array_append_new(cause_list,
				      json_pack("[ss?s]", stack_causes[i].name,
						moves ? NULL : stack_components[two].name,
						stack_causes[i].meaning));
	}
	for (size_t i = 0; i < ARRAY_COUNT(methods); i++)
		json_array_append_new(method_list,
				      json_pack("[ss]", methods[i].name, methods[i].meaning));
	return json_pack("{s:o, s:o, s:o}", "components", component_list, "causes", cause_list,
			 "methods", method_list);
}
