#!/bin/bash
# A program whose reader is gone and that ignores SIGPIPE is told EPIPE, and its next writes elsewhere succeed, those of
# no bytes too; one that does not ignore it is killed.
. "$(dirname "$0")/../head.sh"
needs "$cross"
cat >writes.c <<'END'
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int fd = open("/data/f", O_WRONLY | O_CREAT, 0644), count = 0;
	long nothing, some;

	if (argc > 1)
		signal(SIGPIPE, SIG_IGN);
	while (write(1, "x", 1) == 1 && count++ < 1000000)
		usleep(1000);
	int why = errno;
	nothing = write(fd, "", 0);
	some = write(fd, "abc", 3);
	dprintf(2, "%s %s %ld %ld\n", argv[1], why == EPIPE ? "EPIPE" : "another", nothing, some);
	return 3;
}
END
"$cross" -O1 -static -o writes writes.c 2>log || {
	tap_not_ok "the program builds" "$(cat log)"
	tap_done
}
mkdir data
ended() {
	{
		timeout 60 "$cyclestack" exec --mount "/data=$work/data" -- ./writes "$@" 2>err
		echo $? >status
	} | true
}
ended ignored
tap_is "ignored: what follows" "$(cat err)" "ignored EPIPE 0 3"
tap_is "ignored: the status is the program's" "$(cat status)" 3
tap_is "ignored: the file has what was written" "$(cat data/f)" abc
ended
tap_is "not ignored: killed by SIGPIPE" "$(cat status)" 141
tap_done
