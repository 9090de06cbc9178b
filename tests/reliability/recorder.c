/* Records what a process does to the files of one folder, in order: loaded before libc by LD_PRELOAD.
 *
 * Each event is a header (operation, length of path, offset, length of data), the path and the data.
 * w: bytes written at an offset, t: cut to a length, s: made durable, u: removed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -2;

struct header {
    char operation;
    char padding[3];
    uint32_t path_length;
    int64_t offset;
    int64_t length;
};

static void put(const void *bytes, size_t length) {
    while (length > 0) {
        long done = syscall(SYS_write, log_file, bytes, length);
        if (done <= 0) abort();
        bytes = (const char *)bytes + done;
        length -= (size_t)done;
    }
}

static void record_path(char operation, const char *path, int64_t offset, int64_t length, const void *data) {
    const char *root = getenv("RECORD_FOLDER");
    if (!root || strncmp(path, root, strlen(root)) != 0) return;
    pthread_mutex_lock(&turn);
    if (log_file == -2) log_file = (int)syscall(SYS_openat, AT_FDCWD, getenv("RECORD_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    struct header event = {operation, {0}, (uint32_t)strlen(path), offset, length};
    put(&event, sizeof event);
    put(path, strlen(path));
    if (data) put(data, (size_t)length);
    pthread_mutex_unlock(&turn);
}

static void record(char operation, int file, int64_t offset, int64_t length, const void *data) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size <= 0) return;
    path[size] = 0;
    record_path(operation, path, offset, length, data);
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

ssize_t pwrite(int file, const void *data, size_t length, off_t offset) {
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    ssize_t done = real(file, data, length, offset);
    if (done > 0) record('w', file, offset, done, data);
    return done;
}

ssize_t pwrite64(int file, const void *data, size_t length, off64_t offset) {
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    ssize_t done = real(file, data, length, offset);
    if (done > 0) record('w', file, offset, done, data);
    return done;
}

ssize_t write(int file, const void *data, size_t length) {
    REAL(ssize_t, "write", int, const void *, size_t);
    ssize_t done = real(file, data, length);
    if (done > 0) {
        off_t end = lseek(file, 0, SEEK_CUR);
        if (end >= done) record('w', file, end - done, done, data);
    }
    return done;
}

int ftruncate(int file, off_t length) {
    REAL(int, "ftruncate", int, off_t);
    int answer = real(file, length);
    if (answer == 0) record('t', file, length, 0, NULL);
    return answer;
}

int ftruncate64(int file, off64_t length) {
    REAL(int, "ftruncate64", int, off64_t);
    int answer = real(file, length);
    if (answer == 0) record('t', file, length, 0, NULL);
    return answer;
}

int fsync(int file) {
    REAL(int, "fsync", int);
    int answer = real(file);
    if (answer == 0) record('s', file, 0, 0, NULL);
    return answer;
}

int fdatasync(int file) {
    REAL(int, "fdatasync", int);
    int answer = real(file);
    if (answer == 0) record('s', file, 0, 0, NULL);
    return answer;
}

int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    int answer = real(path);
    if (answer == 0) record_path('u', path, 0, 0, NULL);
    return answer;
}
