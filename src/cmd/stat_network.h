/*
 * stat_network.h - `stat` on the network: --to, where intervals are sent, and --listen, where
 * configurations come from. The worker that runs the program has no socket: what it hands out goes
 * through here, and so does what it is told.
 */
#ifndef CMD_STAT_NETWORK_H
#define CMD_STAT_NETWORK_H

#include "cmd/command.h"
#include "job/stat.h"
#include "stats/control.h"
#include "stats/sender.h"

struct stat_network {
	bool is_open;
	struct packet_key key;
	struct stats_sender *sender;   /* NULL: none */
	struct stats_control control;  /* its fd is 0 if there is none */
	struct stats_mailbox *mailbox; /* NULL: none */
	bool is_ended;		       /* the final interval has been sent */
	/* While it waits for the first configuration: */
	const struct job *job; /* that will be run */
	struct stats_request *request;
	bool has_failed; /* the program itself cannot be run, or the user interrupted */
	struct err why;
};

/* Waits for the first configuration if the request has no pairs and --listen is given; one that the
 * program of the job cannot begin with is refused, and it goes on waiting. False with a sentence.
 * Close either way. */
bool stat_network_open(struct stat_network *network, const struct args *args, const struct job *job,
		       struct stats_request *request, struct err *err);
/* The run begins: tells the collector what is run where. */
void stat_network_begin(struct stat_network *network, const struct program *program,
			const struct job_machine *machine);
void stat_network_take(struct stat_network *network, const struct stat_frame *frame);
void stat_network_tick(struct stat_network *network);
void stat_network_receive(struct stat_network *network);
/* Sends until everything is acknowledged, and says what was not, and what was dropped. */
void stat_network_finish(struct stat_network *network);
void stat_network_close(struct stat_network *network);

#endif
