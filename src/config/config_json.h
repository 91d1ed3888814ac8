/*
 * config_json.h - a machine's parameters as JSON: switches are true or false, numbers are numbers,
 * everything else is text as --set takes it.
 */
#ifndef CONFIG_CONFIG_JSON_H
#define CONFIG_CONFIG_JSON_H

#include <jansson.h>

#include "config/config.h"

/* One value. */
json_t *config_json_value(const struct config *config, enum config_id id);
/* Every parameter that applies to the machine, by its key, in the order of the rows. */
json_t *config_json_parameters(const struct config *config);

#endif
