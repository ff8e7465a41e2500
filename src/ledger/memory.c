#include "ledger.h"
#include "used_set.h"

#include <stdlib.h>
#include <string.h>

struct memory_ledger {
    struct ledger ledger; /* first: the interface's pointer is ours */
    struct used_set *used;
    bool checks_mark;
    unsigned char mark[MARK_SIZE];
};

static bool is_ours(const struct memory_ledger *memory, const unsigned char *nonce) {
    return !memory->checks_mark || (nonce != NULL && memcmp(nonce, memory->mark, MARK_SIZE) == 0);
}

static enum ledger_fact spend(struct memory_ledger *memory, const struct settlement *settlement) {
    if (!is_ours(memory, settlement->nonce))
        return LEDGER_EXPIRED;
    switch (
        used_set_spend(memory->used, settlement->mac, settlement->good_until, settlement->now)) {
    case SPEND_RECORDED:
        return LEDGER_RECORDED;
    case SPEND_USED:
        return LEDGER_USED;
    case SPEND_EXPIRED:
        return LEDGER_EXPIRED;
    case SPEND_FULL:
        break;
    }
    return LEDGER_UNAVAILABLE;
}

static void memory_settle(struct ledger *ledger, const struct settlement *settlement,
                          ledger_done *done, void *context) {
    done(context, spend((struct memory_ledger *)ledger, settlement));
}

static bool memory_is_ready(struct ledger *ledger, int64_t now) {
    return !used_set_is_full(((struct memory_ledger *)ledger)->used, now);
}

static size_t memory_used_states(struct ledger *ledger) {
    return used_set_count(((struct memory_ledger *)ledger)->used);
}

static void memory_free(struct ledger *ledger) {
    struct memory_ledger *memory = (struct memory_ledger *)ledger;
    used_set_free(memory->used);
    free(memory);
}

enum status ledger_memory_new(size_t capacity, const unsigned char *mark, struct ledger **out) {
    static const struct ledger_operations operations = {memory_settle, memory_is_ready,
                                                        memory_used_states, memory_free};
    struct memory_ledger *memory = calloc(1, sizeof *memory);
    if (memory == NULL)
        return STATUS_NO_MEMORY;
    memory->ledger.operations = &operations;
    memory->checks_mark = mark != NULL;
    if (mark != NULL)
        memcpy(memory->mark, mark, MARK_SIZE);
    enum status status = used_set_new(capacity, &memory->used);
    if (status != STATUS_OK) {
        free(memory);
        return status;
    }
    *out = &memory->ledger;
    return STATUS_OK;
}
