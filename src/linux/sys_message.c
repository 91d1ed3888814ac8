/* System calls that send and receive messages. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/sys_socket.h"
#include "linux/syscall.h"

/* struct msghdr and cmsghdr of the guest, which are those of a 64-bit host. */
struct guest_message {
	uint64_t name;
	uint32_t name_bytes, pad;
	uint64_t ranges, range_count;
	uint64_t control, control_bytes;
	uint32_t flags, pad2;
};

struct guest_control {
	uint64_t bytes; /* with this header */
	int32_t level, type;
};

#define CONTROL_MAX    20480
#define CONTROL_ALIGN  8
#define CREDENTIALS_32 3
#define MMSG_BYTES     64
#define BATCH_MAX      1024

static void release_rights(struct transfer *transfer)
{
	for (size_t i = 0; i < transfer->right_count; i++)
		file_release(transfer->rights[i]);
	free(transfer->rights);
	transfer->rights = NULL;
	transfer->right_count = 0;
}

static int64_t take_descriptors(struct process *process, struct transfer *transfer,
				const uint8_t *data, size_t count)
{
	if (count + transfer->right_count > RIGHTS_MAX)
		return -EINVAL;
	if (process->rights_queued + count > FILES_MAX)
		return -ETOOMANYREFS;
	if (count)
		transfer->rights = mem_realloc(transfer->rights, transfer->right_count + count,
					       sizeof(transfer->rights[0]));
	for (size_t i = 0; i < count; i++) {
		int32_t number;

		memcpy(&number, data + 4 * i, 4);
		struct file *file = files_get(&process->files, (uint32_t)number);
		if (!file)
			return -EBADF;
		file->references++;
		transfer->rights[transfer->right_count++] = file;
	}
	return 0;
}

static int64_t read_control(struct process *process, const struct guest_message *message,
			    struct transfer *transfer)
{
	int64_t failed = 0;

	if (!message->control || !message->control_bytes)
		return 0;
	if (message->control_bytes > CONTROL_MAX)
		return -ENOBUFS;
	uint8_t *control = mem_alloc(message->control_bytes);
	if (!memory_read(&process->memory, control, message->control, message->control_bytes))
		failed = -EFAULT;
	for (uint64_t at = 0;
	     !failed && at + sizeof(struct guest_control) <= message->control_bytes;) {
		struct guest_control header;

		memcpy(&header, control + at, sizeof(header));
		if (header.bytes < sizeof(header) || header.bytes > message->control_bytes - at) {
			failed = -EINVAL;
		} else if (header.level == SOL_SOCKET && header.type == SCM_RIGHTS) {
			failed = take_descriptors(process, transfer, control + at + sizeof(header),
						  (header.bytes - sizeof(header)) / 4);
		} else if (header.level == SOL_SOCKET && header.type != SCM_CREDENTIALS) {
			failed = -EINVAL;
		}
		at += bits_align_up(header.bytes, CONTROL_ALIGN);
	}
	free(control);
	return failed;
}

/* Reads the list of ranges and checks its sum; the bytes of a transfer. */
static int64_t read_ranges(struct process *process, const struct guest_message *message,
			   struct iovec ranges[IOV_MAX])
{
	if (message->range_count > IOV_MAX)
		return -EMSGSIZE;
	return ranges_read(process, message->ranges, message->range_count, ranges);
}

/* A stream takes all, waiting where it must; what is done by then is kept with the thread. Any
 * other message that is longer than the buffer is too long for every socket. */
static int64_t send_all(struct process *process, struct socket *socket, struct transfer *transfer,
			const struct iovec *ranges, size_t count, size_t bytes)
{
	struct thread *thread = process->current;
	size_t done = thread->is_restarting ? thread->progress_bytes : 0;
	uint8_t *buffer = mem_alloc(bytes < TRANSFER_BYTES ? bytes + 1 : TRANSFER_BYTES);
	int64_t put;

	if (done > bytes)
		done = bytes;
	do {
		size_t part = bytes - done < TRANSFER_BYTES ? bytes - done : TRANSFER_BYTES;

		transfer->data = buffer;
		transfer->bytes = part;
		put = ranges_move(process, ranges, count, done, buffer, part, RANGES_GET) == part
			      ? socket_send(socket, transfer)
			      : -EFAULT;
		if (put < 0 || process->restart)
			break;
		done += (size_t)put;
	} while (done < bytes);
	free(buffer);
	thread->progress_bytes = process->restart ? done : 0;
	return done ? (int64_t)done : put;
}

/* Who a message is for, if that is not the peer. */
static int64_t find_receiver(struct process *process, const struct socket *socket, uint64_t name,
			     uint64_t name_bytes, struct transfer *transfer)
{
	bool is_named = name && (uint32_t)name_bytes;

	/* A name is copied before anything is asked of the socket. */
	if (is_named && (uint32_t)name_bytes > sizeof(struct sockaddr_storage))
		return -EINVAL;
	if (is_named &&
	    memory_readable(&process->memory, name, (uint32_t)name_bytes) != (uint32_t)name_bytes)
		return -EFAULT;
	if (is_named && socket->type == SOCK_STREAM)
		return socket->state == SOCKET_CONNECTED ? -EISCONN : -EOPNOTSUPP;
	if (socket->type == SOCK_SEQPACKET && socket->state != SOCKET_CONNECTED)
		return -ENOTCONN;
	if (!is_named || socket->type != SOCK_DGRAM)
		return 0;
	int64_t failed = sockets_look_up(process, socket, name, name_bytes, &transfer->to);
	if (failed)
		return failed;
	/* One that is connected elsewhere takes nothing from this socket. */
	return transfer->to->peer && transfer->to->peer != socket ? -EPERM : 0;
}

static int64_t send_message(struct process *process, struct socket *socket,
			    const struct guest_message *message, int flags)
{
	struct iovec ranges[IOV_MAX];
	struct transfer transfer = {.flags = flags};
	int64_t bytes = read_ranges(process, message, ranges), failed = 0;

	if (bytes < 0)
		return bytes;
	failed = find_receiver(process, socket, message->name, message->name_bytes, &transfer);
	if (failed)
		return failed;
	failed = read_control(process, message, &transfer);
	if (!failed)
		failed = send_all(process, socket, &transfer, ranges, message->range_count,
				  (size_t)bytes);
	release_rights(&transfer);
	return failed;
}

static bool write_header(struct process *process, const struct guest_message *message,
			 uint64_t *used, int type, const void *data, size_t bytes)
{
	struct guest_control header = {sizeof(header) + bytes, SOL_SOCKET, type};
	uint64_t at = message->control + *used;

	*used += bits_align_up(header.bytes, CONTROL_ALIGN);
	if (*used > message->control_bytes)
		*used = message->control_bytes;
	return memory_write(&process->memory, at, &header, sizeof(header)) &&
	       memory_write(&process->memory, at + sizeof(header), data, bytes);
}

/* Gives the receiver descriptors for the files of a message, as many as there is room for. */
static int64_t deliver_rights(struct process *process, struct guest_message *message,
			      struct transfer *transfer, int flags, uint64_t *used)
{
	int32_t numbers[RIGHTS_MAX];
	uint64_t room = message->control_bytes - *used;
	size_t fit = room > sizeof(struct guest_control)
			     ? (size_t)(room - sizeof(struct guest_control)) / 4
			     : 0;
	size_t count = 0;

	while (count < transfer->right_count && count < fit) {
		struct file *file = transfer->rights[count];

		file->references++;
		int fd = files_install(&process->files, file, 0, flags & MSG_CMSG_CLOEXEC);
		if (fd < 0)
			break;
		numbers[count++] = fd;
	}
	if (count < transfer->right_count)
		message->flags |= MSG_CTRUNC;
	if (count && !write_header(process, message, used, SCM_RIGHTS, numbers, 4 * count))
		return -EFAULT;
	return 0;
}

static int64_t deliver_control(struct process *process, const struct socket *socket,
			       struct guest_message *message, struct transfer *transfer, int flags)
{
	uint64_t used = 0;
	int64_t failed = 0;

	if (socket->passes_credentials && transfer->has_message) {
		const uint64_t none[6] = {0};
		uint64_t room = message->control ? message->control_bytes : 0;
		int32_t credentials[CREDENTIALS_32] = {(int32_t)sys_getpid(process, none),
						       (int32_t)sys_getuid(process, none),
						       (int32_t)sys_getgid(process, none)};

		/* The kernel writes as much as there is room for. */
		uint64_t part = room < sizeof(struct guest_control)
					? 0
					: room - sizeof(struct guest_control);
		if (part > sizeof(credentials))
			part = sizeof(credentials);
		if (part < sizeof(credentials))
			message->flags |= MSG_CTRUNC;
		if (room >= sizeof(struct guest_control) &&
		    !write_header(process, message, &used, SCM_CREDENTIALS, credentials, part))
			failed = -EFAULT;
	}
	if (!failed && transfer->right_count)
		failed = deliver_rights(process, message, transfer, flags, &used);
	release_rights(transfer);
	message->control_bytes = used;
	return failed;
}

/* Fills in what a receiver learns besides the bytes. */
static int64_t receive_into(struct process *process, struct socket *socket,
			    struct guest_message *message, int flags, struct transfer *transfer)
{
	struct iovec ranges[IOV_MAX];
	int64_t bytes = read_ranges(process, message, ranges);

	if (bytes < 0)
		return bytes;
	/* No more is there at a time. */
	if (bytes > TRANSFER_BYTES)
		bytes = TRANSFER_BYTES;
	uint8_t *buffer = mem_alloc(bytes ? (size_t)bytes : 1);
	*transfer = (struct transfer){.data = buffer, .bytes = (size_t)bytes, .flags = flags};
	int64_t done = socket_receive(socket, transfer);
	if (done >= 0 && !process->restart) {
		size_t got = done < bytes ? (size_t)done : (size_t)bytes;

		message->flags = (uint32_t)((flags & MSG_CMSG_CLOEXEC) |
					    (transfer->is_truncated ? MSG_TRUNC : 0));
		if (ranges_move(process, ranges, message->range_count, 0, buffer, got,
				RANGES_PUT) != got)
			done = -EFAULT;
	}
	free(buffer);
	if (done < 0 || process->restart)
		release_rights(transfer);
	return done;
}

static int64_t receive_message(struct process *process, struct socket *socket, uint64_t address,
			       struct guest_message *message, int flags)
{
	struct transfer transfer = {0};
	uint32_t room = message->name_bytes;
	int64_t done = receive_into(process, socket, message, flags, &transfer);

	if (done < 0 || process->restart)
		return done;
	int64_t failed = deliver_control(process, socket, message, &transfer, flags);
	if (message->name) {
		uint32_t at = offsetof(struct guest_message, name_bytes);

		message->name_bytes = 0;
		if (transfer.name_bytes) {
			if (!memory_write(&process->memory, address + at, &room, 4) ||
			    sockets_write_name(process, transfer.name, transfer.name_bytes,
					       message->name, address + at) != 0)
				failed = -EFAULT;
			memory_read(&process->memory, &message->name_bytes, address + at, 4);
		}
	}
	if (failed)
		return failed;
	return memory_write(&process->memory, address, message, sizeof(*message)) ? done : -EFAULT;
}

static int begin(struct process *process, const uint64_t argument[6], struct socket **socket,
		 struct guest_message *message)
{
	int failed = sockets_find(process, argument[0], socket);

	if (failed)
		return failed;
	return memory_read(&process->memory, message, argument[1], sizeof(*message)) ? 0 : -EFAULT;
}

int64_t sys_sendmsg(struct process *process, const uint64_t argument[6])
{
	struct guest_message message;
	struct socket *socket;
	int failed = begin(process, argument, &socket, &message);

	return failed ? failed : send_message(process, socket, &message, (int)argument[2]);
}

int64_t sys_recvmsg(struct process *process, const uint64_t argument[6])
{
	struct guest_message message;
	struct socket *socket;
	int failed = begin(process, argument, &socket, &message);

	return failed ? failed
		      : receive_message(process, socket, argument[1], &message, (int)argument[2]);
}

/* The one buffer of a call, which must lie in the address space before anything else. */
static int check_buffer(const struct process *process, const uint64_t argument[6])
{
	uint64_t bytes = argument[2] < RANGES_BYTES_MAX ? argument[2] : RANGES_BYTES_MAX;

	return memory_is_user_range(memory_unmasked(&process->memory, argument[1]), bytes)
		       ? 0
		       : -EFAULT;
}

int64_t sys_sendto(struct process *process, const uint64_t argument[6])
{
	struct transfer transfer = {.flags = (int)argument[3]};
	struct socket *socket;
	int64_t failed = check_buffer(process, argument);

	if (!failed)
		failed = sockets_find(process, argument[0], &socket);
	if (failed)
		return failed;
	size_t bytes = argument[2] < RANGES_BYTES_MAX ? argument[2] : RANGES_BYTES_MAX;
	const struct iovec range = {(void *)(uintptr_t)argument[1], bytes};
	failed = find_receiver(process, socket, argument[4], argument[5], &transfer);
	/* The data is copied before a receiver is looked for under its name. */
	if ((failed == -ENOENT || failed == -ECONNREFUSED) &&
	    memory_readable(&process->memory, argument[1], bytes) != bytes)
		return -EFAULT;
	return failed ? failed : send_all(process, socket, &transfer, &range, 1, bytes);
}

int64_t sys_recvfrom(struct process *process, const uint64_t argument[6])
{
	struct transfer transfer = {.flags = (int)argument[3]};
	struct socket *socket;
	int failed = check_buffer(process, argument);

	if (!failed)
		failed = sockets_find(process, argument[0], &socket);
	if (failed)
		return failed;
	size_t bytes = argument[2] < TRANSFER_BYTES ? argument[2] : TRANSFER_BYTES;
	uint8_t *buffer = mem_alloc(bytes ? bytes : 1);
	transfer.data = buffer;
	transfer.bytes = bytes;
	int64_t done = socket_receive(socket, &transfer);
	release_rights(&transfer);
	if (done > 0 && !process->restart &&
	    !memory_write(&process->memory, argument[1], buffer,
			  (size_t)done < bytes ? (size_t)done : bytes))
		done = -EFAULT;
	free(buffer);
	if (done < 0 || process->restart || !argument[4])
		return done;
	int32_t room;
	if (!memory_read(&process->memory, &room, argument[5], sizeof(room)))
		failed = -EFAULT;
	else if (room < 0)
		failed = -EINVAL;
	else if (transfer.name_bytes)
		failed = sockets_write_name(process, transfer.name, transfer.name_bytes,
					    argument[4], argument[5]);
	else
		failed = memory_write(&process->memory, argument[5], &(uint32_t){0}, 4) ? 0
											: -EFAULT;
	return failed ? failed : done;
}

/* Several messages of one call; each is followed by its length. Once one is done, the call does not
 * wait for the next. */
static int64_t do_batch(struct process *process, const uint64_t argument[6], bool is_send)
{
	uint64_t count = (uint32_t)argument[2] < BATCH_MAX ? (uint32_t)argument[2] : BATCH_MAX;
	int flags = (int)argument[3] & ~MSG_WAITFORONE;
	struct guest_message message;
	struct socket *socket;
	int64_t done = 0;

	int failed = sockets_find(process, argument[0], &socket);
	if (failed)
		return failed;
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t one[6] = {argument[0], argument[1] + i * MMSG_BYTES};

		done = begin(process, one, &socket, &message);
		if (!done)
			done = is_send ? send_message(process, socket, &message,
						      flags | (i ? MSG_DONTWAIT : 0))
				       : receive_message(process, socket, one[1], &message,
							 flags | (i ? MSG_DONTWAIT : 0));
		if (process->restart)
			return 0;
		uint32_t length = (uint32_t)done;
		if (done >= 0 &&
		    !memory_write(&process->memory, one[1] + sizeof(message), &length, 4))
			done = -EFAULT;
		if (done < 0)
			return i ? (int64_t)i : done;
	}
	return (int64_t)count;
}

int64_t sys_sendmmsg(struct process *process, const uint64_t argument[6])
{
	return do_batch(process, argument, true);
}

/* The timeout is not used: no message after the first is waited for. */
int64_t sys_recvmmsg(struct process *process, const uint64_t argument[6])
{
	return do_batch(process, argument, false);
}
