/* Counted values by name. */
#include "../test.h"

#include "value/counted.h"

TEST(values_are_found_by_their_whole_name)
{
	size_t count = 0;

	for (const struct counted_row *row = counted_rows; row->name; row++, count++) {
		char longer[128], shorter[128];

		snprintf(longer, sizeof(longer), "%s.", row->name);
		snprintf(shorter, sizeof(shorter), "%.*s", (int)strlen(row->name) - 1, row->name);
		assert_ptr_equal(counted_named(row->name), row);
		assert_null(counted_named(longer));
		assert_true(counted_named(shorter) != row);
	}
	assert_true(count > 10);
	assert_null(counted_named("luck"));
	assert_null(counted_named(""));
}
