#!/bin/bash
# TAP: facts about programs that change their code, run threads and take signals: advice comes, is the same each time,
# and nothing is said of what is not known.
. "$(dirname "$0")/../head.sh"
needs "$cross" perl
cat >changing.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* A function that is written anew each time, at one address: li a0, N; ret. */
int main(void)
{
	uint32_t *code = mmap((void *)0x40000000, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	uint32_t sum = 0;

	for (uint32_t i = 0; i < 60; i++) {
		code[0] = i % 3 ? 0x00000513 | i << 20 : 0x00150513;
		code[1] = 0x00008067;
		__builtin___clear_cache((char *)code, (char *)(code + 2));
		sum += ((uint32_t(*)(uint32_t))code)(i);
	}
	printf("%u\n", sum);
	return 0;
}
END
cat >threads.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic unsigned total;

static void *work(void *of)
{
	for (unsigned i = 0; i < 150; i++)
		if ((i ^ (unsigned long)of) & 5)
			atomic_fetch_add(&total, i & 3);
	return NULL;
}

int main(void)
{
	pthread_t threads[20];

	for (unsigned long i = 0; i < 20; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (unsigned i = 0; i < 20; i++)
		pthread_join(threads[i], NULL);
	printf("%u\n", total);
	return 0;
}
END
cat >signals.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static volatile unsigned faults;
static sigjmp_buf back;

static void handle(int number)
{
	(void)number;
	faults++;
	siglongjmp(back, 1);
}

int main(void)
{
	signal(SIGSEGV, handle);
	for (volatile unsigned i = 0; i < 60; i++)
		if (!sigsetjmp(back, 1))
			*(volatile int *)(8 * (unsigned long)i) = 1;
	printf("%u\n", faults);
	return 0;
}
END
echo "1..12"
number=0
ok() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
	fi
}
for name in changing threads signals; do
	"$cross" -O2 -g -static -o "$name" "$name.c" -lpthread || tap_skip_all "$name.c cannot be built"
	"$cyclestack" advise -q -j 2 --json one.json "$name" >/dev/null 2>one.err </dev/null
	ok $? "$name: advice comes"
	"$cyclestack" advise -q -j 1 --json two.json "$name" >/dev/null 2>two.err </dev/null
	cmp -s one.json two.json
	ok $? "$name: the same each time"
	perl -MJSON::PP -0777 -ne '
		my $all = decode_json($_);
		for my $place (@{$all->{software}}) {
			my $pattern = $place->{pattern} or next;
			exit 1 unless length $pattern->{evidence} && length $pattern->{meaning};
		}' one.json
	ok $? "$name: every pattern has its evidence"
	case $name in
	changing) # what the code was is not said of what it became
		perl -MJSON::PP -0777 -ne '
			for my $place (@{decode_json($_)->{software}}) {
				my $pattern = $place->{pattern} or next;
				exit 1 if hex($pattern->{pc}) >> 12 == 0x40000 && hex($pattern->{pc}) != 0x40000004 &&
					$pattern->{name} ne "none";
			}' one.json
		ok $? "code that changed has no pattern"
		;;
	threads)
		perl -MJSON::PP -0777 -ne '
			exit !grep { ($_->{pattern}{name} // "") eq "serialising instruction" } @{decode_json($_)->{software}}
			' one.json
		ok $? "the atomics of twenty threads are named"
		;;
	signals)
		! grep -q "internal error" one.err
		ok $? "faults and jumps out of handlers are no trouble"
		;;
	esac
done
