/*
 * Sets the wall clock of a process off by as many seconds as a file says, which may
 * change at any time. To be preloaded. Time that only passes stays true.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long *offset;

static long seconds_off(void) {
  if (!offset) {
    int file = open(getenv("CLOCK_OFFSET"), O_RDONLY);
    offset = mmap(0, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
    close(file);
  }
  return *offset;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec += seconds_off();
  return result;
}

int gettimeofday(struct timeval *now, void *zone) {
  static int (*real)(struct timeval *, void *);
  if (!real) real = dlsym(RTLD_NEXT, "gettimeofday");
  int result = real(now, zone);
  now->tv_sec += seconds_off();
  return result;
}

time_t time(time_t *at) {
  struct timeval now;
  gettimeofday(&now, 0);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
