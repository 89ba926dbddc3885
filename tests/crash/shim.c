/* Preloaded before libc: counts every call that changes a disk and, at call number N, kills the process or answers with
 * an error instead. Armed by `arm` (called through ctypes), or by REDLINE_FAULT=NAME:N:ERRNO for the N-th call NAME, or
 * by REDLINE_KILL=FILE for a whole process group: the file holds two longs, the calls counted so far and the fatal one.
 * Each call is named after the system call that glibc makes of it on Linux. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1 << 16 };
static long counted, at, fault;
static int armed;
static const char *names[MOST];

/* Start counting; the call numbered `number` (from 1; 0 is none) fails with `error`, or kills where `error` is 0; a
 * negative `error` is a signal that arrives just before the call. */
void arm(long number, long error) { counted = 0; at = number; fault = error; armed = 1; (void)access("/shim-armed", F_OK); }
long disarm(void) { armed = 0; (void)access("/shim-disarmed", F_OK); return counted; }
const char *name_of(long number) { return number >= 1 && number < MOST ? names[number] : NULL; }

/* The fault that the environment asks for: once, in a process that `arm` has not taken over. */
static int strikes_by_environment(const char *name) {
    static char wanted[32];
    static long left = -1, error;
    if (left < 0) {
        const char *text = getenv("REDLINE_FAULT");
        left = 0;
        if (text) sscanf(text, "%31[^:]:%ld:%ld", wanted, &left, &error);
    }
    if (!left || strcmp(name, wanted) || --left) return 0;
    errno = (int)error;
    return 1;
}

/* Counts in the file that all processes of the group share; kills them all before the fatal call. */
static void count_by_environment(void) {
    static int asked;
    static long *shared;
    if (!asked) {
        const char *path = getenv("REDLINE_KILL");
        asked = 1;
        int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
        if (file >= 0) {
            shared = mmap(NULL, 2 * sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            if (shared == MAP_FAILED) shared = NULL;
            close(file);
        }
    }
    if (shared && __sync_add_and_fetch(&shared[0], 1) == shared[1]) { kill(0, SIGKILL); for (;;) pause(); }
}

static int strikes(const char *name) {
    if (!armed) { count_by_environment(); return strikes_by_environment(name); }
    long number = __sync_add_and_fetch(&counted, 1);
    if (number < MOST) names[number] = name;
    if (number != at) return 0;
    if (fault < 0) { kill(getpid(), (int)-fault); return 0; }
    if (!fault) { kill(getpid(), SIGKILL); for (;;) pause(); }
    errno = (int)fault;
    return 1;
}

#define CALL(type, function, name, parameters, arguments) \
    type function parameters { \
        static type(*real) parameters; \
        if (!real) real = dlsym(RTLD_NEXT, #function); \
        return strikes(name) ? (type)-1 : real arguments; \
    }
CALL(ssize_t, write, "write", (int a, const void *b, size_t c), (a, b, c))
CALL(ssize_t, pwrite, "pwrite64", (int a, const void *b, size_t c, off_t d), (a, b, c, d))
CALL(ssize_t, pwrite64, "pwrite64", (int a, const void *b, size_t c, off64_t d), (a, b, c, d))
CALL(ssize_t, writev, "writev", (int a, const struct iovec *b, int c), (a, b, c))
CALL(ssize_t, pwritev, "pwritev", (int a, const struct iovec *b, int c, off_t d), (a, b, c, d))
CALL(ssize_t, pwritev64, "pwritev", (int a, const struct iovec *b, int c, off64_t d), (a, b, c, d))
CALL(ssize_t, sendfile, "sendfile", (int a, int b, off_t *c, size_t d), (a, b, c, d))
CALL(ssize_t, sendfile64, "sendfile", (int a, int b, off64_t *c, size_t d), (a, b, c, d))
CALL(ssize_t, copy_file_range, "copy_file_range", (int a, off64_t *b, int c, off64_t *d, size_t e, unsigned f), (a, b, c, d, e, f))
CALL(int, truncate, "truncate", (const char *a, off_t b), (a, b))
CALL(int, truncate64, "truncate", (const char *a, off64_t b), (a, b))
CALL(int, ftruncate, "ftruncate", (int a, off_t b), (a, b))
CALL(int, ftruncate64, "ftruncate", (int a, off64_t b), (a, b))
CALL(int, fallocate, "fallocate", (int a, int b, off_t c, off_t d), (a, b, c, d))
CALL(int, fallocate64, "fallocate", (int a, int b, off64_t c, off64_t d), (a, b, c, d))
CALL(int, fsync, "fsync", (int a), (a))
CALL(int, fdatasync, "fdatasync", (int a), (a))
CALL(int, syncfs, "syncfs", (int a), (a))
CALL(int, rename, "rename", (const char *a, const char *b), (a, b))
CALL(int, renameat, "renameat", (int a, const char *b, int c, const char *d), (a, b, c, d))
CALL(int, renameat2, "renameat2", (int a, const char *b, int c, const char *d, unsigned e), (a, b, c, d, e))
CALL(int, link, "link", (const char *a, const char *b), (a, b))
CALL(int, linkat, "linkat", (int a, const char *b, int c, const char *d, int e), (a, b, c, d, e))
CALL(int, symlink, "symlink", (const char *a, const char *b), (a, b))
CALL(int, symlinkat, "symlinkat", (const char *a, int b, const char *c), (a, b, c))
CALL(int, unlink, "unlink", (const char *a), (a))
CALL(int, unlinkat, "unlinkat", (int a, const char *b, int c), (a, b, c))
CALL(int, mkdir, "mkdir", (const char *a, mode_t b), (a, b))
CALL(int, mkdirat, "mkdirat", (int a, const char *b, mode_t c), (a, b, c))
CALL(int, rmdir, "rmdir", (const char *a), (a))
CALL(int, chmod, "chmod", (const char *a, mode_t b), (a, b))
CALL(int, fchmod, "fchmod", (int a, mode_t b), (a, b))
CALL(int, fchmodat, "fchmodat", (int a, const char *b, mode_t c, int d), (a, b, c, d))
CALL(int, chown, "chown", (const char *a, uid_t b, gid_t c), (a, b, c))
CALL(int, fchown, "fchown", (int a, uid_t b, gid_t c), (a, b, c))
CALL(int, fchownat, "fchownat", (int a, const char *b, uid_t c, gid_t d, int e), (a, b, c, d, e))
CALL(int, setxattr, "setxattr", (const char *a, const char *b, const void *c, size_t d, int e), (a, b, c, d, e))
CALL(int, fsetxattr, "fsetxattr", (int a, const char *b, const void *c, size_t d, int e), (a, b, c, d, e))
CALL(int, fremovexattr, "fremovexattr", (int a, const char *b), (a, b))
CALL(int, utimensat, "utimensat", (int a, const char *b, const struct timespec c[2], int d), (a, b, c, d))
CALL(int, futimens, "utimensat", (int a, const struct timespec b[2]), (a, b))
CALL(int, creat, "creat", (const char *a, mode_t b), (a, b))
CALL(int, creat64, "creat", (const char *a, mode_t b), (a, b))

/* Opening counts where it can change something: to create, to cut, to write. */
static int changes(int flags) { return flags & (O_CREAT | O_TRUNC) || (flags & O_ACCMODE) != O_RDONLY; }

#define OPEN(function, parameters, arguments) \
    int function parameters { \
        static int(*real) parameters; \
        if (!real) real = dlsym(RTLD_NEXT, #function); \
        mode_t mode = 0; \
        if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); } \
        return changes(flags) && strikes("openat") ? -1 : real arguments; \
    }
OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
