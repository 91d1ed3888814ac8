#include "cmd/command.h"

#ifndef CYCLESTACK_VERSION
#error "the build passes CYCLESTACK_VERSION and CYCLESTACK_COMMIT to this file"
#endif

const char *version_text(void)
{
	return CYCLESTACK_VERSION;
}

const char *version_commit(void)
{
	return CYCLESTACK_COMMIT;
}
