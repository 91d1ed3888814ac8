#include "signal/signal.h"

#include <string.h>

/* One function per row, named by its line in signals.def. */
#define JOIN2(a, b) a##b
#define JOIN(a, b)  JOIN2(a, b)

#define SIGNAL(name, source, unit, category, expression, meaning)     \
	static uint64_t JOIN(value_, __LINE__)(const struct cycle *c) \
	{                                                             \
		(void)c;                                              \
		return (uint64_t)(expression);                        \
	}
#include "signal/signals.def"
#undef SIGNAL

const struct signal_row signal_rows[] = {
#define SIGNAL(name, source, unit, category, expression, meaning) \
	{name, SIGNAL_##source, unit, SIGNAL_##category, JOIN(value_, __LINE__), meaning},
#include "signal/signals.def"
#undef SIGNAL
};

size_t signal_count(void)
{
	return sizeof(signal_rows) / sizeof(signal_rows[0]);
}

const struct signal_row *signal_find(const char *name)
{
	for (size_t i = 0; i < signal_count(); i++)
		if (strcmp(signal_rows[i].name, name) == 0)
			return &signal_rows[i];
	return NULL;
}

const char *signal_source_name(enum signal_source source)
{
	return source == SIGNAL_HW ? "hw" : "oracle";
}

const char *signal_category_name(enum signal_category category)
{
	static const char *const names[] = {"core", "branch", "cache", "tlb"};

	return names[category];
}
