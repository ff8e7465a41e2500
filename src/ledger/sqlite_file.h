/* The file that a ledger is in, before anything is known of what it holds: its name, how one comes
 * to be, and who has it. It knows nothing of databases. Private to ledger. */
#ifndef TANDEM_SQLITE_FILE_H
#define TANDEM_SQLITE_FILE_H

#include "ledger.h"

#include <sys/stat.h>

enum { LEDGER_PATH_SIZE = 4096 };

/* Writes into the problem, and returns `status`. */
__attribute__((format(printf, 3, 4))) enum status
sqlite_problem(struct ledger_problem *problem, enum status status, const char *format, ...);

/* The absolute path of a file, links resolved; of one that isn't there, in a folder that is. */
enum status sqlite_file_resolve(const char *file, char path[LEDGER_PATH_SIZE],
                                struct ledger_problem *problem);

/* True when there is something at `path` with `suffix` behind it. */
bool sqlite_file_exists(const char *path, const char *suffix);

/* Makes a file, readable by nobody else: `fill` is called with the name of an empty one, which
 * becomes `path` when it is whole. That name is nothing to its owner, so no problem tells it.
 * STATUS_INVALID when there is one at `path` by then. */
typedef enum status file_filler(void *context, const char *name, struct ledger_problem *problem);
enum status sqlite_file_make(const char *path, file_filler *fill, void *context,
                             struct ledger_problem *problem);

/* STATUS_INVALID for what can't be a ledger: no plain file, an empty one, one too small for a
 * database (SQLite would begin anew in it), or one of several names (hard links: SQLite keeps a log
 * for each, and none knows of the others). */
enum status sqlite_file_check(const char *path, const struct stat *facts,
                              struct ledger_problem *problem);

/* True, with a text in `warning`, when others can read or write the file. */
bool sqlite_file_is_exposed(const char *path, struct ledger_problem *warning);

/* Takes the file for this process alone, until `file` is closed or the process ends, however it
 * ends: STATUS_BUSY when another one has it, STATUS_INVALID as sqlite_file_check has it. Closing
 * `file` drops the locks that SQLite has on it in this process, too: so it is closed last. */
enum status sqlite_file_hold(const char *path, int *file, struct ledger_problem *problem);

/* True while `path` leads to the file that is held: what is written to one that was moved or
 * removed is lost. */
bool sqlite_file_is_in_place(int file, const char *path);

#endif
