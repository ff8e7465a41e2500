#include "sqlite_bookings.h"

#include "protocol_limits.h"
#include "sqlite_log.h"
#include "sqlite_schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
    PATIENCE = 10000, /* milliseconds; a server holds the file for one commit at a time */
    /* Rows per transaction, so that a long list doesn't keep the server's log from being taken into
     * the file, nor a long erasure the server waiting. */
    LIST_PORTION = 500,
    LIST_TEXTS_MOST = LIST_PORTION * (SALON_SIZE_MAX + SLOT_SIZE_MAX + MESSAGE_SIZE_MAX),
    FORGET_PORTION = 2000,
    BACKUP_PORTION = 256, /* pages */
    /* Of emptying the log, milliseconds and how often. */
    LOG_PATIENCE = 100,
    LOG_PAUSE = 200,
    LOG_TRIES = 100,
};

struct sqlite_bookings {
    struct bookings bookings; /* first: the interface's pointer is ours */
    sqlite3 *database;
    char path[LEDGER_PATH_SIZE];
};

/* What SQLite says went wrong. */
static enum status failed(struct sqlite_bookings *sqlite, const char *what, enum status status,
                          struct ledger_problem *problem) {
    if (status == STATUS_BUSY)
        return sqlite_problem(problem, status, "%s: the ledger %s is busy; try again", what,
                              sqlite->path);
    return sqlite_problem(problem, status, "%s: the ledger %s: %s", what, sqlite->path,
                          sqlite3_errmsg(sqlite->database));
}

static struct booking_record record_of(sqlite3_stmt *row) {
    return (struct booking_record){
        .id = sqlite3_column_int64(row, 0),
        .salon = sqlite_column_bytes(row, 1),
        .slot = sqlite_column_bytes(row, 2),
        .has_words = sqlite3_column_type(row, 3) != SQLITE_NULL,
        .words = sqlite_column_bytes(row, 3),
        .status = sqlite3_column_int(row, 4) == BOOKING_STANDS ? BOOKING_BOOKED : BOOKING_CANCELLED,
        .completed_at = sqlite3_column_int64(row, 5),
    };
}

/* The next rows of a list, which are handed over once the file is let go: whoever takes them may
 * take his time. */
struct portion {
    struct booking_record records[LIST_PORTION]; /* those that fit */
    size_t count;
    struct buffer texts; /* of the records, one behind the other */
    int64_t last;        /* the id of the last row read, whether or not it fits */
    bool is_last;
};

static bool fits(const struct booking_filter *filter, const struct booking_record *record) {
    return (filter->salon == NULL || bytes_equal(*filter->salon, record->salon)) &&
           record->completed_at >= filter->from && record->completed_at < filter->until &&
           (filter->status == BOOKING_ANY || filter->status == record->status);
}

static void keep(struct portion *portion, const struct booking_record *record) {
    portion->records[portion->count++] = *record;
    buffer_append(&portion->texts, record->salon);
    buffer_append(&portion->texts, record->slot);
    buffer_append(&portion->texts, record->words);
}

/* Reads the rows after the last one. */
static enum status read_portion(sqlite3_stmt *select, const struct booking_filter *filter,
                                struct portion *portion) {
    int rows = 0;
    int result;
    portion->count = 0;
    buffer_clear(&portion->texts);
    sqlite3_bind_int64(select, 1, portion->last);
    for (; (result = sqlite3_step(select)) == SQLITE_ROW; rows++) {
        const struct booking_record record = record_of(select);
        portion->last = record.id;
        if (fits(filter, &record))
            keep(portion, &record);
    }
    portion->is_last = rows < LIST_PORTION;
    sqlite3_reset(select);
    return result == SQLITE_DONE ? portion->texts.status : sqlite_status(result);
}

static struct bytes take_text(struct bytes *texts, size_t size) {
    struct bytes text = bytes_up_to(*texts, size);
    *texts = bytes_from(*texts, size);
    return text;
}

/* False when it was told to stop. */
static bool hand_over(struct portion *portion, booking_taker *each, void *context) {
    struct bytes texts = buffer_bytes(&portion->texts);
    for (size_t i = 0; i < portion->count; i++) {
        struct booking_record *record = &portion->records[i];
        record->salon = take_text(&texts, record->salon.size);
        record->slot = take_text(&texts, record->slot.size);
        record->words = take_text(&texts, record->words.size);
        if (!each(context, record))
            return false;
    }
    return true;
}

static enum status list_portions(sqlite3_stmt *select, const struct booking_filter *filter,
                                 booking_taker *each, void *context) {
    struct portion *portion = calloc(1, sizeof *portion);
    if (portion == NULL)
        return STATUS_NO_MEMORY;
    portion->texts = buffer_new(LIST_TEXTS_MOST);
    portion->last = INT64_MIN;
    enum status status = STATUS_OK;
    bool goes_on = true;
    while (status == STATUS_OK && goes_on && !portion->is_last) {
        status = read_portion(select, filter, portion);
        goes_on = status == STATUS_OK && hand_over(portion, each, context);
    }
    buffer_done(&portion->texts);
    free(portion);
    return status;
}

static enum status list(struct bookings *bookings, const struct booking_filter *filter,
                        booking_taker *each, void *context, struct ledger_problem *problem) {
    struct sqlite_bookings *sqlite = (struct sqlite_bookings *)bookings;
    sqlite3_stmt *select = NULL;
    enum status status =
        sqlite_prepare(sqlite->database,
                       "SELECT id, salon, slot, words, status, completed_at FROM bookings"
                       " WHERE id > ?1 ORDER BY id LIMIT ?2",
                       &select);
    if (status == STATUS_OK) {
        sqlite3_bind_int(select, 2, LIST_PORTION);
        status = list_portions(select, filter, each, context);
    }
    if (status != STATUS_OK)
        failed(sqlite, "the bookings can't be read", status, problem);
    sqlite3_finalize(select);
    return status;
}

/* Sets `changed` to how many rows a statement with two numbers changed. */
static enum status run_with(struct sqlite_bookings *sqlite, const char *text, int64_t first,
                            int64_t second, int64_t *changed) {
    sqlite3_stmt *statement = NULL;
    enum status status = sqlite_prepare(sqlite->database, text, &statement);
    if (status != STATUS_OK)
        return status;
    sqlite3_bind_int64(statement, 1, first);
    sqlite3_bind_int64(statement, 2, second);
    status = sqlite_status(sqlite3_step(statement));
    sqlite3_finalize(statement);
    if (status == STATUS_OK)
        *changed = sqlite3_changes64(sqlite->database);
    return status;
}

/* Whether there is a booking with this id. */
static enum status is_there(struct sqlite_bookings *sqlite, int64_t id, bool *out) {
    char text[96];
    int64_t count = 0;
    snprintf(text, sizeof text, "SELECT count(*) FROM bookings WHERE id = %lld", (long long)id);
    enum status status = sqlite_number(sqlite->database, text, &count);
    if (status == STATUS_OK)
        *out = count > 0;
    return status;
}

static enum status cancel(struct bookings *bookings, int64_t id, int64_t now,
                          enum cancellation *out, struct ledger_problem *problem) {
    struct sqlite_bookings *sqlite = (struct sqlite_bookings *)bookings;
    int64_t changed = 0;
    bool exists = true;
    enum status status = run_with(
        sqlite,
        "UPDATE bookings SET status = 2, cancelled_at = ?2,"
        " seal = seal(salon, slot, words, 2, completed_at, ?2, mac) WHERE id = ?1 AND status = 1",
        id, now, &changed);
    if (status == STATUS_OK && changed == 0)
        status = is_there(sqlite, id, &exists);
    if (status != STATUS_OK)
        return failed(sqlite, "the booking can't be cancelled", status, problem);
    *out = changed > 0 ? CANCELLATION_DONE
           : exists    ? CANCELLATION_DONE_BEFORE
                       : CANCELLATION_OF_NONE;
    return STATUS_OK;
}

/* A backup under way. */
struct copying {
    struct sqlite_bookings *sqlite;
    const char *path; /* of what comes of it */
    backup_progress *progress;
    void *context;
};

static enum status copy_pages(const struct copying *copying, sqlite3 *to) {
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", copying->sqlite->database, "main");
    if (backup == NULL)
        return sqlite_status(sqlite3_errcode(to));
    int result;
    do {
        result = sqlite3_backup_step(backup, BACKUP_PORTION);
        int total = sqlite3_backup_pagecount(backup);
        copying->progress(copying->context, total - sqlite3_backup_remaining(backup), total);
    } while (result == SQLITE_OK);
    int finished = sqlite3_backup_finish(backup);
    return sqlite_status(result == SQLITE_DONE ? finished : result);
}

/* Begins to read the ledger as it is at one moment: without a transaction each commit of a server
 * beside us would begin the copy anew. */
static enum status begin_reading(sqlite3 *database) {
    int64_t ignored;
    enum status status = sqlite_run(database, "BEGIN");
    return status == STATUS_OK
               ? sqlite_number(database, "SELECT count(*) FROM sqlite_schema", &ignored)
               : status;
}

static enum status write_copy(const struct copying *copying, const char *name, sqlite3 **to,
                              struct ledger_problem *problem) {
    enum status status = sqlite_open(name, 0, false, to, problem);
    if (status == STATUS_OK)
        status = copy_pages(copying, *to);
    if (status == STATUS_OK)
        status = sqlite_run(*to, "PRAGMA journal_mode = DELETE");
    return status == STATUS_OK
               ? status
               : sqlite_problem(problem, status, "the backup %s can't be written: %s",
                                copying->path,
                                *to == NULL ? status_text(status) : sqlite3_errmsg(*to));
}

/* Fills an empty file, and leaves the copy whole in that one file. */
static enum status fill_copy(void *context, const char *name, struct ledger_problem *problem) {
    const struct copying *copying = context;
    struct sqlite_bookings *sqlite = copying->sqlite;
    sqlite3 *to = NULL;
    enum status status = begin_reading(sqlite->database);
    if (status != STATUS_OK)
        failed(sqlite, "the backup can't be begun", status, problem);
    else
        status = write_copy(copying, name, &to, problem);
    (void)sqlite_run(sqlite->database, "ROLLBACK");
    if (status == STATUS_OK)
        status = sqlite_check_integrity(to, sqlite->path, problem);
    sqlite3_close(to);
    return status;
}

/* Whether it is the name of one of the files that SQLite keeps beside the ledger: it would take a
 * copy of that name for its own, and destroy it or wait for it for ever. */
static bool is_beside(const char *ledger, const char *path) {
    size_t size = strlen(ledger);
    if (strncmp(path, ledger, size) != 0)
        return false;
    const char *suffix = path + size;
    return strcmp(suffix, "-wal") == 0 || strcmp(suffix, "-shm") == 0 ||
           strcmp(suffix, "-journal") == 0;
}

static enum status backup(struct bookings *bookings, const char *file, backup_progress *progress,
                          void *context, struct ledger_problem *problem) {
    char path[LEDGER_PATH_SIZE];
    struct copying copying = {(struct sqlite_bookings *)bookings, path, progress, context};
    enum status status = sqlite_file_resolve(file, path, problem);
    if (status != STATUS_OK)
        return status;
    if (is_beside(copying.sqlite->path, path))
        return sqlite_problem(problem, STATUS_INVALID,
                              "%s is a file of the ledger's own: name another file", path);
    if (sqlite_file_exists(path, ""))
        return sqlite_problem(problem, STATUS_INVALID, "%s is there already: name another file",
                              path);
    return sqlite_file_make(path, fill_copy, &copying, problem);
}

/* A portion of the ids at a time. */
static enum status erase_words(struct sqlite_bookings *sqlite, int64_t before, int64_t *erased) {
    int64_t last = 0;
    enum status status =
        sqlite_number(sqlite->database, "SELECT coalesce(max(id), 0) FROM bookings", &last);
    for (int64_t id = 0; id < last && status == STATUS_OK; id += FORGET_PORTION) {
        int64_t changed = 0;
        char text[320];
        snprintf(text, sizeof text,
                 "UPDATE bookings SET words = NULL,"
                 " seal = seal(salon, slot, NULL, status, completed_at, cancelled_at, mac)"
                 " WHERE id > ?1 AND id <= ?1 + %d AND words IS NOT NULL AND completed_at < ?2",
                 FORGET_PORTION);
        status = run_with(sqlite, text, id, before, &changed);
        *erased += changed;
    }
    return status;
}

/* They are found while the server may write, and then erased a portion at a time. */
static enum status erase_replies(struct sqlite_bookings *sqlite, int64_t before) {
    int64_t found = 0;
    enum status status = sqlite_run(sqlite->database, "DROP TABLE IF EXISTS temp.found;"
                                                      "CREATE TABLE temp.found (good_until, mac)");
    if (status == STATUS_OK)
        status = run_with(sqlite,
                          "INSERT INTO temp.found"
                          " SELECT good_until, mac FROM replies WHERE kept_at < ?1",
                          before, 0, &found);
    for (int64_t done = 0; done < found && status == STATUS_OK; done += FORGET_PORTION) {
        int64_t ignored;
        status = run_with(sqlite,
                          "DELETE FROM replies WHERE (good_until, mac) IN"
                          " (SELECT good_until, mac FROM temp.found"
                          "  WHERE rowid > ?1 AND rowid <= ?1 + ?2)",
                          done, FORGET_PORTION, &ignored);
    }
    return status;
}

static enum status erase(struct sqlite_bookings *sqlite, int64_t before, int64_t *erased) {
    enum status status = sqlite_run(sqlite->database, "PRAGMA secure_delete = ON");
    if (status == STATUS_OK)
        status = erase_words(sqlite, before, erased);
    return status == STATUS_OK ? erase_replies(sqlite, before) : status;
}

/* Takes the write-ahead log, which still holds what was erased, into the file, and empties it.
 * While it waits for somebody who reads, nobody can write: so it waits briefly, and often. */
static enum status empty_log(struct sqlite_bookings *sqlite) {
    const struct timespec pause = {0, LOG_PAUSE * 1000000L};
    int result = SQLITE_BUSY;
    sqlite3_busy_timeout(sqlite->database, LOG_PATIENCE);
    for (int tries = 0; tries < LOG_TRIES && sqlite_status(result) == STATUS_BUSY; tries++) {
        if (tries > 0)
            nanosleep(&pause, NULL);
        result = sqlite3_wal_checkpoint_v2(sqlite->database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
                                           NULL);
    }
    sqlite3_busy_timeout(sqlite->database, PATIENCE);
    return sqlite_status(result);
}

static enum status forget(struct bookings *bookings, int64_t before, int64_t *forgotten,
                          struct ledger_problem *problem) {
    struct sqlite_bookings *sqlite = (struct sqlite_bookings *)bookings;
    int64_t erased = 0;
    enum status status = erase(sqlite, before, &erased);
    if (status != STATUS_OK)
        return failed(sqlite, "not all could be forgotten", status, problem);
    status = empty_log(sqlite);
    if (status != STATUS_OK)
        return failed(sqlite,
                      "the words are erased, and their traces in the write-ahead log aren't yet",
                      status, problem);
    *forgotten = erased;
    return STATUS_OK;
}

static void release(struct bookings *bookings) {
    struct sqlite_bookings *sqlite = (struct sqlite_bookings *)bookings;
    sqlite3_close(sqlite->database);
    free(sqlite);
}

/* A ledger is only read here, never made. */
static enum status open_file(struct sqlite_bookings *sqlite, const char *file,
                             struct ledger_problem *problem) {
    struct stat facts;
    enum status status = sqlite_file_resolve(file, sqlite->path, problem);
    if (status != STATUS_OK)
        return status;
    if (stat(sqlite->path, &facts) != 0)
        return sqlite_problem(problem, STATUS_IO, "the ledger %s: %s", sqlite->path,
                              strerror(errno));
    status = sqlite_file_check(sqlite->path, &facts, problem);
    if (status == STATUS_OK)
        status = sqlite_log_check(sqlite->path, problem);
    if (status == STATUS_OK)
        status = sqlite_open(sqlite->path, PATIENCE, false, &sqlite->database, problem);
    return status == STATUS_OK
               ? sqlite_check_version(sqlite->database, sqlite->path, false, problem)
               : status;
}

enum status sqlite_bookings_open(const char *file, struct bookings **out,
                                 struct ledger_problem *problem) {
    static const struct bookings_operations operations = {list, cancel, backup, forget, release};
    struct sqlite_bookings *sqlite = calloc(1, sizeof *sqlite);
    if (sqlite == NULL)
        return sqlite_problem(problem, STATUS_NO_MEMORY, "no memory for the ledger");
    sqlite->bookings.operations = &operations;
    enum status status = open_file(sqlite, file, problem);
    if (status != STATUS_OK) {
        release(&sqlite->bookings);
        return status;
    }
    *out = &sqlite->bookings;
    return STATUS_OK;
}
