/*
 * A qemu TCG plugin that counts the instructions a guest executes.
 *
 * It is an independent reference for the simulator's instruction counts: qemu translates and runs
 * the same program, and this adds the length of every translated block each time the block is
 * entered.
 *
 * Invariant: the count is exact for a single-threaded guest that is never interrupted inside a
 * block (system calls end blocks; our workloads take no signals).  A guest that faults and goes on,
 * or that has several threads, is not counted exactly; that is deliberately left out.
 *
 * Use: qemu-riscv64 -plugin count.so,out=FILE program; FILE then holds one decimal number.
 * The interface is qemu's plugin API version 1, declared in qemu's own qemu-plugin.h.
 */
#include <stdio.h>
#include <string.h>

#include <qemu-plugin.h>

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static uint64_t executed;
static char out_path[4096];

static void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &executed,
						 qemu_plugin_tb_n_insns(tb));
}

static void guest_ended(qemu_plugin_id_t id, void *unused)
{
	FILE *out = fopen(out_path, "w");

	(void)id;
	(void)unused;
	if (!out) {
		perror(out_path);
		return;
	}
	fprintf(out, "%llu\n", (unsigned long long)executed);
	fclose(out);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		if (strncmp(argv[i], "out=", 4) == 0)
			snprintf(out_path, sizeof(out_path), "%s", argv[i] + 4);
	if (!out_path[0]) {
		fputs("count: say where the count goes: -plugin count.so,out=FILE\n", stderr);
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
	qemu_plugin_register_atexit_cb(id, guest_ended, NULL);
	return 0;
}
