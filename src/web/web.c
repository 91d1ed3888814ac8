#include "web/web.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "web/http.h"
#include "web/place.h"

#define PEM_MOST   (1 << 20)
#define NAMES_MOST 64

/* What a server is made of besides its state. */
struct opened {
	struct link_address address;
	bool is_loopback;
	unsigned port;
	char *token, *certificate, *key;
	char *names[NAMES_MOST];
	size_t name_count;
	int fd, signals;
	sigset_t before;
};

static bool is_loopback(const struct link_address *a)
{
	const struct packet_key none = {NULL, 0};
	struct link_address again;
	char text[LINK_TEXT_BYTES];

	/* link.h refuses what is not loopback without a key. */
	link_address_text(a, text);
	return link_address_read(&again, text, &none, NULL);
}

static bool read_address(struct opened *opened, const struct web_options *options, struct err *err)
{
	uint8_t byte = 0;
	const struct packet_key any = {&byte, 1};

	if (!link_address_read(&opened->address,
			       options->listen ? options->listen : WEB_LISTEN_USUAL, &any, err))
		return err_prefix(err, "--listen") || err_as_usage(err);
	opened->is_loopback = is_loopback(&opened->address);
	return true;
}

static bool read_whole(char **text, const char *option, const char *path, struct err *err)
{
	size_t bytes;

	/* A link that the user named is followed. */
	char *real = realpath(path, NULL);
	*text = real ? place_read(AT_FDCWD, real, PEM_MOST, &bytes) : NULL;
	free(real);
	return *text ||
	       err_usage(err, "%s: %s cannot be read, or is no regular file", option, path);
}

static bool read_token(struct opened *opened, const struct web_options *options, struct err *err)
{
	struct stat info;

	if (!options->token_path)
		return true;
	if (!read_whole(&opened->token, "--token", options->token_path, err))
		return false;
	opened->token[strcspn(opened->token, "\r\n")] = 0;
	const size_t length = strlen(opened->token);
	if (length < TOKEN_BYTES_LEAST || length > TOKEN_BYTES_MOST ||
	    strspn(opened->token,
		   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/=") !=
		    length)
		return err_usage(err,
				 "--token %s: expected a line of %d to %d letters, digits and "
				 "-._~+/=, such as `head -c 24 /dev/urandom | base64` prints",
				 options->token_path, TOKEN_BYTES_LEAST, TOKEN_BYTES_MOST);
	if (stat(options->token_path, &info) == 0 && info.st_mode & (S_IRWXG | S_IRWXO))
		options->warn("other users may read or change the token: chmod go= would keep it");
	return true;
}

static bool may_listen(const struct opened *opened, const struct web_options *options,
		       struct err *err)
{
	if (options->certificate && options->is_behind_proxy)
		return err_usage(err, "--tls and --behind-proxy: a proxy speaks TLS, or this "
				      "server does: leave one out");
	if (options->is_behind_proxy && !opened->token)
		return err_usage(err, "--behind-proxy: others can reach the server, so it needs "
				      "--token FILE");
	if (options->is_behind_proxy && !options->name_count)
		return err_usage(err, "--behind-proxy: what is the server called? Give --name "
				      "HOST, as browsers have it in their address");
	if (opened->is_loopback)
		return true;
	if (!opened->token)
		return err_usage(err, "--listen: beyond this machine a token is required: give "
				      "--token FILE");
	if (!options->certificate && !options->is_behind_proxy)
		return err_usage(err,
				 "--listen: beyond this machine connections must be encrypted: "
				 "give --tls CERT KEY, or --behind-proxy if a proxy does that");
	return true;
}

static bool listen_there(struct opened *opened, struct err *err)
{
	const int one = 1;
	struct sockaddr_storage bound;
	socklen_t bytes = sizeof(bound);
	const int fd = socket(opened->address.address.ss_family,
			      SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	opened->fd = fd;
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) != 0 ||
	    bind(fd, (const struct sockaddr *)&opened->address.address, opened->address.bytes) !=
		    0 ||
	    listen(fd, SOMAXCONN) != 0 || getsockname(fd, (struct sockaddr *)&bound, &bytes) != 0)
		return err_set_errno(err, errno, "cannot listen there");
	memcpy(&opened->address.address, &bound, sizeof(bound));
	opened->port =
		ntohs(bound.ss_family == AF_INET ? ((struct sockaddr_in *)&bound)->sin_port
						 : ((struct sockaddr_in6 *)&bound)->sin6_port);
	return true;
}

static void add_name(struct opened *opened, char *name)
{
	if (opened->name_count < NAMES_MOST)
		opened->names[opened->name_count++] = name;
	else
		free(name);
}

/* Those that a browser has in Host when it comes by the server's address, and those given. */
static void name_server(struct opened *opened, const struct web_options *options)
{
	char address[LINK_TEXT_BYTES];

	link_address_text(&opened->address, address);
	add_name(opened, mem_strdup(address));
	if (opened->is_loopback) {
		add_name(opened, mem_format("localhost:%u", opened->port));
		add_name(opened, mem_format("127.0.0.1:%u", opened->port));
		add_name(opened, mem_format("[::1]:%u", opened->port));
	}
	for (size_t i = 0; i < options->name_count; i++) {
		add_name(opened, mem_strdup(options->names[i]));
		add_name(opened, mem_format("%s:%u", options->names[i], opened->port));
	}
}

static bool open_signals(struct opened *opened, struct err *err)
{
	static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_COUNT(wanted); i++)
		sigaddset(&set, wanted[i]);
	/* Blocked before any thread is there, so that none is ended by them. */
	pthread_sigmask(SIG_BLOCK, &set, &opened->before);
	opened->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return opened->signals >= 0 || err_set_errno(err, errno, "cannot wait for signals");
}

/* As many descriptors as connections may need, if the system allows. */
static void raise_descriptors(const struct web_limits *limits)
{
	struct rlimit most;
	const rlim_t wanted = (rlim_t)limits->connections + 1024;

	if (getrlimit(RLIMIT_NOFILE, &most) != 0 || most.rlim_cur >= wanted)
		return;
	most.rlim_cur = most.rlim_max < wanted ? most.rlim_max : wanted;
	setrlimit(RLIMIT_NOFILE, &most);
}

static void close_all(struct opened *opened)
{
	for (size_t i = 0; i < opened->name_count; i++)
		free(opened->names[i]);
	free(opened->token);
	free(opened->certificate);
	free(opened->key);
	if (opened->fd >= 0)
		close(opened->fd);
	if (opened->signals >= 0)
		close(opened->signals);
}

static bool run(struct opened *opened, const struct web_options *options, struct err *err)
{
	struct server_options server_options = options->server;
	const struct http_tls tls = {opened->certificate, opened->key};
	char address[LINK_TEXT_BYTES], url[LINK_TEXT_BYTES + 16];

	server_options.door = (struct web_door){
		.names = (const char *const *)opened->names,
		.name_count = opened->name_count,
		.token = opened->token,
		.is_secure = options->certificate || options->is_behind_proxy,
	};
	struct server *server = server_create(&server_options, err);
	if (!server)
		return false;
	struct http *http = http_start(server, opened->fd, options->certificate ? &tls : NULL, err);
	opened->fd = -1;
	bool ok = http;
	if (http) {
		link_address_text(&opened->address, address);
		snprintf(url, sizeof(url), "%s://%s/", options->certificate ? "https" : "http",
			 address);
		options->listening(url);
		ok = server_run(server, opened->signals, err);
		http_stop(http);
	}
	server_destroy(server);
	return ok;
}

bool web_serve(const struct web_options *options, struct err *err)
{
	struct opened opened = {.fd = -1, .signals = -1};
	const struct web_limits *limits = &options->server.limits;

	bool ok = web_limits_check(limits, err) && read_address(&opened, options, err) &&
		  read_token(&opened, options, err) && may_listen(&opened, options, err) &&
		  (!options->certificate ||
		   (read_whole(&opened.certificate, "--tls", options->certificate, err) &&
		    read_whole(&opened.key, "--tls", options->key, err))) &&
		  listen_there(&opened, err);
	if (ok) {
		raise_descriptors(limits);
		name_server(&opened, options);
		/* A client that has gone away is an error of writing. */
		signal(SIGPIPE, SIG_IGN);
		ok = open_signals(&opened, err) && run(&opened, options, err);
		pthread_sigmask(SIG_SETMASK, &opened.before, NULL);
	}
	close_all(&opened);
	return ok;
}
