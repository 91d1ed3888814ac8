/* System calls that make, name and connect sockets. Sending is in sys_message.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/fd_socket.h"
#include "linux/file_operations.h"
#include "linux/sys_socket.h"
#include "linux/path.h"
#include "linux/syscall.h"

#define BACKLOG_MAX   4096
#define FAMILY_BYTES  2
#define TYPE_MASK     15
#define SOCKET_FLAGS  (SOCK_NONBLOCK | SOCK_CLOEXEC)
#define ADDRESS_BYTES 128 /* what the kernel accepts of any family */

int sockets_find(struct process *process, uint64_t descriptor, struct socket **found)
{
	const struct file *file = files_get(&process->files, descriptor);

	if (!file)
		return -EBADF;
	if (file->kind != FILE_SOCKET)
		return -ENOTSOCK;
	*found = file->object;
	return 0;
}

static bool has_wrong_flags(const uint64_t argument[6])
{
	return (uint32_t)argument[1] & ~(uint32_t)(TYPE_MASK | SOCKET_FLAGS);
}

/* The type of a new socket, or a negative errno. */
static int check_type(const uint64_t argument[6])
{
	uint32_t family = (uint32_t)argument[0], type = (uint32_t)argument[1];

	if (has_wrong_flags(argument))
		return -EINVAL;
	if (family != AF_UNIX)
		return -EAFNOSUPPORT;
	if ((type & TYPE_MASK) > SOCK_PACKET)
		return -EINVAL;
	if ((int32_t)argument[2] && (int32_t)argument[2] != PF_UNIX)
		return -EPROTONOSUPPORT;
	switch (type & TYPE_MASK) {
	case SOCK_STREAM:
	case SOCK_SEQPACKET: return (int)(type & TYPE_MASK);
	case SOCK_DGRAM:
	case SOCK_RAW: return SOCK_DGRAM;
	default: return -ESOCKTNOSUPPORT;
	}
}

static void warn_network(struct process *process, uint32_t family)
{
	char where[256];

	process_describe_pc(process, process->cpu.hart.pc, where, sizeof(where));
	if (!process->warned_network)
		process_warn(
			process,
			"socket at %s: the program asked for a network (%s), and there is none: "
			"answered EAFNOSUPPORT",
			where, family == AF_INET ? "IPv4" : "IPv6");
	process->warned_network = true;
}

int64_t sys_socket(struct process *process, const uint64_t argument[6])
{
	int type = check_type(argument);
	const uint32_t family = (uint32_t)argument[0];

	if (type == -EAFNOSUPPORT && (family == AF_INET || family == AF_INET6))
		warn_network(process, family);
	if (type < 0)
		return type;
	struct socket *socket = socket_create(process, type);
	if (!socket)
		return -ENFILE;
	struct file *file = socket_open(socket, (uint32_t)argument[1]);
	return files_install(&process->files, file, 0, argument[1] & SOCK_CLOEXEC);
}

int64_t sys_socketpair(struct process *process, const uint64_t argument[6])
{
	int type = check_type(argument);

	/* The numbers are told before the sockets are made. */
	if (!has_wrong_flags(argument) && memory_writable(&process->memory, argument[3], 8) != 8)
		return -EFAULT;
	if (type < 0)
		return type;
	struct socket *a = socket_create(process, type);
	struct socket *b = a ? socket_create(process, type) : NULL;
	if (!b) {
		if (a)
			socket_release(a);
		return -ENFILE;
	}
	socket_join(a, b);
	return file_open_pair(process, socket_open(a, (uint32_t)argument[1]),
			      socket_open(b, (uint32_t)argument[1]), argument[1] & SOCK_CLOEXEC,
			      argument[3]);
}

/* A name as the guest gave it. */
struct address {
	size_t bytes; /* of the path that count */
	char path[NAME_BYTES + 1];
};

static int read_name(struct process *process, uint64_t from, uint64_t bytes,
		     uint8_t raw[ADDRESS_BYTES])
{
	if ((int32_t)bytes < 0 || (uint32_t)bytes > ADDRESS_BYTES)
		return -EINVAL;
	return memory_read(&process->memory, raw, from, (uint32_t)bytes) ? 0 : -EFAULT;
}

static int read_address(struct process *process, uint64_t from, uint64_t bytes,
			struct address *address)
{
	uint8_t raw[ADDRESS_BYTES] = {0};
	uint16_t family;

	*address = (struct address){0};
	int failed = read_name(process, from, bytes, raw);
	if (failed)
		return failed;
	memcpy(&family, raw, sizeof(family));
	if ((uint32_t)bytes < FAMILY_BYTES || (uint32_t)bytes > FAMILY_BYTES + NAME_BYTES ||
	    family != AF_UNIX)
		return -EINVAL;
	address->bytes = (uint32_t)bytes - FAMILY_BYTES;
	memcpy(address->path, raw + FAMILY_BYTES, address->bytes);
	/* The name of a file ends with its 0, which counts; an abstract one is all its bytes. */
	if (address->path[0])
		address->bytes = strlen(address->path) + 1;
	return 0;
}

static struct socket *find_abstract(struct process *process, const char *name, size_t bytes,
				    int type)
{
	for (struct socket *s = process->sockets; s; s = s->next)
		if (s->is_bound && !s->is_path && s->name_bytes == bytes && s->type == type &&
		    memcmp(s->name, name, bytes) == 0)
			return s;
	return NULL;
}

static int open_path(struct process *process, const char *path, bool creates, struct stat *info)
{
	struct place place;
	int failed = files_resolve(&process->files, AT_FDCWD, path, !creates, &place);
	int flags = creates ? O_CREAT | O_EXCL | O_RDWR : O_PATH;

	if (failed)
		return creates && !place.mount && failed == -ENOENT ? -EACCES : failed;
	const mode_t mode = PERMISSION_BITS & ~(mode_t)process->files.umask;
	int fd = place_open(&place, flags, mode);
	if (fd < 0)
		return fd == -EEXIST ? -EADDRINUSE : fd;
	if (creates)
		path_note_created(process, fd, mode);
	failed = fstat(fd, info) == 0 ? 0 : -errno;
	close(fd);
	return failed;
}

/* The bound socket of that name. A path is followed to a file, and a file may be no socket's. */
int sockets_look_up(struct process *process, const struct socket *asking, uint64_t from,
		    uint64_t bytes, struct socket **found)
{
	struct address address;
	struct stat info;
	int failed = read_address(process, from, bytes, &address);

	if (failed)
		return failed;
	if (!address.path[0]) {
		*found = address.bytes
				 ? find_abstract(process, address.path, address.bytes, asking->type)
				 : NULL;
		if (!address.bytes)
			return -EINVAL;
		return *found ? 0 : -ECONNREFUSED;
	}
	failed = open_path(process, address.path, false, &info);
	if (failed)
		return failed;
	for (struct socket *s = process->sockets; s; s = s->next)
		if (s->is_bound && s->is_path && s->device == info.st_dev &&
		    s->inode == info.st_ino) {
			*found = s;
			return s->type == asking->type ? 0 : -EPROTOTYPE;
		}
	return -ECONNREFUSED;
}

/* The kernel's own choice: five digits of the abstract space. */
static void choose_name(struct process *process, struct socket *socket)
{
	char name[8];

	do
		snprintf(name, sizeof(name), "%c%05x", 0, process->sockets_bound++ & 0xfffff);
	while (find_abstract(process, name, 6, socket->type));
	memcpy(socket->name, name, 6);
	socket->name_bytes = 6;
	socket->is_bound = true;
}

int64_t sys_bind(struct process *process, const uint64_t argument[6])
{
	struct socket *socket;
	struct address address;
	struct stat info;
	int failed = sockets_find(process, argument[0], &socket);

	if (!failed)
		failed = read_address(process, argument[1], argument[2], &address);
	if (failed)
		return failed;
	if (!address.bytes && socket->is_bound)
		return 0;
	if (socket->is_bound)
		return -EINVAL;
	if (!address.bytes) {
		choose_name(process, socket);
		return 0;
	}
	if (address.path[0]) {
		failed = open_path(process, address.path, true, &info);
		if (failed)
			return failed;
		socket->is_path = true;
		socket->device = info.st_dev;
		socket->inode = info.st_ino;
	} else if (find_abstract(process, address.path, address.bytes, socket->type)) {
		return -EADDRINUSE;
	}
	size_t bytes = address.bytes < NAME_BYTES ? address.bytes : NAME_BYTES;
	memcpy(socket->name, address.path, bytes);
	socket->name_bytes = address.bytes;
	socket->is_bound = true;
	return 0;
}

int64_t sys_listen(struct process *process, const uint64_t argument[6])
{
	struct socket *socket;
	int failed = sockets_find(process, argument[0], &socket);
	uint32_t backlog = (uint32_t)argument[1];

	if (failed)
		return failed;
	if (socket->type == SOCK_DGRAM)
		return -EOPNOTSUPP;
	if (!socket->is_bound || socket->state == SOCKET_CONNECTED)
		return -EINVAL;
	socket->state = SOCKET_LISTENING;
	socket->backlog = backlog < BACKLOG_MAX ? backlog : BACKLOG_MAX;
	socket_notify(socket, POLLOUT);
	return 0;
}

static int64_t connect_datagrams(struct process *process, struct socket *socket,
				 const uint64_t argument[6])
{
	uint16_t family = 0;
	struct socket *to;

	if (argument[2] < FAMILY_BYTES)
		return -EINVAL;
	if (!memory_read(&process->memory, &family, argument[1], sizeof(family)))
		return -EFAULT;
	if (family == AF_UNSPEC) {
		socket_set_peer(socket, NULL);
		return 0;
	}
	int failed = sockets_look_up(process, socket, argument[1], argument[2], &to);
	if (failed)
		return failed;
	/* A socket that is connected elsewhere takes nothing from this one. */
	if (to->peer && to->peer != socket)
		return -EPERM;
	socket_set_peer(socket, to);
	socket->state = SOCKET_CONNECTED;
	return 0;
}

int64_t sys_connect(struct process *process, const uint64_t argument[6])
{
	struct socket *socket, *to;
	uint8_t name[ADDRESS_BYTES];

	if (!files_get(&process->files, argument[0]))
		return -EBADF;
	/* The name is copied before the kind of the descriptor is looked at. */
	int failed = read_name(process, argument[1], argument[2], name);
	if (!failed)
		failed = sockets_find(process, argument[0], &socket);
	if (failed)
		return failed;
	if (socket->type == SOCK_DGRAM)
		return connect_datagrams(process, socket, argument);
	failed = sockets_look_up(process, socket, argument[1], argument[2], &to);
	if (failed)
		return failed;
	if (to->state != SOCKET_LISTENING || to->reads_end)
		return -ECONNREFUSED;
	if (to->waiting_count > to->backlog)
		return socket->file->flags & O_NONBLOCK ? -EAGAIN
							: wait_for(process, to->file, POLLMSG);
	if (socket->state == SOCKET_CONNECTED)
		return -EISCONN;
	if (socket->state != SOCKET_NEW)
		return -EINVAL;
	struct socket *accepted = socket_create(process, socket->type);
	if (!accepted)
		return -ENOMEM;
	accepted->is_path = to->is_path;
	accepted->name_bytes = to->name_bytes;
	memcpy(accepted->name, to->name, sizeof(to->name));
	socket_join(socket, accepted);
	*ARRAY_PUSH(to->waiting, to->waiting_count, to->waiting_capacity) = accepted;
	socket_notify(to, POLLIN | POLLRDNORM);
	socket_notify(socket, POLLOUT);
	return 0;
}

/* The name of a socket as sockaddr_un, cut to the room there is; the length is that of the whole.
 */
int sockets_write_name(struct process *process, const char *name, size_t name_bytes, uint64_t to,
		       uint64_t bytes_at)
{
	uint8_t raw[FAMILY_BYTES + NAME_BYTES + 1] = {AF_UNIX, 0};
	uint32_t whole = (uint32_t)(FAMILY_BYTES + name_bytes);
	int32_t room;

	if (!memory_read(&process->memory, &room, bytes_at, 4))
		return -EFAULT;
	if (room < 0)
		return -EINVAL;
	memcpy(raw + FAMILY_BYTES, name, name_bytes < NAME_BYTES ? name_bytes : NAME_BYTES);
	uint32_t part = (uint32_t)room < whole ? (uint32_t)room : whole;
	if (!memory_write(&process->memory, to, raw, part) ||
	    !memory_write(&process->memory, bytes_at, &whole, 4))
		return -EFAULT;
	return 0;
}

int64_t sys_accept4(struct process *process, const uint64_t argument[6])
{
	struct socket *socket;
	uint32_t flags = (uint32_t)argument[3];
	int failed = sockets_find(process, argument[0], &socket);

	if (failed == -EBADF)
		return failed;
	if (flags & ~(uint32_t)SOCKET_FLAGS)
		return -EINVAL;
	if (failed)
		return failed;
	if (socket->type == SOCK_DGRAM)
		return -EOPNOTSUPP;
	if (socket->state != SOCKET_LISTENING)
		return -EINVAL;
	if (!socket->waiting_count) {
		if (socket->reads_end)
			return -EINVAL;
		return socket->file->flags & O_NONBLOCK ? -EAGAIN
							: wait_for(process, socket->file, POLLIN);
	}
	struct socket *accepted = socket->waiting[0];
	memmove(socket->waiting, socket->waiting + 1,
		--socket->waiting_count * sizeof(socket->waiting[0]));
	socket_notify(socket, POLLMSG);
	int64_t fd = files_install(&process->files, socket_open(accepted, flags), 0,
				   flags & SOCK_CLOEXEC);
	if (fd < 0 || !argument[1])
		return fd;
	const struct socket *peer = accepted->peer;
	bool is_named = peer && peer->is_bound;
	failed = sockets_write_name(process, is_named ? peer->name : "",
				    is_named ? peer->name_bytes : 0, argument[1], argument[2]);
	if (failed)
		files_close(&process->files, (uint64_t)fd);
	return failed ? failed : fd;
}

int64_t sys_accept(struct process *process, const uint64_t argument[6])
{
	const uint64_t without_flags[6] = {argument[0], argument[1], argument[2]};

	return sys_accept4(process, without_flags);
}

/* A socket that was accepted has the name of the one that listened. */
static bool is_named(const struct socket *socket)
{
	return socket->is_bound || (socket->state == SOCKET_CONNECTED && socket->name_bytes);
}

int64_t sys_getsockname(struct process *process, const uint64_t argument[6])
{
	struct socket *socket;
	int failed = sockets_find(process, argument[0], &socket);

	return failed ? failed
		      : sockets_write_name(process, socket->name,
					   is_named(socket) ? socket->name_bytes : 0, argument[1],
					   argument[2]);
}

int64_t sys_getpeername(struct process *process, const uint64_t argument[6])
{
	struct socket *socket;
	int failed = sockets_find(process, argument[0], &socket);

	if (failed)
		return failed;
	if (!socket->peer)
		return -ENOTCONN;
	return sockets_write_name(process, socket->peer->name,
				  is_named(socket->peer) ? socket->peer->name_bytes : 0,
				  argument[1], argument[2]);
}

int64_t sys_shutdown(struct process *process, const uint64_t argument[6])
{
	struct socket *socket;
	int failed = sockets_find(process, argument[0], &socket);
	uint32_t how = (uint32_t)argument[1];

	if (failed)
		return failed;
	if (how > SHUT_RDWR)
		return -EINVAL;
	bool reads = how != SHUT_WR, writes = how != SHUT_RD;
	socket->reads_end |= reads;
	socket->writes_end |= writes;
	socket_notify(socket, POLLIN | POLLOUT | POLLRDHUP | POLLHUP);
	if (socket->type != SOCK_DGRAM && socket->peer) {
		socket->peer->reads_end |= writes;
		socket->peer->writes_end |= reads;
		socket_notify(socket->peer, POLLIN | POLLOUT | POLLRDHUP | POLLHUP);
	}
	return 0;
}

/* The value of an option that is one number; false if there is none of that name. */
static bool get_number(const struct socket *socket, int name, int32_t *value)
{
	switch (name) {
	case SO_TYPE: *value = socket->type; return true;
	case SO_DOMAIN: *value = AF_UNIX; return true;
	case SO_PROTOCOL: *value = 0; return true;
	case SO_ACCEPTCONN: *value = socket->state == SOCKET_LISTENING; return true;
	case SO_PASSCRED: *value = socket->passes_credentials; return true;
	case SO_ERROR: *value = socket->error; return true;
	case SO_SNDBUF:
	case SO_RCVBUF:
		*value = socket->options[name] ? socket->options[name] : BUFFER_BYTES;
		return true;
	case SO_RCVLOWAT: *value = socket->options[name] ? socket->options[name] : 1; return true;
	case SO_SNDLOWAT: *value = 1; return true;
	case SO_REUSEADDR:
	case SO_REUSEPORT:
	case SO_KEEPALIVE:
	case SO_BROADCAST:
	case SO_DONTROUTE:
	case SO_OOBINLINE:
	case SO_PRIORITY:
	case SO_TIMESTAMP: *value = socket->options[name]; return true;
	default: return false;
	}
}

static int64_t write_option(struct process *process, const uint64_t argument[6], const void *value,
			    uint32_t bytes, int32_t room)
{
	uint32_t part = (uint32_t)room < bytes ? (uint32_t)room : bytes;

	return memory_write(&process->memory, argument[3], value, part) &&
			       memory_write(&process->memory, argument[4], &part, 4)
		       ? 0
		       : -EFAULT;
}

int64_t sys_getsockopt(struct process *process, const uint64_t argument[6])
{
	struct socket *socket;
	int failed = sockets_find(process, argument[0], &socket), name = (int)argument[2];
	int32_t value, room;

	if (failed)
		return failed;
	if ((int)argument[1] != SOL_SOCKET)
		return -EOPNOTSUPP;
	if (!memory_read(&process->memory, &room, argument[4], 4))
		return -EFAULT;
	if (room < 0)
		return -EINVAL;
	if (name == SO_PEERCRED) {
		const int32_t credentials[3] = {
			(int32_t)sys_getpid(process, argument),
			(int32_t)sys_getuid(process, argument),
			(int32_t)sys_getgid(process, argument),
		};
		const int32_t none[3] = {0, -1, -1};

		return write_option(process, argument, socket->peer ? credentials : none,
				    sizeof(none), room);
	}
	if (name == SO_RCVTIMEO || name == SO_SNDTIMEO) {
		uint64_t ns =
			name == SO_RCVTIMEO ? socket->read_timeout_ns : socket->write_timeout_ns;
		int64_t time[2] = {(int64_t)(ns / 1000000000), (int64_t)(ns % 1000000000 / 1000)};

		return write_option(process, argument, time, sizeof(time), room);
	}
	if (name == SO_LINGER)
		return write_option(process, argument, (int32_t[2]){0}, 8, room);
	if (!get_number(socket, name, &value))
		return -ENOPROTOOPT;
	if (name == SO_ERROR)
		socket->error = 0;
	return write_option(process, argument, &value, 4, room);
}

static int64_t set_timeout(struct process *process, const uint64_t argument[6], uint64_t *timeout)
{
	int64_t time[2];

	if ((uint32_t)argument[4] < sizeof(time))
		return -EINVAL;
	if (!memory_read(&process->memory, time, argument[3], sizeof(time)))
		return -EFAULT;
	if (time[1] < 0 || time[1] >= 1000000)
		return -EDOM;
	*timeout = time[0] < 0 ? 1
		   : time[0] > INT64_C(9000000000)
			   ? 0
			   : (uint64_t)time[0] * 1000000000 + (uint64_t)time[1] * 1000;
	return 0;
}

int64_t sys_setsockopt(struct process *process, const uint64_t argument[6])
{
	struct socket *socket;
	int failed = sockets_find(process, argument[0], &socket), name = (int)argument[2];
	int32_t value, old;

	if (failed)
		return failed;
	if ((int)argument[1] != SOL_SOCKET)
		return -EOPNOTSUPP;
	if ((uint32_t)argument[4] < 4 || (int32_t)argument[4] < 0)
		return -EINVAL;
	if (!memory_read(&process->memory, &value, argument[3], 4))
		return -EFAULT;
	switch (name) {
	case SO_RCVTIMEO: return set_timeout(process, argument, &socket->read_timeout_ns);
	case SO_SNDTIMEO: return set_timeout(process, argument, &socket->write_timeout_ns);
	case SO_LINGER: return (uint32_t)argument[4] < 8 ? -EINVAL : 0;
	case SO_PASSCRED: socket->passes_credentials = value; return 0;
	case SO_TYPE:
	case SO_PROTOCOL:
	case SO_DOMAIN:
	case SO_ERROR:
	case SO_ACCEPTCONN:
	case SO_SNDLOWAT: return -ENOPROTOOPT;
	case SO_SNDBUF:
	case SO_RCVBUF:
		/* The kernel doubles the number and keeps it within bounds. */
		value = value > BUFFER_BYTES ? BUFFER_BYTES : value < 0 ? BUFFER_BYTES : value;
		value = value < 2304 ? 4608 / 2 : value;
		socket->options[name] = 2 * value;
		return 0;
	default:
		if (!get_number(socket, name, &old))
			return -ENOPROTOOPT;
		if (name == SO_RCVLOWAT && value < 0)
			value = INT32_MAX;
		socket->options[name] =
			name == SO_RCVLOWAT || name == SO_PRIORITY ? value : !!value;
		return 0;
	}
}
