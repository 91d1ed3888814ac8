/*
 * What only the privileged may is refused as the kernel refuses it to others.
 *
 * data: yes
 * only: cyclestack
 */
#include "check.h"
#include <linux/capability.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static int failures;

static void expect(const char *what, int holds)
{
	printf("%s: %s\n", what, holds ? "yes" : "NO");
	failures += !holds;
}

#define REFUSED(call, reason) (errno = 0, expect(#call, (call) == -1 && errno == (reason)))

int main(int argc, char **argv)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {{1, 1, 1}, {1, 1, 1}};
	struct sched_param one = {1};
	char value[8];

	check_enter(argc, argv, chdir);
	expect("capabilities can be asked for", syscall(SYS_capget, &header, data) == 0);
	expect("there are none", !data[0].effective && !data[0].permitted && !data[1].effective);
	expect("none can be kept", syscall(SYS_capset, &header, data) == 0);
	data[0].effective = data[0].permitted = 1;
	REFUSED(syscall(SYS_capset, &header, data), EPERM);
	REFUSED(sched_setscheduler(0, SCHED_FIFO, &one), EPERM);
	REFUSED(setsid(), EPERM);
	REFUSED(setpgid(0, 0), EPERM);
	REFUSED(setpgid(77, 0), ESRCH);
	REFUSED(setpgid(0, -1), EINVAL);
	REFUSED(mknod("device", S_IFCHR | 0600, 0x103), EPERM);
	REFUSED(mkfifo(".", 0600), EEXIST);
	REFUSED(setxattr(".", "user.x", "y", 1, 0), EOPNOTSUPP);
	REFUSED(getxattr(".", "user.x", value, 8), EOPNOTSUPP);
	REFUSED(syscall(SYS_process_vm_readv, 1, NULL, 1, NULL, 1, 0), EFAULT);
	return failures;
}
