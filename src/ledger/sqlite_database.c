#include "sqlite_database.h"

#include <string.h>

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

enum status sqlite_damaged(struct ledger_problem *problem, const char *path, const char *how) {
    return sqlite_problem(
        problem, STATUS_INVALID,
        "the ledger %s is damaged (%.200s). Nothing was changed. Keep a copy of it, remove %s-wal "
        "and %s-shm, and put the last backup (tandem bookings backup) in its place; see \"To "
        "restore\" in tandem(1), or \"Backup and restore\" in the README. Without one, sqlite3's "
        ".recover may save what is left",
        path, how, path, path);
}

/* Tells what went wrong in reading the file: damage, or something else. */
enum status sqlite_unreadable(sqlite3 *database, const char *path, enum status status,
                              struct ledger_problem *problem) {
    int code = sqlite3_errcode(database) & 0xff;
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
        return sqlite_damaged(problem, path, sqlite3_errmsg(database));
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
            status = sqlite_unreadable(database, path, status, problem);
        sqlite3_close(database);
        return status;
    }
    *out = database;
    return STATUS_OK;
}
