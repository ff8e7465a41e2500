#include "sqlite_schema.h"

#include <stdio.h>
#include <string.h>

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

/* When it fails, the connection says why, and closing it takes everything back. */
static enum status migrate(sqlite3 *database, int64_t version) {
    enum status status = sqlite_run(database, "BEGIN IMMEDIATE");
    for (; status == STATUS_OK && version < LEDGER_SCHEMA; version++)
        status = sqlite_run(database, migrations[version]);
    char number[64];
    snprintf(number, sizeof number, "PRAGMA user_version = %d; COMMIT", LEDGER_SCHEMA);
    if (status == STATUS_OK)
        status = sqlite_run(database, number);
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
        return sqlite_unreadable(database, path, status, problem);
    if (application != LEDGER_APPLICATION)
        return sqlite_problem(problem, STATUS_INVALID,
                              "%s is a database, and no ledger of tandem's. If it was one, it is "
                              "damaged: put the last backup (tandem bookings backup) in its place",
                              path);
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

/* The first complaint of SQLite's own check; "ok" when there is none. */
static enum status check_structure(sqlite3 *database, const char *path,
                                   struct ledger_problem *problem) {
    sqlite3_stmt *check = NULL;
    enum status status = sqlite_prepare(database, "PRAGMA integrity_check(1)", &check);
    if (status == STATUS_OK)
        status = sqlite_status(sqlite3_step(check));
    if (status != STATUS_OK)
        sqlite_unreadable(database, path, status, problem);
    const char *verdict =
        status == STATUS_OK ? (const char *)sqlite3_column_text(check, 0) : "no verdict";
    if (status == STATUS_OK && (verdict == NULL || strcmp(verdict, "ok") != 0))
        status = sqlite_damaged(problem, path, verdict == NULL ? "no verdict" : verdict);
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
        return sqlite_unreadable(database, path, status, problem);
    return broken == 0 ? STATUS_OK
                       : sqlite_damaged(problem, path, "rows don't match their checksums");
}

enum status sqlite_check_integrity(sqlite3 *database, const char *path,
                                   struct ledger_problem *problem) {
    enum status status = check_structure(database, path, problem);
    return status == STATUS_OK ? check_seals(database, path, problem) : status;
}

/* Fills in a fresh file, which is to be the ledger at the path `context`. */
static enum status fill(void *context, const char *name, struct ledger_problem *problem) {
    sqlite3 *database = NULL;
    char text[64];
    snprintf(text, sizeof text, "PRAGMA application_id = %d", LEDGER_APPLICATION);
    enum status status = sqlite_open(name, 0, false, &database, problem);
    if (status == STATUS_OK)
        status = sqlite_run(database, text);
    if (status == STATUS_OK)
        status = migrate(database, 0);
    if (status != STATUS_OK)
        sqlite_problem(problem, status, "the ledger %s can't be made: %s", (const char *)context,
                       database == NULL ? status_text(status) : sqlite3_errmsg(database));
    sqlite3_close(database);
    return status;
}

enum status sqlite_create(const char *path, struct ledger_problem *problem) {
    if (sqlite_file_exists(path, ""))
        return STATUS_OK;
    if (sqlite_file_exists(path, "-wal"))
        return sqlite_problem(problem, STATUS_INVALID,
                              "the ledger %s is gone and %s-wal is still there: put both back, or "
                              "remove what is left to begin with an empty one",
                              path, path);
    enum status status = sqlite_file_make(path, fill, (void *)(uintptr_t)path, problem);
    /* Somebody else may have made it meanwhile. */
    return status != STATUS_OK && sqlite_file_exists(path, "") ? STATUS_OK : status;
}
