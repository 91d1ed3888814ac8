/*
 * assets.h - the files of the page, as bytes of the program.
 */
#ifndef WEB_ASSETS_H
#define WEB_ASSETS_H

#include <stdbool.h>
#include <stddef.h>

struct web_asset {
	const char *name, *type, *bytes;
	size_t size;
};

/* The page itself; the description of the API; a file that the page asks for, or false. */
struct web_asset asset_page(void);
struct web_asset asset_openapi(void);
bool asset_find(struct web_asset *asset, const char *name);

#endif
