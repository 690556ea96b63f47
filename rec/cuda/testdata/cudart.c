// A libcudart for tests: it writes each call down as a word of the file LOG.
#include <stdio.h>

static int note(const char *call) {
	FILE *f = fopen(LOG, "a");
	if (f) {
		fprintf(f, "%s\n", call);
		fclose(f);
	}
#ifdef FAILS
	return 46;
#endif
	return 0;
}

int cudaProfilerStart(void) { return note("start"); }
#ifndef LACKS
int cudaProfilerStop(void) { return note("stop"); }
#endif
int cudaDeviceSynchronize(void) { return note("sync"); }
const char *cudaGetErrorString(int code) { return code == 46 ? "all devices are busy" : "no error"; }
