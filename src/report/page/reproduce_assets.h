/*
 * reproduce_assets.h - the scripts that the page of a reproduction has besides those of a
 * judgement; as assets.h does it.
 */
#ifndef REPORT_PAGE_REPRODUCE_ASSETS_H
#define REPORT_PAGE_REPRODUCE_ASSETS_H

#include "report/page/assets.h"

struct page_asset page_asset_reproduce_data(void);    /* before judge.js: gives it its result */
struct page_asset page_asset_reproduce_figures(void); /* after it: under the paper's figures */

#endif
