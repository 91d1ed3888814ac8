#include "cmd/outputs.h"

#include <fcntl.h>

#include "base/array.h"

static const enum option_id file_options[] = {OPTION_JSON,   OPTION_HTML,      OPTION_CSV,
					      OPTION_FOLDED, OPTION_CALLGRIND, OPTION_PIPEVIEW};

bool outputs_open(struct outputs *outputs, const struct args *args, struct err *err)
{
	bool ok = true;

	*outputs = (struct outputs){0};
	for (size_t i = 0; ok && i < ARRAY_COUNT(file_options); i++)
		ok = report_target_open(&outputs->targets[file_options[i]], AT_FDCWD,
					args_get(args, file_options[i]), err);
	return ok;
}

void outputs_close(struct outputs *outputs)
{
	for (size_t i = 0; i < ARRAY_COUNT(file_options); i++) {
		struct report_target *target = &outputs->targets[file_options[i]];

		if (target->is_there && !target->is_written) {
			struct err err;

			err_set(&err, "%s is from an earlier run: this one wrote nothing there",
				target->path);
			say_warning(NULL, err.text);
		}
		report_target_release(target);
	}
}

bool outputs_on_stdout(const struct outputs *outputs)
{
	bool is = false;

	for (size_t i = 0; i < ARRAY_COUNT(file_options); i++)
		is |= report_target_is_stdout(&outputs->targets[file_options[i]]);
	return is;
}

bool outputs_write_json(struct outputs *outputs, const json_t *result, struct err *err)
{
	return report_write_json(&outputs->targets[OPTION_JSON], result, err);
}

bool outputs_write_only_json(const struct args *args, const char *schema, json_t *body,
			     struct err *err)
{
	json_t *root = json_pack("{s:s}", "schema", schema);
	struct outputs outputs;

	json_object_update(root, body);
	bool ok = outputs_open(&outputs, args, err) && outputs_write_json(&outputs, root, err);
	outputs_close(&outputs);
	json_decref(root);
	json_decref(body);
	return ok;
}
