/* A connection to a ledger's file, and what SQLite's results mean here. One connection belongs to
 * one thread at a time. Private to ledger. */
#ifndef TANDEM_SQLITE_DATABASE_H
#define TANDEM_SQLITE_DATABASE_H

#include "sqlite_file.h"

#include <sqlite3.h>

/* What a result of SQLite's means: busy, full (STATUS_LIMIT), no memory, or another failure. */
enum status sqlite_status(int result);

/* Runs statements; what rows they give is not looked at. */
enum status sqlite_run(sqlite3 *database, const char *statements);

/* The number that a statement gives in its first row and column; 0 when there is no row. */
enum status sqlite_number(sqlite3 *database, const char *statement, int64_t *out);

enum status sqlite_prepare(sqlite3 *database, const char *text, sqlite3_stmt **out);

/* Binds bytes, which must live until the statement is reset, to the parameter `index`. */
void sqlite_bind_bytes(sqlite3_stmt *statement, int index, struct bytes bytes);

/* A column's bytes, valid until the statement is stepped or reset. */
struct bytes sqlite_column_bytes(sqlite3_stmt *statement, int column);

/* Opens the file, which must be there, with how long a busy file is waited for, in milliseconds.
 * Nothing of it is read yet. `read_only`: nothing can be written through it. */
enum status sqlite_open(const char *path, int patience, bool read_only, sqlite3 **out,
                        struct ledger_problem *problem);

/* Says that the file is damaged, in SQLite's words or others, and how to restore it. */
enum status sqlite_damaged(struct ledger_problem *problem, const char *path, const char *how);

/* Says why the last call failed: damage, or something else. */
enum status sqlite_unreadable(sqlite3 *database, const char *path, enum status status,
                              struct ledger_problem *problem);

#endif
