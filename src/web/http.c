#include "web/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "web/api.h"
#include "web/uploads.h"

#define BEAT_SECONDS 15	  /* after which a watcher hears that the run is still there */
#define STIR_SECONDS 0.05 /* events that come more closely are sent together */
#define WATCH_BLOCK  16384

/* One that is open; known to both threads under the server's lock. */
struct visitor {
	int fd;
	double since;	 /* the connection, or the end of its last request */
	bool is_reading; /* its headers have not come */
	struct visitor *previous, *next;
};

/* A connection that gets the events of a run. */
struct watcher {
	struct http *http;
	struct MHD_Connection *connection;
	uint64_t run, number;
	const char *rest; /* of a text that is being sent, a copy */
	char *text;
	bool is_suspended, has_ended;
	double beat; /* when something was sent last */
	struct watcher *previous, *next;
};

/* One request. */
struct exchange {
	struct http *http;
	struct MHD_Connection *connection;
	char *target;
	struct web_request request;
	struct web_headers headers;
	enum route_id route;
	bool has_begun, has_request, is_suspended, has_body_failed;
	char *body;
	size_t bytes, capacity;
	struct upload *upload;
	struct answer answer;
};

struct http {
	struct server *server;
	struct MHD_Daemon *daemon;
	struct visitor *visitors;
	struct watcher *watchers;
	uint64_t watcher_count;
	double stirred;
};

static void note_connection(void *context, struct MHD_Connection *connection, void **socket_context,
			    enum MHD_ConnectionNotificationCode code)
{
	struct http *http = context;
	struct visitor *v = *socket_context;

	pthread_mutex_lock(&http->server->lock);
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		const union MHD_ConnectionInfo *info =
			MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

		v = mem_alloc(sizeof(*v));
		*v = (struct visitor){.fd = info ? info->connect_fd : -1,
				      .since = link_seconds(),
				      .is_reading = true,
				      .next = http->visitors};
		if (v->next)
			v->next->previous = v;
		http->visitors = v;
		*socket_context = v;
	} else if (v) {
		if (v->next)
			v->next->previous = v->previous;
		if (v->previous)
			v->previous->next = v->next;
		else
			http->visitors = v->next;
		free(v);
		*socket_context = NULL;
	}
	pthread_mutex_unlock(&http->server->lock);
}

static void note_reading(struct MHD_Connection *connection, bool is_reading)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct visitor *v = info ? info->socket_context : NULL;

	if (v) {
		v->is_reading = is_reading;
		v->since = link_seconds();
	}
}

static void *note_target(void *context, const char *target, struct MHD_Connection *connection)
{
	struct exchange *x = mem_alloc(sizeof(*x));

	x->http = context;
	x->connection = connection;
	x->target = mem_strndup(target, REQUEST_TARGET_MOST + 1);
	answer_init(&x->answer);
	return x;
}

static void end_exchange(void *context, struct MHD_Connection *connection, void **request_context,
			 enum MHD_RequestTerminationCode code)
{
	struct http *http = context;
	struct exchange *x = *request_context;

	(void)code;
	if (!x)
		return;
	pthread_mutex_lock(&http->server->lock);
	note_reading(connection, true);
	if (x->answer.task) {
		task_forget_waiter(x->answer.task, x);
		tasks_drop(&http->server->tasks, x->answer.task);
	}
	upload_cancel(http->server, x->upload);
	pthread_mutex_unlock(&http->server->lock);
	answer_release(&x->answer);
	web_request_release(&x->request);
	free(x->body);
	free(x->target);
	free(x);
	*request_context = NULL;
}

/* The lock is held. */
static void tell_exchange(void *waiter)
{
	struct exchange *x = waiter;

	if (x->is_suspended) {
		x->is_suspended = false;
		MHD_resume_connection(x->connection);
	}
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static void read_headers(struct exchange *x)
{
	struct MHD_Connection *c = x->connection;

	x->headers = (struct web_headers){
		.host = header(c, "Host"),
		.origin = header(c, "Origin"),
		.fetch_site = header(c, "Sec-Fetch-Site"),
		.authorization = header(c, "Authorization"),
		.cookie = header(c, "Cookie"),
		.content_type = header(c, "Content-Type"),
		.last_event = header(c, "Last-Event-ID"),
		.content_length = header(c, "Content-Length"),
	};
}

static const char *policy_of(const struct answer *answer)
{
	switch (answer->policy) {
	case ANSWER_PAGE:
		return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' "
		       "data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action "
		       "'none'; frame-ancestors 'none'";
	/* What a result may do is in the page; here it loses the server's origin. */
	case ANSWER_RESULT:
		return "sandbox allow-scripts allow-popups; default-src 'none'; script-src "
		       "'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri "
		       "'none'; form-action 'none'; frame-ancestors 'self'";
	default: return "default-src 'none'; frame-ancestors 'none'; sandbox";
	}
}

static void add(struct MHD_Response *response, const char *name, const char *value)
{
	MHD_add_response_header(response, name, value);
}

static void add_headers(struct MHD_Response *response, const struct exchange *x)
{
	static const char *const names[WEB_METHODS] = {"GET", "HEAD", "POST", "DELETE"};
	const struct answer *answer = &x->answer;
	char text[160] = "";

	add(response, "Content-Type", answer->type);
	add(response, "Content-Security-Policy", policy_of(answer));
	add(response, "X-Content-Type-Options", "nosniff");
	add(response, "Referrer-Policy", "no-referrer");
	add(response, "Cross-Origin-Opener-Policy", "same-origin");
	add(response, "Cross-Origin-Resource-Policy", "same-origin");
	add(response, "Cache-Control", "no-store");
	if (answer->policy == ANSWER_PAGE)
		add(response, "X-Frame-Options", "DENY");
	if (answer->cookie[0])
		add(response, "Set-Cookie", answer->cookie);
	if (answer->location[0])
		add(response, "Location", answer->location);
	if (answer->status == 401)
		add(response, "WWW-Authenticate", "Bearer");
	if (answer->status == 429 || answer->status == 503)
		add(response, "Retry-After", "5");
	if (answer->name[0] && web_request_value(&x->request, "download")) {
		snprintf(text, sizeof(text), "attachment; filename=\"%s\"", answer->name);
		add(response, "Content-Disposition", text);
	}
	if (answer->status == 405) {
		size_t used = 0;

		for (unsigned i = 0; i < WEB_METHODS; i++)
			if (answer->allowed >> i & 1)
				used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
							 used ? ", " : "", names[i]);
		add(response, "Allow", text);
	}
}

static void release_watcher(void *context)
{
	struct watcher *w = context;
	struct http *http = w->http;

	pthread_mutex_lock(&http->server->lock);
	if (w->next)
		w->next->previous = w->previous;
	if (w->previous)
		w->previous->next = w->next;
	else
		http->watchers = w->next;
	http->watcher_count--;
	pthread_mutex_unlock(&http->server->lock);
	free(w->text);
	free(w);
}

/* The next text to be sent; NULL: there is none now. */
static char *next_text(struct watcher *w)
{
	struct run *run = server_find(w->http->server, w->run);
	const char *text = run ? events_at(&run->events, &w->number) : NULL;

	if (text) {
		w->number++;
		return mem_strdup(text);
	}
	if (!run || run_is_over(run) || w->http->server->is_ending) {
		w->has_ended = true;
		return NULL;
	}
	return link_seconds() - w->beat >= BEAT_SECONDS ? mem_strdup(": still there\n\n") : NULL;
}

static ssize_t read_events(void *context, uint64_t position, char *buffer, size_t most)
{
	struct watcher *w = context;
	size_t used = 0;

	(void)position;
	pthread_mutex_lock(&w->http->server->lock);
	while (used < most) {
		if (!w->text) {
			w->text = next_text(w);
			w->rest = w->text;
		}
		if (!w->text)
			break;
		const size_t left = strlen(w->rest), room = most - used;
		const size_t part = left < room ? left : room;

		memcpy(buffer + used, w->rest, part);
		used += part;
		w->rest += part;
		w->beat = link_seconds();
		if (*w->rest)
			break;
		free(w->text);
		w->text = NULL;
	}
	const bool ends = !used && w->has_ended;
	if (!used && !ends) {
		w->is_suspended = true;
		MHD_suspend_connection(w->connection);
	}
	pthread_mutex_unlock(&w->http->server->lock);
	return ends ? MHD_CONTENT_READER_END_OF_STREAM : (ssize_t)used;
}

/* The lock is held. */
static struct MHD_Response *begin_watching(struct exchange *x)
{
	struct http *http = x->http;

	if (http->watcher_count >= http->server->options.limits.watchers) {
		answer_error(&x->answer, 503, "too many watch at a time: try again later");
		return NULL;
	}
	struct watcher *w = mem_alloc(sizeof(*w));
	const struct run *run = server_find(http->server, x->answer.watches);
	/* Where it stands comes first, whatever is asked for. */
	json_t *state = run ? run_json(run, true) : NULL;
	json_t *epoch = run && run->live ? live_epoch_json(run->live) : NULL;
	char *states = state ? json_dumps(state, JSON_COMPACT) : NULL;
	char *epochs = epoch ? json_dumps(epoch, JSON_COMPACT) : NULL;
	*w = (struct watcher){
		.http = http,
		.connection = x->connection,
		.run = x->answer.watches,
		.number = x->answer.from_event,
		.beat = link_seconds(),
		.next = http->watchers,
		.text = mem_format("retry: 1000\n\n%s%s%s%s%s%s",
				   states ? "event: state\ndata: " : "", states ? states : "",
				   states ? "\n\n" : "", epochs ? "event: epoch\ndata: " : "",
				   epochs ? epochs : "", epochs ? "\n\n" : ""),
	};
	w->rest = w->text;
	free(states);
	free(epochs);
	json_decref(state);
	json_decref(epoch);
	if (w->next)
		w->next->previous = w;
	http->watchers = w;
	http->watcher_count++;
	return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, WATCH_BLOCK, read_events, w,
						 release_watcher);
}

static struct MHD_Response *make_response(struct exchange *x)
{
	struct answer *answer = &x->answer;
	struct stat info;

	if (answer->watches) {
		pthread_mutex_lock(&x->http->server->lock);
		struct MHD_Response *response = begin_watching(x);
		pthread_mutex_unlock(&x->http->server->lock);
		if (response)
			return response;
	}
	if (answer->fd >= 0 && fstat(answer->fd, &info) == 0) {
		const int fd = answer->fd;

		answer->fd = -1;
		return MHD_create_response_from_fd64((uint64_t)info.st_size, fd);
	}
	if (answer->is_static)
		return MHD_create_response_from_buffer(answer->bytes, answer->text,
						       MHD_RESPMEM_PERSISTENT);
	char *text = answer->text ? answer->text : mem_strdup("");
	answer->text = NULL;
	return MHD_create_response_from_buffer(answer->bytes, text, MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result send_answer(struct exchange *x)
{
	struct MHD_Response *response = make_response(x);

	if (!response)
		return MHD_NO;
	add_headers(response, x);
	const enum MHD_Result result =
		MHD_queue_response(x->connection, x->answer.status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result refuse(struct exchange *x, unsigned status, const char *sentence)
{
	answer_error(&x->answer, status, sentence);
	return send_answer(x);
}

static bool has_good_type(const struct exchange *x)
{
	const char *type = x->headers.content_type;
	const char *wanted = routes[x->route].body == ROUTE_BODY_JSON ? "application/json"
								      : "application/octet-stream";
	const size_t length = strlen(wanted);

	return type && strncmp(type, wanted, length) == 0 &&
	       (!type[length] || type[length] == ';' || type[length] == ' ');
}

/* The headers are there: whether it may be answered at all. 0, or the status of a refusal. */
static unsigned check(struct exchange *x, const char *method_text, struct err *err)
{
	const struct server_options *options = &x->http->server->options;
	const struct web_limits *limits = &options->limits;
	enum web_method method;
	unsigned allowed, status;
	uint64_t length = 0;

	if (!web_method_read(&method, method_text)) {
		err_set(err, "the server knows GET, HEAD, POST and DELETE");
		return 501;
	}
	if (!web_request_read(&x->request, method, x->target, err))
		return strlen(x->target) > REQUEST_TARGET_MOST ? 414 : 400;
	x->route = route_find(&x->request, &allowed);
	const bool needs_token = x->route == ROUTE_COUNT ||
				 (route_is_api(x->route) && x->route != ROUTE_SESSION_BEGIN &&
				  x->route != ROUTE_OPENAPI);
	status = web_door_check(&options->door, &x->request, &x->headers, needs_token, err);
	if (status)
		return status;
	if (x->route == ROUTE_COUNT) {
		x->answer.allowed = allowed;
		err_set(err, allowed ? "the address has other methods" : "there is no such page");
		return allowed ? 405 : 404;
	}
	if (x->headers.content_length)
		length = strtoull(x->headers.content_length, NULL, 10);
	const enum route_body body = routes[x->route].body;
	const uint64_t most = body == ROUTE_BODY_JSON	  ? limits->body
			      : body == ROUTE_BODY_UPLOAD ? limits->upload
							  : 0;
	if (length > most) {
		err_set(err, "the body is larger than the %llu bytes allowed here",
			(unsigned long long)most);
		return 413;
	}
	if (body != ROUTE_BODY_NONE && !has_good_type(x)) {
		err_set(err, "expected Content-Type: %s",
			body == ROUTE_BODY_JSON ? "application/json" : "application/octet-stream");
		return 415;
	}
	return 0;
}

static enum MHD_Result begin(struct exchange *x, const char *method)
{
	struct err err;
	unsigned status;

	x->has_begun = true;
	read_headers(x);
	pthread_mutex_lock(&x->http->server->lock);
	note_reading(x->connection, false);
	status = check(x, method, &err);
	if (!status && routes[x->route].body == ROUTE_BODY_UPLOAD) {
		x->upload = upload_begin(x->http->server, &status, &err);
		status = x->upload ? 0 : status;
	}
	pthread_mutex_unlock(&x->http->server->lock);
	return status ? refuse(x, status, err.text) : MHD_YES;
}

static void take_json(struct exchange *x, const char *bytes, size_t size)
{
	if (x->bytes + size > x->http->server->options.limits.body ||
	    routes[x->route].body != ROUTE_BODY_JSON) {
		x->has_body_failed = true;
		answer_error(&x->answer, 413, "the body is larger than what is allowed here");
		return;
	}
	if (x->bytes + size > x->capacity) {
		x->capacity = 2 * (x->bytes + size);
		x->body = mem_realloc(x->body, x->capacity, 1);
	}
	memcpy(x->body + x->bytes, bytes, size);
	x->bytes += size;
}

static void take_body(struct exchange *x, const char *bytes, size_t size)
{
	unsigned status;
	struct err err;

	if (x->has_body_failed)
		return;
	if (!x->upload) {
		take_json(x, bytes, size);
		return;
	}
	pthread_mutex_lock(&x->http->server->lock);
	if (!upload_add(x->http->server, x->upload, bytes, size, &status, &err)) {
		upload_cancel(x->http->server, x->upload);
		x->upload = NULL;
		x->has_body_failed = true;
		answer_error(&x->answer, status, err.text);
	}
	pthread_mutex_unlock(&x->http->server->lock);
}

static void finish_upload(struct exchange *x)
{
	struct err err;
	struct upload *upload = x->upload;

	x->upload = NULL;
	json_t *about =
		upload_end(x->http->server, upload, web_request_value(&x->request, "name"), &err);
	if (about)
		answer_json(&x->answer, 201, about);
	else
		answer_error(&x->answer, 507, err.text);
}

static enum MHD_Result answer_request(struct exchange *x)
{
	struct server *server = x->http->server;
	const struct api_call call = {
		.server = server,
		.request = &x->request,
		.headers = &x->headers,
		.route = x->route,
		.body = x->body,
		.bytes = x->bytes,
	};
	bool waits = false;

	pthread_mutex_lock(&server->lock);
	if (x->answer.task && x->answer.task->state == TASK_ENDED) {
		api_finish(&call, &x->answer);
	} else if (x->answer.task && server->is_ending) {
		tasks_drop(&server->tasks, x->answer.task);
		x->answer.task = NULL;
		answer_error(&x->answer, 503, "the server ends");
	} else if (x->upload) {
		finish_upload(x);
	} else if (!x->answer.task) {
		api_answer(&call, &x->answer);
	}
	if (x->answer.task) {
		waits = true;
		x->is_suspended = true;
		task_wait(x->answer.task, x);
		MHD_suspend_connection(x->connection);
	}
	pthread_mutex_unlock(&server->lock);
	return waits ? MHD_YES : send_answer(x);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *bytes,
			      size_t *size, void **request_context)
{
	struct exchange *x = *request_context;

	(void)context;
	(void)connection;
	(void)url;
	(void)version;
	if (!x)
		return MHD_NO;
	if (!x->has_begun)
		return begin(x, method);
	if (*size) {
		take_body(x, bytes, *size);
		*size = 0;
		return MHD_YES;
	}
	return x->has_body_failed ? send_answer(x) : answer_request(x);
}

/* Nothing is decoded before request.h has looked at it. */
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text)
{
	(void)context;
	(void)connection;
	return strlen(text);
}

/* Called by the server's thread. */
static void stir(void *context)
{
	struct http *http = context;
	const double now = link_seconds();

	if (now - http->stirred < STIR_SECONDS)
		return;
	http->stirred = now;
	pthread_mutex_lock(&http->server->lock);
	for (struct watcher *w = http->watchers; w; w = w->next) {
		const struct run *run = server_find(http->server, w->run);

		if (w->is_suspended &&
		    (!run || run_is_over(run) || events_next(&run->events) > w->number ||
		     now - w->beat >= BEAT_SECONDS || http->server->is_ending)) {
			w->is_suspended = false;
			MHD_resume_connection(w->connection);
		}
	}
	const double patience = (double)http->server->options.limits.request_seconds;
	for (struct visitor *v = http->visitors; v; v = v->next)
		if (v->is_reading && now - v->since > patience) {
			/* libmicrohttpd finds it closed, and takes it away. */
			shutdown(v->fd, SHUT_RDWR);
			v->since = now;
		}
	pthread_mutex_unlock(&http->server->lock);
}

static void ignore_log(void *context, const char *format, va_list list)
{
	(void)context;
	(void)format;
	(void)list;
}

struct http *http_start(struct server *server, int fd, const struct http_tls *tls, struct err *err)
{
	const struct web_limits *limits = &server->options.limits;
	struct http *http = mem_alloc(sizeof(*http));
	const unsigned flags = MHD_USE_EPOLL | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ITC |
			       MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
			       (tls ? MHD_USE_TLS : 0);
	struct MHD_OptionItem secure[] = {
		{MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)(tls ? tls->certificate : NULL)},
		{MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)(tls ? tls->key : NULL)},
		{MHD_OPTION_END, 0, NULL},
	};

	http->server = server;
	if (!tls)
		secure[0].option = MHD_OPTION_END;
	server->stir = stir;
	server->context = http;
	server->tasks.tell = tell_exchange;
	http->daemon = MHD_start_daemon(
		flags, 0, NULL, NULL, handle, http, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)limits->connections, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)limits->request_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)limits->header, MHD_OPTION_STRICT_FOR_CLIENT, 1,
		MHD_OPTION_URI_LOG_CALLBACK, note_target, http, MHD_OPTION_NOTIFY_COMPLETED,
		end_exchange, http, MHD_OPTION_NOTIFY_CONNECTION, note_connection, http,
		MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_ARRAY, secure,
		MHD_OPTION_END);
	if (http->daemon)
		return http;
	err_set(err, tls ? "cannot serve: are the certificate and the key of --tls what they "
			   "should be?"
			 : "cannot serve: the system lacks descriptors or memory");
	close(fd);
	server->stir = NULL;
	free(http);
	return NULL;
}

void http_stop(struct http *http)
{
	http->server->stir = NULL;
	pthread_mutex_lock(&http->server->lock);
	http->server->is_ending = true;
	for (struct watcher *w = http->watchers; w; w = w->next)
		if (w->is_suspended) {
			w->is_suspended = false;
			MHD_resume_connection(w->connection);
		}
	for (size_t i = 0; i < http->server->tasks.count; i++) {
		struct task *task = http->server->tasks.items[i];

		for (size_t k = 0; k < task->waiter_count; k++)
			tell_exchange(task->waiters[k]);
		task->waiter_count = 0;
	}
	pthread_mutex_unlock(&http->server->lock);
	MHD_stop_daemon(http->daemon);
	free(http);
}
