#include "web/assets.h"

#include <string.h>

#include "base/embed.h"

EMBED(web_page, "src/web/page.html");
EMBED(web_script, "src/web/app.js");
EMBED(web_script_lib, "src/web/lib.js");
EMBED(web_script_choose, "src/web/choose.js");
EMBED(web_script_live, "src/web/live.js");
EMBED(web_script_run, "src/web/run.js");
EMBED(web_style, "src/web/app.css");
EMBED(web_document_style, "src/doc/page.css");
EMBED(web_openapi, "src/web/openapi.json");

#define ASSET(name, type, symbol)                                 \
	{                                                         \
		name, type, symbol##_bytes, EMBEDDED_SIZE(symbol) \
	}

struct web_asset asset_page(void)
{
	return (struct web_asset)ASSET("page.html", "text/html; charset=utf-8", web_page);
}

struct web_asset asset_openapi(void)
{
	return (struct web_asset)ASSET("openapi.json", "application/json", web_openapi);
}

bool asset_find(struct web_asset *asset, const char *name)
{
	const struct web_asset all[] = {
		ASSET("app.js", "text/javascript; charset=utf-8", web_script),
		ASSET("lib.js", "text/javascript; charset=utf-8", web_script_lib),
		ASSET("choose.js", "text/javascript; charset=utf-8", web_script_choose),
		ASSET("live.js", "text/javascript; charset=utf-8", web_script_live),
		ASSET("run.js", "text/javascript; charset=utf-8", web_script_run),
		ASSET("app.css", "text/css; charset=utf-8", web_style),
		ASSET("page.css", "text/css; charset=utf-8", web_document_style),
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i].name, name) == 0) {
			*asset = all[i];
			return true;
		}
	return false;
}
