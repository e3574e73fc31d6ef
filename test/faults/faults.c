/*
 * Preloaded into a process (LD_PRELOAD), this library makes one of its writing calls in a folder fail, or stops the process there.
 *
 *   FAULTS_UNDER    the folder, without links in its path
 *   FAULTS_COUNTS   a file that takes the number of calls, as 64-bit integers in the order of `enum op`
 *   FAULTS_AT       the number of the call that fails, from 1; 0 only counts
 *   FAULTS_KIND     EIO, ENOSPC, EACCES: the call fails with it; short: it writes half; stop: the process ends before it
 *   FAULTS_LASTING  1 if every later call fails too
 *   FAULTS_JOURNAL  a file outside of the folder that takes what each write replaces, and what was synced: from it, a test undoes what
 *                   a power cut would have lost. Names are not undone: a new, renamed or deleted name counts as on the disk at once.
 *
 * Seen are calls of libc. Not seen are writes to mapped memory (SQLite's index of its log, which it makes anew), io_uring, and raw system
 * calls: Node copies files with one, and LanceDB makes some of its files under a temporary name, and renames them, so.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum op { OPEN, WRITE, SYNC, RENAME, LINK, TRUNCATE, UNLINK, MKDIR, ALLOCATE, OPS };

static char under[PATH_MAX];
static size_t under_length;
static long fault_at;
static int fault_errno;
static int is_short, is_stop, is_lasting;
static int journal = -1;
static _Atomic int64_t calls;
static _Atomic int64_t *counts;
/* A write and its entry in the journal are one step. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) {
    fprintf(stderr, "faults: no %s\n", name);
    _exit(99);
  }
  return found;
}

__attribute__((constructor)) static void begin(void) {
  const char *folder = getenv("FAULTS_UNDER");
  if (!folder || !realpath(folder, under)) return;
  const char *kind = getenv("FAULTS_KIND");
  const char *at = getenv("FAULTS_AT");
  const char *lasting = getenv("FAULTS_LASTING");
  const char *journal_path = getenv("FAULTS_JOURNAL");
  const char *counts_path = getenv("FAULTS_COUNTS");
  fault_at = at ? atol(at) : 0;
  is_lasting = lasting && *lasting == '1';
  if (kind) {
    is_short = !strcmp(kind, "short");
    is_stop = !strcmp(kind, "stop");
    fault_errno = !strcmp(kind, "ENOSPC") ? ENOSPC : !strcmp(kind, "EACCES") ? EACCES : EIO;
  }
  if (journal_path) journal = REAL(open)(journal_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (counts_path) {
    int file = REAL(open)(counts_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    size_t bytes = OPS * sizeof(int64_t);
    if (file < 0 || REAL(ftruncate)(file, (off_t)bytes)) _exit(98);
    counts = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
  }
  under_length = strlen(under);
}

static int is_under(const char *path) {
  return under_length > 0 && !strncmp(path, under, under_length) &&
         (path[under_length] == '/' || path[under_length] == 0);
}

static int fd_under(int fd) {
  char link[64], path[PATH_MAX];
  int saved = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = under_length > 0 ? readlink(link, path, sizeof path - 1) : -1;
  errno = saved;
  if (length < 0) return 0;
  path[length] = 0;
  return is_under(path);
}

/* The folder of a name is resolved; the name itself may not exist. */
static int path_under(int dir, const char *name) {
  char whole[PATH_MAX], folder[PATH_MAX], resolved[PATH_MAX];
  int saved = errno, found = 0;
  if (under_length == 0 || !name) return 0;
  if (name[0] == '/' || dir == AT_FDCWD) snprintf(whole, sizeof whole, "%s", name);
  else snprintf(whole, sizeof whole, "/proc/self/fd/%d/%s", dir, name);
  strcpy(folder, whole);
  char *slash = strrchr(folder, '/');
  if (slash == folder) strcpy(folder, "/");
  else if (slash) *slash = 0;
  else strcpy(folder, ".");
  if (realpath(folder, resolved)) found = is_under(resolved);
  errno = saved;
  return found;
}

/* Counts a call. Returns 0 if it may go on, -1 with errno if it fails, 1 if it is to write less. */
static int fault(enum op op) {
  int64_t number = atomic_fetch_add(&calls, 1) + 1;
  if (counts) atomic_fetch_add(&counts[op], 1);
  if (fault_at == 0 || number < fault_at || (number > fault_at && !is_lasting)) return 0;
  if (is_stop) _exit(137);
  if (is_short && op == WRITE) return 1;
  int is_named = op == OPEN || op == RENAME || op == LINK || op == UNLINK || op == MKDIR;
  errno = is_short || (fault_errno == EACCES && !is_named) || (fault_errno == ENOSPC && op == UNLINK) ? EIO : fault_errno;
  return -1;
}

/* ---- the journal: type, inode, offset, old size, length, then the bytes that are replaced ---- */

struct entry {
  char type; /* 'W' before a write or a truncation, 'S' after a sync, 'N' of a new file */
  char pad[7];
  uint64_t inode, offset, size, length;
};

static void note(struct entry entry, const void *bytes) {
  struct iovec parts[2] = {{&entry, sizeof entry}, {(void *)bytes, entry.length}};
  if (REAL(writev)(journal, parts, entry.length > 0 ? 2 : 1) < 0) _exit(97);
}

static void note_event(char type, int fd) {
  struct stat stats;
  int saved = errno;
  if (journal >= 0 && !fstat(fd, &stats) && S_ISREG(stats.st_mode))
    note((struct entry){.type = type, .inode = stats.st_ino}, NULL);
  errno = saved;
}

/* What a write of `length` bytes at `offset` replaces; of a truncation, what is cut off. */
static void note_replaced(int fd, off_t offset, size_t length) {
  struct stat stats;
  int saved = errno;
  if (journal < 0 || fstat(fd, &stats) || !S_ISREG(stats.st_mode)) return;
  size_t old = offset >= stats.st_size ? 0 : (size_t)(stats.st_size - offset);
  if (old > length) old = length;
  void *bytes = NULL;
  if (old > 0) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    int reader = REAL(open)(link, O_RDONLY | O_CLOEXEC);
    bytes = malloc(old);
    if (reader < 0 || !bytes || pread(reader, bytes, old, offset) != (ssize_t)old) _exit(96);
    close(reader);
  }
  note((struct entry){.type = 'W', .inode = stats.st_ino, .offset = (uint64_t)offset, .size = (uint64_t)stats.st_size, .length = old}, bytes);
  free(bytes);
  errno = saved;
}

static off_t place_of(int fd) {
  struct stat stats;
  int flags = fcntl(fd, F_GETFL);
  if (flags >= 0 && (flags & O_APPEND) && !fstat(fd, &stats)) return stats.st_size;
  return lseek(fd, 0, SEEK_CUR);
}

static void lock(void) {
  if (journal >= 0) pthread_mutex_lock(&mutex);
}
static void unlock(void) {
  if (journal >= 0) pthread_mutex_unlock(&mutex);
}

/* ---- calls ---- */

static int writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)); }

#define OPEN_BODY(dir, path, flags, call)                                \
  mode_t mode = 0;                                                       \
  if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) {       \
    va_list rest;                                                        \
    va_start(rest, flags);                                               \
    mode = va_arg(rest, mode_t);                                         \
    va_end(rest);                                                        \
  }                                                                      \
  if (!writes(flags) || !path_under(dir, path)) return call;             \
  lock();                                                                \
  int saved = errno;                                                     \
  int is_new = ((flags) & O_CREAT) && faccessat(dir, path, F_OK, 0) != 0; \
  errno = saved;                                                         \
  int fd = fault(OPEN) < 0 ? -1 : call;                                  \
  if (fd >= 0 && is_new) note_event('N', fd);                            \
  unlock();                                                              \
  return fd

int open(const char *path, int flags, ...) { OPEN_BODY(AT_FDCWD, path, flags, REAL(open)(path, flags, mode)); }
int open64(const char *path, int flags, ...) { OPEN_BODY(AT_FDCWD, path, flags, REAL(open64)(path, flags, mode)); }
int openat(int dir, const char *path, int flags, ...) { OPEN_BODY(dir, path, flags, REAL(openat)(dir, path, flags, mode)); }
int openat64(int dir, const char *path, int flags, ...) { OPEN_BODY(dir, path, flags, REAL(openat64)(dir, path, flags, mode)); }
int creat(const char *path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return open64(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

static size_t half(size_t length) { return length > 1 ? length / 2 : length; }

static ssize_t write_at(int fd, const void *bytes, size_t length, off_t offset, int is_placed) {
  lock();
  int verdict = fault(WRITE);
  ssize_t written = -1;
  if (verdict >= 0) {
    size_t some = verdict == 1 ? half(length) : length;
    note_replaced(fd, is_placed ? offset : place_of(fd), some);
    written = is_placed ? REAL(pwrite64)(fd, bytes, some, offset) : REAL(write)(fd, bytes, some);
  }
  unlock();
  return written;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  return fd_under(fd) ? write_at(fd, bytes, length, 0, 0) : REAL(write)(fd, bytes, length);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  return fd_under(fd) ? write_at(fd, bytes, length, offset, 1) : REAL(pwrite64)(fd, bytes, length, offset);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

/* The parts of a vector are written as one piece. */
static ssize_t write_parts(int fd, const struct iovec *parts, int count, off_t offset, int is_placed) {
  size_t length = 0, at = 0;
  for (int part = 0; part < count; part += 1) length += parts[part].iov_len;
  char *bytes = malloc(length > 0 ? length : 1);
  if (!bytes) {
    errno = ENOMEM;
    return -1;
  }
  for (int part = 0; part < count; at += parts[part].iov_len, part += 1)
    memcpy(bytes + at, parts[part].iov_base, parts[part].iov_len);
  ssize_t written = write_at(fd, bytes, length, offset, is_placed);
  int saved = errno;
  free(bytes);
  errno = saved;
  return written;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  return fd_under(fd) ? write_parts(fd, parts, count, 0, 0) : REAL(writev)(fd, parts, count);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  return fd_under(fd) ? write_parts(fd, parts, count, offset, 1) : REAL(pwritev64)(fd, parts, count, offset);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) { return pwritev64(fd, parts, count, offset); }

#define SYNC_BODY(call)                  \
  if (!fd_under(fd)) return call;        \
  lock();                                \
  int came = fault(SYNC) < 0 ? -1 : call; \
  if (came == 0) note_event('S', fd);    \
  unlock();                              \
  return came

int fsync(int fd) { SYNC_BODY(REAL(fsync)(fd)); }
int fdatasync(int fd) { SYNC_BODY(REAL(fdatasync)(fd)); }

int ftruncate64(int fd, off64_t length) {
  if (!fd_under(fd)) return REAL(ftruncate64)(fd, length);
  lock();
  int came = -1;
  if (fault(TRUNCATE) >= 0) {
    note_replaced(fd, length, SIZE_MAX);
    came = REAL(ftruncate64)(fd, length);
  }
  unlock();
  return came;
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

#define NAMED_BODY(op, test, call)        \
  if (!(test)) return call;               \
  lock();                                 \
  int came = fault(op) < 0 ? -1 : call;   \
  unlock();                               \
  return came

int rename(const char *from, const char *to) {
  NAMED_BODY(RENAME, path_under(AT_FDCWD, to) || path_under(AT_FDCWD, from), REAL(rename)(from, to));
}
int renameat(int from_dir, const char *from, int to_dir, const char *to) {
  NAMED_BODY(RENAME, path_under(to_dir, to) || path_under(from_dir, from), REAL(renameat)(from_dir, from, to_dir, to));
}
int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags) {
  NAMED_BODY(RENAME, path_under(to_dir, to) || path_under(from_dir, from), REAL(renameat2)(from_dir, from, to_dir, to, flags));
}
int link(const char *from, const char *to) { NAMED_BODY(LINK, path_under(AT_FDCWD, to), REAL(link)(from, to)); }
int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags) {
  NAMED_BODY(LINK, path_under(to_dir, to), REAL(linkat)(from_dir, from, to_dir, to, flags));
}
int unlink(const char *path) { NAMED_BODY(UNLINK, path_under(AT_FDCWD, path), REAL(unlink)(path)); }
int unlinkat(int dir, const char *path, int flags) { NAMED_BODY(UNLINK, path_under(dir, path), REAL(unlinkat)(dir, path, flags)); }
int rmdir(const char *path) { NAMED_BODY(UNLINK, path_under(AT_FDCWD, path), REAL(rmdir)(path)); }
int mkdir(const char *path, mode_t mode) { NAMED_BODY(MKDIR, path_under(AT_FDCWD, path), REAL(mkdir)(path, mode)); }
int mkdirat(int dir, const char *path, mode_t mode) { NAMED_BODY(MKDIR, path_under(dir, path), REAL(mkdirat)(dir, path, mode)); }

int fallocate64(int fd, int mode, off64_t offset, off64_t length) {
  NAMED_BODY(ALLOCATE, fd_under(fd), REAL(fallocate64)(fd, mode, offset, length));
}
int fallocate(int fd, int mode, off_t offset, off_t length) { return fallocate64(fd, mode, offset, length); }
int posix_fallocate64(int fd, off64_t offset, off64_t length) {
  if (!fd_under(fd)) return REAL(posix_fallocate64)(fd, offset, length);
  return fault(ALLOCATE) < 0 ? errno : REAL(posix_fallocate64)(fd, offset, length);
}
int posix_fallocate(int fd, off_t offset, off_t length) { return posix_fallocate64(fd, offset, length); }
