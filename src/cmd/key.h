/*
 * key.h - the key of --key, by which packets are signed and checked.
 */
#ifndef CMD_KEY_H
#define CMD_KEY_H

#include "cmd/command.h"
#include "stats/link.h"

/* None without the option. Says so if other users may read or write the file. False with a
 * sentence; to be released either way. */
bool key_from_args(struct packet_key *key, const struct args *args, struct err *err);

#endif
