#include "report/page/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/base64.h>
#include <nettle/sha2.h>

#include "base/array.h"
#include "report/file/file.h"
#include "report/page/names.h"

#define MOST_SCALED 9e18 /* what a number of 64 bits can hold */

static void write_asset(FILE *out, struct page_asset asset)
{
	fwrite(asset.bytes, 1, asset.size, out);
}

/* Writes the hash in the form that a policy uses: sha256-BASE64 of everything inside the
 * element. */
static void write_hash(FILE *out, const struct page_asset *assets, size_t count)
{
	struct sha256_ctx sha;
	uint8_t digest[SHA256_DIGEST_SIZE];
	char text[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE) + 1] = "";

	sha256_init(&sha);
	for (size_t i = 0; i < count; i++)
		sha256_update(&sha, assets[i].size, (const uint8_t *)assets[i].bytes);
	sha256_digest(&sha, sizeof(digest), digest);
	base64_encode_raw(text, sizeof(digest), digest);
	fprintf(out, "'sha256-%s'", text);
}

void html_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		case '\'': fputs("&#39;", out); break;
		default: fputc(*text, out);
		}
	}
}

void html_integer(FILE *out, json_int_t value)
{
	char digits[32];
	int length = snprintf(digits, sizeof(digits), "%" JSON_INTEGER_FORMAT, value);
	int first = digits[0] == '-';

	for (int i = 0; i < length; i++) {
		if (i > first && (length - i) % 3 == 0)
			fputc(',', out);
		fputc(digits[i], out);
	}
}

void html_decimal(FILE *out, double value, unsigned places)
{
	long long unit = 1;

	for (unsigned i = 0; i < places; i++)
		unit *= 10;
	/* The decimals of a number that is too large to have any are zeros. */
	bool is_large = fabs(value) >= MOST_SCALED / (double)unit;
	long long scaled = is_large ? llround(fmax(-MOST_SCALED, fmin(MOST_SCALED, value)))
				    : llround(value * (double)unit);
	/* printf is not used for decimals: the user's locale may write them with a comma. */
	if (scaled < 0)
		fputc('-', out);
	scaled = llabs(scaled);
	html_integer(out, is_large ? scaled : scaled / unit);
	if (places)
		fprintf(out, ".%0*lld", (int)places, is_large ? 0 : scaled % unit);
}

void html_begin(FILE *out, const char *title, const struct page_asset *scripts, size_t count)
{
	char *components = page_component_style();
	const struct page_asset style[] = {{components, strlen(components)}, page_asset_style()};

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "script-src ",
	      out);
	write_hash(out, scripts, count);
	fputs("; style-src ", out);
	write_hash(out, style, ARRAY_COUNT(style));
	fputs("; img-src data:; base-uri 'none'; form-action 'none'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta name=\"referrer\" content=\"no-referrer\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>",
	      out);
	html_text(out, title);
	fputs("</title>\n<style>", out);
	for (size_t i = 0; i < ARRAY_COUNT(style); i++)
		write_asset(out, style[i]);
	free(components);
	fputs("</style>\n</head>\n<body>\n", out);
	write_asset(out, page_asset_patterns());
	fputs("<main id=\"page\">\n", out);
}

/* Inside a script element only "<" can end or hide it; & and > are escaped too, for parsers that
 * are not strict. In JSON these occur in strings only, where an escape has the same meaning. */
bool html_json(FILE *out, const char *id, const json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);

	if (!text)
		return false;
	fprintf(out, "<script type=\"application/json\" id=\"%s\">", id);
	for (const char *c = text; *c; c++) {
		if (*c == '<' || *c == '>' || *c == '&')
			fprintf(out, "\\u%04x", (unsigned)*c);
		else
			fputc(*c, out);
	}
	fputs("</script>\n", out);
	free(text);
	return true;
}

bool html_end(FILE *out, const json_t *result, const struct page_asset *scripts, size_t count,
	      struct err *err)
{
	json_t *names = page_names();

	fputs("<noscript><p class=\"note\">With scripts allowed, this page also shows the rest "
	      "of the result; it asks for nothing from any network.</p></noscript>\n</main>\n",
	      out);
	bool ok = html_json(out, "names", names) && html_json(out, "result", result);
	json_decref(names);
	if (!ok)
		return err_set(err, "the result cannot be written as JSON");
	fputs("<script type=\"module\">", out);
	for (size_t i = 0; i < count; i++)
		write_asset(out, scripts[i]);
	fputs("</script>\n</body>\n</html>\n", out);
	return report_finish(out, "the page", err);
}
