/* OpenMP: loops with reductions, schedules, tasks, critical sections and barriers on four threads.
 */
#include <omp.h>
#include <stdio.h>

static long fibonacci(int n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a) if (n > 10)
	a = fibonacci(n - 1);
	b = fibonacci(n - 2);
#pragma omp taskwait
	return a + b;
}

int main(void)
{
	long sum = 0, ordered[4] = {0}, total = 0, answer = 0;
	double product = 1;
	int most = 0;

	omp_set_num_threads(4);
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 7)
	for (int i = 0; i < 10000; i++)
		sum += i % 7 * (long)i;
#pragma omp parallel for reduction(* : product) schedule(static)
	for (int i = 1; i <= 64; i++)
		product *= i & 1 ? 2.0 : 0.5;
#pragma omp parallel
	{
		ordered[omp_get_thread_num()] = omp_get_thread_num() * 11L;
#pragma omp barrier
#pragma omp critical
		total += ordered[(omp_get_thread_num() + 1) % 4];
#pragma omp single
		most = omp_get_num_threads();
	}
#pragma omp parallel for ordered schedule(guided)
	for (int i = 0; i < 6; i++) {
#pragma omp ordered
		printf("%d ", i);
	}
#pragma omp parallel
#pragma omp single
	answer = fibonacci(16);
	printf("\n%ld %.1f %ld %d %ld\n", sum, product, total, most, answer);
	return sum == 149965004 ? 0 : 3;
}
