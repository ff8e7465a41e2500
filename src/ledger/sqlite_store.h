/* The store on SQLite: one file in WAL mode, every commit synchronized. Private to ledger. */
#ifndef TANDEM_SQLITE_STORE_H
#define TANDEM_SQLITE_STORE_H

#include "store.h"

struct sqlite_store_config {
    const char *file;
    bool exclusive_slots;
    int64_t replay_window; /* seconds for which a reply is kept under its key */
    int64_t page_limit;    /* of the file, so that a test can fill it; 0: none */
};

/* Opens the file, or makes it, and holds it for as long as the store lives: STATUS_BUSY when
 * another process does. A file that is damaged, newer than this program, or no ledger:
 * STATUS_INVALID. In every failure `problem` says what to do. */
enum status sqlite_store_new(const struct sqlite_store_config *config, struct store **out,
                             struct ledger_problem *problem);

enum { FORGET_AFTER = 3600 }; /* seconds for which a used state outlives its good_until */

#endif
