/* stat_request.h - what a command line of `stat` or `configure` wants counted. */
#ifndef CMD_STAT_REQUEST_H
#define CMD_STAT_REQUEST_H

#include "cmd/command.h"
#include "stats/request.h"

struct config;

/* Whether NAME[@WHERE] is counted by the name that perf has for it. */
bool stat_request_is_event(const char *text, const struct config *config);
/* All bytes of a small file, followed by a NUL; the caller frees them. NULL with a sentence. */
char *read_small_file(const char *path, size_t most, size_t *bytes, struct err *err);

/* From --events, --group and --every. On a machine that is given, --events may have perf's names
 * for what it counts. */
bool stat_wish_from_args(struct stats_request *request, const struct args *args,
			 const struct config *config, struct err *err);
/* All of it; *map is to be freed by the caller. Release the request either way. */
bool stat_request_from_args(struct stats_request *request, const struct args *args,
			    const struct config *config, char **map, struct err *err);

#endif
