/*
 * api.h - answers: what each row of routes.def does. Knows neither HTTP nor sockets.
 */
#ifndef WEB_API_H
#define WEB_API_H

#include "web/answer.h"
#include "web/routes.h"
#include "web/server.h"

/* What a request is answered with. If that takes a task, answer->task is held; once it has ended,
 * api_finish makes the answer. The body is that of a JSON route. Called with the lock held. */
struct api_call {
	struct server *server;
	const struct web_request *request;
	const struct web_headers *headers;
	enum route_id route;
	const char *body;
	size_t bytes;
};

void api_answer(const struct api_call *call, struct answer *answer);
void api_finish(const struct api_call *call, struct answer *answer);

/* api_runs.c */
void api_runs(const struct api_call *call, struct answer *answer);
void api_run_begin(const struct api_call *call, struct answer *answer);
void api_run(const struct api_call *call, struct answer *answer);
void api_run_result(const struct api_call *call, struct answer *answer);
void api_compare(const struct api_call *call, struct answer *answer);

/* api_results.c */
void api_results(const struct api_call *call, struct answer *answer);
void api_result(const struct api_call *call, struct answer *answer);
void api_query(const struct api_call *call, struct answer *answer);

/* In what a result can be had: the option that writes it, and what a browser is told. */
struct api_format {
	const char *name, *option, *type, *extension;
	enum answer_policy policy;
};
/* The format of that name, where the query is right for it; NULL and an answer otherwise. */
const struct api_format *api_format_of(const struct api_call *call, const char *name,
				       struct answer *answer);
/* COMMAND --FORMAT=- [--table=NAME] FILE [FILE]. */
void api_make_format(const struct api_call *call, const struct api_format *format,
		     const char *command, const char *first, const char *second,
		     struct answer *answer);

/* For them: a task whose output is the answer, of that type. Takes the arguments. */
void api_task(const struct api_call *call, struct answer *answer, char **arguments, bool is_kept,
	      const char *type);
/* The words of a command line, ended by NULL, as a list to be freed. */
char **api_words(const char *first, ...) __attribute__((sentinel));
/* {"error": SENTENCE, "field": FIELD} */
void api_field_error(struct answer *answer, const char *field, const char *sentence);
/* The body as JSON; NULL and an answer that says what is wrong. */
json_t *api_body(const struct api_call *call, struct answer *answer);

#endif
