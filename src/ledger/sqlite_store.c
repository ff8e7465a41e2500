#include "sqlite_store.h"

#include "sqlite_database.h"
#include "sqlite_readers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE = 100 /* milliseconds; whoever waits longer asks again */ };

/* The statements, prepared once per connection. */
enum statement {
    BEGIN,
    COMMIT,
    READ_FLOOR,
    FIND_USED,
    FIND_REPLY,
    FIND_STANDING,
    INSERT_BOOKING,
    INSERT_USED,
    INSERT_REPLY,
    FIND_FORGETTABLE,
    RAISE_FLOOR,
    FORGET_USED,
    FORGET_REPLIES,
    FILL_PROBE,
    EMPTY_PROBE,
    STATEMENT_COUNT,
};

static const char *const texts[STATEMENT_COUNT] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [READ_FLOOR] = "SELECT pruned_until FROM ledger",
    [FIND_USED] = "SELECT 1 FROM used WHERE good_until = ?1 AND mac = ?2",
    [FIND_REPLY] =
        "SELECT key, answer, reply, kept_until FROM replies WHERE good_until = ?1 AND mac = ?2",
    [FIND_STANDING] =
        "SELECT 1 FROM bookings WHERE salon = ?1 AND slot = ?2 AND status = 1 LIMIT 1",
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

struct sqlite_store {
    struct store store; /* first: the interface's pointer is ours */
    struct sqlite_store_config config;
    char path[LEDGER_PATH_SIZE];
    int file; /* locked for as long as we live. Closing it would drop SQLite's locks, too */
    struct sqlite_readers *readers;
    sqlite3 *database; /* NULL when it couldn't be opened again */
    sqlite3_stmt *statements[STATEMENT_COUNT];
    bool is_suspect; /* a call failed: the connection is made anew before it is believed */
    int64_t floor;   /* pruned_until, as the transaction sees it */
};

static void disconnect(struct sqlite_store *sqlite) {
    for (size_t i = 0; i < STATEMENT_COUNT; i++) {
        sqlite3_finalize(sqlite->statements[i]);
        sqlite->statements[i] = NULL;
    }
    sqlite3_close(sqlite->database);
    sqlite->database = NULL;
}

/* Notes that a call failed, unless it only found the file busy. */
static enum status noted(struct sqlite_store *sqlite, enum status status) {
    if (status != STATUS_OK && status != STATUS_BUSY)
        sqlite->is_suspect = true;
    return status;
}

static enum status prepare_all(struct sqlite_store *sqlite) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < STATEMENT_COUNT && status == STATUS_OK; i++)
        status = sqlite_prepare(sqlite->database, texts[i], &sqlite->statements[i]);
    return status;
}

static enum status set_modes(struct sqlite_store *sqlite) {
    int64_t ignored;
    char limit[64];
    snprintf(limit, sizeof limit, "PRAGMA max_page_count = %lld",
             (long long)sqlite->config.page_limit);
    enum status status = sqlite_run(sqlite->database, "PRAGMA journal_mode = WAL;"
                                                      "PRAGMA journal_size_limit = 67108864;"
                                                      "PRAGMA wal_autocheckpoint = 4000;"
                                                      "PRAGMA cache_size = -32768");
    if (status == STATUS_OK && sqlite->config.page_limit > 0)
        status = sqlite_number(sqlite->database, limit, &ignored);
    return status;
}

/* Only exclusive slots need to be found, so that other ledgers are spared the work. It takes a
 * while when a large ledger becomes exclusive, once. */
static enum status index_standing(struct sqlite_store *sqlite) {
    if (!sqlite->config.exclusive_slots)
        return STATUS_OK;
    return sqlite_run(sqlite->database, "CREATE INDEX IF NOT EXISTS bookings_standing"
                                        " ON bookings (salon, slot) WHERE status = 1");
}

static enum status connect(struct sqlite_store *sqlite) {
    struct ledger_problem problem;
    enum status status = sqlite_open(sqlite->path, PATIENCE, false, &sqlite->database, &problem);
    if (status == STATUS_OK)
        status = set_modes(sqlite);
    if (status == STATUS_OK)
        status = index_standing(sqlite);
    if (status == STATUS_OK)
        status = prepare_all(sqlite);
    if (status != STATUS_OK)
        disconnect(sqlite);
    return status;
}

/* True while the path still leads to the file that we hold: what is written to one that was moved
 * or removed is lost. */
static bool is_in_place(const struct sqlite_store *sqlite) {
    struct stat held;
    struct stat found;
    return fstat(sqlite->file, &held) == 0 && stat(sqlite->path, &found) == 0 &&
           held.st_dev == found.st_dev && held.st_ino == found.st_ino;
}

/* Sees to a connection that can be believed. After a commit that failed, what is in the file may
 * differ from what the connection remembers; a new one reads it as the next process would. */
static enum status ensure_connected(struct sqlite_store *sqlite) {
    if (!is_in_place(sqlite))
        return STATUS_IO;
    if (sqlite->database != NULL && !sqlite->is_suspect)
        return STATUS_OK;
    disconnect(sqlite);
    enum status status = connect(sqlite);
    if (status == STATUS_OK)
        sqlite->is_suspect = false;
    return status;
}

/* Runs a statement that gives no row. */
static enum status run(struct sqlite_store *sqlite, enum statement which) {
    sqlite3_stmt *statement = sqlite->statements[which];
    int result = sqlite3_step(statement);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return noted(sqlite, sqlite_status(result));
}

static enum status read_floor(struct sqlite_store *sqlite) {
    sqlite3_stmt *statement = sqlite->statements[READ_FLOOR];
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        sqlite->floor = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return noted(sqlite, result == SQLITE_ROW    ? STATUS_OK
                         : result == SQLITE_DONE ? STATUS_IO
                                                 : sqlite_status(result));
}

static enum status begin(struct store *store) {
    struct sqlite_store *sqlite = (struct sqlite_store *)store;
    enum status status = ensure_connected(sqlite);
    if (status == STATUS_OK)
        status = run(sqlite, BEGIN);
    return status == STATUS_OK ? read_floor(sqlite) : status;
}

static bool equals(sqlite3_stmt *statement, int column, const unsigned char digest[DIGEST_SIZE]) {
    return bytes_equal(sqlite_column_bytes(statement, column), (struct bytes){digest, DIGEST_SIZE});
}

/* What the row of a kept reply says to a key that comes for it. */
static enum ledger_fact judge_key(sqlite3_stmt *row, const struct settlement *settlement,
                                  struct buffer *reply) {
    const struct idempotency *asked = settlement->idempotency;
    if (sqlite3_column_int64(row, 3) < settlement->now || !equals(row, 0, asked->key))
        return LEDGER_NOT_STORED;
    if (!equals(row, 1, asked->answer))
        return LEDGER_KEY_REUSED;
    buffer_append(reply, sqlite_column_bytes(row, 2));
    return LEDGER_REPLAYED;
}

/* A statement about a state, with the two parameters that name it. */
static sqlite3_stmt *bind_state(struct sqlite_store *sqlite, enum statement which,
                                const struct settlement *settlement) {
    sqlite3_stmt *statement = sqlite->statements[which];
    sqlite3_bind_int64(statement, 1, settlement->good_until);
    sqlite_bind_bytes(statement, 2, (struct bytes){settlement->mac, MAC_SIZE});
    return statement;
}

/* What is kept for the state under a key that comes with it, or LEDGER_NOT_STORED. */
static enum status find_reply(struct sqlite_store *sqlite, const struct settlement *settlement,
                              enum ledger_fact *fact, struct buffer *reply) {
    sqlite3_stmt *statement = bind_state(sqlite, FIND_REPLY, settlement);
    int result = sqlite3_step(statement);
    *fact = result == SQLITE_ROW ? judge_key(statement, settlement, reply) : LEDGER_NOT_STORED;
    sqlite3_reset(statement);
    return noted(sqlite, sqlite_status(result));
}

static enum status find_used(struct sqlite_store *sqlite, const struct settlement *settlement,
                             bool *is_used) {
    sqlite3_stmt *statement = bind_state(sqlite, FIND_USED, settlement);
    int result = sqlite3_step(statement);
    sqlite3_reset(statement);
    enum status status = noted(sqlite, sqlite_status(result));
    if (status == STATUS_OK)
        *is_used = result == SQLITE_ROW;
    return status;
}

static enum status find_standing(struct sqlite_store *sqlite, const struct settlement *settlement,
                                 bool *stands) {
    sqlite3_stmt *statement = sqlite->statements[FIND_STANDING];
    sqlite_bind_bytes(statement, 1, settlement->salon);
    sqlite_bind_bytes(statement, 2, *settlement->slot);
    int result = sqlite3_step(statement);
    *stands = result == SQLITE_ROW;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return noted(sqlite, sqlite_status(result));
}

static enum status insert_booking(struct sqlite_store *sqlite,
                                  const struct settlement *settlement) {
    sqlite3_stmt *statement = sqlite->statements[INSERT_BOOKING];
    sqlite_bind_bytes(statement, 1, settlement->salon);
    sqlite_bind_bytes(statement, 2, *settlement->slot);
    sqlite_bind_bytes(statement, 3, settlement->words);
    sqlite3_bind_int64(statement, 4, settlement->now);
    sqlite_bind_bytes(statement, 5, (struct bytes){settlement->mac, MAC_SIZE});
    return run(sqlite, INSERT_BOOKING);
}

/* Spends the state; `booking` is its booking's id, or 0. */
static enum status insert_used(struct sqlite_store *sqlite, const struct settlement *settlement,
                               int64_t booking) {
    sqlite3_stmt *statement = bind_state(sqlite, INSERT_USED, settlement);
    if (booking != 0)
        sqlite3_bind_int64(statement, 3, booking);
    return run(sqlite, INSERT_USED);
}

static enum status insert_reply(struct sqlite_store *sqlite, const struct settlement *settlement,
                                bool is_taken) {
    const struct idempotency *asked = settlement->idempotency;
    sqlite3_stmt *statement = bind_state(sqlite, INSERT_REPLY, settlement);
    sqlite_bind_bytes(statement, 3, (struct bytes){asked->key, DIGEST_SIZE});
    sqlite_bind_bytes(statement, 4, (struct bytes){asked->answer, DIGEST_SIZE});
    sqlite_bind_bytes(statement, 5, is_taken ? asked->reply_if_taken : asked->reply);
    sqlite3_bind_int64(statement, 6, settlement->now);
    sqlite3_bind_int64(statement, 7, settlement->now + sqlite->config.replay_window);
    return run(sqlite, INSERT_REPLY);
}

static enum status record(struct sqlite_store *sqlite, const struct settlement *settlement,
                          enum ledger_fact *fact) {
    bool stands = false;
    int64_t booking = 0;
    enum status status = STATUS_OK;
    if (settlement->slot != NULL && sqlite->config.exclusive_slots)
        status = find_standing(sqlite, settlement, &stands);
    if (status == STATUS_OK && settlement->slot != NULL && !stands) {
        status = insert_booking(sqlite, settlement);
        booking = sqlite3_last_insert_rowid(sqlite->database);
    }
    if (status == STATUS_OK)
        status = insert_used(sqlite, settlement, booking);
    if (status == STATUS_OK && settlement->idempotency != NULL)
        status = insert_reply(sqlite, settlement, stands);
    if (status == STATUS_OK)
        *fact = stands ? LEDGER_TAKEN : LEDGER_RECORDED;
    return status;
}

static bool has_expired(const struct sqlite_store *sqlite, const struct settlement *settlement) {
    return settlement->good_until < settlement->now || settlement->good_until <= sqlite->floor;
}

static enum status settle(struct store *store, const struct settlement *settlement,
                          enum ledger_fact *fact, struct buffer *reply) {
    struct sqlite_store *sqlite = (struct sqlite_store *)store;
    enum ledger_fact kept = LEDGER_NOT_STORED;
    enum status status = STATUS_OK;
    if (settlement->idempotency != NULL)
        status = find_reply(sqlite, settlement, &kept, reply);
    bool is_used = false;
    bool is_over = settlement->only_replay || kept != LEDGER_NOT_STORED;
    if (status == STATUS_OK && !is_over)
        status = find_used(sqlite, settlement, &is_used);
    if (status != STATUS_OK)
        return status;
    if (!is_over && !is_used && !has_expired(sqlite, settlement))
        return record(sqlite, settlement, fact);
    *fact = is_over ? kept : has_expired(sqlite, settlement) ? LEDGER_EXPIRED : LEDGER_USED;
    return STATUS_OK;
}

/* How many states may be forgotten, and the latest of their ends. */
static enum status find_forgettable(struct sqlite_store *sqlite, int64_t before, size_t most,
                                    size_t *count, int64_t *good_until) {
    sqlite3_stmt *statement = sqlite->statements[FIND_FORGETTABLE];
    sqlite3_bind_int64(statement, 1, before);
    sqlite3_bind_int64(statement, 2, (int64_t)most);
    int result = sqlite3_step(statement);
    *count = result == SQLITE_ROW ? (size_t)sqlite3_column_int64(statement, 0) : 0;
    *good_until = result == SQLITE_ROW ? sqlite3_column_int64(statement, 1) : 0;
    sqlite3_reset(statement);
    return noted(sqlite, sqlite_status(result));
}

static enum status forget(struct sqlite_store *sqlite, enum statement which, int64_t before,
                          size_t most) {
    sqlite3_bind_int64(sqlite->statements[which], 1, before);
    sqlite3_bind_int64(sqlite->statements[which], 2, (int64_t)most);
    return run(sqlite, which);
}

static enum status prune(struct store *store, int64_t now, size_t most, size_t *pruned) {
    struct sqlite_store *sqlite = (struct sqlite_store *)store;
    size_t count;
    int64_t good_until;
    int64_t before = now - FORGET_AFTER;
    enum status status = find_forgettable(sqlite, before, most, &count, &good_until);
    if (status == STATUS_OK && count > 0) {
        sqlite3_bind_int64(sqlite->statements[RAISE_FLOOR], 1, good_until);
        status = run(sqlite, RAISE_FLOOR);
    }
    if (status == STATUS_OK && count > 0)
        status = forget(sqlite, FORGET_USED, before, count);
    if (status == STATUS_OK)
        status = forget(sqlite, FORGET_REPLIES, now, most);
    if (status == STATUS_OK)
        *pruned = count;
    return status;
}

/* Takes as many pages as a settlement could need, and gives them back. */
static enum status touch(struct store *store) {
    struct sqlite_store *sqlite = (struct sqlite_store *)store;
    enum status status = run(sqlite, FILL_PROBE);
    return status == STATUS_OK ? run(sqlite, EMPTY_PROBE) : status;
}

/* A failure leaves the connection suspect in every case: a busy commit is one whose checkpoint or
 * lock we know nothing of. */
static enum status commit(struct store *store) {
    struct sqlite_store *sqlite = (struct sqlite_store *)store;
    enum status status = run(sqlite, COMMIT);
    if (status != STATUS_OK)
        sqlite->is_suspect = true;
    return status;
}

static void rollback(struct store *store) {
    struct sqlite_store *sqlite = (struct sqlite_store *)store;
    if (sqlite->database != NULL && sqlite3_get_autocommit(sqlite->database) == 0 &&
        sqlite_run(sqlite->database, "ROLLBACK") != STATUS_OK)
        sqlite->is_suspect = true;
}

static enum status find(struct store *store, const struct settlement *settlement, bool *found) {
    struct sqlite_store *sqlite = (struct sqlite_store *)store;
    enum status status = ensure_connected(sqlite);
    return status == STATUS_OK ? find_used(sqlite, settlement, found) : status;
}

static enum status find_taken(struct store *store, struct bytes salon, const struct bytes *slots,
                              size_t count, bool *taken) {
    return sqlite_readers_find_taken(((struct sqlite_store *)store)->readers, salon, slots, count,
                                     taken);
}

static void release(struct store *store) {
    struct sqlite_store *sqlite = (struct sqlite_store *)store;
    disconnect(sqlite);
    sqlite_readers_free(sqlite->readers);
    if (sqlite->file >= 0)
        close(sqlite->file);
    free(sqlite);
}

/* Takes the file for this process alone. The lock is not one of SQLite's, so that the owner's
 * commands work beside a server, and ends with the process however that ends. */
static enum status hold_file(struct sqlite_store *sqlite, struct ledger_problem *problem) {
    sqlite->file = open(sqlite->path, O_RDWR | O_CLOEXEC);
    struct stat facts;
    if (sqlite->file < 0 || fstat(sqlite->file, &facts) != 0)
        return sqlite_problem(problem, STATUS_IO, "the ledger %s can't be opened: %s", sqlite->path,
                              strerror(errno));
    if (flock(sqlite->file, LOCK_EX | LOCK_NB) != 0)
        return sqlite_problem(problem, STATUS_BUSY,
                              "the ledger %s is in use by another server: stop that one first, or "
                              "name another file",
                              sqlite->path);
    if (!S_ISREG(facts.st_mode) || facts.st_size < LEDGER_SIZE_LEAST)
        return sqlite_problem(problem, STATUS_INVALID,
                              "the ledger %s is %s: put the last backup in its place, or remove it "
                              "to begin with an empty ledger",
                              sqlite->path, S_ISREG(facts.st_mode) ? "empty" : "no plain file");
    return STATUS_OK;
}

/* Reads the whole file before anything is believed of it. */
static enum status check_file(struct sqlite_store *sqlite, struct ledger_problem *problem) {
    sqlite3 *database = NULL;
    enum status status = sqlite_open(sqlite->path, PATIENCE, false, &database, problem);
    if (status != STATUS_OK)
        return status;
    int64_t count = 0;
    status = sqlite_check_version(database, sqlite->path, true, problem);
    if (status == STATUS_OK)
        status = sqlite_check_integrity(database, sqlite->path, problem);
    if (status == STATUS_OK)
        status = sqlite_number(database, "SELECT count(*) FROM used", &count);
    sqlite->store.used_states = (size_t)count;
    sqlite3_close(database);
    return status;
}

static enum status open_store(struct sqlite_store *sqlite, struct ledger_problem *problem) {
    enum status status = sqlite_resolve(sqlite->config.file, sqlite->path, problem);
    if (status == STATUS_OK)
        status = sqlite_create(sqlite->path, problem);
    if (status == STATUS_OK)
        status = hold_file(sqlite, problem);
    if (status == STATUS_OK)
        status = check_file(sqlite, problem);
    if (status != STATUS_OK)
        return status;
    status = sqlite_readers_new(sqlite->path, &sqlite->readers);
    if (status == STATUS_OK)
        status = connect(sqlite);
    if (status != STATUS_OK)
        sqlite_problem(problem, status, "the ledger %s can't be used: %s", sqlite->path,
                       status_text(status));
    return status;
}

enum status sqlite_store_new(const struct sqlite_store_config *config, struct store **out,
                             struct ledger_problem *problem) {
    static const struct store_operations plain = {
        .begin = begin,
        .settle = settle,
        .prune = prune,
        .touch = touch,
        .commit = commit,
        .rollback = rollback,
        .find = find,
        .free = release,
    };
    static const struct store_operations exclusive = {
        .begin = begin,
        .settle = settle,
        .prune = prune,
        .touch = touch,
        .commit = commit,
        .rollback = rollback,
        .find = find,
        .find_taken = find_taken,
        .free = release,
    };
    struct sqlite_store *sqlite = calloc(1, sizeof *sqlite);
    if (sqlite == NULL)
        return sqlite_problem(problem, STATUS_NO_MEMORY, "no memory for the ledger");
    sqlite->store.operations = config->exclusive_slots ? &exclusive : &plain;
    sqlite->config = *config;
    sqlite->file = -1;
    enum status status = open_store(sqlite, problem);
    if (status != STATUS_OK) {
        release(&sqlite->store);
        return status;
    }
    *out = &sqlite->store;
    return STATUS_OK;
}
