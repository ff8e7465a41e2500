/* The bookings in a file of SQLite's. Private to ledger. */
#ifndef TANDEM_SQLITE_BOOKINGS_H
#define TANDEM_SQLITE_BOOKINGS_H

#include "bookings.h"

enum status sqlite_bookings_open(const char *file, struct bookings **out,
                                 struct ledger_problem *problem);

#endif
