#include "ledger_url.h"

#include "ledger_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* systemd gives several folders with colons between; the first is the unit's own. */
static bool write_default(char url[LEDGER_URL_SIZE]) {
    const char *folders = getenv("STATE_DIRECTORY");
    const char *folder = folders == NULL ? NULL : folders + strspn(folders, ":");
    int size;
    if (!ledger_has_sqlite())
        size = snprintf(url, LEDGER_URL_SIZE, "memory");
    else if (folder == NULL || folder[0] == '\0')
        size = snprintf(url, LEDGER_URL_SIZE, "sqlite:tandem.db");
    else
        size = snprintf(url, LEDGER_URL_SIZE, "sqlite:%.*s/tandem.db", (int)strcspn(folder, ":"),
                        folder);
    return size < LEDGER_URL_SIZE;
}

bool ledger_url_read(const struct arguments *arguments, const char *standard,
                     char url[LEDGER_URL_SIZE]) {
    const char *text = arguments_value(arguments, "ledger");
    if (text == NULL)
        text = standard;
    bool fits = text == NULL ? write_default(url)
                             : snprintf(url, LEDGER_URL_SIZE, "%s", text) < LEDGER_URL_SIZE;
    struct ledger_problem problem = {"its name is too long"};
    if (fits && ledger_url_is_valid(url, &problem))
        return true;
    complain(arguments, "%s: %s",
             text == NULL ? "the default ledger" : arguments_values(arguments, "ledger")->source,
             problem.text);
    return false;
}
