#include "ledger.h"

void ledger_settle(struct ledger *ledger, const struct settlement *settlement, ledger_done *done,
                   void *context) {
    ledger->operations->settle(ledger, settlement, done, context);
}

bool ledger_is_ready(struct ledger *ledger, int64_t now) {
    return ledger->operations->is_ready(ledger, now);
}

size_t ledger_used_states(struct ledger *ledger) {
    return ledger->operations->used_states(ledger);
}

void ledger_free(struct ledger *ledger) {
    if (ledger != NULL)
        ledger->operations->free(ledger);
}
