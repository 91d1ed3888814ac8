/*
 * Sockets are bound to abstract names and to files, listen, accept and connect within the process.
 * data: yes
 * link: static
 *
 * Abstract names are the whole host's under qemu: the program does not run twice at a time.
 */
#include "check.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un name_of(const char *name, socklen_t *bytes)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	/* A name that begins with @ is one of the abstract space. */
	memcpy(address.sun_path, name, strlen(name));
	*bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
	if (name[0] == '@')
		address.sun_path[0] = 0;
	else
		++*bytes;
	return address;
}

static int bind_to(int fd, const char *name)
{
	socklen_t bytes;
	struct sockaddr_un address = name_of(name, &bytes);

	return bind(fd, (struct sockaddr *)&address, bytes);
}

static int connect_to(int fd, const char *name)
{
	socklen_t bytes;
	struct sockaddr_un address = name_of(name, &bytes);

	return connect(fd, (struct sockaddr *)&address, bytes);
}

static char answer[16];

static void *be_client(void *name)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	usleep(10000);
	connect_to(fd, name);
	write(fd, "question", 8);
	read(fd, answer, sizeof(answer));
	close(fd);
	return NULL;
}

static void serve(const char *name)
{
	struct sockaddr_un peer = {0};
	socklen_t bytes = sizeof(peer);
	char text[16] = "";
	pthread_t client;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), other = socket(AF_UNIX, SOCK_STREAM, 0);

	printf("serve %s\n", name);
	TRY(listen(fd, 5));
	TRY(connect_to(other, name));
	TRY(bind_to(fd, name));
	TRY(bind_to(other, name));
	TRY(bind_to(fd, "again"));
	TRY(connect_to(other, name));
	TRY(listen(fd, 5));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	TRY(accept(fd, NULL, NULL));
	fcntl(fd, F_SETFL, 0);
	pthread_create(&client, NULL, be_client, (void *)name);
	struct pollfd one = {fd, POLLIN, 0};
	TRY(poll(&one, 1, 5000));
	int connection = OPEN(accept4(fd, (struct sockaddr *)&peer, &bytes, SOCK_CLOEXEC));
	SHOW(bytes);
	TRY(read(connection, text, sizeof(text)));
	puts(text);
	bytes = sizeof(peer);
	TRY(getsockname(connection, (struct sockaddr *)&peer, &bytes));
	SHOW(bytes);
	puts(peer.sun_path + (peer.sun_path[0] == 0));
	bytes = sizeof(peer);
	TRY(getpeername(connection, (struct sockaddr *)&peer, &bytes));
	SHOW(bytes);
	TRY(write(connection, "answer", 6));
	pthread_join(client, NULL);
	puts(answer);
	TRY(read(connection, text, sizeof(text)));
	close(connection);
	/* Connections that wait are there before they are accepted. */
	TRY(connect_to(other, name));
	TRY(connect_to(other, name));
	TRY(write(other, "early", 5));
	connection = OPEN(accept(fd, NULL, NULL));
	TRY(read(connection, text, sizeof(text)));
	close(connection);
	TRY(getpeername(fd, (struct sockaddr *)&peer, &bytes));
	TRY(read(fd, text, 1));
	close(fd);
	close(other);
	other = socket(AF_UNIX, SOCK_STREAM, 0);
	TRY(connect_to(other, name));
	close(other);
}

static void send_datagrams(const char *to_name, const char *from_name)
{
	socklen_t bytes, from_bytes = sizeof(struct sockaddr_un);
	struct sockaddr_un to = name_of(to_name, &bytes), from = {0};
	char text[16] = "";
	int receiver = socket(AF_UNIX, SOCK_DGRAM, 0), sender = socket(AF_UNIX, SOCK_DGRAM, 0);

	printf("datagrams to %s\n", to_name);
	TRY(bind_to(receiver, to_name));
	TRY(sendto(sender, "unnamed", 7, 0, (struct sockaddr *)&to, bytes));
	TRY(recvfrom(receiver, text, 16, 0, (struct sockaddr *)&from, &from_bytes));
	SHOW(from_bytes);
	TRY(bind_to(sender, from_name));
	TRY(sendto(sender, "named", 5, 0, (struct sockaddr *)&to, bytes));
	from_bytes = sizeof(from);
	TRY(recvfrom(receiver, text, 16, 0, (struct sockaddr *)&from, &from_bytes));
	SHOW(from_bytes);
	puts(from.sun_path + (from.sun_path[0] == 0));
	TRY(send(sender, "nowhere", 7, 0));
	TRY(connect_to(sender, to_name));
	TRY(send(sender, "connected", 9, 0));
	TRY(recv(receiver, text, 16, 0));
	TRY(listen(receiver, 1));
	TRY(accept(receiver, NULL, NULL));
	close(receiver);
	TRY(send(sender, "gone", 4, 0));
	int stream = socket(AF_UNIX, SOCK_STREAM, 0);
	TRY(connect_to(stream, from_name));
	close(stream);
	close(sender);
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = {.sun_family = AF_INET};

	check_enter(argc, argv, chdir);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	TRY(bind(fd, (struct sockaddr *)&address, sizeof(address)));
	TRY(bind(fd, (struct sockaddr *)&address, 1));
	TRY(bind(fd, (struct sockaddr *)&address, 500));
	TRY(bind_to(fd, "missing/name"));
	TRY(connect_to(fd, "missing"));
	TRY(connect_to(fd, "@missing"));
	close(fd);
	serve("@abstract");
	serve("file");
	TRY(access("file", F_OK));
	TRY(unlink("file"));
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	TRY(connect_to(fd, "file"));
	close(open("plain", O_CREAT | O_WRONLY, 0600));
	TRY(connect_to(fd, "plain"));
	TRY(bind_to(fd, "plain"));
	send_datagrams("@to", "@from");
	send_datagrams("to", "from");
	return 0;
}
