#include "cmd/command.h"

#define PERCENT_DIGITS 6

bool args_get_percent(const struct args *args, enum option_id id, uint64_t *millionths,
		      struct err *err)
{
	const char *text = args_get(args, id), *p = text;
	uint64_t value = 0;
	int decimals = -1;

	if (!text)
		return true;
	for (; (*p >= '0' && *p <= '9') || (*p == '.' && decimals < 0); p++) {
		if (*p == '.') {
			decimals = 0;
			continue;
		}
		if (decimals == PERCENT_DIGITS || value > 100000000)
			break;
		value = 10 * value + (uint64_t)(*p - '0');
		decimals += decimals >= 0;
	}
	if (p == text || p[-1] == '.' || text[0] == '.' || p[*p == '%'])
		return err_set(err,
			       "--%s: \"%s\" is not a percentage such as 1%% or 0.5%% (at most %d "
			       "decimals)",
			       option_rows[id].name, text, PERCENT_DIGITS);
	for (int i = decimals > 0 ? decimals : 0; i < PERCENT_DIGITS; i++)
		value *= 10;
	*millionths = value;
	return true;
}
