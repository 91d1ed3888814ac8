/* Asks for a file whose name would change the terminal and look like a line of the tool. */
#include <fcntl.h>

int main(void)
{
	open("/\033[31mred\n\rcyclestack: all is well\n\302\233\342\200\256x", O_RDONLY);
	return 0;
}
