/* `configure` and what it talks to, which is a pair of sockets with answers laid ready: the right
 * one is taken, others are passed over, and without one it is asked twenty times. */
#include "../test.h"

#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../replace.h"
#include "cmd/command.h"
#include "cmd/key.h"
#include "cmd/stat_request.h"
#include "stats/link.h"

static unsigned waits, asked, accepted;
static int connection; /* negative: a real one */
static int other;      /* its other end */
static bool takes;     /* what is sent is taken and counted */

REPLACED(poll);
REPLACED(link_connect);

/* What is there is there at once; else nothing ever comes. */
static int wait_made_up(struct pollfd *sources, nfds_t count, int milliseconds)
{
	char byte;

	assert_int_equal(milliseconds, 250);
	waits++;
	while (takes && recv(other, &byte, 1, MSG_DONTWAIT) >= 0)
		asked++;
	return count ? __real_poll(sources, count, 0) : 0;
}
REPLACE(poll, wait_made_up);

static int read_clock(clockid_t clock, struct timespec *now)
{
	assert_int_equal(clock, CLOCK_REALTIME);
	*now = (struct timespec){.tv_sec = 3, .tv_nsec = 5};
	return 0;
}
REPLACE(clock_gettime, read_clock);

static int connect_here(const struct link_address *to, struct err *err)
{
	return connection < 0 ? __real_link_connect(to, err) : dup(connection);
}
REPLACE(link_connect, connect_here);

static int say(const char *text)
{
	assert_string_equal(text, "accepted");
	accepted++;
	return 0;
}
REPLACE(puts, say);

static bool no_key(struct packet_key *key, const struct args *args, struct err *err)
{
	(void)args;
	(void)err;
	*key = (struct packet_key){0};
	return true;
}
REPLACE(key_from_args, no_key);

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
	(void)err;
	assert_int_equal(id, OPTION_AT);
	assert_int_equal(least, 0);
	assert_int_equal(most, INT64_MAX);
	*value = 77;
	return true;
}

static unsigned pairs;

bool stat_wish_from_args(struct stats_request *request, const struct args *args,
			 const struct config *config, struct err *err)
{
	assert_null(config);
	static const char *const names[] = {"cycles", "committed@main"};

	(void)args;
	(void)err;
	for (unsigned i = 0; i < pairs; i++)
		stats_wish_add(&request->first, names[i]);
	request->first.period_cycles = 500;
	return true;
}

static char said[2048];
static enum err_kind kind_said;

int fail_err(const struct command *command, const struct err *err)
{
	(void)command;
	snprintf(said, sizeof(said), "%s", err->text);
	kind_said = err->kind;
	return err->kind == ERR_USAGE ? EXIT_USAGE : EXIT_TOOL;
}

const struct command *command_named(const char *name)
{
	assert_string_equal(name, "configure");
	return NULL;
}

static struct packet_writer writer;

static int enter(void **state)
{
	int pair[2];

	(void)state;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	connection = pair[0];
	other = pair[1];
	waits = accepted = 0;
	pairs = 2;
	return 0;
}

static int leave(void **state)
{
	(void)state;
	close(connection);
	close(other);
	return 0;
}

/* The exit status of a command line with so many operands. */
static int configure(const char *where, size_t count)
{
	char *rest[] = {(char *)(uintptr_t)where, (char *)(uintptr_t)where, NULL};
	const struct args args = {.rest = rest, .rest_count = count};

	said[0] = 0;
	return cmd_configure(&args);
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

#define TALKING(test) TEST_WITH(test, enter, leave)

#define FIRST	  UINT64_C(3000000005) /* the number of the first packet, by the clock */
#define NO_ANSWER "no answer: is a run listening there, with the same key?"

/* What was sent: a question, then the wish, to the run that answered. */
static void wish_was_sent_to(uint64_t run)
{
	struct stats_wish wish = {0};
	struct packet packet;

	assert_true(sent(&packet));
	assert_int_equal(packet.kind, PACKET_QUERY);
	assert_int_equal(packet.sequence, FIRST);
	assert_true(sent(&packet));
	assert_int_equal(packet.kind, PACKET_CONFIGURE);
	assert_int_equal(packet.sequence, FIRST + 1);
	assert_int_equal(packet.run, run);
	assert_true(packet_read_configure(&packet, &wish));
	assert_int_equal(wish.pair_count, 2);
	assert_string_equal(wish.pairs[0], "cycles");
	assert_string_equal(wish.pairs[1], "committed@main");
	assert_int_equal(wish.period_cycles, 500);
	assert_int_equal(wish.at, 77);
	stats_wish_release(&wish);
	assert_false(sent(&packet));
}

TALKING(right_answer_is_waited_for)
{
	/* Not a packet; another kind; another number; the one. */
	assert_int_equal(send(other, "x", 1, 0), 1);
	lay(PACKET_ANSWER, 7, FIRST);
	packet_put_answer(&writer, FIRST, true, "");
	send_it();
	lay(PACKET_STATUS, 8, FIRST - 1);
	send_it();
	lay(PACKET_STATUS, 9, FIRST);
	send_it();
	lay(PACKET_ANSWER, 9, FIRST + 1);
	packet_put_answer(&writer, FIRST + 1, true, "");
	send_it();
	assert_int_equal(configure("9", 1), 0);
	assert_int_equal(accepted, 1);
	assert_int_equal(waits, 5);
	wish_was_sent_to(9);
}

TALKING(nobody_is_asked_twenty_times)
{
	takes = true;
	assert_int_equal(configure("9", 1), 125);
	takes = false;
	assert_string_equal(said, NO_ANSWER);
	assert_int_equal(asked, 20);
	assert_int_equal(waits, 20);
}

TALKING(wishes_are_put_to_the_run_that_answers)
{
	static const char *const sentences[] = {"", "refused: no such signal",
						"the answer is malformed"};

	for (unsigned pass = 0; pass < 3; pass++) {
		lay(PACKET_STATUS, 0x99, FIRST);
		send_it();
		lay(PACKET_ANSWER, 0x99, FIRST + 1);
		if (pass < 2)
			packet_put_answer(&writer, FIRST + 1, pass == 0, "no such signal");
		send_it();
		assert_int_equal(configure("9", 1), pass == 0 ? 0 : 125);
		assert_string_equal(said, sentences[pass]);
		assert_int_equal(accepted, 1);
		wish_was_sent_to(0x99);
	}
}

TALKING(mistakes_are_told_before_anything_is_sent)
{
	struct packet packet;

	for (size_t count = 0; count < 3; count += 2) {
		assert_int_equal(configure("9", count), 2);
		assert_string_equal(said, "where is the run? Give HOST:PORT");
	}
	assert_int_equal(configure("nowhere", 1), 2);
	assert_non_null(strstr(said, "nowhere"));
	pairs = 0;
	assert_int_equal(configure("9", 1), 2);
	assert_string_equal(said, "what is to be counted? Give -e SIGNAL@WHERE or -g GROUP");
	assert_false(sent(&packet));
}

/* Asked in vain, which is no mistake of the command line. */
TALKING(ports_without_a_run_do_not_answer)
{
	const int kept = connection;

	connection = -1;
	assert_int_equal(configure("9", 1), 125);
	connection = kept;
	assert_string_equal(said, NO_ANSWER);
	assert_int_equal(kind_said, ERR_INPUT);
}
