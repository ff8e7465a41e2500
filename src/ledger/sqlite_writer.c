#include "sqlite_writer.h"

#include "sqlite_schema.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const texts[STATEMENT_COUNT] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [READ_FLOOR] = "SELECT pruned_until FROM ledger",
    [FIND_USED] = "SELECT 1 FROM used WHERE good_until = ?1 AND mac = ?2",
    [FIND_REPLY] =
        "SELECT key, answer, reply, kept_until FROM replies WHERE good_until = ?1 AND mac = ?2",
    [FIND_STANDING] = SQLITE_FIND_STANDING,
    [INSERT_BOOKING] = "INSERT INTO bookings (salon, slot, words, status, completed_at, mac, seal)"
                       " VALUES (?1, ?2, ?3, 1, ?4, ?5, seal(?1, ?2, ?3, 1, ?4, NULL, ?5))",
    [INSERT_USED] = "INSERT INTO used (good_until, mac, booking, seal)"
                    " VALUES (?1, ?2, ?3, seal(?1, ?2, ?3))",
    [INSERT_REPLY] =
        "INSERT INTO replies (good_until, mac, key, answer, reply, kept_at, kept_until, seal)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, seal(?1, ?2, ?3, ?4, ?5, ?6, ?7))",
    [FIND_FORGETTABLE] =
        "SELECT count(*), max(good_until) FROM (SELECT good_until FROM used WHERE good_until < ?1"
        "  ORDER BY good_until, mac LIMIT ?2)",
    [RAISE_FLOOR] = "UPDATE ledger SET pruned_until = ?1, seal = seal(?1) WHERE pruned_until < ?1",
    [FORGET_USED] = "DELETE FROM used WHERE (good_until, mac) IN"
                    " (SELECT good_until, mac FROM used WHERE good_until < ?1"
                    "  ORDER BY good_until, mac LIMIT ?2)",
    [FORGET_REPLIES] = "DELETE FROM replies WHERE (good_until, mac) IN"
                       " (SELECT good_until, mac FROM replies WHERE kept_until < ?1"
                       "  ORDER BY kept_until LIMIT ?2)",
    [FILL_PROBE] = "INSERT INTO probe VALUES (zeroblob(32768))",
    [EMPTY_PROBE] = "DELETE FROM probe",
};

void sqlite_writer_disconnect(struct sqlite_writer *writer) {
    for (size_t i = 0; i < STATEMENT_COUNT; i++) {
        sqlite3_finalize(writer->statements[i]);
        writer->statements[i] = NULL;
    }
    sqlite3_close(writer->database);
    writer->database = NULL;
}

enum status sqlite_writer_noted(struct sqlite_writer *writer, enum status status) {
    if (status != STATUS_OK && status != STATUS_BUSY)
        writer->is_suspect = true;
    return status;
}

static struct file_identity identify(const char *path, const char *suffix) {
    char name[LEDGER_PATH_SIZE + 8];
    struct stat facts;
    snprintf(name, sizeof name, "%s%s", path, suffix);
    if (stat(name, &facts) != 0)
        return (struct file_identity){0};
    return (struct file_identity){facts.st_dev, facts.st_ino};
}

static const char *const suffixes[BESIDE_COUNT] = {"-wal", "-shm"};

bool sqlite_writer_is_in_place(const struct sqlite_writer *writer) {
    if (writer->database == NULL)
        return true;
    for (size_t i = 0; i < BESIDE_COUNT; i++) {
        struct file_identity now = identify(writer->path, suffixes[i]);
        if (now.number == 0 || now.number != writer->beside[i].number ||
            now.device != writer->beside[i].device)
            return false;
    }
    return true;
}

static enum status prepare_all(struct sqlite_writer *writer) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < STATEMENT_COUNT && status == STATUS_OK; i++)
        status = sqlite_prepare(writer->database, texts[i], &writer->statements[i]);
    return status;
}

/* Whether the file is in WAL mode, which some file systems can't do. */
static enum status enter_wal(sqlite3 *database, bool *is_wal) {
    sqlite3_stmt *statement = NULL;
    enum status status = sqlite_prepare(database, "PRAGMA journal_mode = WAL", &statement);
    if (status == STATUS_OK)
        status = sqlite_status(sqlite3_step(statement));
    if (status == STATUS_OK)
        *is_wal = bytes_equal(sqlite_column_bytes(statement, 0), BYTES("wal"));
    sqlite3_finalize(statement);
    return status;
}

static enum status set_modes(struct sqlite_writer *writer) {
    int64_t ignored;
    char limit[64];
    snprintf(limit, sizeof limit, "PRAGMA max_page_count = %lld", (long long)writer->page_limit);
    enum status status = sqlite_run(writer->database, "PRAGMA journal_size_limit = 67108864;"
                                                      "PRAGMA wal_autocheckpoint = 4000;"
                                                      "PRAGMA cache_size = -32768");
    if (status == STATUS_OK && writer->page_limit > 0)
        status = sqlite_number(writer->database, limit, &ignored);
    return status;
}

/* Only exclusive slots need to be found, so that other ledgers are spared the work. It takes a
 * while when a large ledger becomes exclusive, once. */
static enum status index_standing(struct sqlite_writer *writer) {
    if (!writer->exclusive_slots)
        return STATUS_OK;
    return sqlite_run(writer->database, "CREATE INDEX IF NOT EXISTS bookings_standing"
                                        " ON bookings (salon, slot) WHERE status = 1");
}

static enum status connect(struct sqlite_writer *writer, struct ledger_problem *problem) {
    bool is_wal = false;
    enum status status =
        sqlite_open(writer->path, writer->patience, false, &writer->database, problem);
    if (status != STATUS_OK)
        return status;
    status = enter_wal(writer->database, &is_wal);
    if (status == STATUS_OK && !is_wal)
        return sqlite_problem(problem, STATUS_INVALID,
                              "the ledger %s can't have a write-ahead log where it is: put it on a "
                              "file system of this machine",
                              writer->path);
    if (status == STATUS_OK)
        status = set_modes(writer);
    if (status == STATUS_OK)
        status = index_standing(writer);
    if (status == STATUS_OK)
        status = prepare_all(writer);
    sqlite3_busy_timeout(writer->database, WRITER_PATIENCE);
    return status == STATUS_OK ? status
                               : sqlite_unreadable(writer->database, writer->path, status, problem);
}

/* Takes all that is in the log into the ledger's own file. */
static enum status empty_log(struct sqlite_writer *writer) {
    return sqlite_status(
        sqlite3_wal_checkpoint_v2(writer->database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL));
}

enum status sqlite_writer_connect(struct sqlite_writer *writer, struct ledger_problem *problem) {
    bool is_in_place = sqlite_writer_is_in_place(writer);
    if (writer->database != NULL && !writer->is_suspect && is_in_place)
        return STATUS_OK;
    enum status status = is_in_place ? STATUS_OK : empty_log(writer);
    if (status != STATUS_OK)
        return status;
    sqlite_writer_disconnect(writer);
    status = connect(writer, problem);
    if (status != STATUS_OK) {
        sqlite_writer_disconnect(writer);
        return status;
    }
    for (size_t i = 0; i < BESIDE_COUNT; i++)
        writer->beside[i] = identify(writer->path, suffixes[i]);
    writer->is_suspect = false;
    return STATUS_OK;
}

enum status sqlite_writer_run(struct sqlite_writer *writer, enum statement which) {
    sqlite3_stmt *statement = writer->statements[which];
    int result = sqlite3_step(statement);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return sqlite_writer_noted(writer, sqlite_status(result));
}
