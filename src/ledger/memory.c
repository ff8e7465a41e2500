#include "ledger.h"
#include "replies.h"
#include "used_set.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { REPLIES_MOST = 262144 };

struct memory_ledger {
    struct ledger ledger; /* first: the interface's pointer is ours */
    struct used_set *used;
    pthread_mutex_t lock; /* guards `replies`, and is held while a state with a key is spent, so
                             that its twin finds the reply */
    struct replies *replies;
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

/* Nothing is spent unless its reply can be kept, too. */
static enum ledger_fact spend_and_keep(struct memory_ledger *memory,
                                       const struct settlement *settlement) {
    struct kept_reply *kept = replies_are_full(memory->replies) ? NULL : kept_reply_new(settlement);
    if (kept == NULL)
        return LEDGER_UNAVAILABLE;
    enum ledger_fact fact = spend(memory, settlement);
    if (fact == LEDGER_RECORDED)
        replies_keep(memory->replies, kept);
    else
        free(kept);
    return fact;
}

static void settle_with_key(struct memory_ledger *memory, const struct settlement *settlement,
                            ledger_done *done, void *context) {
    pthread_mutex_lock(&memory->lock);
    replies_forget(memory->replies, settlement->now);
    struct settled settled = replies_find(memory->replies, settlement);
    if (settled.fact == LEDGER_NOT_STORED && !settlement->only_replay)
        settled.fact = spend_and_keep(memory, settlement);
    struct buffer reply = buffer_new(REPLY_SIZE_MAX);
    buffer_append(&reply, settled.reply);
    pthread_mutex_unlock(&memory->lock);
    settled.reply = buffer_bytes(&reply);
    if (reply.status != STATUS_OK)
        settled.fact = LEDGER_UNAVAILABLE;
    done(context, &settled);
    buffer_done(&reply);
}

static void memory_settle(struct ledger *ledger, const struct settlement *settlement,
                          ledger_done *done, void *context) {
    struct memory_ledger *memory = (struct memory_ledger *)ledger;
    if (settlement->idempotency != NULL)
        return settle_with_key(memory, settlement, done, context);
    const struct settled settled = {.fact = settlement->only_replay ? LEDGER_NOT_STORED
                                                                    : spend(memory, settlement)};
    done(context, &settled);
}

static bool memory_is_ready(struct ledger *ledger, int64_t now) {
    struct memory_ledger *memory = (struct memory_ledger *)ledger;
    pthread_mutex_lock(&memory->lock);
    replies_forget(memory->replies, now);
    bool has_room = !replies_are_full(memory->replies);
    pthread_mutex_unlock(&memory->lock);
    return has_room && !used_set_is_full(memory->used, now);
}

static size_t memory_used_states(struct ledger *ledger) {
    return used_set_count(((struct memory_ledger *)ledger)->used);
}

static void memory_free(struct ledger *ledger) {
    struct memory_ledger *memory = (struct memory_ledger *)ledger;
    used_set_free(memory->used);
    replies_free(memory->replies);
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}

enum status ledger_memory_new(size_t capacity, const unsigned char *mark, struct ledger **out) {
    static const struct ledger_operations operations = {.settle = memory_settle,
                                                        .is_ready = memory_is_ready,
                                                        .used_states = memory_used_states,
                                                        .free = memory_free};
    struct memory_ledger *memory = calloc(1, sizeof *memory);
    if (memory == NULL)
        return STATUS_NO_MEMORY;
    memory->ledger.operations = &operations;
    pthread_mutex_init(&memory->lock, NULL);
    memory->checks_mark = mark != NULL;
    if (mark != NULL)
        memcpy(memory->mark, mark, MARK_SIZE);
    enum status status = used_set_new(capacity, &memory->used);
    if (status == STATUS_OK)
        status = replies_new(capacity < REPLIES_MOST ? capacity : REPLIES_MOST, &memory->replies);
    if (status != STATUS_OK) {
        memory_free(&memory->ledger);
        return status;
    }
    *out = &memory->ledger;
    return STATUS_OK;
}
