/*
 * diff_objects.h - the part of a comparison that goes by data: the objects whose cycles or misses
 * differ.
 */
#ifndef REPORT_DIFF_OBJECTS_H
#define REPORT_DIFF_OBJECTS_H

#include "report/report.h"

/* Nothing unless both runs have looked at data. */
void diff_objects(struct doc *doc, const json_t *result);

#endif
