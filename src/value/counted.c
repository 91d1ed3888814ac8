#include "value/counted.h"

const struct counted_row counted_rows[] = {
#define COUNTED(name, signal, unit, meaning) {name, signal, unit, meaning},
#include "value/counted.def"
#undef COUNTED
	{NULL, NULL, NULL, NULL},
};
