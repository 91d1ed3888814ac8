#include "../../test.h"
#include "../sample.h"

#include "report/file/folded.h"

TEST(weights_add_up_and_frames_are_four)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		json_t *result = sample_result(seed, 100000, 1 + seed % 3, 20);
		FILE *out = tmpfile();
		struct err err;
		int64_t sum = 0;

		assert_non_null(out);
		assert_true(folded_write(out, result, &err));
		char *text = sample_read(out), *rest = text;
		for (char *line; (line = strsep(&rest, "\n")) && *line;) {
			unsigned separators = 0;
			char *weight = strrchr(line, ' '), *end;

			for (const char *p = line; *p; p++) {
				assert_true((unsigned char)*p >= ' ');
				separators += *p == ';';
			}
			assert_int_equal(separators, 3);
			assert_memory_equal(line, "sort,er;", 8);
			assert_non_null(weight);
			sum += strtoll(weight + 1, &end, 10);
			assert_int_equal(*end, 0);
			*weight = 0;
			assert_true(cause_named(strrchr(line, ';') + 1) >= 0);
		}
		assert_int_equal(sum, sample_total(result));
		free(text);
		json_decref(result);
	}
}
