/* Puts COUNT bookings into a ledger that tandem made, as a salon of many years would have them.
 * They are written by SQL in one transaction, since one by one would take longer than all else.
 *
 * usage: fill_ledger FILE COUNT */
#include "sqlite_database.h"

#include <stdio.h>
#include <stdlib.h>

/* As the store writes them; what differs is the booking's number. */
static const char text[] =
    "BEGIN;"
    "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT %lld),"
    "  booking AS (SELECT CAST('elm-street' AS BLOB) AS salon,"
    "    CAST(printf('day %%d, slot %%d', n / 40, n %% 40) AS BLOB) AS slot,"
    "    CAST('A cut on Saturday morning, please' AS BLOB) AS words,"
    "    1700000000 + n AS completed_at,"
    "    CAST(printf('%%032d', n) AS BLOB) AS mac FROM number)"
    "INSERT INTO bookings (salon, slot, words, status, completed_at, mac, seal)"
    "  SELECT salon, slot, words, 1, completed_at, mac,"
    "    seal(salon, slot, words, 1, completed_at, NULL, mac) FROM booking;"
    "COMMIT;"
    "PRAGMA wal_checkpoint(TRUNCATE);";

int main(int argc, char **argv) {
    char statements[sizeof text + 32];
    struct ledger_problem problem = {""};
    sqlite3 *database = NULL;
    if (argc != 3)
        return 2;
    if (sqlite_open(argv[1], 1000, false, &database, &problem) != STATUS_OK) {
        fprintf(stderr, "fill_ledger: %s\n", problem.text);
        return 1;
    }
    snprintf(statements, sizeof statements, text, strtoll(argv[2], NULL, 10));
    if (sqlite_run(database, statements) != STATUS_OK) {
        fprintf(stderr, "fill_ledger: %s\n", sqlite3_errmsg(database));
        return 1;
    }
    return sqlite3_close(database) == SQLITE_OK ? 0 : 1;
}
