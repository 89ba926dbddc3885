/* Preloaded behind the shim: between `start_recording` and `stop_recording`, writes down each call that changes a disk,
 * with its data, so that a model can replay it. One call at a time, so that the order of the records is the order of the
 * effects. Files are named by device and inode, as they are at the call; tests/crash/recording.py reads the records. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CREATED = 1, CUT = 2 };
static int records = -1;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* A directory entry: the folder that has it, its name in there, and the file it names. */
struct place { struct stat folder, file; char name[NAME_MAX + 1]; };

/* Write records to the end of the file from now on. */
void start_recording(const char *path) { records = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600); }
void stop_recording(void) { close(records); records = -1; }

static void put(const void *bytes, size_t size) {
    while (size) {
        long done = syscall(SYS_write, records, bytes, size);
        if (done <= 0) abort();
        bytes = (const char *)bytes + done;
        size -= (size_t)done;
    }
}

/* One record: a line of numbers, then the two names and the data. */
static void note(const char *call, long done, const struct stat *one, const char *name, const struct stat *other,
                 const char *other_name, long number, long mode, const void *data, size_t size) {
    static const struct stat none;
    char line[256];
    int error = errno;
    if (!other) other = &none;
    int length = snprintf(line, sizeof line, "%s %d %lx:%lx %lx:%lx %ld %lo %zu %zu %zu\n", call, done >= 0, one->st_dev,
                          one->st_ino, other->st_dev, other->st_ino, number, mode, strlen(name), strlen(other_name), size);
    put(line, (size_t)length);
    put(name, strlen(name));
    put(other_name, strlen(other_name));
    put(data, size);
    errno = error;
}

static struct stat behind(int fd) {
    struct stat status = {0};
    fstat(fd, &status);
    return status;
}

static struct place find(int at, const char *path) {
    struct place found = {0};
    int error = errno;
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    snprintf(found.name, sizeof found.name, "%s", basename(copy));
    snprintf(copy, sizeof copy, "%s", path);
    fstatat(at, dirname(copy), &found.folder, 0);
    fstatat(at, path, &found.file, AT_SYMLINK_NOFOLLOW);
    errno = error;
    return found;
}

/* The function's first lines: the real one, which is all there is to it unless a record is wanted. */
#define REAL(type, function, parameters, arguments) \
    static type(*real) parameters; \
    if (!real) real = dlsym(RTLD_NEXT, #function); \
    if (records < 0) return real arguments; \
    pthread_mutex_lock(&turn)
#define END pthread_mutex_unlock(&turn); return done

/* Calls on an open file. */
#define ON_FILE(type, function, call, parameters, arguments, number, mode, data, size) \
    type function parameters { \
        REAL(type, function, parameters, arguments); \
        struct stat file = behind(a); \
        long at = number; \
        type done = real arguments; \
        note(call, done, &file, "", NULL, "", at, mode, data, size); \
        END; \
    }
#define WRITTEN (done > 0 ? (size_t)done : 0)
ON_FILE(ssize_t, write, "write", (int a, const void *b, size_t c), (a, b, c), fcntl(a, F_GETFL) & O_APPEND ? file.st_size : lseek(a, 0, SEEK_CUR), 0, b, WRITTEN)
ON_FILE(ssize_t, pwrite, "pwrite64", (int a, const void *b, size_t c, off_t d), (a, b, c, d), d, 0, b, WRITTEN)
ON_FILE(ssize_t, pwrite64, "pwrite64", (int a, const void *b, size_t c, off64_t d), (a, b, c, d), d, 0, b, WRITTEN)
ON_FILE(int, ftruncate, "ftruncate", (int a, off_t b), (a, b), b, 0, "", 0)
ON_FILE(int, ftruncate64, "ftruncate", (int a, off64_t b), (a, b), b, 0, "", 0)
ON_FILE(int, fsync, "fsync", (int a), (a), 0, 0, "", 0)
ON_FILE(int, fdatasync, "fdatasync", (int a), (a), 0, 0, "", 0)
ON_FILE(int, syncfs, "syncfs", (int a), (a), 0, 0, "", 0)
ON_FILE(int, fchmod, "fchmod", (int a, mode_t b), (a, b), 0, b, "", 0)
ON_FILE(int, fchown, "fchown", (int a, uid_t b, gid_t c), (a, b, c), 0, 0, "", 0)
ON_FILE(int, fsetxattr, "fsetxattr", (int a, const char *b, const void *c, size_t d, int e), (a, b, c, d, e), 0, 0, "", 0)
ON_FILE(int, futimens, "utimensat", (int a, const struct timespec b[2]), (a, b), 0, 0, "", 0)

/* Calls on two directory entries. */
#define ON_TWO(function, call, parameters, arguments, from, old, to, new, flags) \
    int function parameters { \
        REAL(int, function, parameters, arguments); \
        struct place one = find(from, old), other = find(to, new); \
        int done = real arguments; \
        note_places(call, done, &one, &other, flags); \
        END; \
    }
static void note_places(const char *call, int done, const struct place *one, const struct place *other, long flags) {
    note(call, done, &one->folder, one->name, &other->folder, other->name, flags, 0, "", 0);
}
ON_TWO(rename, "rename", (const char *a, const char *b), (a, b), AT_FDCWD, a, AT_FDCWD, b, 0)
ON_TWO(renameat, "renameat", (int a, const char *b, int c, const char *d), (a, b, c, d), a, b, c, d, 0)
ON_TWO(renameat2, "renameat2", (int a, const char *b, int c, const char *d, unsigned e), (a, b, c, d, e), a, b, c, d, e)
ON_TWO(link, "link", (const char *a, const char *b), (a, b), AT_FDCWD, a, AT_FDCWD, b, 0)
ON_TWO(linkat, "linkat", (int a, const char *b, int c, const char *d, int e), (a, b, c, d, e), a, b, c, d, 0)

/* Calls on one directory entry; what it names is looked at when the call is done. */
#define ON_ONE(function, call, parameters, arguments, at, path) \
    int function parameters { \
        REAL(int, function, parameters, arguments); \
        int done = real arguments; \
        note_place(call, done, find(at, path), 0); \
        END; \
    }
static void note_place(const char *call, int done, struct place one, long changed) {
    note(call, done, &one.folder, one.name, &one.file, "", changed, one.file.st_mode & 07777, "", 0);
}
ON_ONE(unlink, "unlink", (const char *a), (a), AT_FDCWD, a)
ON_ONE(unlinkat, "unlinkat", (int a, const char *b, int c), (a, b, c), a, b)
ON_ONE(rmdir, "rmdir", (const char *a), (a), AT_FDCWD, a)
ON_ONE(mkdir, "mkdir", (const char *a, mode_t b), (a, b), AT_FDCWD, a)
ON_ONE(mkdirat, "mkdirat", (int a, const char *b, mode_t c), (a, b, c), a, b)

/* Opening, where it can change something: to create, to cut, to write. */
#define OPEN(function, parameters, arguments, folder) \
    int function parameters { \
        mode_t mode = 0; \
        if (flags & O_CREAT) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); } \
        REAL(int, function, parameters, arguments); \
        long changed = !find(folder, path).file.st_ino ? CREATED : flags & O_TRUNC ? CUT : 0; \
        int done = real arguments; \
        if (flags & (O_CREAT | O_TRUNC) || (flags & O_ACCMODE) != O_RDONLY) \
            note_place("openat", done, find(folder, path), changed); \
        END; \
    }
OPEN(open, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPEN(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode), at)
OPEN(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode), at)
