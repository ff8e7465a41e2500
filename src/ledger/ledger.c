#include "ledger.h"

enum ledger_fact ledger_settle(struct ledger *ledger, const struct settlement *settlement) {
    return ledger->operations->settle(ledger, settlement);
}

void ledger_free(struct ledger *ledger) {
    if (ledger != NULL)
        ledger->operations->free(ledger);
}
