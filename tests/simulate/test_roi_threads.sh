#!/bin/bash
# Threads call one function in a random order, and with --roi FUNCTION:all what each call costs is its thread's: the
# program says how many rounds each thread has made, and each round costs about the same.
. "$(dirname "$0")/../head.sh"
needs "$cross" perl
cat >turns.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 4
#define CALLS	40

__asm__(".globl work\n.type work, @function\nwork:\naddi a0, a0, -1\nbnez a0, work\nret\n.size work, . - work\n");
void work(long rounds);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t state;
static int turn, left = CALLS;
static struct { int tid; long rounds; } made[THREADS];

static unsigned below(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

/* Who has the turn calls, and gives it to any of them. */
static void *run(void *context)
{
	int self = (int)(intptr_t)context;

	pthread_mutex_lock(&lock);
	made[self].tid = gettid();
	while (left > 0) {
		if (turn != self) {
			pthread_cond_wait(&changed, &lock);
			continue;
		}
		long rounds = 150 + below(200);
		work(rounds);
		made[self].rounds += rounds;
		left--;
		turn = (int)below(THREADS);
		pthread_cond_broadcast(&changed);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	state = strtoull(argv[argc - 1], NULL, 10);
	for (intptr_t i = 1; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	run(NULL);
	for (int i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS; i++)
		if (made[i].rounds)
			printf("%d %ld\n", made[i].tid, made[i].rounds);
	return 0;
}
END
"$cross" -O1 -static -pthread -o turns turns.c || tap_skip_all "the program does not build"

# shares CONFIG SEED: the threads whose share of the slots is not their share of the rounds, within a quarter
shares() {
	"$CYCLESTACK" run --config "$1" --roi work:all --json result.json --stdout rounds ./turns "$2" >/dev/null 2>err || cat err
	perl -MJSON::PP -MList::Util=sum -e '
		local $/; open my $f, "<", "result.json" or die; my $threads = decode_json(<$f>)->{exact}{threads};
		open my $r, "<", "rounds" or die; my %rounds = split " ", <$r>;
		my %slots = map { $_->{id} => sum(values %{$_->{slots}}) } @$threads;
		my ($all_slots, $all_rounds) = (sum(values %slots), sum(values %rounds));
		for my $id (sort keys %{{%slots, %rounds}}) {
			my ($slots, $rounds) = (($slots{$id} // 0) / $all_slots, ($rounds{$id} // 0) / $all_rounds);
			printf "thread %s: %.3f of the slots, %.3f of the rounds\n", $id, $slots, $rounds
				if $slots > 1.25 * $rounds || $rounds > 1.25 * $slots;
		}'
}

for config in eyerman2006 midcore littlecore leon2; do
	for seed in 1 2 3; do
		tap_is "$config, order $seed: each thread has the cycles of its own calls" "$(shares $config $seed)" ""
	done
	tap_is "$config: several threads have called" "$(($(wc -l <rounds) > 2))" 1
done
tap_done
