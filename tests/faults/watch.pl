#!/usr/bin/perl
# watch.pl [--kill leader|worker SECONDS] LIMIT COMMAND...: runs the command in a session of its own.
#
# Prints three words: the exit status (300 and the signal if the command was killed by one, or "hangs"
# if it ran for more than LIMIT seconds), how many processes of the session are left 2 seconds after its
# end, and how many were killed on request.  --kill kills the command itself, or a process that it has
# started, SECONDS after the first such process was there, and another every 0.3 seconds if the command
# goes on; which ones, follows from SECONDS.  Whatever is left is killed in the end.
use strict;
use warnings;
use POSIX qw(:sys_wait_h setsid);
use Time::HiRes qw(sleep time);

my ($target, $delay) = ('', 0);
if (@ARGV && $ARGV[0] eq '--kill') {
	(undef, $target, $delay) = splice @ARGV, 0, 3;
}
my $limit = shift // die "no limit\n";
open my $result, '>&', \*STDOUT or die;
my $leader = fork // die "fork: $!\n";
if (!$leader) {
	setsid();
	open STDOUT, '>', $ENV{WATCH_OUT} // '/dev/null' or die;
	open STDERR, '>', $ENV{WATCH_ERR} // '/dev/null' or die;
	exec { $ARGV[0] } @ARGV or POSIX::_exit(127);
}

$SIG{TERM} = $SIG{INT} = $SIG{HUP} = sub { kill KILL => $leader; exit 1 };

# The processes of the session that have not ended, without the command itself.
sub others {
	my @found;
	for my $file (glob '/proc/[0-9]*/stat') {
		open my $in, '<', $file or next;
		my $text = <$in> // next;
		my ($pid, $state, $session) = $text =~ /^(\d+) \(.*\) (\S) \d+ \d+ (\d+)/s or next;
		push @found, $pid if $session == $leader && $pid != $leader && $state !~ /[ZX]/;
	}
	@found = sort { $a <=> $b } @found;
	return @found;
}

my $killed = 0;
my $start = time;
my $kill_at;
my $status;
while (1) {
	if (waitpid($leader, WNOHANG) == $leader) {
		$status = $? & 127 ? 300 + ($? & 127) : $? >> 8;
		last;
	}
	if (time - $start > $limit) {
		$status = 'hangs';
		kill KILL => $leader;
		waitpid $leader, 0;
		last;
	}
	if ($target && !defined $kill_at && others()) {
		$kill_at = time + $delay;
	}
	if ($target && defined $kill_at && time >= $kill_at) {
		my @workers = others();
		my $chosen = $target eq 'leader' ? $leader
			: @workers ? $workers[int($delay * 1e6) % @workers] : 0;
		$killed += kill KILL => $chosen if $chosen;
		# A worker that was just done does not end the command: the next one will.
		$kill_at = time + 0.3 if $killed;
	}
	sleep($target ? 0.0005 : 0.002);
}
my $deadline = time + 2;
my @left;
sleep 0.01 while (@left = others()) && time < $deadline;
kill KILL => @left if @left;
print $result "$status ", scalar @left, " $killed\n";
