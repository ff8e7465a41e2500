#include "sqlite_database.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(LEDGER_PATH_SIZE >= PATH_MAX, "a resolved path must fit");

/* What brings a file from one version to the next, in a transaction: migrations[0] makes version 1
 * of an empty file. Names, labels and words are blobs, compared as bytes. A `seal` is a checksum of
 * its row (see seal below), so that damage is seen wherever it is.
 *
 * A used state is found by its end and its MAC, which signs that end: so those of one moment are
 * neighbours, a commit writes few pages, and the oldest are found first. They are forgotten by
 * their ends, whatever reply is kept for them: that is found before anybody asks whether the state
 * has expired. */
static const char *const migrations[LEDGER_SCHEMA] = {
    "CREATE TABLE ledger ("
    "  id INTEGER PRIMARY KEY CHECK (id = 1),"
    "  pruned_until INTEGER NOT NULL,"
    "  seal INTEGER NOT NULL);"
    "INSERT INTO ledger VALUES (1, -9223372036854775807, seal(-9223372036854775807));"
    "CREATE TABLE probe (filler BLOB);" /* always empty; see touch in sqlite_store.c */
    "CREATE TABLE bookings ("
    "  id INTEGER PRIMARY KEY," /* never reused: no row is ever deleted */
    "  salon BLOB NOT NULL,"
    "  slot BLOB NOT NULL,"
    "  words BLOB," /* NULL once they were forgotten */
    "  status INTEGER NOT NULL CHECK (status IN (1, 2)),"
    "  completed_at INTEGER NOT NULL,"
    "  cancelled_at INTEGER,"
    "  mac BLOB NOT NULL,"
    "  seal INTEGER NOT NULL);"
    "CREATE TABLE used ("
    "  good_until INTEGER NOT NULL,"
    "  mac BLOB NOT NULL,"
    "  booking INTEGER," /* its id, or NULL when nothing was booked */
    "  seal INTEGER NOT NULL,"
    "  PRIMARY KEY (good_until, mac)) WITHOUT ROWID;"
    "CREATE TABLE replies (" /* kept under an Idempotency-Key */
    "  good_until INTEGER NOT NULL,"
    "  mac BLOB NOT NULL,"
    "  key BLOB NOT NULL,"
    "  answer BLOB NOT NULL,"
    "  reply BLOB NOT NULL,"
    "  kept_at INTEGER NOT NULL,"
    "  kept_until INTEGER NOT NULL,"
    "  seal INTEGER NOT NULL,"
    "  PRIMARY KEY (good_until, mac)) WITHOUT ROWID;"
    "CREATE INDEX replies_by_kept_until ON replies (kept_until);",
};

enum status sqlite_status(int result) {
    switch (result & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return STATUS_OK;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return STATUS_BUSY;
    case SQLITE_NOMEM:
        return STATUS_NO_MEMORY;
    case SQLITE_FULL:
    case SQLITE_TOOBIG:
        return STATUS_LIMIT;
    default:
        return STATUS_IO;
    }
}

enum status sqlite_run(sqlite3 *database, const char *statements) {
    return sqlite_status(sqlite3_exec(database, statements, NULL, NULL, NULL));
}

enum status sqlite_prepare(sqlite3 *database, const char *text, sqlite3_stmt **out) {
    return sqlite_status(
        sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, out, NULL));
}

enum status sqlite_number(sqlite3 *database, const char *statement, int64_t *out) {
    sqlite3_stmt *prepared = NULL;
    enum status status = sqlite_prepare(database, statement, &prepared);
    if (status != STATUS_OK)
        return status;
    int result = sqlite3_step(prepared);
    int64_t number = result == SQLITE_ROW ? sqlite3_column_int64(prepared, 0) : 0;
    sqlite3_finalize(prepared);
    status = sqlite_status(result);
    if (status == STATUS_OK)
        *out = number;
    return status;
}

void sqlite_bind_bytes(sqlite3_stmt *statement, int index, struct bytes bytes) {
    /* Without a pointer it would be NULL and not empty. */
    sqlite3_bind_blob64(statement, index, bytes.size == 0 ? (const unsigned char *)"" : bytes.data,
                        bytes.size, SQLITE_STATIC);
}

struct bytes sqlite_column_bytes(sqlite3_stmt *statement, int column) {
    const unsigned char *data = sqlite3_column_blob(statement, column);
    return (struct bytes){data, (size_t)sqlite3_column_bytes(statement, column)};
}

enum status sqlite_problem(struct ledger_problem *problem, enum status status, const char *format,
                           ...) {
    va_list rest;
    va_start(rest, format);
    vsnprintf(problem->text, sizeof problem->text, format, rest);
    va_end(rest);
    return status;
}

enum status sqlite_resolve(const char *file, char path[LEDGER_PATH_SIZE],
                           struct ledger_problem *problem) {
    char folder_room[LEDGER_PATH_SIZE];
    char name_room[LEDGER_PATH_SIZE];
    char folder[PATH_MAX];
    size_t size = strlen(file);
    if (size == 0 || size >= sizeof name_room || file[size - 1] == '/')
        return sqlite_problem(problem, STATUS_INVALID, "\"%.200s\" is no file's name", file);
    snprintf(folder_room, sizeof folder_room, "%s", file);
    snprintf(name_room, sizeof name_room, "%s", file);
    if (realpath(dirname(folder_room), folder) == NULL)
        return sqlite_problem(problem, STATUS_IO, "the folder of the ledger %s: %s", file,
                              strerror(errno));
    int written = snprintf(path, LEDGER_PATH_SIZE, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder,
                           basename(name_room));
    if (written >= LEDGER_PATH_SIZE)
        return sqlite_problem(problem, STATUS_INVALID, "the ledger's path is too long");
    return STATUS_OK;
}

/* FNV-1a, 64 bits. It is there for accidents: whoever can write the file can write seals too. */
static uint64_t hash_on(uint64_t hash, struct bytes bytes) {
    for (size_t i = 0; i < bytes.size; i++)
        hash = (hash ^ bytes.data[i]) * 0x100000001b3U;
    return hash;
}

/* The SQL function seal(value, …): a checksum over the types, sizes and bytes of its arguments. */
static void seal(sqlite3_context *context, int count, sqlite3_value **values) {
    uint64_t hash = 0xcbf29ce484222325U;
    for (int i = 0; i < count; i++) {
        int type = sqlite3_value_type(values[i]);
        int64_t head[2] = {type, 0};
        struct bytes body = {NULL, 0};
        if (type == SQLITE_INTEGER) {
            head[1] = sqlite3_value_int64(values[i]);
        } else if (type != SQLITE_NULL) {
            body.data = sqlite3_value_blob(values[i]);
            body.size = (size_t)sqlite3_value_bytes(values[i]);
            head[1] = (int64_t)body.size;
        }
        hash = hash_on(hash, (struct bytes){(const unsigned char *)head, sizeof head});
        hash = hash_on(hash, body);
    }
    int64_t value;
    memcpy(&value, &hash, sizeof value);
    sqlite3_result_int64(context, value);
}

static enum status damaged(struct ledger_problem *problem, const char *path, const char *how) {
    return sqlite_problem(
        problem, STATUS_INVALID,
        "the ledger %s is damaged (%.200s). Nothing was changed. Keep a copy of it, remove %s-wal "
        "and %s-shm, and put the last backup (tandem bookings backup) in its place; see \"Backup "
        "and restore\" in the README. Without one, sqlite3's .recover may save what is left",
        path, how, path, path);
}

/* Tells what went wrong in reading the file: damage, or something else. */
static enum status unreadable(sqlite3 *database, const char *path, enum status status,
                              struct ledger_problem *problem) {
    int code = sqlite3_errcode(database) & 0xff;
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
        return damaged(problem, path, sqlite3_errmsg(database));
    return sqlite_problem(problem, status, "the ledger %s can't be read: %s", path,
                          sqlite3_errmsg(database));
}

enum status sqlite_open(const char *path, int patience, bool read_only, sqlite3 **out,
                        struct ledger_problem *problem) {
    sqlite3 *database = NULL;
    /* A ledger in WAL mode can't be read without writing its shared memory, hence READWRITE. */
    int result = sqlite3_open_v2(
        path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_busy_timeout(database, patience);
    if (result == SQLITE_OK)
        result = sqlite3_create_function(database, "seal", -1,
                                         SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
                                         NULL, seal, NULL, NULL);
    enum status status = sqlite_status(result);
    if (status == STATUS_OK)
        status = sqlite_run(database, read_only ? "PRAGMA query_only = ON"
                                                : "PRAGMA synchronous = FULL;"
                                                  "PRAGMA secure_delete = FAST");
    if (status != STATUS_OK) {
        if (database == NULL)
            sqlite_problem(problem, status, "no memory for the ledger %s", path);
        else
            status = unreadable(database, path, status, problem);
        sqlite3_close(database);
        return status;
    }
    *out = database;
    return STATUS_OK;
}

static enum status migrate(sqlite3 *database, int64_t version) {
    enum status status = sqlite_run(database, "BEGIN IMMEDIATE");
    for (; status == STATUS_OK && version < LEDGER_SCHEMA; version++)
        status = sqlite_run(database, migrations[version]);
    char number[64];
    snprintf(number, sizeof number, "PRAGMA user_version = %d; COMMIT", LEDGER_SCHEMA);
    if (status == STATUS_OK)
        status = sqlite_run(database, number);
    if (status != STATUS_OK)
        (void)sqlite_run(database, "ROLLBACK");
    return status;
}

enum status sqlite_check_version(sqlite3 *database, const char *path, bool may_migrate,
                                 struct ledger_problem *problem) {
    int64_t application = 0;
    int64_t version = 0;
    enum status status = sqlite_number(database, "PRAGMA application_id", &application);
    if (status == STATUS_OK)
        status = sqlite_number(database, "PRAGMA user_version", &version);
    if (status != STATUS_OK)
        return unreadable(database, path, status, problem);
    if (application != LEDGER_APPLICATION)
        return sqlite_problem(problem, STATUS_INVALID,
                              "%s is a database, and no ledger of tandem's", path);
    if (version > LEDGER_SCHEMA || version < 0)
        return sqlite_problem(
            problem, STATUS_INVALID,
            "the ledger %s is of a newer tandem (schema %lld; this one knows %d): "
            "run that version",
            path, (long long)version, LEDGER_SCHEMA);
    if (version == LEDGER_SCHEMA)
        return STATUS_OK;
    if (!may_migrate)
        return sqlite_problem(problem, STATUS_INVALID,
                              "the ledger %s is of an older tandem: start the server on it once",
                              path);
    status = migrate(database, version);
    if (status == STATUS_OK)
        return STATUS_OK;
    return sqlite_problem(problem, status, "the ledger %s can't be brought up to date: %s", path,
                          sqlite3_errmsg(database));
}

/* Fills in a fresh file. */
static enum status fill(const char *path, struct ledger_problem *problem) {
    sqlite3 *database = NULL;
    enum status status = sqlite_open(path, 0, false, &database, problem);
    if (status != STATUS_OK)
        return status;
    char text[64];
    snprintf(text, sizeof text, "PRAGMA application_id = %d", LEDGER_APPLICATION);
    status = sqlite_run(database, text);
    if (status == STATUS_OK)
        status = migrate(database, 0);
    if (status != STATUS_OK)
        sqlite_problem(problem, status, "the ledger %s can't be made: %s", path,
                       sqlite3_errmsg(database));
    sqlite3_close(database);
    return status;
}

/* A name that was linked is lost in a crash unless its folder is synchronized, too. */
static enum status sync_folder(const char *path) {
    char room[LEDGER_PATH_SIZE];
    snprintf(room, sizeof room, "%s", path);
    int folder = open(dirname(room), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return STATUS_IO;
    int result = fsync(folder);
    close(folder);
    return result == 0 ? STATUS_OK : STATUS_IO;
}

static bool is_there(const char *path, const char *suffix) {
    char name[LEDGER_PATH_SIZE + 8];
    snprintf(name, sizeof name, "%s%s", path, suffix);
    return access(name, F_OK) == 0;
}

enum status sqlite_create(const char *path, struct ledger_problem *problem) {
    if (is_there(path, ""))
        return STATUS_OK;
    if (is_there(path, "-wal"))
        return sqlite_problem(problem, STATUS_INVALID,
                              "the ledger %s is gone and %s-wal is still there: put both back, or "
                              "remove what is left to begin with an empty one",
                              path, path);
    char made[LEDGER_PATH_SIZE + 8];
    snprintf(made, sizeof made, "%s.XXXXXX", path);
    int file = mkstemp(made);
    if (file < 0)
        return sqlite_problem(problem, STATUS_IO, "the ledger %s can't be made: %s", path,
                              strerror(errno));
    close(file);
    enum status status = fill(made, problem);
    if (status == STATUS_OK && link(made, path) != 0 && errno != EEXIST)
        status = sqlite_problem(problem, STATUS_IO, "the ledger %s can't be made: %s", path,
                                strerror(errno));
    unlink(made);
    if (status == STATUS_OK && sync_folder(path) != STATUS_OK)
        status = sqlite_problem(problem, STATUS_IO, "the folder of %s can't be synchronized: %s",
                                path, strerror(errno));
    return status;
}

/* The first complaint of SQLite's own check; "ok" when there is none. */
static enum status check_structure(sqlite3 *database, const char *path,
                                   struct ledger_problem *problem) {
    sqlite3_stmt *check = NULL;
    enum status status = sqlite_prepare(database, "PRAGMA integrity_check(1)", &check);
    if (status == STATUS_OK)
        status = sqlite_status(sqlite3_step(check));
    if (status != STATUS_OK)
        unreadable(database, path, status, problem);
    const char *verdict =
        status == STATUS_OK ? (const char *)sqlite3_column_text(check, 0) : "no verdict";
    if (status == STATUS_OK && (verdict == NULL || strcmp(verdict, "ok") != 0))
        status = damaged(problem, path, verdict == NULL ? "no verdict" : verdict);
    sqlite3_finalize(check);
    return status;
}

static enum status check_seals(sqlite3 *database, const char *path,
                               struct ledger_problem *problem) {
    int64_t broken = 0;
    enum status status = sqlite_number(
        database,
        "SELECT (SELECT count(*) FROM bookings WHERE seal IS NOT"
        "          seal(salon, slot, words, status, completed_at, cancelled_at, mac))"
        "     + (SELECT count(*) FROM used WHERE seal IS NOT seal(good_until, mac, booking))"
        "     + (SELECT count(*) FROM replies WHERE seal IS NOT"
        "          seal(good_until, mac, key, answer, reply, kept_at, kept_until))"
        "     + (SELECT count(*) <> 1 FROM ledger WHERE seal IS seal(pruned_until))",
        &broken);
    if (status != STATUS_OK)
        return unreadable(database, path, status, problem);
    return broken == 0 ? STATUS_OK : damaged(problem, path, "rows don't match their checksums");
}

enum status sqlite_check_integrity(sqlite3 *database, const char *path,
                                   struct ledger_problem *problem) {
    enum status status = check_structure(database, path, problem);
    return status == STATUS_OK ? check_seals(database, path, problem) : status;
}
