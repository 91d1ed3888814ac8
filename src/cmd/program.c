#include "cmd/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "job/debug_file.h"

/* The workers inherit it. They read with positions of their own, so any number can. */
static bool open_stdin(const char *path, struct err *err)
{
	struct stat info;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return err_set_errno(err, errno, "--stdin %s", path);
	bool is_regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
	if (is_regular && fd != STDIN_FILENO)
		is_regular = dup2(fd, STDIN_FILENO) == STDIN_FILENO;
	if (fd != STDIN_FILENO)
		close(fd);
	return is_regular
		       ? true
		       : err_set(err, "--stdin %s: not a regular file; write < %s without --stdin",
				 path, path);
}

static bool read_profile(struct program *program, const char *word, struct err *err)
{
	const struct config_row *row = &config_rows[CONFIG_isa_profile];
	uint32_t value = row->fallback;
	char expected[CONFIG_TEXT_BYTES];

	if (word && !config_read_words(row, word, &value)) {
		config_expected(CONFIG_isa_profile, expected, sizeof(expected));
		return err_set(err, "--isa %s: expected %s", word, expected);
	}
	program->profile = (enum config_profile)value;
	return true;
}

static bool read_guest_options(struct program *program, const struct args *args, struct err *err)
{
	const char *cwd = args_get(args, OPTION_CWD), *sysroot = args_get(args, OPTION_SYSROOT);
	const char *mtime = args_get(args, OPTION_MTIME), *input = args_get(args, OPTION_STDIN);

	program->seed = 1;
	program->memory_bytes = UINT64_C(4) << 30;
	program->max_instructions = INT64_MAX;
	program->strict = args_get(args, OPTION_STRICT);
	program->raw_names = args_get(args, OPTION_RAW_NAMES);
	program->may_lack_landlock = args_get(args, OPTION_NO_LANDLOCK);
	program->denied = args->values[OPTION_DENY];
	program->denied_count = args->counts[OPTION_DENY];
	program->keeps_mtime = mtime && strcmp(mtime, "keep") == 0;
	if (mtime && !program->keeps_mtime && strcmp(mtime, "zero") != 0)
		return err_set(err, "--mtime %s: expected zero or keep", mtime);
	if (!read_profile(program, args_get(args, OPTION_ISA), err))
		return false;
	program->stdin_is_file = input;
	if (input && !open_stdin(input, err))
		return false;
	program->cwd = mem_strdup(cwd ? cwd : "/");
	if (program->cwd[0] != '/' || strlen(program->cwd) >= PATH_BYTES)
		return err_set(err, "--cwd %s: expected an absolute path", cwd);
	if (!args_get_count(args, OPTION_SEED, 0, UINT64_MAX, &program->seed, err) ||
	    !args_get_bytes(args, OPTION_MEMORY, UINT64_C(1) << 20, UINT64_C(1) << 37,
			    &program->memory_bytes, err) ||
	    !args_get_count(args, OPTION_MAX_INSNS, 1, INT64_MAX, &program->max_instructions,
			    err) ||
	    !args_get_seconds(args, OPTION_TIMEOUT, &program->timeout_seconds, err))
		return false;
	program->env = mem_alloc_array(args->counts[OPTION_ENV] + 1, sizeof(char *));
	for (size_t i = 0; i < args->counts[OPTION_ENV]; i++) {
		program->env[i] = args->values[OPTION_ENV][i];
		if (!strchr(program->env[i], '=') || program->env[i][0] == '=')
			return err_set(err, "--env %s: expected NAME=VALUE", program->env[i]);
	}
	/* Room for a system root and a workload's input besides the mounts given, and behind them
	 * for directories of debugging information. */
	program->mounts =
		mem_alloc_array(args->counts[OPTION_MOUNT] + 2 + args->counts[OPTION_DEBUG_DIR],
				sizeof(struct mount));
	if (sysroot && !mount_open(&program->mounts[program->mount_count], "/", sysroot, true, err))
		return err_prefix(err, "--sysroot");
	program->mount_count += sysroot != NULL;
	for (size_t i = 0; i < args->counts[OPTION_MOUNT]; i++) {
		struct mount *mount = &program->mounts[program->mount_count];

		if (!mount_parse(mount, args->values[OPTION_MOUNT][i], err))
			return err_prefix(err, "--mount");
		program->mount_count++;
	}
	return true;
}

/* Mounts the input unless the user has mounted another directory there. */
static bool mount_input(struct program *program, const char *host, struct err *err)
{
	for (size_t i = 0; i < program->mount_count; i++)
		if (strcmp(program->mounts[i].guest, WORKLOAD_INPUT) == 0)
			return true;
	if (!mount_open(&program->mounts[program->mount_count], WORKLOAD_INPUT, host, true, err))
		return false;
	program->mount_count++;
	return true;
}

/* A name without @ that is no file, but is a workload's. */
static bool read_image(struct program *program, const char *path, struct err *err)
{
	struct workload workload;
	struct err ignored;

	if (program_read(program, path, err))
		return true;
	if (access(path, F_OK) != 0 && workload_find(path, &workload, &ignored)) {
		struct err reason = *err;

		return err_set(err, "%s; did you mean the workload @%s?", reason.text, path);
	}
	return false;
}

static bool is_directory(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* What is given for this comes before the system root. */
static bool find_debug_file(struct program *program, const struct args *args, struct err *err)
{
	const char *sysroot = args_get(args, OPTION_SYSROOT);

	for (size_t i = 0; i < args->counts[OPTION_DEBUG_DIR]; i++) {
		const char *directory = args->values[OPTION_DEBUG_DIR][i];

		if (!is_directory(directory))
			return err_usage(err, "--debug-dir %s: there is no such directory",
					 directory);
		if (!debug_file_find(program, directory, err))
			return err_prefix(err, "--debug-dir");
		/* Only a program with mounts has libraries. */
		if (program->mount_count) {
			struct mount *mount = &program->mounts[program_directories(program)];

			if (!mount_open(mount, "/", directory, true, err))
				return err_prefix(err, "--debug-dir");
			program->debug_mount_count++;
		}
	}
	return !sysroot || debug_file_find(program, sysroot, err) || err_prefix(err, "--sysroot");
}

static bool open_program(struct program *program, const struct args *args, struct err *err)
{
	struct workload workload = {0};
	const char *given = args->rest[0], *argv0 = args_get(args, OPTION_ARGV0);
	bool is_workload = given[0] == '@';

	program->name = mem_strdup(given);
	if (is_workload && !workload_find(given + 1, &workload, err))
		return err_as_usage(err);
	if (workload.input[0] && !mount_input(program, workload.input, err))
		return false;
	const char *path = is_workload ? workload.elf : given, *slash = strrchr(path, '/');
	program->argv =
		mem_alloc_array(args->rest_count + workload.argument_count + 1, sizeof(char *));
	/* argv[0] is not the whole path: the program's stack, and so its timing, would depend on
	 * the directory of the file. */
	program->argv[program->argc++] = mem_strdup(argv0 ? argv0 : slash ? slash + 1 : path);
	for (size_t i = 0; i < workload.argument_count; i++)
		program->argv[program->argc++] = mem_strdup(workload.arguments[i]);
	/* With arguments of the user's it may do anything. */
	program->usual_instructions = args->rest_count == 1 ? workload.instructions : 0;
	for (size_t i = 1; i < args->rest_count; i++)
		program->argv[program->argc++] = mem_strdup(args->rest[i]);
	return read_image(program, path, err) && find_debug_file(program, args, err);
}

bool program_open(struct program *program, const struct args *args, struct err *err)
{
	*program = (struct program){0};
	if (!args->rest_count)
		return err_usage(err, "which program? Give a RISC-V ELF file or a workload such as "
				      "@chess");
	if (!read_guest_options(program, args, err))
		return err_as_usage(err);
	return open_program(program, args, err);
}
