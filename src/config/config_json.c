#include "config/config_json.h"

json_t *config_json_value(const struct config *config, enum config_id id)
{
	char text[CONFIG_TEXT_BYTES];
	uint32_t value = config_get(config, id);

	if (config_rows[id].type == CONFIG_IS_SWITCH)
		return json_boolean(value);
	config_value_text(config, id, text);
	if (config_rows[id].type == CONFIG_IS_LIST)
		return json_string(text);
	if (text[0] >= '0' && text[0] <= '9')
		return json_integer(value);
	return json_string(text);
}

json_t *config_json_parameters(const struct config *config)
{
	json_t *parameters = json_object();

	for (enum config_id id = 0; id < CONFIG_COUNT; id++)
		if (config_is_named(config, id))
			json_object_set_new(parameters, config_rows[id].key,
					    config_json_value(config, id));
	return parameters;
}
