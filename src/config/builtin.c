/* The machine of a command that names none: configs/midcore.cfg, kept in the program so that it
 * needs no file. */
#include "base/embed.h"
#include "base/err.h"
#include "config/config.h"

EMBED(config_default, "configs/" CONFIG_DEFAULT ".cfg");

void config_default(struct config *config)
{
	struct err err;

	config_reset(config);
	bool ok = config_load_text(config, config_default_bytes, EMBEDDED_SIZE(config_default),
				   CONFIG_DEFAULT, NULL, &err);
	BUG_ON(!ok);
}
