/*
 * sys_socket.h - what the calls on sockets share: finding a socket by descriptor or by name, and
 * telling a name.
 *
 * Each returns 0 or a negative errno. A found socket is not referenced: it is used within the call.
 */
#ifndef LINUX_SYS_SOCKET_H
#define LINUX_SYS_SOCKET_H

#include "linux/fd_socket.h"

int sockets_find(struct process *process, uint64_t descriptor, struct socket **found);
/* By the sockaddr_un at `from`, for a socket of the same type as `asking`. */
int sockets_look_up(struct process *process, const struct socket *asking, uint64_t from,
		    uint64_t bytes, struct socket **found);
/* `bytes_at` holds the room at `to`, and then the length of the whole name. */
int sockets_write_name(struct process *process, const char *name, size_t name_bytes, uint64_t to,
		       uint64_t bytes_at);

#endif
