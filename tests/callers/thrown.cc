// Exceptions that leave frames: past destructors, caught and thrown again, caught where a function calls itself.
#include <cstdio>
#include <stdexcept>

#define APART __attribute__((noinline, noclone))

static volatile int sink;

static APART void after() { sink++; }

struct Guard {
	APART ~Guard() { sink++; }
};

static APART int dive(int depth)
{
	Guard guard;

	if (!depth)
		throw std::runtime_error("deep");
	return dive(depth - 1) + sink;
}

static APART int again(int depth)
{
	try {
		return dive(depth) + sink;
	} catch (const std::exception &) {
		after();
		throw;
	}
}

static APART int nest(int depth)
{
	try {
		if (!depth)
			return again(2) + sink;
		return nest(depth - 1) + sink;
	} catch (const std::exception &) {
		after();
		if (depth < 2)
			throw;
		return sink;
	}
}

int main()
{
	for (int i = 0; i < 5; i++) {
		try {
			dive(i);
		} catch (const std::exception &) {
			after();
		}
	}
	nest(3);
	after();
	std::printf("%d\n", sink);
	return 0;
}
