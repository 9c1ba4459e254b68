/* Fault shim: libc calls on files, counted; at a chosen call the process is killed or the call fails.
 *
 * It is preloaded into the fork server only.  `control` is shared memory, so a command and the
 * processes that it forks have one counter; a process that calls execve is not observed.
 * Calls are counted at their entry, so a kill comes before the call does anything; TORN performs
 * half of a write first, as a kill in the middle of a large write does.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { CHANGES = 1, READS = 2, OPENS = 4, ALLOCATES = 8, SYNCS = 16 };
enum { COUNT, KILL_PROCESS, KILL_GROUP, TORN, FAIL, FAIL_ALL, SHORT, TRACE };

struct control {
    long count;         /* calls seen so far */
    long at;            /* the call that is chosen, from 1 */
    long mask;          /* kinds of calls that are counted */
    long action;
    long error;         /* errno of FAIL and FAIL_ALL */
    long pid;           /* process to kill */
    long hits;          /* times that the action was performed */
    long clock_ns;      /* added to the real-time clock */
    long clock_step_at; /* counted call from which `clock_step_ns` is added as well */
    long clock_step_ns;
    char hit[32];       /* name of the call that was hit first */
};

static struct control *control;
static __thread int inside;
static void (*tracer)(const char *name, long index, long kinds);

struct control *torture_control(void) {
    control = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return control;
}

void torture_trace(void (*function)(const char *, long, long)) { tracer = function; }

static int on_file(int fd) {
    struct stat found;
    if (fd < 3 || syscall(SYS_fstat, fd, &found)) return 0;
    return S_ISREG(found.st_mode) || S_ISDIR(found.st_mode);
}

enum verdict { PASS, REFUSE, HALVE, HALVE_AND_DIE };

static void die(void) {
    kill(control->action == KILL_GROUP ? -control->pid : control->pid, SIGKILL);
    if (control->action != KILL_PROCESS) kill(getpid(), SIGKILL);
    while (getpid() == control->pid) pause();
}

static enum verdict decide(const char *name, long kinds) {
    if (!control || inside || !(kinds & control->mask)) return PASS;
    long index = __atomic_add_fetch(&control->count, 1, __ATOMIC_SEQ_CST);
    if (control->action == TRACE && tracer) {
        inside = 1;
        tracer(name, index, kinds);
        inside = 0;
        return PASS;
    }
    if (control->action == COUNT || index < control->at) return PASS;
    if (index > control->at && control->action != FAIL_ALL) return PASS;
    if (control->action == FAIL_ALL && !(kinds & ALLOCATES)) return PASS;
    if (!control->hits++) strncpy(control->hit, name, sizeof control->hit - 1);
    switch (control->action) {
    case KILL_PROCESS:
    case KILL_GROUP: die(); return PASS;
    case TORN: return HALVE_AND_DIE;
    case SHORT: return HALVE;
    default: errno = control->error; return REFUSE;
    }
}

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define WRAP(kinds, result, failed, name, parameters, arguments, only_if) \
    result name parameters { \
        REAL(name); \
        if (only_if) switch (decide(#name, kinds)) { \
            case REFUSE: return failed; \
            case HALVE_AND_DIE: die(); break; \
            default: break; \
        } \
        return real arguments; \
    }

/* Calls with a length: performed by half for SHORT and TORN. */
#define WRAP_LENGTH(kinds, name, parameters, arguments, fd, length) \
    ssize_t name parameters { \
        REAL(name); \
        if (on_file(fd)) switch (decide(#name, kinds)) { \
            case REFUSE: return -1; \
            case HALVE: if (length > 1) length /= 2; break; \
            case HALVE_AND_DIE: { length /= 2; (void)!real arguments; die(); break; } \
            default: break; \
        } \
        return real arguments; \
    }

WRAP_LENGTH(READS, read, (int fd, void *data, size_t length), (fd, data, length), fd, length)
WRAP_LENGTH(READS, pread, (int fd, void *data, size_t length, off_t at), (fd, data, length, at), fd, length)
WRAP_LENGTH(READS, pread64, (int fd, void *data, size_t length, off64_t at), (fd, data, length, at), fd, length)
WRAP_LENGTH(CHANGES | ALLOCATES, write, (int fd, const void *data, size_t length), (fd, data, length), fd, length)
WRAP_LENGTH(CHANGES | ALLOCATES, pwrite, (int fd, const void *data, size_t length, off_t at), (fd, data, length, at), fd, length)
WRAP_LENGTH(CHANGES | ALLOCATES, pwrite64, (int fd, const void *data, size_t length, off64_t at), (fd, data, length, at), fd, length)

#define PLAIN(kinds, name, parameters, arguments) WRAP(kinds, int, -1, name, parameters, arguments, 1)
#define ON_FD(kinds, name, parameters, arguments) WRAP(kinds, int, -1, name, parameters, arguments, on_file(fd))

WRAP(CHANGES | ALLOCATES, ssize_t, -1, writev, (int fd, const struct iovec *v, int n), (fd, v, n), on_file(fd))
WRAP(CHANGES | ALLOCATES, ssize_t, -1, copy_file_range,
     (int in, off64_t *from, int fd, off64_t *to, size_t n, unsigned f), (in, from, fd, to, n, f), 1)
ON_FD(CHANGES | SYNCS, fsync, (int fd), (fd))
ON_FD(CHANGES | SYNCS, fdatasync, (int fd), (fd))
ON_FD(CHANGES | SYNCS, syncfs, (int fd), (fd))
ON_FD(CHANGES | ALLOCATES, ftruncate, (int fd, off_t n), (fd, n))
ON_FD(CHANGES | ALLOCATES, ftruncate64, (int fd, off64_t n), (fd, n))
ON_FD(CHANGES | ALLOCATES, fallocate, (int fd, int m, off_t a, off_t n), (fd, m, a, n))
ON_FD(CHANGES | ALLOCATES, fallocate64, (int fd, int m, off64_t a, off64_t n), (fd, m, a, n))
WRAP(CHANGES | ALLOCATES, int, control->error, posix_fallocate, (int fd, off_t a, off_t n), (fd, a, n), 1)
WRAP(CHANGES | ALLOCATES, int, control->error, posix_fallocate64, (int fd, off64_t a, off64_t n), (fd, a, n), 1)

PLAIN(CHANGES, rename, (const char *a, const char *b), (a, b))
PLAIN(CHANGES, renameat, (int x, const char *a, int y, const char *b), (x, a, y, b))
PLAIN(CHANGES, renameat2, (int x, const char *a, int y, const char *b, unsigned f), (x, a, y, b, f))
PLAIN(CHANGES, unlink, (const char *a), (a))
PLAIN(CHANGES, unlinkat, (int x, const char *a, int f), (x, a, f))
PLAIN(CHANGES, rmdir, (const char *a), (a))
PLAIN(CHANGES | ALLOCATES, mkdir, (const char *a, mode_t m), (a, m))
PLAIN(CHANGES | ALLOCATES, mkdirat, (int x, const char *a, mode_t m), (x, a, m))
PLAIN(CHANGES | ALLOCATES, link, (const char *a, const char *b), (a, b))
PLAIN(CHANGES | ALLOCATES, linkat, (int x, const char *a, int y, const char *b, int f), (x, a, y, b, f))
PLAIN(CHANGES | ALLOCATES, symlink, (const char *a, const char *b), (a, b))
PLAIN(CHANGES | ALLOCATES, symlinkat, (const char *a, int y, const char *b), (a, y, b))
PLAIN(CHANGES | ALLOCATES, mknod, (const char *a, mode_t m, dev_t d), (a, m, d))
PLAIN(CHANGES | ALLOCATES, mknodat, (int x, const char *a, mode_t m, dev_t d), (x, a, m, d))
PLAIN(CHANGES | ALLOCATES, mkfifo, (const char *a, mode_t m), (a, m))
PLAIN(CHANGES | ALLOCATES, mkfifoat, (int x, const char *a, mode_t m), (x, a, m))
PLAIN(CHANGES, chmod, (const char *a, mode_t m), (a, m))
ON_FD(CHANGES, fchmod, (int fd, mode_t m), (fd, m))
PLAIN(CHANGES, fchmodat, (int x, const char *a, mode_t m, int f), (x, a, m, f))
PLAIN(CHANGES, chown, (const char *a, uid_t u, gid_t g), (a, u, g))
PLAIN(CHANGES, lchown, (const char *a, uid_t u, gid_t g), (a, u, g))
ON_FD(CHANGES, fchown, (int fd, uid_t u, gid_t g), (fd, u, g))
PLAIN(CHANGES, fchownat, (int x, const char *a, uid_t u, gid_t g, int f), (x, a, u, g, f))
PLAIN(CHANGES, utimensat, (int x, const char *a, const struct timespec t[2], int f), (x, a, t, f))
ON_FD(CHANGES, futimens, (int fd, const struct timespec t[2]), (fd, t))
PLAIN(CHANGES | ALLOCATES, setxattr, (const char *a, const char *n, const void *v, size_t s, int f), (a, n, v, s, f))
PLAIN(CHANGES | ALLOCATES, lsetxattr, (const char *a, const char *n, const void *v, size_t s, int f), (a, n, v, s, f))
ON_FD(CHANGES | ALLOCATES, fsetxattr, (int fd, const char *n, const void *v, size_t s, int f), (fd, n, v, s, f))
PLAIN(CHANGES, removexattr, (const char *a, const char *n), (a, n))
PLAIN(CHANGES, lremovexattr, (const char *a, const char *n), (a, n))
ON_FD(CHANGES, fremovexattr, (int fd, const char *n), (fd, n))

/* glibc declares no prototypes for these that differ from ours; the attributes are of no interest. */
PLAIN(READS, stat, (const char *a, struct stat *s), (a, s))
PLAIN(READS, stat64, (const char *a, struct stat64 *s), (a, s))
PLAIN(READS, lstat, (const char *a, struct stat *s), (a, s))
PLAIN(READS, lstat64, (const char *a, struct stat64 *s), (a, s))
ON_FD(READS, fstat, (int fd, struct stat *s), (fd, s))
ON_FD(READS, fstat64, (int fd, struct stat64 *s), (fd, s))
PLAIN(READS, fstatat, (int x, const char *a, struct stat *s, int f), (x, a, s, f))
PLAIN(READS, fstatat64, (int x, const char *a, struct stat64 *s, int f), (x, a, s, f))
PLAIN(READS, statx, (int x, const char *a, int f, unsigned m, struct statx *s), (x, a, f, m, s))
WRAP(READS, ssize_t, -1, readlink, (const char *a, char *b, size_t n), (a, b, n), 1)
WRAP(READS, ssize_t, -1, readlinkat, (int x, const char *a, char *b, size_t n), (x, a, b, n), 1)
WRAP(READS, ssize_t, -1, listxattr, (const char *a, char *b, size_t n), (a, b, n), 1)
WRAP(READS, ssize_t, -1, llistxattr, (const char *a, char *b, size_t n), (a, b, n), 1)
WRAP(READS, ssize_t, -1, flistxattr, (int fd, char *b, size_t n), (fd, b, n), 1)
WRAP(READS, ssize_t, -1, getxattr, (const char *a, const char *n, void *b, size_t s), (a, n, b, s), 1)
WRAP(READS, ssize_t, -1, lgetxattr, (const char *a, const char *n, void *b, size_t s), (a, n, b, s), 1)
WRAP(READS, ssize_t, -1, fgetxattr, (int fd, const char *n, void *b, size_t s), (fd, n, b, s), 1)
WRAP(READS | OPENS, DIR *, NULL, opendir, (const char *a), (a), 1)
WRAP(READS | OPENS, DIR *, NULL, fdopendir, (int fd), (fd), 1)
WRAP(READS, struct dirent *, NULL, readdir, (DIR *d), (d), 1)
WRAP(READS, struct dirent64 *, NULL, readdir64, (DIR *d), (d), 1)
PLAIN(OPENS, dup, (int a), (a))
PLAIN(OPENS, pipe, (int p[2]), (p))
PLAIN(OPENS, pipe2, (int p[2], int f), (p, f))

static long open_kinds(int flags) {
    long kinds = READS | OPENS;
    if (flags & (O_CREAT | O_TRUNC) || (flags & O_TMPFILE) == O_TMPFILE) kinds |= CHANGES | ALLOCATES;
    return kinds;
}

#define WRAP_OPEN(name, parameters, arguments) \
    int name parameters { \
        REAL(name); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = va_arg(rest, mode_t); \
        va_end(rest); \
        enum verdict verdict = decide(#name, open_kinds(flags)); \
        if (verdict == REFUSE) return -1; \
        if (verdict == HALVE_AND_DIE) die(); \
        return real arguments; \
    }

WRAP_OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(openat, (int directory, const char *path, int flags, ...), (directory, path, flags, mode))
WRAP_OPEN(openat64, (int directory, const char *path, int flags, ...), (directory, path, flags, mode))

long syscall(long number, ...) {
    REAL(syscall);
    va_list rest;
    va_start(rest, number);
    long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long);
    long d = va_arg(rest, long), e = va_arg(rest, long), f = va_arg(rest, long);
    va_end(rest);
    if (number == SYS_openat2) {
        enum verdict verdict = decide("openat2", READS | OPENS);
        if (verdict == REFUSE) return -1;
        if (verdict == HALVE_AND_DIE) die();
    }
    return real(number, a, b, c, d, e, f);
}

static long clock_offset(void) {
    if (!control) return 0;
    int is_stepped = control->clock_step_at && control->count >= control->clock_step_at;
    return control->clock_ns + (is_stepped ? control->clock_step_ns : 0);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    REAL(clock_gettime);
    int failed = real(clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        long ns = now->tv_sec * 1000000000L + now->tv_nsec + clock_offset();
        if (ns < 0) ns = 0;
        now->tv_sec = ns / 1000000000L;
        now->tv_nsec = ns % 1000000000L;
    }
    return failed;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *out, void *zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}
