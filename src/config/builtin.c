/* The machine of a command that names none: configs/midcore.cfg, kept in the program so that it
 * needs no file. */
#include "base/err.h"
#include "config/config.h"

/* The path is relative to the root of the source, where the compiler is started. */
__asm__(".pushsection .rodata.config_default_text, \"a\", @progbits\n"
	".globl config_default_text\n"
	".hidden config_default_text\n"
	"config_default_text:\n"
	".incbin \"configs/" CONFIG_DEFAULT ".cfg\"\n"
	".globl config_default_text_end\n"
	".hidden config_default_text_end\n"
	"config_default_text_end:\n"
	".byte 0\n"
	".popsection\n");
extern const char config_default_text[] __attribute__((visibility("hidden")));
extern const char config_default_text_end[] __attribute__((visibility("hidden")));

void config_default(struct config *config)
{
	struct err err;

	config_reset(config);
	bool ok = config_load_text(config, config_default_text,
				   (size_t)(config_default_text_end - config_default_text),
				   CONFIG_DEFAULT, NULL, &err);
	BUG_ON(!ok);
}
