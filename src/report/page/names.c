#include "report/page/names.h"

#include "base/array.h"
#include "value/component.h"

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

	for (int i = 0; i < COMPONENT_COUNT; i++)
		json_array_append_new(component_list, json_pack("[ss]", component_rows[i].name,
								component_rows[i].meaning));
	for (int i = 0; i < CAUSE_COUNT; i++) {
		enum component two = cause_component(2, (enum cause)i);
		bool moves = two != cause_component(3, (enum cause)i);

		json_array_append_new(cause_list, json_pack("[ss?s]", cause_rows[i].name,
							    moves ? NULL : component_rows[two].name,
							    cause_rows[i].meaning));
	}
	for (size_t i = 0; i < ARRAY_COUNT(methods); i++)
		json_array_append_new(method_list,
				      json_pack("[ss]", methods[i].name, methods[i].meaning));
	return json_pack("{s:o, s:o, s:o}", "components", component_list, "causes", cause_list,
			 "methods", method_list);
}
