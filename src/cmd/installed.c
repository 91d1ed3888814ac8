/* Finds the files of the installation on the host. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "linux/files.h"

bool installed_directory(const char *name, const char *variable, char *path, size_t bytes,
			 struct err *err)
{
	const char *given = getenv(variable);
	char self[PATH_BYTES];

	if (given) {
		snprintf(path, bytes, "%s", given);
		if (access(path, R_OK | X_OK) == 0)
			return true;
		return err_set_errno(err, errno, "%s names %s", variable, path);
	}
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (length < 0)
		return err_set_errno(err, errno, "cannot find where this program is installed");
	self[length] = 0;
	char *slash = strrchr(self, '/');
	slash[slash == self] = 0;
	snprintf(path, bytes, "%s/%s", self, name);
	if (access(path, R_OK | X_OK) == 0)
		return true;
	snprintf(path, bytes, "%s/../share/cyclestack/%s", self, name);
	if (access(path, R_OK | X_OK) == 0)
		return true;
	return err_set(err,
		       "the %s that come with this program are not there: looked in %s/%s and "
		       "%s/../share/cyclestack/%s; build them with `make`, or set %s",
		       name, self, name, self, name, variable);
}
