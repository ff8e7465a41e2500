/* The connection that writes, with its statements. It belongs to one thread at a time. Private to
 * ledger. */
#ifndef TANDEM_SQLITE_WRITER_H
#define TANDEM_SQLITE_WRITER_H

#include "sqlite_database.h"

/* Milliseconds for which a statement waits for a busy file; the caller asks again. */
enum { WRITER_PATIENCE = 100 };

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

/* Which file a name leads to; all 0 for none. */
struct file_identity {
    dev_t device;
    ino_t number;
};

enum { BESIDE_COUNT = 2 }; /* the write-ahead log, and the memory that its users share */

struct sqlite_writer {
    const char *path; /* borrowed */
    bool exclusive_slots;
    int64_t page_limit; /* 0: none */
    int patience;       /* milliseconds for which a busy file is waited for in connecting */
    sqlite3 *database;  /* NULL when it couldn't be opened again */
    sqlite3_stmt *statements[STATEMENT_COUNT];
    struct file_identity beside[BESIDE_COUNT]; /* the ledger, when it was connected */
    bool is_suspect; /* a call failed: the connection is made anew before it is believed */
};

/* False when somebody removed or replaced a file that SQLite keeps beside the ledger: what is
 * committed then is in no file that anybody else reads. */
bool sqlite_writer_is_in_place(const struct sqlite_writer *writer);

/* Sees to a connection that can be believed. One that isn't in place first takes its log into the
 * ledger; that fails with STATUS_BUSY while somebody reads. After a commit that failed, what is in
 * the file may differ from what the connection remembers; a new one reads it as the next process
 * would. */
enum status sqlite_writer_connect(struct sqlite_writer *writer, struct ledger_problem *problem);
void sqlite_writer_disconnect(struct sqlite_writer *writer);

/* Notes that a call failed, unless it only found the file busy. */
enum status sqlite_writer_noted(struct sqlite_writer *writer, enum status status);

/* Runs a statement that gives no row, and clears its parameters. */
enum status sqlite_writer_run(struct sqlite_writer *writer, enum statement which);

#endif
