/*
 * fd_socket.h - sockets of the family AF_UNIX within the process.
 *
 * A socket holds the messages sent to it. A connection is two sockets that are each other's peer; a
 * datagram socket may have a peer that does not know it. A name is one of the abstract space, or a
 * file: binding to a path makes an empty file, so that the name is seen, removed and renamed like
 * any other, and the socket is found by the file's identity. (The file looks like a regular one.)
 *
 * Invariants: a peer pointer holds a reference, so a peer is never freed memory; a closed socket
 * has no messages. The bytes of queued messages are charged to --memory and limited by BUFFER_BYTES
 * a socket; descriptors in messages are limited in number, so a cycle of sockets that hold each
 * other in messages stays bounded (it is not searched for).
 *
 * Not modelled: out-of-band data, other families (EAFNOSUPPORT), the kernel's accounting of buffers
 * by the size of its own structures.
 */
#ifndef LINUX_FD_SOCKET_H
#define LINUX_FD_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linux/process.h"

#define BUFFER_BYTES  212992 /* the default of the kernel */
#define DATAGRAMS_MAX 11     /* a queue of 10 lets one more in */
#define NAME_BYTES    108
#define SOCKETS_MAX   65536 /* with those that wait to be accepted */
#define RIGHTS_MAX    253

struct message {
	struct message *next;
	size_t bytes, first; /* `first` of them have been read */
	struct file **rights;
	size_t right_count;
	size_t name_bytes; /* of the sender */
	char name[NAME_BYTES];
	uint8_t data[];
};

enum socket_state { SOCKET_NEW, SOCKET_LISTENING, SOCKET_CONNECTED, SOCKET_CLOSED };

struct socket {
	struct socket *next, **link; /* all sockets of the process */
	struct process *process;
	struct file *file; /* NULL until accepted, and when closed */
	unsigned references;
	int type;
	enum socket_state state;
	struct socket *peer;
	struct message *messages, **last_message;
	size_t queued_bytes, queued_count;
	bool reads_end, writes_end; /* after shutdown, here or there */
	int error;		    /* to be told once */
	bool is_bound, is_path;
	size_t name_bytes; /* of sun_path that count */
	char name[NAME_BYTES];
	uint64_t device, inode;	 /* of the file of a path */
	struct socket **waiting; /* connections not yet accepted */
	size_t waiting_count, waiting_capacity, backlog;
	bool passes_credentials;
	int32_t options[64]; /* what SO_... was set to, where it has no effect */
	uint64_t read_timeout_ns, write_timeout_ns; /* 0: none */
};

/* NULL if there are too many, or --memory forbids one more. */
struct socket *socket_create(struct process *process, int type);
/* A file for it; the socket's first reference becomes the file's. */
struct file *socket_open(struct socket *socket, uint32_t flags);
void socket_release(struct socket *socket);
/* Closes one that no file belongs to. */
void socket_close(struct socket *socket);
void socket_join(struct socket *a, struct socket *b);
void socket_set_peer(struct socket *socket, struct socket *peer);
/* Notifies its file, if it has a file. */
void socket_notify(struct socket *socket, short events);
void message_free(struct process *process, struct message *message);

/* One message, or a part of the stream: the number of bytes or a negative errno. `flags` are those
 * of send and recv. The rights become the message's if it is sent. */
struct transfer {
	uint8_t *data;
	size_t bytes;
	int flags;
	struct file **rights;
	size_t right_count;
	struct socket *to; /* instead of the peer, or NULL */
	/* filled in by receiving: */
	char name[NAME_BYTES];
	size_t name_bytes;
	bool is_truncated;
	bool has_message; /* credentials and name are those of a message */
};

int64_t socket_send(struct socket *socket, struct transfer *transfer);
int64_t socket_receive(struct socket *socket, struct transfer *transfer);

#endif
