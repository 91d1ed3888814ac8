#include "cmd/key.h"

bool key_from_args(struct packet_key *key, const struct args *args, struct err *err)
{
	const char *path = args_get(args, OPTION_KEY);
	bool is_open;

	*key = (struct packet_key){0};
	if (!path)
		return true;
	if (!link_key_read(key, path, &is_open, err))
		return false;
	if (is_open) {
		struct err warning;

		err_set(&warning,
			"other users may read or change the key %s: chmod go= would keep it", path);
		say_warning(NULL, warning.text);
	}
	return true;
}
