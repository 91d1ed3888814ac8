/*
 * Integer, wide and atomic arithmetic, bit tricks and conversions give exact results.
 */
#include "check.h"
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>

static uint64_t state = 1;

static uint64_t next(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state ^ state >> 29;
}

int main(void)
{
	static const uint64_t corners[] = {0,	       1,	   2,	       0x7fffffff,
					   0x80000000, 0xffffffff, 1ull << 32, INT64_MAX,
					   1ull << 63, UINT64_MAX};
	uint64_t digest = DIGEST_START;
	_Atomic uint64_t wide = 0;
	_Atomic uint32_t narrow = 0;
	_Atomic uint8_t byte = 250;

	for (int i = 0; i < 4000; i++) {
		uint64_t a = i < 100 ? corners[i / 10] : next(),
			 b = i < 100 ? corners[i % 10] : next();
		__int128 product = (__int128)(int64_t)a * (int64_t)b;
		unsigned __int128 sum = (unsigned __int128)a * b + a;
		uint64_t facts[] = {
			a + b,
			a - b,
			a * b,
			(uint64_t)(product >> 64),
			(uint64_t)(sum >> 64),
			b ? a / b : 0,
			b ? a % b : 0,
			(uint32_t)b ? (uint32_t)a / (uint32_t)b : 0,
			(uint32_t)b && (uint32_t)b != UINT32_MAX
				? (uint64_t)((int32_t)a % (int32_t)b)
				: 0,
			a << (b & 63),
			a >> (b & 63),
			(uint64_t)((int64_t)a >> (b & 63)),
			(uint64_t)(int32_t)((uint32_t)a << (b & 31)),
			(uint64_t)((int32_t)a >> (b & 31)),
			(int64_t)a < (int64_t)b,
			a < b,
			(uint64_t)__builtin_popcountll(a),
			a ? (uint64_t)__builtin_clzll(a) : 64,
			a ? (uint64_t)__builtin_ctzll(a) : 64,
			__builtin_bswap64(a),
			(uint64_t)(sum / (b | 1)),
		};
		double d = (double)(int64_t)a / (double)(b | 1);
		float f = (float)a;

		digest = check_digest(digest, facts, sizeof(facts));
		digest = check_digest(digest, &d, sizeof(d));
		digest = check_digest(digest, &f, sizeof(f));
		atomic_fetch_add(&wide, a);
		atomic_fetch_xor(&narrow, (uint32_t)b);
		atomic_fetch_or(&wide, b & 1);
		atomic_fetch_add(&byte, (uint8_t)a);
		uint32_t expected = narrow;

		atomic_compare_exchange_strong(&narrow, &expected, expected * 3);
	}
	printf("%016" PRIx64 " %016" PRIx64 " %08x %02x\n", digest, (uint64_t)wide, narrow, byte);

	static const double floats[] = {0.0, -0.0, 0.5,	 -0.5,	1.5,	  -1.5,	     2147483647.5,
					4e9, -3e9, 1e19, -1e19, INFINITY, -INFINITY, NAN};

	for (size_t i = 0; i < sizeof(floats) / sizeof(floats[0]); i++) {
		long w, wu, l, lu;

		asm volatile("fcvt.w.d %0, %1, rtz" : "=r"(w) : "f"(floats[i]));
		asm volatile("fcvt.wu.d %0, %1, rtz" : "=r"(wu) : "f"(floats[i]));
		asm volatile("fcvt.l.d %0, %1, rne" : "=r"(l) : "f"(floats[i]));
		asm volatile("fcvt.lu.d %0, %1, rup" : "=r"(lu) : "f"(floats[i]));
		printf("%g: %lx %lx %lx %lx\n", fabs(floats[i]), w, wu, l, lu);
	}
	return 0;
}
