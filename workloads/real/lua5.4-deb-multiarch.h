/*
 * lua5.4-deb-multiarch.h - what Debian's build of Lua writes into a header of
 * this name: the architecture's directory, where Lua would look for modules.
 * The workload loads none.
 */
#ifndef LUA_DEB_MULTIARCH_H
#define LUA_DEB_MULTIARCH_H

#define DEB_HOST_MULTIARCH "riscv64-linux-gnu"

#endif
