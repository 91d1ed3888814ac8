#include "classify/spelling.h"

#include <ctype.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "value/member.h"

static bool is_raw(const json_t *event)
{
	return member_whole(event, "type") == PERF_TYPE_RAW;
}

static bool is_generic(const json_t *event)
{
	const long long type = member_whole(event, "type");

	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE ||
	       type == PERF_TYPE_SOFTWARE;
}

/* Whether a name is of the kind that both tools read without quotes. */
static bool is_plain(const char *name)
{
	for (size_t i = 0; name[i]; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("-_.:=", name[i]))
			return false;
	return *name != 0;
}

static bool write_perf_event(FILE *out, const json_t *event)
{
	const char *name = member_text(event, "name");

	if (is_raw(event)) {
		fprintf(out, "cpu@config\\=0x%llx@",
			(unsigned long long)member_whole(event, "code"));
		return true;
	}
	if (!is_generic(event) || !is_plain(name))
		return false;
	for (; *name; name++)
		fprintf(out, "%s%c", *name == '-' ? "\\" : "", *name);
	return true;
}

static bool write_papi_event(FILE *out, const json_t *event)
{
	const char *name = member_text(event, "name");

	if (strstr(name, "::") && is_plain(name)) {
		fputs(name, out);
		return true;
	}
	if (is_raw(event)) {
		fprintf(out, "perf_raw::r%llx", (unsigned long long)member_whole(event, "code"));
		return true;
	}
	if (!is_generic(event) || !is_plain(name))
		return false;
	fputs("perf::", out);
	for (; *name; name++)
		fputc(toupper((unsigned char)*name), out);
	return true;
}

static bool write_perf(FILE *out, const json_t *terms)
{
	const json_t *term;
	bool ok = true;
	size_t i;

	json_array_foreach(terms, i, term)
	{
		double factor = member_number(term, "factor");

		if (factor < 0)
			fputs(i ? " - " : "0 - ", out);
		else if (i)
			fputs(" + ", out);
		if (fabs(factor) != 1)
			fprintf(out, "%.6g * ", fabs(factor));
		ok &= write_perf_event(out, term);
	}
	return ok;
}

static bool has_factors(const json_t *terms, double first, double second)
{
	return json_array_size(terms) == 2 &&
	       member_number(json_array_get(terms, 0), "factor") == first &&
	       member_number(json_array_get(terms, 1), "factor") == second;
}

/* NULL: a formula is needed. */
static const char *simple_kind(const json_t *terms)
{
	if (json_array_size(terms) == 1 && member_number(json_array_get(terms, 0), "factor") == 1)
		return "NOT_DERIVED";
	return has_factors(terms, 1, 1)	   ? "DERIVED_ADD"
	       : has_factors(terms, 1, -1) ? "DERIVED_SUB"
					   : NULL;
}

static bool write_formula(FILE *out, const json_t *terms)
{
	const json_t *term;
	bool ok = true;
	size_t i;

	json_array_foreach(terms, i, term)
	{
		double factor = member_number(term, "factor");

		if (!i && factor < 0)
			fputs("0|", out);
		fprintf(out, "N%zu|", i);
		if (fabs(factor) != 1)
			fprintf(out, "%.0f|*|", fabs(factor));
		if (i || factor < 0)
			fputs(factor < 0 ? "-|" : "+|", out);
		ok &= factor == round(factor);
	}
	return ok;
}

static bool write_papi(FILE *out, const json_t *metric, const json_t *terms)
{
	const char *kind = simple_kind(terms), *preset = member_text(metric, "preset");
	const json_t *term;
	bool ok = true;
	size_t i;

	fprintf(out, "%s,%s,%s", strncmp(preset, "PAPI_", 5) == 0 ? "PRESET" : "EVENT", preset,
		kind ? kind : "DERIVED_POSTFIX,");
	if (!kind)
		ok = write_formula(out, terms);
	json_array_foreach(terms, i, term)
	{
		fputc(',', out);
		ok &= write_papi_event(out, term);
	}
	fprintf(out, ",LDESC,\"%s\"", member_text(metric, "meaning"));
	return ok;
}

static char *perf_entry(const json_t *metric, const char *expression)
{
	char *name = mem_strdup(member_text(metric, "name"));

	for (char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at))
			*at = '_';
	json_t *entry = json_pack("{s:s, s:s, s:s}", "MetricName", name, "MetricExpr", expression,
				  "BriefDescription", member_text(metric, "meaning"));
	char *text = json_dumps(entry, 0);

	json_decref(entry);
	free(name);
	return text;
}

static void set_text(json_t *metric, const char *key, bool ok, const char *text)
{
	json_object_set_new(metric, key, ok ? json_string(text) : json_null());
}

void spelling_add(json_t *metric)
{
	const json_t *terms = json_object_get(metric, "terms");
	char *text = NULL;
	size_t bytes = 0;

	if (!terms)
		return;
	FILE *out = mem_stream_open(&text, &bytes);
	bool ok = write_perf(out, terms);

	mem_stream_close(out);
	char *entry = perf_entry(metric, text);

	set_text(metric, "perf", ok, entry);
	free(entry);
	free(text);
	out = mem_stream_open(&text, &bytes);
	ok = write_papi(out, metric, terms);
	mem_stream_close(out);
	set_text(metric, "papi", ok, text);
	free(text);
}
