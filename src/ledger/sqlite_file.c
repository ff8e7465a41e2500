#include "sqlite_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE_LEAST = 512 /* bytes, of a database of SQLite's */ };

_Static_assert(LEDGER_PATH_SIZE >= PATH_MAX, "a resolved path must fit");

enum status sqlite_problem(struct ledger_problem *problem, enum status status, const char *format,
                           ...) {
    va_list rest;
    va_start(rest, format);
    vsnprintf(problem->text, sizeof problem->text, format, rest);
    va_end(rest);
    return status;
}

static enum status resolve_folder(const char *file, char path[LEDGER_PATH_SIZE],
                                  struct ledger_problem *problem) {
    char folder_room[LEDGER_PATH_SIZE];
    char name_room[LEDGER_PATH_SIZE];
    char resolved[PATH_MAX];
    snprintf(folder_room, sizeof folder_room, "%s", file);
    snprintf(name_room, sizeof name_room, "%s", file);
    const char *folder = dirname(folder_room);
    const char *name = basename(name_room);
    if (realpath(folder, resolved) == NULL)
        return sqlite_problem(problem, STATUS_IO, "the folder %.400s of %.200s: %s", folder, name,
                              strerror(errno));
    int written =
        snprintf(path, LEDGER_PATH_SIZE, "%s/%s", strcmp(resolved, "/") == 0 ? "" : resolved, name);
    if (written >= LEDGER_PATH_SIZE)
        return sqlite_problem(problem, STATUS_INVALID, "the path of %.200s is too long", name);
    return STATUS_OK;
}

enum status sqlite_file_resolve(const char *file, char path[LEDGER_PATH_SIZE],
                                struct ledger_problem *problem) {
    size_t size = strlen(file);
    if (size == 0 || size >= LEDGER_PATH_SIZE || file[size - 1] == '/')
        return sqlite_problem(problem, STATUS_INVALID, "\"%.200s\" is no file's name", file);
    if (realpath(file, path) != NULL)
        return STATUS_OK;
    return resolve_folder(file, path, problem);
}

bool sqlite_file_exists(const char *path, const char *suffix) {
    char name[LEDGER_PATH_SIZE + 8];
    struct stat facts;
    snprintf(name, sizeof name, "%s%s", path, suffix);
    return lstat(name, &facts) == 0;
}

/* A name is lost in a crash unless its folder is synchronized, too. */
static int sync_folder(const char *path) {
    char room[LEDGER_PATH_SIZE];
    snprintf(room, sizeof room, "%s", path);
    int folder = open(dirname(room), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -1;
    int result = fsync(folder);
    close(folder);
    return result;
}

/* Gives a file its name, never that of another one. Some file systems have no such renaming; a link
 * leaves two names behind when the process ends right here. */
static int name_file(const char *made, const char *path) {
    int result = renameat2(AT_FDCWD, made, AT_FDCWD, path, RENAME_NOREPLACE);
    if (result != 0 && errno != EEXIST)
        result = link(made, path);
    return result == 0 ? sync_folder(path) : result;
}

enum status sqlite_file_make(const char *path, file_filler *fill, void *context,
                             struct ledger_problem *problem) {
    char made[LEDGER_PATH_SIZE + 8];
    snprintf(made, sizeof made, "%s.XXXXXX", path);
    int file = mkstemp(made);
    if (file < 0)
        return sqlite_problem(problem, STATUS_IO, "%s can't be made: %s", path, strerror(errno));
    close(file);
    enum status status = fill(context, made, problem);
    if (status == STATUS_OK && name_file(made, path) != 0)
        status = errno == EEXIST ? sqlite_problem(problem, STATUS_INVALID,
                                                  "%s is there already: name another file", path)
                                 : sqlite_problem(problem, STATUS_IO, "%s can't be made: %s", path,
                                                  strerror(errno));
    unlink(made);
    return status;
}

enum status sqlite_file_check(const char *path, const struct stat *facts,
                              struct ledger_problem *problem) {
    if (!S_ISREG(facts->st_mode))
        return sqlite_problem(problem, STATUS_INVALID, "the ledger %s is no plain file", path);
    if (facts->st_size == 0)
        return sqlite_problem(problem, STATUS_INVALID,
                              "the ledger %s is empty: put the last backup in its place, or remove "
                              "it to begin with an empty ledger",
                              path);
    if (facts->st_size < SIZE_LEAST)
        return sqlite_problem(
            problem, STATUS_INVALID,
            "%s is no ledger: its size is %lld, too small for one. If it was one, "
            "put the last backup (tandem bookings backup) in its place",
            path, (long long)facts->st_size);
    if (facts->st_nlink > 1)
        return sqlite_problem(problem, STATUS_INVALID,
                              "the ledger %s has another name too, a hard link, and would be "
                              "damaged by whoever opens it by that: remove one of the names",
                              path);
    return STATUS_OK;
}

bool sqlite_file_is_exposed(const char *path, struct ledger_problem *warning) {
    struct stat facts;
    if (stat(path, &facts) != 0 || (facts.st_mode & (S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH)) == 0)
        return false;
    bool is_writable = (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    sqlite_problem(warning, STATUS_OK, "the ledger %s can be %s by others: chmod 600 it", path,
                   is_writable ? "written" : "read");
    return true;
}

enum status sqlite_file_hold(const char *path, int *file, struct ledger_problem *problem) {
    *file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    if (*file < 0 || fstat(*file, &facts) != 0)
        return sqlite_problem(problem, STATUS_IO, "the ledger %s can't be opened: %s", path,
                              strerror(errno));
    if (flock(*file, LOCK_EX | LOCK_NB) != 0)
        return sqlite_problem(problem, STATUS_BUSY,
                              "the ledger %s is in use by another server: stop that one first, or "
                              "name another file",
                              path);
    return sqlite_file_check(path, &facts, problem);
}

bool sqlite_file_is_in_place(int file, const char *path) {
    struct stat held;
    struct stat found;
    return fstat(file, &held) == 0 && stat(path, &found) == 0 && held.st_dev == found.st_dev &&
           held.st_ino == found.st_ino;
}
