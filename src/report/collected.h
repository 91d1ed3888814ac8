/*
 * collected.h - the document of a database: runs of `stat` that `collect` received over the
 * network.
 */
#ifndef REPORT_COLLECTED_H
#define REPORT_COLLECTED_H

#include "base/err.h"
#include "doc/doc.h"
#include "store/store.h"

/* False with a sentence if the database cannot be read. */
bool collected_build(struct doc *doc, struct store *store, struct err *err);

#endif
