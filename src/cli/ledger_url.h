/* The option --ledger, which several commands have. Private to cli. */
#ifndef TANDEM_LEDGER_URL_H
#define TANDEM_LEDGER_URL_H

#include "options.h"

enum { LEDGER_URL_SIZE = 4096 };

#define LEDGER_OPTION                                                                              \
    {                                                                                              \
        "ledger", "LEDGER", NULL,                                                                  \
            "where used states and bookings are kept: sqlite:FILE, or memory (used states only,\n" \
            "        until the process ends). By default sqlite:tandem.db, in $STATE_DIRECTORY\n"  \
            "        or else in the working directory; memory where it is built without SQLite",   \
            '\0'                                                                                   \
    }

/* The ledger that is named, or `standard`, or when that is NULL the one by default. Complains and
 * returns false for what is none. */
bool ledger_url_read(const struct arguments *arguments, const char *standard,
                     char url[LEDGER_URL_SIZE]);

#endif
