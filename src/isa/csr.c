#include "isa/cpu.h"
#include "isa/softfloat.h"

/* Virtual time runs at one nanosecond per instruction or cycle; the time CSR ticks at
 * 10 MHz, as the device trees of common RISC-V boards have it. */
#define NANOSECONDS_PER_TICK 100

void hart_init(struct hart *hart)
{
	*hart = (struct hart){.reservation = NO_RESERVATION};
}

const char *csr_name(unsigned csr)
{
	switch (csr) {
	case CSR_FFLAGS: return "fflags";
	case CSR_FRM: return "frm";
	case CSR_FCSR: return "fcsr";
	case CSR_CYCLE: return "cycle";
	case CSR_TIME: return "time";
	case CSR_INSTRET: return "instret";
	default: return NULL;
	}
}

static bool read_counter(const struct cpu *cpu, unsigned csr, uint64_t *value)
{
	if (cpu->counters)
		return cpu->counters->read(cpu->counters->context, csr, value);
	*value = cpu_time(cpu);
	return csr == CSR_CYCLE;
}

bool csr_access(struct cpu *cpu, unsigned csr, enum csr_access how, uint64_t operand, bool is_write,
		uint64_t *old)
{
	struct hart *hart = &cpu->hart;

	switch (csr) {
	case CSR_FFLAGS: *old = hart->fflags; break;
	case CSR_FRM: *old = hart->frm; break;
	case CSR_FCSR: *old = hart->frm << 5 | hart->fflags; break;
	case CSR_INSTRET: *old = cpu->instructions; return !is_write;
	case CSR_TIME: *old = cpu_time(cpu) / NANOSECONDS_PER_TICK; return !is_write;
	default: return csr_is_counter(csr) && read_counter(cpu, csr, old) && !is_write;
	}
	if (!is_write)
		return true;

	uint64_t value = how == CSR_WRITE ? operand
			 : how == CSR_SET ? *old | operand
					  : *old & ~operand;
	switch (csr) {
	case CSR_FFLAGS: hart->fflags = value & 31; break;
	case CSR_FRM: hart->frm = value & 7; break;
	default:
		hart->fflags = value & 31;
		hart->frm = value >> 5 & 7;
		break;
	}
	return true;
}
