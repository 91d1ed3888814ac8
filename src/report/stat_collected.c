/* A run that `collect` has received, shown as `stat` shows its own. */
#include "report/common.h"
#include "report/report.h"
#include "report/stat.h"
#include "signal/signal.h"
#include "value/member.h"

/* The place of an epoch among those that were received, which may lack some. */
static int64_t place_of(json_t *numbers, int64_t epoch)
{
	const json_t *number;
	size_t i;

	json_array_foreach(numbers, i, number)
	{
		if (json_integer_value(number) == epoch)
			return (int64_t)i;
	}
	json_array_append_new(numbers, json_integer((json_int_t)epoch));
	return (int64_t)i;
}

/* What `stat` says of its epochs: the first cycle, and the period as the longest interval shows it.
 */
static void add_to_epoch(json_t *epochs, size_t place, const json_t *interval)
{
	const int64_t cycles = member_whole(interval, "cycles");
	json_t *epoch = json_array_get(epochs, place);

	if (!epoch) {
		epoch = json_pack("{s:O, s:I}", "cycle", json_object_get(interval, "start"),
				  "every", (json_int_t)cycles);
		json_array_append_new(epochs, epoch);
	}
	if (cycles > member_whole(epoch, "every"))
		json_object_set_new(epoch, "every", json_integer((json_int_t)cycles));
}

static json_t *counter_of(const json_t *received, int64_t place)
{
	json_t *counter = json_copy((json_t *)(uintptr_t)received);
	const struct signal_row *signal = signal_find(member_text(counter, "signal"));

	json_object_set_new(counter, "epoch", json_integer((json_int_t)place));
	json_object_set_new(counter, "unit", json_string(signal ? signal->unit : ""));
	if (!*member_text(counter, "signal"))
		json_object_set_new(counter, "signal", json_string("(name not received)"));
	return counter;
}

/* As a result of `stat`, with epochs numbered by their place. */
static json_t *as_stat(const json_t *result)
{
	json_t *numbers = json_array(), *epochs = json_array();
	json_t *intervals = json_array(), *counters = json_array();
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(result, "intervals"), i, item)
	{
		const int64_t place = place_of(numbers, member_whole(item, "epoch"));
		json_t *interval = json_copy((json_t *)(uintptr_t)item);

		json_object_set_new(interval, "epoch", json_integer((json_int_t)place));
		json_array_append_new(intervals, interval);
		add_to_epoch(epochs, (size_t)place, item);
	}
	json_array_foreach(json_object_get(result, "counters"), i, item)
	{
		const int64_t place = place_of(numbers, member_whole(item, "epoch"));

		if ((size_t)place < json_array_size(epochs))
			json_array_append_new(counters, counter_of(item, place));
	}
	json_decref(numbers);
	return json_pack("{s:o, s:o, s:o}", "epochs", epochs, "intervals", intervals, "counters",
			 counters);
}

static void say_state(struct doc *doc, const json_t *result)
{
	const int64_t missing = member_whole(result, "missing");

	doc_paragraph(doc, doc_words(doc, "Run %s: %s %lld cycles, %zu intervals received.",
				     member_text(result, "run"),
				     json_is_true(json_object_get(result, "complete"))
					     ? "complete,"
					     : "incomplete, its end was not received; known to",
				     (long long)member_whole(result, "cycles"),
				     json_array_size(json_object_get(result, "intervals"))));
	if (missing)
		doc_say(doc_text(doc, DOC_WARNING), "%lld intervals were lost.",
			(long long)missing);
}

REPORT_BUILDER(collected)
{
	json_t *stat = as_stat(result);

	(void)options;
	(void)err;
	if (*member_text(json_object_get(result, "program"), "name")) {
		common_heading(doc, result);
	} else {
		doc->title = doc_words(doc, "Run %s - cyclestack", member_text(result, "run"));
		doc_say(&doc->heading, "A run whose program is not known");
	}
	stat_totals(doc, stat);
	say_state(doc, result);
	stat_intervals(doc, stat);
	json_decref(stat);
	return true;
}
