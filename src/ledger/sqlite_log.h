/* The write-ahead log beside a ledger's file, checked before SQLite reads it. SQLite takes the
 * first frame whose checksum is wrong for the end, as a crash leaves it, and silently drops what
 * follows: acknowledged bookings, when it is damage. Private to ledger.
 *
 * What tells them apart: each commit is synchronized before the next one begins. So behind a
 * crash's broken end there is at most one commit of this log's, and a head, which is synchronized
 * before all frames, is whole. Source: "The Write-Ahead Log" in "Database File Format" of SQLite.
 */
#ifndef TANDEM_SQLITE_LOG_H
#define TANDEM_SQLITE_LOG_H

#include "ledger.h"

/* STATUS_OK when there is no log, or one that is whole or was merely cut off by a crash;
 * STATUS_INVALID for a damaged one. Others may write it meanwhile. Nothing is changed. */
enum status sqlite_log_check(const char *path, struct ledger_problem *problem);

#endif
