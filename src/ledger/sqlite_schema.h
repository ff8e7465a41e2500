/* What a ledger's file holds: how an empty one is made, brought up to date, and checked. Private to
 * ledger. */
#ifndef TANDEM_SQLITE_SCHEMA_H
#define TANDEM_SQLITE_SCHEMA_H

#include "sqlite_database.h"

enum {
    LEDGER_APPLICATION = 0x54616e64, /* "Tand", in the file's header */
    LEDGER_SCHEMA = 1,               /* user_version of the newest schema */
};

/* How a row of bookings is told apart from one that stands. Numbers in the file. */
enum { BOOKING_STANDS = 1, BOOKING_IS_CANCELLED = 2 };

/* Gives a row when a salon's slot (?1, ?2) is booked. By the index that the writer makes for
 * exclusive slots; without one it reads every booking. */
#define SQLITE_FIND_STANDING                                                                       \
    "SELECT 1 FROM bookings WHERE salon = ?1 AND slot = ?2 AND status = 1 LIMIT 1"

/* Makes an empty ledger at `path`, whole or not at all; STATUS_OK also when a file is there. */
enum status sqlite_create(const char *path, struct ledger_problem *problem);

/* Checks that the file is a ledger of a version that is known, and of the newest one unless
 * `may_migrate`, which brings it there. After a failure the connection is only to be closed. */
enum status sqlite_check_version(sqlite3 *database, const char *path, bool may_migrate,
                                 struct ledger_problem *problem);

/* Reads all of the file: damage is told, with how to restore. */
enum status sqlite_check_integrity(sqlite3 *database, const char *path,
                                   struct ledger_problem *problem);

#endif
