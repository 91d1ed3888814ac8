#include "cmd/window.h"

/* One of the two numbers; *end is what follows it. */
static bool read_cycle(const char *text, const char **end, uint64_t *cycle)
{
	uint64_t value = 0;
	const char *p = text;

	for (; *p >= '0' && *p <= '9' && value < (UINT64_C(1) << 52); p++)
		value = value * 10 + (uint64_t)(*p - '0');
	*cycle = value;
	*end = p;
	return p > text && value < (UINT64_C(1) << 52);
}

bool window_from_args(const struct args *args, uint64_t *from, uint64_t *to, struct err *err)
{
	const char *text = args_get(args, OPTION_WINDOW), *end;

	if (!read_cycle(text, &end, from) || *end != ':' || !read_cycle(end + 1, &end, to) || *end)
		return err_usage(err,
				 "--window: \"%s\" is not FROM:TO, two numbers of cycles such as "
				 "1200:1300",
				 text);
	return *from <= *to || err_usage(err, "--window: it ends (%llu) before it begins (%llu)",
					 (unsigned long long)*to, (unsigned long long)*from);
}
