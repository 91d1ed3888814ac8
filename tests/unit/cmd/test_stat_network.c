/* What `stat` passes on: every number and flag of an interval to the sender, names of an epoch, and
 * sentences about what was refused, dropped or not acknowledged. */
#include "../test.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../replace.h"
#include "cmd/stat_network.h"

static char sent[1024];

static void add(const char *format, ...)
{
	size_t length = strlen(sent);
	va_list ap;

	va_start(ap, format);
	vsnprintf(sent + length, sizeof(sent) - length, format, ap);
	va_end(ap);
}

static void take_counts(struct stats_sender *sender, const struct packet *header,
			const struct packet_counts *counts, const struct packet_count *values,
			uint32_t count)
{
	(void)sender;
	add("counts epoch %u cycle %llu flags %u number %llu start %llu cycles %llu:",
	    header->epoch, (unsigned long long)header->cycle, header->flags,
	    (unsigned long long)counts->number, (unsigned long long)counts->start,
	    (unsigned long long)counts->cycles);
	for (uint32_t i = 0; i < count; i++)
		add(" %llu/%llu%s", (unsigned long long)values[i].value,
		    (unsigned long long)values[i].total, values[i].is_saturated ? "!" : "");
	add("\n");
}
REPLACE(stats_sender_counts, take_counts);

static void take_names(struct stats_sender *sender, uint32_t epoch, uint32_t count,
		       uint32_t period_cycles, uint32_t width_bits, const char *names)
{
	(void)sender;
	add("names epoch %u count %u period %u width %u %s\n", epoch, count, period_cycles,
	    width_bits, names);
}
REPLACE(stats_sender_names, take_names);

static void take_tick(struct stats_sender *sender)
{
	(void)sender;
	add("tick\n");
}
REPLACE(stats_sender_tick, take_tick);

static bool is_acknowledged;

static bool take_finish(struct stats_sender *sender, double seconds)
{
	(void)sender;
	add("finish %g\n", seconds);
	return is_acknowledged;
}
REPLACE(stats_sender_finish, take_finish);

static void take_packets(struct stats_control *control)
{
	add("receive %d\n", control->fd);
}
REPLACE(stats_control_receive, take_packets);

static const char *option_to, *option_listen, *option_key;

const char *args_get(const struct args *args, enum option_id id)
{
	(void)args;
	return id == OPTION_TO ? option_to : id == OPTION_LISTEN ? option_listen : option_key;
}

void say_warning(void *unused, const char *sentence)
{
	(void)unused;
	add("%s\n", sentence);
}

TEST(intervals_are_sent_whole)
{
	static const struct stat_count counts[] = {{.value = 5, .total = 50},
						   {.value = 6, .total = 60, .is_saturated = true}};
	struct stat_network n = {0};
	struct stat_frame frame = {.head = {.kind = STAT_FRAME_INTERVAL,
					    .epoch = 3,
					    .flags = STAT_FLAG_LAST,
					    .count = 2,
					    .start = 1000,
					    .cycles = 200,
					    .dispatched = 1207,
					    .number = 9},
				   .counts = counts};
	static const struct {
		uint32_t flags;
		unsigned sent;
	} flags[] = {{0, 0},
		     {STAT_FLAG_LAST, PACKET_LAST_OF_EPOCH},
		     {STAT_FLAG_FINAL, PACKET_FINAL},
		     {STAT_FLAG_PARTIAL, PACKET_PARTIAL},
		     {STAT_FLAG_FINAL | STAT_FLAG_LAST, PACKET_FINAL | PACKET_LAST_OF_EPOCH}};

	/* Without a sender only where the run is is known. */
	sent[0] = 0;
	stat_network_take(&n, &frame);
	stat_network_tick(&n);
	assert_string_equal(sent, "");
	assert_int_equal(n.control.epoch, 3);
	assert_int_equal(n.control.cycle, 1207);
	n.sender = (struct stats_sender *)&n;
	for (size_t i = 0; i < 5; i++) {
		char wanted[256];

		n.is_ended = false;
		sent[0] = 0;
		frame.head.flags = flags[i].flags;
		stat_network_take(&n, &frame);
		snprintf(wanted, sizeof(wanted),
			 "counts epoch 3 cycle 1207 flags %u number 9 start 1000 cycles 200: 5/50 "
			 "6/60!\ntick\n",
			 flags[i].sent);
		assert_string_equal(sent, wanted);
		assert_int_equal(n.is_ended, (flags[i].flags & STAT_FLAG_FINAL) != 0);
	}
	sent[0] = 0;
	stat_network_tick(&n);
	assert_string_equal(sent, "tick\n");
}

TEST(names_and_refusals_are_passed_on)
{
	struct stat_network n = {.sender = (struct stats_sender *)&n};
	struct stat_frame frame = {.head = {.kind = STAT_FRAME_EPOCH,
					    .epoch = 4,
					    .count = 2,
					    .dispatched = 77,
					    .period_cycles = 500,
					    .width_bits = 16},
				   .text = "a@b\0c"};

	sent[0] = 0;
	stat_network_take(&n, &frame);
	assert_string_equal(sent, "names epoch 4 count 2 period 500 width 16 a@b\ntick\n");
	frame.head.kind = STAT_FRAME_REFUSED;
	frame.head.epoch = 9;
	frame.text = "no such signal";
	sent[0] = 0;
	stat_network_take(&n, &frame);
	assert_string_equal(sent, "a configuration was refused: no such signal\n");
	assert_int_equal(n.control.epoch, 4);
}

TEST(end_is_waited_for)
{
	struct stat_network n = {0};

	sent[0] = 0;
	stat_network_finish(&n);
	assert_string_equal(sent, "");
	n.sender = (struct stats_sender *)&n;
	n.control.fd = 5;
	stat_network_finish(&n);
	assert_string_equal(sent, "receive 5\n");
	n.is_ended = true;
	is_acknowledged = true;
	sent[0] = 0;
	stat_network_finish(&n);
	assert_string_equal(sent, "receive 5\nfinish 10\n");
	is_acknowledged = false;
	n.control.fd = 0;
	n.control.faults[1] = 3;
	n.control.faults[PACKET_FAULTS - 1] = 4;
	sent[0] = 0;
	stat_network_finish(&n);
	char wanted[512];
	snprintf(wanted, sizeof(wanted),
		 "finish 10\nthe collector did not acknowledge the final packet within 10 seconds: "
		 "what it has is incomplete\n"
		 "3 packets at the configuration port were dropped: %s\n"
		 "4 packets at the configuration port were dropped: %s\n",
		 packet_fault_name((enum packet_fault)1),
		 packet_fault_name((enum packet_fault)(PACKET_FAULTS - 1)));
	assert_string_equal(sent, wanted);
	sent[0] = 0;
	n.control.fd = 6;
	stat_network_receive(&n);
	assert_string_equal(sent, "receive 6\n");
}

TEST(addresses_and_keys_are_read)
{
	struct stats_request request = {0};
	struct stat_network n;
	struct err err;

	assert_true(stat_network_open(&n, NULL, NULL, &request, &err));
	assert_false(n.is_open);
	stat_network_close(&n);
	option_key = "/none";
	assert_false(stat_network_open(&n, NULL, NULL, &request, &err));
	assert_string_equal(err.text, "--key is for --to and --listen");
	stat_network_close(&n);
	option_to = "9";
	assert_false(stat_network_open(&n, NULL, NULL, &request, &err));
	assert_string_not_equal(err.text, "--key is for --to and --listen");
	assert_true(n.is_open);
	stat_network_close(&n);
	option_key = NULL;
	option_to = "nothing";
	assert_false(stat_network_open(&n, NULL, NULL, &request, &err));
	stat_network_close(&n);
	option_to = "127.0.0.1:9";
	assert_true(stat_network_open(&n, NULL, NULL, &request, &err));
	assert_non_null(n.sender);
	assert_int_equal(n.control.fd, 0);
	stat_network_close(&n);
	option_to = NULL;
	option_listen = "nothing";
	assert_false(stat_network_open(&n, NULL, NULL, &request, &err));
	assert_true(n.is_open);
	stat_network_close(&n);
	/* With something to count it does not wait. */
	stats_wish_add(&request.first, "cycles");
	/* A port that was free a moment ago. */
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000001)};
	socklen_t size = sizeof(address);
	char where[64];
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
	snprintf(where, sizeof(where), "127.0.0.1:%u", ntohs(address.sin_port));
	option_listen = where;
	/* It is taken as long as the socket is there. */
	char wanted[128];
	snprintf(wanted, sizeof(wanted), "--listen %s: ", where);
	assert_false(stat_network_open(&n, NULL, NULL, &request, &err));
	assert_memory_equal(err.text, wanted, strlen(wanted));
	stat_network_close(&n);
	close(fd);
	assert_true(stat_network_open(&n, NULL, NULL, &request, &err));
	assert_true(n.control.fd > 0);
	assert_ptr_equal(n.control.key, &n.key);
	assert_ptr_equal(n.control.mailbox, n.mailbox);
	assert_ptr_equal(request.mailbox, n.mailbox);
	assert_null(n.control.first);
	stat_network_close(&n);
	stats_request_release(&request);
	option_listen = NULL;
}
