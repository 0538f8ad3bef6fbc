// A disk for LD_PRELOAD. It fails on demand, and it keeps a journal of what reaches it, of which can
// be made what it holds after a power loss.
//
// IAM_FAULT names a file that says what fails: a call, `write` or `sync`, the number of the error,
// how many of a hundred calls it meets, and how the names of the files end. Empty, nothing fails.
//
// IAM_JOURNAL names the journal, and IAM_JOURNAL_ROOT the directory whose files it is about. Of
// these, all but the shared memory of SQLite (-shm), which no power loss survives, are journaled. A
// record is appended once the call has succeeded and before it returns: a head of 24 bytes, then
// text or bytes. test/disk/journal.ts reads it, and adds the marks of those who wait for answers.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int ends_with(const char *text, const char *end) {
  size_t length = strlen(text), size = strlen(end);
  return length >= size && strcmp(text + length - size, end) == 0;
}

static int path_of(int fd, char path[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = 0;
  return length > 0;
}

static int fails(const char *call, int fd) {
  const char *control = getenv("IAM_FAULT");
  char path[PATH_MAX], wanted[16] = "", end[64] = "";
  int number = 0, percent = 100;
  if (control == NULL || !path_of(fd, path)) return 0;
  FILE *file = fopen(control, "r");
  if (file == NULL) return 0;
  int read = fscanf(file, "%15s %d %d %63s", wanted, &number, &percent, end);
  fclose(file);
  if (read != 4 || strcmp(wanted, call) != 0 || !ends_with(path, end)) return 0;
  if (rand() % 100 >= percent) return 0;
  errno = number;
  return 1;
}

enum { WRITE = 1, TRUNCATE, SYNC, SYNC_DIRECTORY, CREATE, LINK, UNLINK, RENAME, MKDIR };

struct head {
  uint32_t kind, size;
  uint64_t inode;
  // Of a write where it begins, of a truncation the size, of a sync the size of the journal when it
  // began: what was written while it ran may have come too late.
  uint64_t at;
};

// Held while a call is made and journaled, so that the records are in the order of the calls.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int journal = -1;

static int is_journaled(const char *path) {
  const char *root = getenv("IAM_JOURNAL_ROOT"), *file = getenv("IAM_JOURNAL");
  if (root == NULL || file == NULL || strncmp(path, root, strlen(root)) != 0) return 0;
  if (ends_with(path, "-shm") || ends_with(path, "-shm (deleted)")) return 0;
  if (journal < 0) journal = REAL(open)(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  return journal >= 0;
}

static int is_journaled_fd(int fd) {
  char path[PATH_MAX];
  return getenv("IAM_JOURNAL") != NULL && path_of(fd, path) && is_journaled(path);
}

static uint64_t inode_of(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

static void record(struct head head, const void *bytes) {
  int before = errno;
  struct iovec parts[] = {{&head, sizeof head}, {(void *)bytes, head.size}};
  // A journal that lacks something would prove nothing.
  if (REAL(writev)(journal, parts, 2) != (ssize_t)(sizeof head + head.size)) abort();
  errno = before;
}

static void record_text(uint32_t kind, uint64_t inode, const char *text, size_t size) {
  record((struct head){kind, size, inode, 0}, text);
}

#define JOURNALED(is_journaled, call, on_success)  \
  do {                                             \
    if (!(is_journaled)) return call;              \
    pthread_mutex_lock(&lock);                     \
    __typeof__(call) result = call;                \
    if (result >= 0) on_success;                   \
    pthread_mutex_unlock(&lock);                   \
    return result;                                 \
  } while (0)

static ssize_t written(int fd, const void *bytes, ssize_t size, off64_t at) {
  record((struct head){WRITE, size, inode_of(fd), at}, bytes);
  return size;
}

// A disk that is full has taken the first part by then.
static ssize_t fail_write(int fd, const void *bytes, size_t size, off64_t at) {
  int number = errno;
  if (size > 512 && at >= 0) REAL(pwrite64)(fd, bytes, size / 2, at);
  errno = number;
  return -1;
}

ssize_t write(int fd, const void *bytes, size_t size) {
  if (fails("write", fd)) return -1;
  JOURNALED(is_journaled_fd(fd), REAL(write)(fd, bytes, size),
            written(fd, bytes, result, lseek64(fd, 0, SEEK_CUR) - result));
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  if (fails("write", fd)) return fail_write(fd, bytes, size, at);
  JOURNALED(is_journaled_fd(fd), REAL(pwrite64)(fd, bytes, size, at),
            written(fd, bytes, result, at));
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  return pwrite64(fd, bytes, size, at);
}

// Whole, part by part: callers take a short count for what it is.
ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (!is_journaled_fd(fd)) return REAL(writev)(fd, parts, count);
  return count == 0 ? 0 : write(fd, parts[0].iov_base, parts[0].iov_len);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  if (!is_journaled_fd(fd)) return REAL(pwritev64)(fd, parts, count, at);
  return count == 0 ? 0 : pwrite64(fd, parts[0].iov_base, parts[0].iov_len, at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  return pwritev64(fd, parts, count, at);
}

int ftruncate64(int fd, off64_t size) {
  JOURNALED(is_journaled_fd(fd), REAL(ftruncate64)(fd, size),
            record((struct head){TRUNCATE, 0, inode_of(fd), size}, ""));
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

static int sync_with(int (*real)(int), int fd) {
  if (fails("sync", fd)) return -1;
  if (!is_journaled_fd(fd)) return real(fd);
  struct stat status;
  char path[PATH_MAX];
  off64_t began = fstat(journal, &status) == 0 ? status.st_size : 0;
  int result = real(fd);
  if (result != 0 || fstat(fd, &status) != 0 || !path_of(fd, path)) return result;
  pthread_mutex_lock(&lock);
  if (S_ISDIR(status.st_mode)) {
    record((struct head){SYNC_DIRECTORY, strlen(path), 0, began}, path);
  } else {
    record((struct head){SYNC, 0, status.st_ino, began}, "");
  }
  pthread_mutex_unlock(&lock);
  return result;
}

int fsync(int fd) { return sync_with(REAL(fsync), fd); }

int fdatasync(int fd) { return sync_with(REAL(fdatasync), fd); }

static int opened(int fd, const char *path, int flags, int was_there) {
  if (!was_there) record_text(CREATE, inode_of(fd), path, strlen(path));
  else if (flags & O_TRUNC) record((struct head){TRUNCATE, 0, inode_of(fd), 0}, "");
  return fd;
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  int may_change = flags & (O_CREAT | O_TRUNC) && is_journaled(path);
  int was_there = may_change && access(path, F_OK) == 0;
  JOURNALED(may_change, REAL(open64)(path, flags, mode), opened(result, path, flags, was_there));
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open64(path, flags, mode);
}

int mkdir(const char *path, mode_t mode) {
  JOURNALED(is_journaled(path), REAL(mkdir)(path, mode), record_text(MKDIR, 0, path, strlen(path)));
}

int unlink(const char *path) {
  JOURNALED(is_journaled(path), REAL(unlink)(path), record_text(UNLINK, 0, path, strlen(path)));
}

static void record_two(uint32_t kind, const char *from, const char *to) {
  char both[2 * PATH_MAX];
  size_t size = snprintf(both, sizeof both, "%s%c%s", from, 0, to);
  record_text(kind, 0, both, size);
}

int link(const char *from, const char *to) {
  JOURNALED(is_journaled(to), REAL(link)(from, to), record_two(LINK, from, to));
}

int rename(const char *from, const char *to) {
  JOURNALED(is_journaled(to), REAL(rename)(from, to), record_two(RENAME, from, to));
}
