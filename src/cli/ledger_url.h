/* The option --ledger, which several commands have. Private to cli. */
#ifndef TANDEM_LEDGER_URL_H
#define TANDEM_LEDGER_URL_H

#include "options.h"

enum { LEDGER_URL_SIZE = 4096 };

#define LEDGER_OPTION                                                                              \
    {                                                                                              \
        "ledger", "LEDGER", NULL,                                                                  \
            "where used states and bookings are kept: sqlite:FILE, or memory (they die with the\n" \
            "        process, and so do the conversations under way). By default\n"                \
            "        sqlite:tandem.db in $STATE_DIRECTORY, else in the working directory; "        \
            "memory\n"                                                                             \
            "        in a tandem that is built without SQLite",                                    \
            '\0'                                                                                   \
    }

/* The ledger that is named, or `standard`, or when that is NULL the one by default. Complains and
 * returns false for what is none. */
bool ledger_url_read(const struct arguments *arguments, const char *standard,
                     char url[LEDGER_URL_SIZE]);

#endif
