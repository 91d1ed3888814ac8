#include "doc/page.h"

#include <stdlib.h>
#include <string.h>

#include <nettle/base64.h>
#include <nettle/sha2.h>

#include "base/array.h"
#include "base/embed.h"
#include "base/err.h"
#include "doc/markup.h"
#include "value/component.h"

EMBED(doc_page_style, "src/doc/page.css");
EMBED(doc_page_script, "src/doc/page.js");
EMBED(doc_page_patterns, "src/doc/patterns.svg");

struct asset {
	const char *bytes; /* not terminated by NUL */
	size_t size;
};

#define ASSET(name) ((struct asset){name##_bytes, EMBEDDED_SIZE(name)})

/* What only the script can show is there for readers without scripts too. */
static const char bare_style[] = "tr[hidden]{display:table-row!important}"
				 "div[hidden],section[hidden]{display:block!important}"
				 ".alternative::before{content:attr(data-label);font-weight:600}";

static void write_asset(FILE *out, struct asset asset)
{
	fwrite(asset.bytes, 1, asset.size, out);
}

/* Writes the hash in the form that a policy uses: sha256-BASE64 of everything inside the
 * element. */
static void write_hash(FILE *out, const struct asset *assets, size_t count)
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

static void write_colour_style(FILE *out, struct doc_colour colour)
{
	const char *name = doc_colour_class(colour);

	fprintf(out,
		":root { --%s: %s; } .%s { fill: var(--%s); } "
		"i.swatch.%s { background: var(--%s); }\n",
		name, doc_colour_rgb(colour), name, name, name, name);
}

/* Rules of a style sheet: for each component its colour as a variable, and the fill, swatch and
 * text colours that use it. */
char *page_colours(void)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = mem_stream_open(&text, &bytes);

	for (int i = 0; i < COMPONENT_COUNT; i++) {
		const char *name = component_rows[i].name;

		fprintf(out,
			":root { --%s: %s; } .%s { fill: var(--%s); } "
			"i.swatch.%s { background: var(--%s); } "
			"svg text.on-%s { fill: var(--on-%s); }\n",
			name, component_rows[i].rgb, name, name, name, name, name,
			component_rows[i].is_dark ? "dark" : "light");
	}
	for (unsigned i = 0; i < DOC_METHOD_COLOURS; i++)
		write_colour_style(out, doc_method(i));
	for (unsigned i = 0; i < DOC_CHANGES; i++)
		write_colour_style(out, (struct doc_colour){DOC_CHANGED, i});
	mem_stream_close(out);
	return text;
}

static void write_policy(FILE *out, const struct asset *style, size_t count)
{
	const struct asset script = ASSET(doc_page_script);
	const struct asset bare = {bare_style, strlen(bare_style)};

	fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "script-src ",
	      out);
	write_hash(out, &script, 1);
	fputs("; style-src ", out);
	write_hash(out, style, count);
	fputc(' ', out);
	write_hash(out, &bare, 1);
	fputs("; img-src data:; base-uri 'none'; form-action 'none'\">\n", out);
}

void page_begin(FILE *out, const char *title)
{
	char *colours = page_colours();
	const struct asset style[] = {{colours, strlen(colours)}, ASSET(doc_page_style)};

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
	write_policy(out, style, ARRAY_COUNT(style));
	fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta name=\"referrer\" content=\"no-referrer\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>",
	      out);
	markup_text(out, title);
	fputs("</title>\n<style>", out);
	for (size_t i = 0; i < ARRAY_COUNT(style); i++)
		write_asset(out, style[i]);
	free(colours);
	fprintf(out, "</style>\n<noscript><style>%s</style></noscript>\n</head>\n<body>\n",
		bare_style);
	write_asset(out, ASSET(doc_page_patterns));
	fputs("<main id=\"page\">\n", out);
}

void page_end(FILE *out)
{
	fputs("</main>\n<script type=\"module\">", out);
	write_asset(out, ASSET(doc_page_script));
	fputs("</script>\n</body>\n</html>\n", out);
}
