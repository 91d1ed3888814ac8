/* `configure` and what it talks to, which is a pair of sockets with answers laid ready: the right
 * one is taken, others are passed over, and without one it is asked twenty times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static unsigned waits, asked;
static int other;
static bool takes; /* what is sent is taken and counted */

/* What is there is there at once; else nothing ever comes. */
static int wait_made_up(struct pollfd *sources, nfds_t count, int milliseconds)
{
	char byte;

	assert_int_equal(milliseconds, 250);
	waits++;
	while (takes && recv(other, &byte, 1, MSG_DONTWAIT) >= 0)
		asked++;
	return count ? poll(sources, count, 0) : 0;
}

static int read_clock(int clock, struct timespec *now)
{
	assert_int_equal(clock, CLOCK_REALTIME);
	*now = (struct timespec){.tv_sec = 3, .tv_nsec = 5};
	return 0;
}

#define poll	      wait_made_up
#define clock_gettime read_clock
#include "cmd/cmd_configure.c"
#undef poll

const char *args_get(const struct args *args, enum option_id id)
{
	(void)args;
	assert_int_equal(id, OPTION_KEY);
	return NULL;
}

bool args_get_count(const struct args *args, enum option_id id, uint64_t least, uint64_t most,
		    uint64_t *value, struct err *err)
{
	(void)args;
	(void)value;
	(void)err;
	assert_int_equal(id, OPTION_AT);
	assert_int_equal(least, 0);
	assert_int_equal(most, INT64_MAX);
	return true;
}

static unsigned pairs;

bool stat_wish_from_args(struct stats_request *request, const struct args *args, struct err *err)
{
	(void)args;
	(void)err;
	for (unsigned i = 0; i < pairs; i++)
		stats_wish_add(&request->first, "cycles");
	return true;
}

static char said[2048];
static int status_said;

int fail_with(int status, const struct command *command, const char *sentence)
{
	(void)command;
	snprintf(said, sizeof(said), "%s", sentence);
	status_said = status;
	return status;
}

const struct command *command_named(const char *name)
{
	assert_string_equal(name, "configure");
	return NULL;
}

static struct talk *talk;
static struct packet_writer writer;

static int enter(void **state)
{
	int pair[2];

	(void)state;
	talk = mem_alloc(sizeof(*talk));
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	talk->fd = pair[0];
	other = pair[1];
	waits = 0;
	return 0;
}

static int leave(void **state)
{
	(void)state;
	close(talk->fd);
	close(other);
	free(talk);
	return 0;
}

static void lay(enum packet_kind kind, uint64_t run, uint64_t sequence)
{
	packet_begin(&writer, &(struct packet){.kind = kind, .run = run, .sequence = sequence});
}

static void send_it(void)
{
	assert_true(packet_end(&writer, &(struct packet_key){0}));
	assert_int_equal(send(other, writer.bytes, writer.size, 0), writer.size);
}

/* The next packet that was sent; false if there is none. */
static bool sent(struct packet *packet)
{
	static uint8_t bytes[PACKET_BYTES_MOST];
	ssize_t got = recv(other, bytes, sizeof(bytes), MSG_DONTWAIT);

	return got > 0 &&
	       packet_read(packet, bytes, (size_t)got, &(struct packet_key){0}) == PACKET_GOOD;
}

static void right_answer_is_waited_for(void **state)
{
	struct packet packet;
	struct err err = {""};

	(void)state;
	/* Not a packet; another kind; another number; the one. */
	assert_int_equal(send(other, "x", 1, 0), 1);
	lay(PACKET_ANSWER, 7, 55);
	packet_put_answer(&writer, 55, true, "");
	send_it();
	lay(PACKET_STATUS, 8, 54);
	send_it();
	lay(PACKET_STATUS, 9, 55);
	send_it();
	packet_begin(&talk->writer, &(struct packet){.kind = PACKET_QUERY, .sequence = 55});
	assert_true(ask(talk, PACKET_STATUS, 55, &err));
	assert_int_equal(talk->answer.run, 9);
	assert_int_equal(waits, 4);
	assert_true(sent(&packet));
	assert_int_equal(packet.kind, PACKET_QUERY);
	assert_int_equal(packet.sequence, 55);
	assert_false(sent(&packet));
}

static void nobody_is_asked_twenty_times(void **state)
{
	struct err err = {""};

	(void)state;
	packet_begin(&talk->writer, &(struct packet){.kind = PACKET_QUERY, .sequence = 55});
	takes = true;
	assert_false(ask(talk, PACKET_STATUS, 55, &err));
	takes = false;
	assert_string_equal(err.text, "no answer: is a run listening there, with the same key?");
	assert_int_equal(asked, 20);
	assert_int_equal(waits, 20);
}

static void wishes_are_put_to_the_run_that_answers(void **state)
{
	const uint64_t first = UINT64_C(3000000005);
	struct stats_request request = {0};
	struct packet packet;
	struct stats_wish wish = {0};
	struct err err = {""};

	(void)state;
	stats_wish_add(&request.first, "cycles");
	stats_wish_add(&request.first, "committed@main");
	request.first.period_cycles = 500;
	request.first.at = 77;
	for (int pass = 0; pass < 3; pass++) {
		lay(PACKET_STATUS, 0x99, first);
		send_it();
		lay(PACKET_ANSWER, 0x99, first + 1);
		if (pass < 2)
			packet_put_answer(&writer, first + 1, pass == 0, "no such signal");
		send_it();
		assert_int_equal(configure(talk, &request.first, &err), pass == 0);
		assert_string_equal(err.text, pass == 0	  ? ""
					      : pass == 1 ? "refused: no such signal"
							  : "the answer is malformed");
		assert_true(sent(&packet));
		assert_int_equal(packet.kind, PACKET_QUERY);
		assert_int_equal(packet.sequence, first);
		assert_true(sent(&packet));
		assert_int_equal(packet.kind, PACKET_CONFIGURE);
		assert_int_equal(packet.sequence, first + 1);
		assert_int_equal(packet.run, 0x99);
		assert_true(packet_read_configure(&packet, &wish));
		assert_int_equal(wish.pair_count, 2);
		assert_string_equal(wish.pairs[0], "cycles");
		assert_string_equal(wish.pairs[1], "committed@main");
		assert_int_equal(wish.period_cycles, 500);
		assert_int_equal(wish.at, 77);
		stats_wish_release(&wish);
	}
	stats_request_release(&request);
}

static void mistakes_are_told_before_anything_is_sent(void **state)
{
	char where[] = "nowhere", port[] = "9", *rest[] = {port, where, NULL};
	struct args args = {.rest = rest};

	(void)state;
	pairs = 1;
	assert_int_equal(cmd_configure(&args), 2);
	assert_string_equal(said, "where is the run? Give HOST:PORT");
	args.rest_count = 2;
	assert_int_equal(cmd_configure(&args), 2);
	assert_string_equal(said, "where is the run? Give HOST:PORT");
	args.rest_count = 1;
	rest[0] = where;
	said[0] = 0;
	assert_int_equal(cmd_configure(&args), 2);
	assert_non_null(strstr(said, "nowhere"));
	rest[0] = port;
	pairs = 0;
	assert_int_equal(cmd_configure(&args), 2);
	assert_string_equal(said, "what is to be counted? Give -e SIGNAL@WHERE or -g GROUP");
	/* Nobody is there: asked in vain, which is no mistake of the command line. */
	pairs = 1;
	assert_int_equal(cmd_configure(&args), 125);
	assert_string_equal(said, "no answer: is a run listening there, with the same key?");
	assert_int_equal(status_said, 125);
}

#define TALKING(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TALKING(right_answer_is_waited_for),
		TALKING(nobody_is_asked_twenty_times),
		TALKING(wishes_are_put_to_the_run_that_answers),
		TALKING(mistakes_are_told_before_anything_is_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
