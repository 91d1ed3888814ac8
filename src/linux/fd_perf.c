/* Descriptors of performance events: reading, ioctl, the page that mmap shows. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>

#include "linux/file_operations.h"
#include "linux/perf.h"

/* How the page turns the CSR time, which ticks every 100 ns, into nanoseconds. */
#define TICK_NS	   100
#define TIME_SHIFT 8

struct perf_event *perf_event_of(const struct file *file)
{
	return file->kind == FILE_PERF ? file->object : NULL;
}

static uint64_t values_of(const struct perf_event *event)
{
	uint64_t format = event->attr.read_format;

	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

uint64_t perf_read_bytes(const struct perf_event *event)
{
	uint64_t format = event->attr.read_format, events = 1;

	if (format & PERF_FORMAT_GROUP)
		for (const struct perf_event *e = event->leader->next_sibling; e;
		     e = e->next_sibling)
			events++;
	return 8 * (events * values_of(event) + !!(format & PERF_FORMAT_GROUP) +
		    !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		    !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
}

static uint64_t *put_times(uint64_t *to, uint64_t format, const struct perf_event *event)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*to++ = event->enabled_ns;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*to++ = event->running_ns;
	return to;
}

static uint64_t *put_marks(uint64_t *to, uint64_t format, const struct perf_event *event)
{
	if (format & PERF_FORMAT_ID)
		*to++ = event->id;
	if (format & PERF_FORMAT_LOST)
		*to++ = 0; /* only samples are lost */
	return to;
}

static int64_t read_event(struct process *process, struct file *file, void *buffer, size_t bytes,
			  int64_t offset)
{
	struct perf_event *event = file->object;
	const uint64_t format = event->attr.read_format, size = perf_read_bytes(event);
	uint64_t *to = buffer;

	(void)offset;
	if (event->state == PERF_ERROR)
		return 0;
	if (bytes < size)
		return -ENOSPC;
	if (!(format & PERF_FORMAT_GROUP)) {
		perf_event_update(process, event);
		*to++ = event->count;
		put_marks(put_times(to, format, event), format, event);
		return (int64_t)size;
	}
	uint64_t *events = to++;
	*events = 0;
	perf_event_update(process, event->leader);
	to = put_times(to, format, event->leader);
	for (struct perf_event *e = event->leader; e; e = e->next_sibling) {
		perf_event_update(process, e);
		*to++ = e->count;
		to = put_marks(to, format, e);
		++*events;
	}
	return (int64_t)size;
}

static short event_ready(struct process *process, struct file *file)
{
	/* Nothing is ever written to the buffer; without one the event counts as hung up. */
	return shared_content(process, file) ? 0 : POLLHUP;
}

static void close_event(struct file *file)
{
	struct perf_event *event = file->object;

	perf_event_remove(event->process, event);
}

const struct file_operations file_perf = {.name = "anon_inode:[perf_event]",
					  .mode = 0600,
					  .has_poll = true,
					  .is_record = true,
					  .read = read_event,
					  .ready = event_ready,
					  .close = close_event};

static void for_group(struct process *process, struct perf_event *event, bool is_group,
		      void (*call)(struct process *process, struct perf_event *event))
{
	struct perf_event *next;

	for (struct perf_event *e = is_group ? event->leader : event; e; e = next) {
		next = is_group ? e->next_sibling : NULL;
		call(process, e);
	}
}

static int64_t set_output(struct process *process, const struct perf_event *event, uint64_t number)
{
	if ((int)number == -1)
		return 0;
	struct file *file = files_get(&process->files, (uint32_t)number);
	const struct perf_event *output = file ? perf_event_of(file) : NULL;
	if (!output)
		return -EBADF;
	if (output == event || output->tid != event->tid || shared_content(process, event->file))
		return -EINVAL;
	return 0;
}

int64_t perf_ioctl(struct process *process, struct file *file, uint32_t request, uint64_t argument)
{
	struct perf_event *event = file->object;
	const bool is_group = argument & PERF_IOC_FLAG_GROUP;
	char text[PATH_BYTES];
	uint64_t value;

	switch (request) {
	case PERF_EVENT_IOC_ENABLE: for_group(process, event, is_group, perf_event_enable); break;
	case PERF_EVENT_IOC_DISABLE: for_group(process, event, is_group, perf_event_disable); break;
	case PERF_EVENT_IOC_RESET: for_group(process, event, is_group, perf_event_reset); break;
	case PERF_EVENT_IOC_REFRESH: return -EINVAL; /* only where samples are taken */
	case PERF_EVENT_IOC_PERIOD:
		return memory_read(&process->memory, &value, argument, 8) ? -EINVAL : -EFAULT;
	case PERF_EVENT_IOC_ID:
		return memory_write(&process->memory, argument, &event->id, 8) ? 0 : -EFAULT;
	case PERF_EVENT_IOC_SET_OUTPUT: return set_output(process, event, argument);
	case PERF_EVENT_IOC_SET_FILTER:
		value = (uint64_t)memory_read_string(&process->memory, text, argument,
						     sizeof(text));
		return (int64_t)value == -1 ? -EFAULT : -EINVAL;
	case PERF_EVENT_IOC_SET_BPF:
		return files_get(&process->files, (uint32_t)argument) ? -EINVAL : -EBADF;
	case PERF_EVENT_IOC_PAUSE_OUTPUT: return shared_content(process, file) ? 0 : -EINVAL;
	case PERF_EVENT_IOC_QUERY_BPF: return -EINVAL;
	case PERF_EVENT_IOC_MODIFY_ATTRIBUTES: return -EOPNOTSUPP;
	default: return -ENOTTY;
	}
	perf_arrange(process);
	return 0;
}

struct shared_file *perf_content(struct process *process, struct file *file, uint64_t bytes,
				 uint64_t offset, int64_t *failed)
{
	uint64_t pages = bytes / GUEST_PAGE_BYTES - 1;

	*failed = -EINVAL;
	if (offset || pages & (pages - 1))
		return NULL;
	return shared_get_kept(process, file, bytes, failed);
}

void perf_event_show(struct process *process, const struct perf_event *event)
{
	uint8_t *content = shared_content(process, event->file);
	/* The time CSR does not show what sleeping has skipped. */
	const uint64_t zero = event->tid ? 0 : process->slept_ns;
	struct perf_event_mmap_page page;

	if (!content)
		return;
	memcpy(&page, content, sizeof(page));
	page.lock += 2; /* the guest never sees it while it is written */
	page.index = event->counter >= 0 && event->counter < CSR_COUNTERS
			     ? (uint32_t)event->counter + 1
			     : 0;
	page.offset = (int64_t)(page.index ? event->count - event->read_last : event->count);
	page.time_enabled = event->enabled_ns;
	page.time_running = event->running_ns;
	page.capabilities = 0;
	page.cap_bit0_is_deprecated = 1;
	page.cap_user_rdpmc = event->number < PERF_SOFTWARE;
	page.cap_user_time = page.cap_user_time_zero = page.cap_user_time_short = 1;
	page.pmc_width = 64;
	page.time_shift = TIME_SHIFT;
	page.time_mult = TICK_NS << TIME_SHIFT;
	page.time_zero = zero;
	page.time_offset = zero - event->updated_ns;
	page.time_cycles = 0;
	page.time_mask = UINT64_MAX;
	page.size = offsetof(struct perf_event_mmap_page, __reserved);
	page.data_offset = GUEST_PAGE_BYTES;
	page.data_size = shared_kept_bytes(process, event->file) - GUEST_PAGE_BYTES;
	memcpy(content, &page, sizeof(page));
}
