#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/command.h"
#include "cmd/key.h"
#include "cmd/stat_request.h"
#include "stats/link.h"

#define TRIES	20
#define WAIT_MS 250

/* A packet to the run and its answer, over a socket that may lose either. */
struct talk {
	int fd;
	struct packet_key key;
	uint8_t bytes[PACKET_BYTES_MOST];
	struct packet answer;
	struct packet_writer writer;
};

static bool ask(struct talk *talk, enum packet_kind expected, uint64_t sequence, struct err *err)
{
	if (!packet_end(&talk->writer, &talk->key))
		return err_set(err, "this is more than fits into a packet: ask for less");
	for (int i = 0; i < TRIES; i++) {
		struct pollfd source = {talk->fd, POLLIN, 0};

		(void)!send(talk->fd, talk->writer.bytes, talk->writer.size, MSG_NOSIGNAL);
		while (poll(&source, 1, WAIT_MS) > 0) {
			ssize_t got = recv(talk->fd, talk->bytes, sizeof(talk->bytes), 0);

			if (got < 0) {
				poll(NULL, 0, WAIT_MS); /* nobody listens there yet */
				break;
			}
			if (packet_read(&talk->answer, talk->bytes, (size_t)got, &talk->key) ==
				    PACKET_GOOD &&
			    talk->answer.kind == expected && talk->answer.sequence == sequence)
				return true;
		}
	}
	return err_set(err, "no answer: is a run listening there, with the same key?");
}

static bool configure(struct talk *talk, const struct stats_wish *wish, struct err *err)
{
	struct timespec now;
	char text[PACKET_TEXT_BYTES];
	uint64_t sequence;
	bool is_accepted;

	/* By its number an answer is known to be that to this command. */
	clock_gettime(CLOCK_REALTIME, &now);
	sequence = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	packet_begin(&talk->writer, &(struct packet){.kind = PACKET_QUERY, .sequence = sequence});
	if (!ask(talk, PACKET_STATUS, sequence, err))
		return false;
	packet_begin(&talk->writer, &(struct packet){.kind = PACKET_CONFIGURE,
						     .run = talk->answer.run,
						     .ticket = talk->answer.ticket,
						     .sequence = ++sequence});
	packet_put_configure(&talk->writer, wish);
	if (!ask(talk, PACKET_ANSWER, sequence, err))
		return false;
	if (!packet_read_answer(&talk->answer, &sequence, &is_accepted, text))
		return err_set(err, "the answer is malformed");
	return is_accepted || err_set(err, "refused: %s", text);
}

int cmd_configure(const struct args *args)
{
	struct talk *talk = mem_alloc(sizeof(*talk));
	struct stats_request request = {0};
	struct link_address to;
	struct err err;

	talk->fd = -1;
	bool ok = (args->rest_count == 1 || err_set(&err, "where is the run? Give HOST:PORT")) &&
		  key_from_args(&talk->key, args, &err) &&
		  link_address_read(&to, args->rest[0], &talk->key, &err) &&
		  stat_wish_from_args(&request, args, NULL, &err) &&
		  args_get_count(args, OPTION_AT, 0, INT64_MAX, &request.first.at, &err) &&
		  (request.first.pair_count ||
		   err_set(&err, "what is to be counted? Give -e SIGNAL@WHERE or -g GROUP"));
	ok = ok || err_as_usage(&err);
	if (ok) {
		talk->fd = link_connect(&to, &err);
		ok = talk->fd >= 0 && configure(talk, &request.first, &err);
	}
	if (ok)
		puts("accepted");
	const int status = ok ? 0 : fail_err(command_named("configure"), &err);
	if (talk->fd >= 0)
		close(talk->fd);
	link_key_release(&talk->key);
	stats_request_release(&request);
	free(talk);
	return status;
}
