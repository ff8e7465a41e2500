/* A ledger's file: its schema, how it is made, opened, checked and brought up to date, and what
 * SQLite's results mean here. One connection belongs to one thread at a time. Private to ledger. */
#ifndef TANDEM_SQLITE_DATABASE_H
#define TANDEM_SQLITE_DATABASE_H

#include "ledger.h"

#include <sqlite3.h>

enum {
    LEDGER_APPLICATION = 0x54616e64, /* "Tand", in the file's header */
    LEDGER_SCHEMA = 1,               /* user_version of the newest schema */
    LEDGER_PATH_SIZE = 4096,
    LEDGER_SIZE_LEAST = 512, /* bytes; SQLite takes a smaller file for an empty one */
};

/* How a row of bookings is told apart from one that stands. Numbers in the file. */
enum { BOOKING_STANDS = 1, BOOKING_IS_CANCELLED = 2 };

/* What a result of SQLite's means: busy, full (STATUS_LIMIT), no memory, or another failure. */
enum status sqlite_status(int result);

/* Runs statements that give no rows. */
enum status sqlite_run(sqlite3 *database, const char *statements);

/* The number that a statement gives in its first row and column; 0 when there is no row. */
enum status sqlite_number(sqlite3 *database, const char *statement, int64_t *out);

enum status sqlite_prepare(sqlite3 *database, const char *text, sqlite3_stmt **out);

/* Binds bytes, which must live until the statement is reset, to the parameter `index`. */
void sqlite_bind_bytes(sqlite3_stmt *statement, int index, struct bytes bytes);

/* A column's bytes, valid until the statement is stepped or reset. */
struct bytes sqlite_column_bytes(sqlite3_stmt *statement, int column);

/* Writes into the problem, and returns `status`. */
__attribute__((format(printf, 3, 4))) enum status
sqlite_problem(struct ledger_problem *problem, enum status status, const char *format, ...);

/* The absolute path of a file whose folder exists, links in the folder's path resolved. */
enum status sqlite_resolve(const char *file, char path[LEDGER_PATH_SIZE],
                           struct ledger_problem *problem);

/* Makes an empty ledger at `path`, whole or not at all; STATUS_OK also when a file is there. */
enum status sqlite_create(const char *path, struct ledger_problem *problem);

/* Opens the file, which must be there, with how long a busy file is waited for, in milliseconds.
 * Nothing of it is read yet. `read_only`: nothing can be written through it. */
enum status sqlite_open(const char *path, int patience, bool read_only, sqlite3 **out,
                        struct ledger_problem *problem);

/* Checks that the file is a ledger of a version that is known, and of the newest one unless
 * `may_migrate`, which brings it there. */
enum status sqlite_check_version(sqlite3 *database, const char *path, bool may_migrate,
                                 struct ledger_problem *problem);

/* Reads all of the file: damage is told, with how to restore. */
enum status sqlite_check_integrity(sqlite3 *database, const char *path,
                                   struct ledger_problem *problem);

#endif
