#include "ledger.h"

#include <string.h>

const int64_t ledger_latency_bounds[LEDGER_LATENCY_BOUNDS] = {
    100, 250, 500, 1000, 2500, 5000, 10000, 25000, 100000, 250000, 1000000, 5000000};

const char *ledger_fact_label(enum ledger_fact fact) {
    static const char *const labels[LEDGER_FACT_COUNT] = {
        [LEDGER_RECORDED] = "recorded",
        [LEDGER_TAKEN] = "taken",
        [LEDGER_USED] = "used",
        [LEDGER_EXPIRED] = "expired",
        [LEDGER_REPLAYED] = "replayed",
        [LEDGER_KEY_REUSED] = "key_reused",
        [LEDGER_NOT_STORED] = "not_stored",
        [LEDGER_UNAVAILABLE] = "unavailable",
    };
    return labels[fact];
}

void ledger_settle(struct ledger *ledger, const struct settlement *settlement, ledger_done *done,
                   void *context) {
    ledger->operations->settle(ledger, settlement, done, context);
}

enum status ledger_find_taken(struct ledger *ledger, struct bytes salon, const struct bytes *slots,
                              size_t count, bool *taken) {
    if (ledger->has_exclusive_slots)
        return ledger->operations->find_taken(ledger, salon, slots, count, taken);
    memset(taken, false, count * sizeof *taken);
    return STATUS_OK;
}

bool ledger_has_exclusive_slots(const struct ledger *ledger) {
    return ledger->has_exclusive_slots;
}

bool ledger_is_ready(struct ledger *ledger, int64_t now) {
    return ledger->operations->is_ready(ledger, now);
}

size_t ledger_used_states(struct ledger *ledger) {
    return ledger->operations->used_states(ledger);
}

void ledger_read_stats(struct ledger *ledger, struct ledger_stats *stats) {
    *stats = (struct ledger_stats){0};
    if (ledger->operations->read_stats != NULL)
        ledger->operations->read_stats(ledger, stats);
}

void ledger_free(struct ledger *ledger) {
    if (ledger != NULL)
        ledger->operations->free(ledger);
}
