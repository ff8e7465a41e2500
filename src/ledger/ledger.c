#include "ledger.h"

enum ledger_fact ledger_settle(struct ledger *ledger, const struct settlement *settlement) {
    return ledger->operations->settle(ledger, settlement);
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
