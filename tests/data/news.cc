// C++: operator new, in a function and in what the library's templates call.
#include <vector>

struct point {
	long x, y, z[6];
};

static volatile long sink;

__attribute__((noinline)) static point *make(int count)
{
	return new point[count](); // site: new
}

int main()
{
	point *points = make(1000);
	for (int i = 0; i < 1000; i++)
		sink += points[i].x;
	std::vector<long> numbers;
	numbers.resize(20000); // site: vector
	for (long number : numbers)
		sink += number;
	delete[] points;
	return 0;
}
