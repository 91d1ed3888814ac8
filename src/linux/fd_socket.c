#include "linux/fd_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/array.h"
#include "linux/file_operations.h"

struct socket *socket_create(struct process *process, int type)
{
	if (process->socket_count >= SOCKETS_MAX ||
	    !memory_charge_host(&process->memory, sizeof(struct socket)))
		return NULL;
	process->socket_count++;
	struct socket *socket = mem_alloc(sizeof(*socket));
	socket->process = process;
	socket->type = type;
	socket->references = 1;
	socket->last_message = &socket->messages;
	socket->next = process->sockets;
	socket->link = &process->sockets;
	if (socket->next)
		socket->next->link = &socket->next;
	process->sockets = socket;
	return socket;
}

struct file *socket_open(struct socket *socket, uint32_t flags)
{
	socket->file = file_create_object(FILE_SOCKET, socket, O_RDWR | (flags & O_NONBLOCK));
	return socket->file;
}

void socket_release(struct socket *socket)
{
	if (--socket->references)
		return;
	*socket->link = socket->next;
	if (socket->next)
		socket->next->link = socket->link;
	socket->process->socket_count--;
	memory_uncharge_host(&socket->process->memory, sizeof(*socket));
	free(socket->waiting);
	free(socket);
}

void socket_set_peer(struct socket *socket, struct socket *peer)
{
	struct socket *old = socket->peer;

	if (peer)
		peer->references++;
	socket->peer = peer;
	if (old)
		socket_release(old);
}

void socket_join(struct socket *a, struct socket *b)
{
	socket_set_peer(a, b);
	socket_set_peer(b, a);
	a->state = b->state = SOCKET_CONNECTED;
}

void socket_notify(struct socket *socket, short events)
{
	if (socket->file)
		file_notify(socket->file, events);
}

static uint64_t message_charge(const struct message *message)
{
	return sizeof(*message) + message->bytes;
}

void message_free(struct process *process, struct message *message)
{
	for (size_t i = 0; i < message->right_count; i++)
		file_release(message->rights[i]);
	process->rights_queued -= (unsigned)message->right_count;
	memory_uncharge_host(&process->memory, message_charge(message));
	free(message->rights);
	free(message);
}

static bool is_connection(const struct socket *socket)
{
	return socket->type != SOCK_DGRAM;
}

/* Those that send to this one may go on. */
static void notify_senders(struct socket *socket)
{
	if (is_connection(socket)) {
		if (socket->peer)
			socket_notify(socket->peer, POLLOUT | POLLWRNORM);
		return;
	}
	for (struct socket *s = socket->process->sockets; s; s = s->next)
		if (s->peer == socket)
			socket_notify(s, POLLOUT | POLLWRNORM);
	/* Who sends without being connected waits for the receiver itself. */
	socket_notify(socket, POLLMSG);
}

static void drop_first(struct socket *socket)
{
	struct message *message = socket->messages;

	socket->messages = message->next;
	if (!socket->messages)
		socket->last_message = &socket->messages;
	socket->queued_bytes -= message->bytes - message->first;
	socket->queued_count--;
	message_free(socket->process, message);
}

void socket_close(struct socket *socket)
{
	bool has_unread = socket->messages != NULL, was_connected = is_connection(socket);
	struct socket *peer = socket->peer;

	socket->file = NULL;
	socket->is_bound = false;
	socket->state = SOCKET_CLOSED;
	for (size_t i = 0; i < socket->waiting_count; i++) {
		if (socket->waiting[i]->peer)
			socket->waiting[i]->peer->error = ECONNRESET;
		socket_close(socket->waiting[i]);
	}
	socket->waiting_count = 0;
	while (socket->messages)
		drop_first(socket);
	if (peer && was_connected && peer->peer == socket) {
		peer->reads_end = peer->writes_end = true;
		if (has_unread)
			peer->error = ECONNRESET;
		socket_notify(peer, POLLIN | POLLOUT | POLLHUP | POLLRDHUP);
	}
	if (!was_connected && has_unread)
		notify_senders(socket);
	socket_set_peer(socket, NULL);
	socket_release(socket);
}

void sockets_release(struct process *process)
{
	struct socket *socket = process->sockets;

	/* Each message that goes may take sockets with it. */
	while (socket) {
		bool has_message = socket->messages != NULL;

		if (has_message)
			drop_first(socket);
		socket = has_message ? process->sockets : socket->next;
	}
}

static void close_file(struct file *file)
{
	socket_close(file->object);
}

/* Whether the receiver has room: 1 byte of a stream, or a whole message. */
static bool has_room(const struct socket *to, size_t bytes)
{
	if (to->type == SOCK_DGRAM && to->queued_count >= DATAGRAMS_MAX)
		return false;
	/* Many small messages take more than their bytes. */
	size_t used = to->queued_bytes + to->queued_count * sizeof(struct message);
	return used < BUFFER_BYTES && (!to->messages || bytes <= BUFFER_BYTES - used);
}

static int64_t wait_here(struct socket *socket, struct file *file, short events,
			 uint64_t timeout_ns)
{
	struct process *process = socket->process;

	if (!timeout_ns)
		return wait_for(process, file, events);
	if (wait_deadline(process, timeout_ns) <= process_now_ns(process))
		return -EAGAIN;
	return wait_until(process, file, events, process->current->restart_deadline_ns,
			  RESTART_NEVER);
}

static int64_t broken(struct socket *socket, const struct transfer *transfer)
{
	return transfer->flags & MSG_NOSIGNAL || socket->type == SOCK_DGRAM
		       ? -EPIPE
		       : file_broken_pipe(socket->process);
}

static bool enqueue(struct socket *from, struct socket *to, struct transfer *transfer, size_t bytes)
{
	struct process *process = from->process;

	if (!memory_charge_host(&process->memory, sizeof(struct message) + bytes))
		return false;
	struct message *message = mem_alloc(sizeof(*message) + bytes);
	message->bytes = bytes;
	if (bytes)
		memcpy(message->data, transfer->data, bytes);
	message->rights = transfer->rights;
	message->right_count = transfer->right_count;
	process->rights_queued += (unsigned)transfer->right_count;
	transfer->rights = NULL;
	transfer->right_count = 0;
	message->name_bytes = from->is_bound ? from->name_bytes : 0;
	memcpy(message->name, from->name, sizeof(from->name));
	*to->last_message = message;
	to->last_message = &message->next;
	to->queued_bytes += bytes;
	to->queued_count++;
	socket_notify(to, POLLIN | POLLRDNORM);
	return true;
}

int64_t socket_send(struct socket *socket, struct transfer *transfer)
{
	struct socket *to = transfer->to ? transfer->to : socket->peer;
	bool is_stream = socket->type == SOCK_STREAM;
	size_t bytes = transfer->bytes;

	if (transfer->flags & MSG_OOB)
		return -EOPNOTSUPP;
	/* A stream is found to be broken, and its error is told to who reads. */
	if (socket->error && !is_stream) {
		int error = socket->error;

		socket->error = 0;
		return -error;
	}
	if (!to)
		return -ENOTCONN;
	if (socket->writes_end)
		return broken(socket, transfer);
	if (to->state == SOCKET_CLOSED) {
		if (is_connection(socket))
			return broken(socket, transfer);
		if (to == socket->peer)
			socket_set_peer(socket, NULL);
		return -ECONNREFUSED;
	}
	if (to->reads_end)
		return broken(socket, transfer);
	if (!is_stream && bytes > BUFFER_BYTES - 32)
		return -EMSGSIZE;
	if (is_stream && !bytes)
		return 0;
	if (!has_room(to, is_stream ? 1 : bytes)) {
		if (transfer->flags & MSG_DONTWAIT || socket->file->flags & O_NONBLOCK)
			return -EAGAIN;
		bool waits_there = transfer->to && transfer->to != socket->peer;
		return wait_here(socket, waits_there ? to->file : socket->file,
				 waits_there ? POLLMSG : POLLOUT, socket->write_timeout_ns);
	}
	size_t used = to->queued_bytes + to->queued_count * sizeof(struct message);
	if (is_stream && bytes > BUFFER_BYTES - used)
		bytes = BUFFER_BYTES - used;
	return enqueue(socket, to, transfer, bytes) ? (int64_t)bytes : -ENOBUFS;
}

/* The rights go to the receiver with the first byte of their message. */
static void take_rights(struct message *message, struct transfer *transfer, bool is_peek)
{
	if (!message->right_count)
		return;
	size_t bytes = message->right_count * sizeof(message->rights[0]);
	transfer->rights = mem_alloc(bytes);
	memcpy(transfer->rights, message->rights, bytes);
	transfer->right_count = message->right_count;
	for (size_t i = 0; is_peek && i < message->right_count; i++)
		message->rights[i]->references++;
}

static void name_sender(const struct message *message, struct transfer *transfer)
{
	transfer->has_message = true;
	transfer->name_bytes = message->name_bytes;
	memcpy(transfer->name, message->name, sizeof(message->name));
}

static void forget_rights(struct process *process, struct message *message)
{
	process->rights_queued -= (unsigned)message->right_count;
	free(message->rights);
	message->rights = NULL;
	message->right_count = 0;
}

static int64_t receive_stream(struct socket *socket, struct transfer *transfer)
{
	bool is_peek = transfer->flags & MSG_PEEK, makes_room = !has_room(socket, 1);
	size_t done = 0;

	for (struct message *message = socket->messages, *next;
	     message && (done < transfer->bytes || !transfer->bytes); message = next) {
		size_t left = message->bytes - message->first;
		size_t part = left < transfer->bytes - done ? left : transfer->bytes - done;
		bool has_rights = message->right_count != 0;

		next = message->next;
		if (!transfer->has_message)
			name_sender(message, transfer);
		if (part)
			memcpy(transfer->data + done, message->data + message->first, part);
		take_rights(message, transfer, is_peek);
		done += part;
		if (!is_peek) {
			forget_rights(socket->process, message);
			message->first += part;
			socket->queued_bytes -= part;
			if (message->first == message->bytes) {
				drop_first(socket);
				makes_room = true;
			}
		}
		/* What comes after rights is not joined to them. */
		if (has_rights || !transfer->bytes)
			break;
	}
	/* Part of a message makes no room for another. */
	if (!is_peek && makes_room)
		notify_senders(socket);
	return (int64_t)done;
}

static int64_t receive_message(struct socket *socket, struct transfer *transfer)
{
	struct message *message = socket->messages;
	size_t bytes = message->bytes, part = bytes < transfer->bytes ? bytes : transfer->bytes;
	bool is_peek = transfer->flags & MSG_PEEK;

	if (part)
		memcpy(transfer->data, message->data, part);
	name_sender(message, transfer);
	take_rights(message, transfer, is_peek);
	transfer->is_truncated = part < bytes;
	if (!is_peek) {
		forget_rights(socket->process, message);
		drop_first(socket);
		notify_senders(socket);
	}
	return (int64_t)(transfer->flags & MSG_TRUNC ? bytes : part);
}

/* With MSG_WAITALL nothing is taken before there is enough, or no more can come. */
static bool has_enough(const struct socket *socket, const struct transfer *transfer)
{
	if (!socket->messages)
		return false;
	if (socket->type != SOCK_STREAM || !(transfer->flags & MSG_WAITALL) ||
	    transfer->flags & MSG_PEEK)
		return true;
	return socket->queued_bytes >= transfer->bytes || socket->reads_end ||
	       socket->messages->right_count || !has_room(socket, 1);
}

int64_t socket_receive(struct socket *socket, struct transfer *transfer)
{
	if (transfer->flags & MSG_OOB)
		return -EOPNOTSUPP;
	if (is_connection(socket) && socket->state != SOCKET_CONNECTED)
		return socket->type == SOCK_STREAM ? -EINVAL : -ENOTCONN;
	bool is_enough = has_enough(socket, transfer);
	/* A message waits until the error is told; of a stream the rest comes first. */
	if (socket->error && (!is_enough || socket->type != SOCK_STREAM)) {
		int error = socket->error;

		socket->error = 0;
		return -error;
	}
	if (!is_enough) {
		bool waits = !(transfer->flags & MSG_DONTWAIT || socket->file->flags & O_NONBLOCK);
		/* Where there is no connection only who would wait learns of the end. */
		if (socket->reads_end && (waits || is_connection(socket)))
			return 0;
		if (!waits)
			return socket->messages ? receive_stream(socket, transfer) : -EAGAIN;
		int64_t waited = wait_here(socket, socket->file, POLLIN, socket->read_timeout_ns);
		/* After its time MSG_WAITALL is content with less. */
		return waited == -EAGAIN && socket->messages ? receive_stream(socket, transfer)
							     : waited;
	}
	return socket->type == SOCK_STREAM ? receive_stream(socket, transfer)
					   : receive_message(socket, transfer);
}

int32_t socket_unread(const struct file *file)
{
	const struct socket *socket = file->object;

	if (socket->type != SOCK_DGRAM)
		return (int32_t)socket->queued_bytes;
	return socket->messages ? (int32_t)socket->messages->bytes : 0;
}

static int64_t socket_read(struct process *process, struct file *file, void *to, size_t bytes,
			   int64_t offset)
{
	struct transfer transfer = {.data = to, .bytes = bytes};

	(void)offset;
	int64_t done = socket_receive(file->object, &transfer);
	/* Rights that nobody asked for are gone. */
	for (size_t i = 0; i < transfer.right_count; i++)
		file_release(transfer.rights[i]);
	free(transfer.rights);
	(void)process;
	return done;
}

static int64_t socket_write(struct process *process, struct file *file, const void *from,
			    size_t bytes, int64_t offset)
{
	struct transfer transfer = {.data = (uint8_t *)(uintptr_t)from, .bytes = bytes};

	(void)offset, (void)process;
	return socket_send(file->object, &transfer);
}

static short socket_ready(struct process *process, struct file *file)
{
	const struct socket *socket = file->object;
	const struct socket *to = socket->peer;
	int events = 0;

	(void)process;
	if (socket->error)
		events |= POLLERR;
	if (socket->messages || socket->waiting_count || socket->reads_end)
		events |= POLLIN | POLLRDNORM;
	if (socket->reads_end)
		events |= POLLRDHUP;
	if (socket->reads_end && socket->writes_end)
		events |= POLLHUP;
	/* A socket that has never been connected reports a hang-up. */
	if (is_connection(socket) && socket->state == SOCKET_NEW)
		events |= POLLHUP;
	if (socket->state != SOCKET_LISTENING &&
	    (!to || socket->type == SOCK_STREAM ? !to || has_room(to, BUFFER_BYTES / 4 * 3)
						: has_room(to, 1)))
		events |= POLLOUT | POLLWRNORM | POLLWRBAND;
	return (short)events;
}

const struct file_operations file_socket = {.name = "socket:",
					    .mode = S_IFSOCK | 0777,
					    .has_poll = true,
					    .is_stream = true,
					    .read = socket_read,
					    .write = socket_write,
					    .ready = socket_ready,
					    .close = close_file};
