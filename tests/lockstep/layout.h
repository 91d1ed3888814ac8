/*
 * layout.h - where things are in a lockstep program, and the record it writes
 * for each sequence.
 *
 * All addresses are fixed at link time and none is on the stack, so that a
 * register that holds one is equal on every machine.
 *
 * The window is the memory a sequence may touch. It lies across a page
 * boundary, so that small offsets straddle lines and pages. A table entry holds
 * what a sequence starts with, a record what it left; both have the same slots.
 * The constants are floating-point operands by family (value.h), for each
 * CONSTANTS_DOUBLES doubles and twice as many singles; the register that
 * reaches them points at their middle.
 */
#ifndef LOCKSTEP_LAYOUT_H
#define LOCKSTEP_LAYOUT_H

#define TEXT_ADDRESS	  0x10000
#define SEQUENCES_ADDRESS 0x18000
#define CONSTANTS_ADDRESS 0x10000000
#define CONSTANTS_BYTES	  4096
#define CONSTANTS_DOUBLES 48 /* of a family; its singles take as many bytes */
#define TABLE_ADDRESS	  (CONSTANTS_ADDRESS + CONSTANTS_BYTES)
#define DATA_ADDRESS	  0x20000000
#define DATA_BYTES	  0x4000
#define WINDOW_ADDRESS	  (DATA_ADDRESS + 0xf00)
#define WINDOW_BYTES	  512
#define RECORD_ADDRESS	  (DATA_ADDRESS + 0x3000)
#define NEXT_INDEX_OFFSET 1536 /* from RECORD_ADDRESS: which table entry is next */

enum {
	SLOT_FCSR = 0, /* x0 needs no slot of its own */
	SLOT_X = 0,    /* + register; the harness register's slot is 0 in a record */
	SLOT_F = 32,
	SLOT_WINDOW = 64,
	SLOT_NUMBER = SLOT_WINDOW + WINDOW_BYTES / 8,
	RECORD_SLOTS,
	SLOT_LOADER = RECORD_SLOTS, /* table only: address of the code that starts it */
	ENTRY_SLOTS
};

#define RECORD_BYTES (RECORD_SLOTS * 8)
#define ENTRY_BYTES  (ENTRY_SLOTS * 8)

#endif
