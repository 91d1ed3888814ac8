#include "cmd/readings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "classify/classify.h"
#include "cmd/progress.h"
#include "linux/files.h"

static bool kernels_path(const char *name, char path[2 * PATH_BYTES], struct err *err)
{
	char directory[PATH_BYTES];

	if (!installed_directory("kernels", "CYCLESTACK_KERNELS", directory, sizeof(directory),
				 err))
		return false;
	snprintf(path, 2 * PATH_BYTES, "%s/%s", directory, name);
	return access(path, R_OK) == 0 || err_set_errno(err, errno, "%s", path);
}

/* Runs it as a process of its own and waits. */
static bool run_process(const struct point *point, const char *path, struct err *err)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return err_set_errno(err, errno, "cannot start the collector");
	if (child == 0) {
		if (dup2(point->output, STDOUT_FILENO) >= 0 &&
		    dup2(point->errors, STDERR_FILENO) >= 0)
			execv(path, point->program->argv);
		_exit(127);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return err_set_errno(err, errno, "cannot wait for the collector");
	return true;
}

/* On the host one at a time: others would be counted too. */
static bool run_on_host(struct runner *runner, const struct plan *plan, struct err *err)
{
	const double began = experiment_now();
	char path[2 * PATH_BYTES];
	bool ok = kernels_path("collect-host", path, err);

	progress_start(&runner->progress, runner->args, 0, false);
	for (size_t i = 0; ok && i < plan->count; i++) {
		ok = run_process(&plan->points[i], path, err);
		const struct experiment_progress progress =
			experiment_progress_since(began, 0, i + 1, plan->count);
		progress_count(&runner->progress, &progress, "kernels' runs done");
	}
	progress_end(&runner->progress);
	return ok;
}

/* Runs a plan, which is destroyed, and appends what it printed. */
static bool run_plan(struct runner *runner, struct plan *plan, bool is_host, FILE *out,
		     bool *interrupted, struct err *err)
{
	bool ok = plan && (is_host ? run_on_host(runner, plan, err)
				   : runner_run(runner, plan, interrupted, err));

	ok = ok && (*interrupted || collect_read(plan, out, err));
	plan_destroy(plan);
	return ok;
}

static bool collect_steps(struct runner *runner, const struct collect_request *request, FILE *out,
			  char **text, bool *interrupted, struct err *err)
{
	const bool is_host = !request->machine;
	unsigned long long line = 0, page = 0;

	return run_plan(runner, collect_plan_lines(request, err), is_host, out, interrupted, err) &&
	       !*interrupted && fflush(out) == 0 && classify_lines(*text, &line, &page, err) &&
	       run_plan(runner, collect_plan_kernels(request, line, page, err), is_host, out,
			interrupted, err);
}

char *collect(struct runner *runner, struct collect_request *request, bool *interrupted,
	      struct err *err)
{
	char path[2 * PATH_BYTES], *text = NULL;
	size_t bytes = 0;

	*interrupted = false;
	request->path = path;
	if (request->machine && !kernels_path("collect", path, err))
		return NULL;
	FILE *out = open_memstream(&text, &bytes);
	bool ok = collect_steps(runner, request, out, &text, interrupted, err);
	fclose(out);
	request->path = NULL;
	if (ok && !*interrupted)
		return text;
	free(text);
	return NULL;
}

bool collect_host_probe(const struct collect_events *events, struct collect_events *opened,
			struct err *err)
{
	const struct collect_request request = {.events = events};
	struct plan *plan = collect_plan_probe(&request, err);
	char path[2 * PATH_BYTES];
	bool ok = plan && kernels_path("collect-host", path, err);

	for (size_t i = 0; ok && i < events->count; i++) {
		const struct collect_event *event = &events->list[i];
		bool opens = false;

		ok = run_process(&plan->points[i], path, err) &&
		     collect_has_opened(plan, i, &opens, err);
		if (opens)
			collect_add_event(opened, event->type, event->config, event->name);
	}
	plan_destroy(plan);
	return ok;
}
