// A tool's library for tests: it takes NVTX calls and writes each down, with the
// thread, as a line of the file LOG.
#include <stdint.h>
#include <stdio.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note(const char *form, ...) {
#ifndef QUIET
	char line[1024];
	int n = snprintf(line, sizeof line, "%ld ", syscall(SYS_gettid));
	va_list list;
	va_start(list, form);
	n += vsnprintf(line + n, sizeof line - n - 1, form, list);
	va_end(list);
	line[n++] = '\n';
	FILE *f = fopen(LOG, "a"); // a line is one write, so that threads do not mix
	if (f) {
		fwrite(line, 1, n, f);
		fclose(f);
	}
#endif
}

struct attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const char *message;
};

static const char *text(const struct attributes *a) {
	return a->version == 3 && a->size == sizeof *a && a->message_type == 1 ? a->message : "wrong attributes";
}

static uint64_t next = 1000;

#ifdef LIBRARY
#define LINK
#else
#define LINK static
#endif

LINK int nvtxRangePushA(const char *s) { note("push %s", s); return 0; }
LINK int nvtxRangePop(void) { note("pop"); return 0; }
LINK void nvtxMarkA(const char *s) { note("mark %s", s); }
LINK uint64_t nvtxRangeStartA(const char *s) { note("start %s", s); return ++next; }
LINK void nvtxRangeEnd(uint64_t id) { note("end %lu", (unsigned long)id); }
LINK int nvtxRangePushEx(const struct attributes *a) { return nvtxRangePushA(text(a)); }
LINK void nvtxMarkEx(const struct attributes *a) { nvtxMarkA(text(a)); }
LINK uint64_t nvtxRangeStartEx(const struct attributes *a) { return nvtxRangeStartA(text(a)); }

#ifndef LIBRARY
typedef void (*function)(void);

struct callbacks {
	size_t size;
	int (*module)(uint32_t module, function ***table, uint32_t *size);
};

struct version {
	size_t size;
	uint32_t version, reserved;
	void (*set)(uint32_t);
};

int InitializeInjectionNvtx2(const void *(*export)(uint32_t)) {
	function **core = 0, **other = 0;
	uint32_t size = 0;
	const struct callbacks *c = export(1);
	const struct version *v = export(3);
	if (!c || c->size != sizeof *c || !v || v->size != sizeof *v || export(2))
		return 0;
	note("version %u", v->version);
	v->set(3);
	if (!c->module(1, &core, &size))
		return 0;
	note("core %u", size);
	if (core[0] || core[size])
		return 0;
	if (c->module(5, &other, &size) && other[size - 1])
		note("core2 %u", size);
	if (c->module(6, &other, &size) && other[size - 1])
		note("sync %u", size);
	note("none %d", c->module(7, &other, &size) + c->module(0, 0, 0));
#ifdef REFUSES
	return 0;
#endif
#ifndef NOTHING
#ifndef ATTRIBUTES_ALONE
	*core[2] = (function)nvtxMarkA;
	*core[5] = (function)nvtxRangeStartA;
	*core[9] = (function)nvtxRangePushA;
#endif
	*core[1] = (function)nvtxMarkEx;
	*core[4] = (function)nvtxRangeStartEx;
	*core[7] = (function)nvtxRangeEnd;
	*core[8] = (function)nvtxRangePushEx;
	*core[11] = (function)nvtxRangePop;
#else
	(void)nvtxRangePushEx, (void)nvtxMarkEx, (void)nvtxRangeStartEx, (void)nvtxRangePop, (void)nvtxRangeEnd;
#endif
	return 1;
}
#endif
