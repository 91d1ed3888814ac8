/*
 * config.h - what picosat's own configuration would write: the answers of its
 * version and configuration queries, less everything that depends on a machine.
 */
#ifndef PICOSAT_CONFIG_H
#define PICOSAT_CONFIG_H

#define PICOSAT_VERSION "965"
#define PICOSAT_CC	"riscv64-linux-gnu-gcc"
#define PICOSAT_CFLAGS	"-O2 -DNDEBUG"

#endif
