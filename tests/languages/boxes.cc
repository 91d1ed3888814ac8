// Templates, operators and functions that are inlined into each other, for names and inlined calls.
#include <algorithm>
#include <cstdio>
#include <vector>

namespace ns
{
template <class T> struct Box {
	T v;
	__attribute__((noinline)) T heavy(T n) const
	{
		T s = 0;

		for (T i = 0; i < n; i++)
			s += (s ^ i) % (v + 3);
		return s;
	}
	T twice(T n) const
	{
		return heavy(n) + heavy(n + 1);
	}
};

static inline int inner(int x)
{
	int s = x;

	for (int i = 0; i < 50; i++)
		s = s * 31 + i;
	return s;
}

static inline int middle(int x)
{
	return inner(x) + inner(x + 1);
}

__attribute__((noinline)) int outer(int x)
{
	return middle(x) ^ 5;
}

__attribute__((noinline)) bool operator<(const Box<int> &a, const Box<int> &b)
{
	return a.v < b.v;
}
} // namespace ns

int main(int count, char **)
{
	ns::Box<int> a{count};
	ns::Box<long> b{count};
	std::vector<ns::Box<int>> list;
	int s = 0;

	for (int i = 0; i < 30; i++)
		list.push_back({i * 7919 % 31});
	std::sort(list.begin(), list.end());
	for (int i = 0; i < 100; i++)
		s += ns::outer(i);
	std::printf("%d %ld %d\n", a.twice(300), b.twice(300), s + list[3].v);
}
