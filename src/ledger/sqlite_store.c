#include "sqlite_store.h"

#include "sqlite_log.h"
#include "sqlite_readers.h"
#include "sqlite_schema.h"
#include "sqlite_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Milliseconds for which a busy file is waited for at the start, when somebody may be ending on it.
 */
enum { PATIENCE_AT_START = 5000 };

struct sqlite_store {
    struct store store; /* first: the interface's pointer is ours */
    struct sqlite_store_config config;
    char path[LEDGER_PATH_SIZE];
    int file; /* held for as long as we live */
    struct sqlite_readers *readers;
    struct sqlite_writer writer;
    int64_t floor; /* pruned_until, as the transaction sees it */
};

static enum status ensure_connected(struct sqlite_store *sqlite) {
    struct ledger_problem problem;
    if (!sqlite_file_is_in_place(sqlite->file, sqlite->path))
        return STATUS_IO;
    if (!sqlite_writer_is_in_place(&sqlite->writer))
        sqlite_readers_renew(sqlite->readers);
    return sqlite_writer_connect(&sqlite->writer, &problem);
}

static enum status read_floor(struct sqlite_store *sqlite) {
    sqlite3_stmt *statement = sqlite->writer.statements[READ_FLOOR];
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        sqlite->floor = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return sqlite_writer_noted(&sqlite->writer, result == SQLITE_ROW    ? STATUS_OK
                                                : result == SQLITE_DONE ? STATUS_IO
                                                                        : sqlite_status(result));
}

static enum status begin(struct store *store) {
    struct sqlite_store *sqlite = (struct sqlite_store *)store;
    enum status status = ensure_connected(sqlite);
    if (status == STATUS_OK)
        status = sqlite_writer_run(&sqlite->writer, BEGIN);
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
    sqlite3_stmt *statement = sqlite->writer.statements[which];
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
    return sqlite_writer_noted(&sqlite->writer, sqlite_status(result));
}

static enum status find_used(struct sqlite_store *sqlite, const struct settlement *settlement,
                             bool *is_used) {
    sqlite3_stmt *statement = bind_state(sqlite, FIND_USED, settlement);
    int result = sqlite3_step(statement);
    sqlite3_reset(statement);
    enum status status = sqlite_writer_noted(&sqlite->writer, sqlite_status(result));
    if (status == STATUS_OK)
        *is_used = result == SQLITE_ROW;
    return status;
}

static enum status find_standing(struct sqlite_store *sqlite, const struct settlement *settlement,
                                 bool *stands) {
    sqlite3_stmt *statement = sqlite->writer.statements[FIND_STANDING];
    sqlite_bind_bytes(statement, 1, settlement->salon);
    sqlite_bind_bytes(statement, 2, *settlement->slot);
    int result = sqlite3_step(statement);
    *stands = result == SQLITE_ROW;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return sqlite_writer_noted(&sqlite->writer, sqlite_status(result));
}

static enum status insert_booking(struct sqlite_store *sqlite,
                                  const struct settlement *settlement) {
    sqlite3_stmt *statement = sqlite->writer.statements[INSERT_BOOKING];
    sqlite_bind_bytes(statement, 1, settlement->salon);
    sqlite_bind_bytes(statement, 2, *settlement->slot);
    sqlite_bind_bytes(statement, 3, settlement->words);
    sqlite3_bind_int64(statement, 4, settlement->now);
    sqlite_bind_bytes(statement, 5, (struct bytes){settlement->mac, MAC_SIZE});
    return sqlite_writer_run(&sqlite->writer, INSERT_BOOKING);
}

/* Spends the state; `booking` is its booking's id, or 0. */
static enum status insert_used(struct sqlite_store *sqlite, const struct settlement *settlement,
                               int64_t booking) {
    sqlite3_stmt *statement = bind_state(sqlite, INSERT_USED, settlement);
    if (booking != 0)
        sqlite3_bind_int64(statement, 3, booking);
    return sqlite_writer_run(&sqlite->writer, INSERT_USED);
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
    return sqlite_writer_run(&sqlite->writer, INSERT_REPLY);
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
        booking = sqlite3_last_insert_rowid(sqlite->writer.database);
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

static enum status tell(enum ledger_fact told, enum ledger_fact *fact) {
    *fact = told;
    return STATUS_OK;
}

static enum status settle(struct store *store, const struct settlement *settlement,
                          enum ledger_fact *fact, struct buffer *reply) {
    struct sqlite_store *sqlite = (struct sqlite_store *)store;
    enum ledger_fact kept = LEDGER_NOT_STORED;
    bool is_used = false;
    enum status status = STATUS_OK;
    if (settlement->idempotency != NULL)
        status = find_reply(sqlite, settlement, &kept, reply);
    if (status != STATUS_OK)
        return status;
    if (kept != LEDGER_NOT_STORED || settlement->only_replay)
        return tell(kept, fact);
    if (has_expired(sqlite, settlement))
        return tell(LEDGER_EXPIRED, fact);
    status = find_used(sqlite, settlement, &is_used);
    if (status != STATUS_OK)
        return status;
    return is_used ? tell(LEDGER_USED, fact) : record(sqlite, settlement, fact);
}

/* How many states may be forgotten, and the latest of their ends. */
static enum status find_forgettable(struct sqlite_store *sqlite, int64_t before, size_t most,
                                    size_t *count, int64_t *good_until) {
    sqlite3_stmt *statement = sqlite->writer.statements[FIND_FORGETTABLE];
    sqlite3_bind_int64(statement, 1, before);
    sqlite3_bind_int64(statement, 2, (int64_t)most);
    int result = sqlite3_step(statement);
    *count = result == SQLITE_ROW ? (size_t)sqlite3_column_int64(statement, 0) : 0;
    *good_until = result == SQLITE_ROW ? sqlite3_column_int64(statement, 1) : 0;
    sqlite3_reset(statement);
    return sqlite_writer_noted(&sqlite->writer, sqlite_status(result));
}

static enum status forget(struct sqlite_store *sqlite, enum statement which, int64_t before,
                          size_t most) {
    sqlite3_bind_int64(sqlite->writer.statements[which], 1, before);
    sqlite3_bind_int64(sqlite->writer.statements[which], 2, (int64_t)most);
    return sqlite_writer_run(&sqlite->writer, which);
}

static enum status prune(struct store *store, int64_t now, size_t most, size_t *pruned) {
    struct sqlite_store *sqlite = (struct sqlite_store *)store;
    size_t count;
    int64_t good_until;
    int64_t before = now - FORGET_AFTER;
    enum status status = find_forgettable(sqlite, before, most, &count, &good_until);
    if (status == STATUS_OK && count > 0) {
        sqlite3_bind_int64(sqlite->writer.statements[RAISE_FLOOR], 1, good_until);
        status = sqlite_writer_run(&sqlite->writer, RAISE_FLOOR);
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
    enum status status = sqlite_writer_run(&sqlite->writer, FILL_PROBE);
    return status == STATUS_OK ? sqlite_writer_run(&sqlite->writer, EMPTY_PROBE) : status;
}

/* A failure leaves the connection suspect in every case: a busy commit is one whose checkpoint or
 * lock we know nothing of. */
static enum status commit(struct store *store) {
    struct sqlite_store *sqlite = (struct sqlite_store *)store;
    enum status status = sqlite_writer_run(&sqlite->writer, COMMIT);
    if (status != STATUS_OK)
        sqlite->writer.is_suspect = true;
    return status;
}

static void rollback(struct store *store) {
    struct sqlite_store *sqlite = (struct sqlite_store *)store;
    if (sqlite->writer.database != NULL && sqlite3_get_autocommit(sqlite->writer.database) == 0 &&
        sqlite_run(sqlite->writer.database, "ROLLBACK") != STATUS_OK)
        sqlite->writer.is_suspect = true;
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
    sqlite_writer_disconnect(&sqlite->writer);
    sqlite_readers_free(sqlite->readers);
    if (sqlite->file >= 0)
        close(sqlite->file);
    free(sqlite);
}

/* Reads the whole file before anything is believed of it. */
static enum status check_file(struct sqlite_store *sqlite, struct ledger_problem *problem) {
    sqlite3 *database = NULL;
    enum status status = sqlite_open(sqlite->path, PATIENCE_AT_START, false, &database, problem);
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
    enum status status = sqlite_file_resolve(sqlite->config.file, sqlite->path, problem);
    if (status == STATUS_OK)
        status = sqlite_create(sqlite->path, problem);
    if (status == STATUS_OK)
        status = sqlite_file_hold(sqlite->path, &sqlite->file, problem);
    if (status == STATUS_OK)
        status = sqlite_log_check(sqlite->path, problem);
    if (status == STATUS_OK)
        status = check_file(sqlite, problem);
    if (status != STATUS_OK)
        return status;
    sqlite->writer = (struct sqlite_writer){.path = sqlite->path,
                                            .exclusive_slots = sqlite->config.exclusive_slots,
                                            .page_limit = sqlite->config.page_limit,
                                            .patience = PATIENCE_AT_START};
    status = sqlite_readers_new(sqlite->path, &sqlite->readers);
    if (status != STATUS_OK)
        return sqlite_problem(problem, status, "no memory for the ledger");
    status = sqlite_writer_connect(&sqlite->writer, problem);
    sqlite->writer.patience = WRITER_PATIENCE;
    return status;
}

enum status sqlite_store_new(const struct sqlite_store_config *config, struct store **out,
                             struct ledger_problem *problem) {
    static const struct store_operations operations = {
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
    sqlite->store.operations = &operations;
    sqlite->store.has_exclusive_slots = config->exclusive_slots;
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
