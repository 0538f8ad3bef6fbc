// A disk that fails on demand, for LD_PRELOAD: calls on a WAL fail as the file named by IAM_FAULT
// says. Its text is a call, `write` or `sync`, and the number of the error; empty, nothing fails.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int fails(const char *call, int fd) {
  char link[64], path[4096], wanted[16] = "";
  int number = 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 4 || memcmp(path + length - 4, "-wal", 4) != 0) return 0;
  const char *control = getenv("IAM_FAULT");
  FILE *file = control ? fopen(control, "r") : NULL;
  if (file == NULL) return 0;
  int read = fscanf(file, "%15s %d", wanted, &number);
  fclose(file);
  if (read != 2 || strcmp(wanted, call) != 0) return 0;
  errno = number;
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t size) {
  return fails("write", fd) ? -1 : REAL(write)(fd, bytes, size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  return fails("write", fd) ? -1 : REAL(pwrite)(fd, bytes, size, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  return fails("write", fd) ? -1 : REAL(pwrite64)(fd, bytes, size, at);
}

int fsync(int fd) { return fails("sync", fd) ? -1 : REAL(fsync)(fd); }

int fdatasync(int fd) { return fails("sync", fd) ? -1 : REAL(fdatasync)(fd); }
