#include "settling.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pending {
    pthread_mutex_t lock;
    pthread_cond_t is_told;
    struct told told;
    unsigned char mac[MAC_SIZE];
    struct bytes slot;
    struct idempotency idempotency;
    char reply[128];
    char reply_if_taken[128];
    struct settlement settlement;
};

void mac_of(unsigned state, unsigned char mac[MAC_SIZE]) {
    /* Spread over the buckets and the tree, as real ones are. */
    uint64_t value = state + 1;
    for (size_t i = 0; i < MAC_SIZE; i += sizeof value) {
        value = (value ^ (value >> 29)) * 0xbf58476d1ce4e5b9U + i;
        memcpy(mac + i, &value, sizeof value);
    }
}

static void tell(void *context, const struct settled *settled) {
    struct pending *pending = context;
    pthread_mutex_lock(&pending->lock);
    pending->told.fact = settled->fact;
    pending->told.times++;
    snprintf(pending->told.reply, sizeof pending->told.reply, "%.*s", (int)settled->reply.size,
             settled->reply.size == 0 ? "" : (const char *)settled->reply.data);
    pthread_cond_signal(&pending->is_told);
    pthread_mutex_unlock(&pending->lock);
}

static void digest(const char *text, unsigned char out[DIGEST_SIZE]) {
    memset(out, 0, DIGEST_SIZE);
    memcpy(out, text, strnlen(text, DIGEST_SIZE));
}

static void add_key(struct pending *pending, const struct asked *asked) {
    const char *answer = asked->answer == NULL ? "yes" : asked->answer;
    digest(asked->key, pending->idempotency.key);
    digest(answer, pending->idempotency.answer);
    snprintf(pending->reply, sizeof pending->reply, "reply to %u %s", asked->state, answer);
    snprintf(pending->reply_if_taken, sizeof pending->reply_if_taken, "taken %u", asked->state);
    pending->idempotency.reply = bytes_of_text(pending->reply);
    pending->idempotency.reply_if_taken = bytes_of_text(pending->reply_if_taken);
    pending->settlement.idempotency = &pending->idempotency;
}

struct pending *ask_later(struct ledger *ledger, const struct asked *asked) {
    struct pending *pending = calloc(1, sizeof *pending);
    if (pending == NULL)
        abort();
    pthread_mutex_init(&pending->lock, NULL);
    pthread_cond_init(&pending->is_told, NULL);
    mac_of(asked->state, pending->mac);
    pending->settlement = (struct settlement){
        .mac = pending->mac,
        .good_until = asked->good_until == 0 ? GOOD_UNTIL : asked->good_until,
        .now = asked->now == 0 ? NOW : asked->now,
        .salon = bytes_of_text(asked->salon == NULL ? "elm-street" : asked->salon),
        .words = bytes_of_text(asked->words == NULL ? "a trim please" : asked->words),
        .only_replay = asked->only_replay,
    };
    if (asked->slot != NULL) {
        pending->slot = bytes_of_text(asked->slot);
        pending->settlement.slot = &pending->slot;
    }
    if (asked->key != NULL)
        add_key(pending, asked);
    ledger_settle(ledger, &pending->settlement, tell, pending);
    return pending;
}

bool pending_is_told(struct pending *pending) {
    pthread_mutex_lock(&pending->lock);
    bool is_told = pending->told.times > 0;
    pthread_mutex_unlock(&pending->lock);
    return is_told;
}

struct told pending_wait(struct pending *pending) {
    pthread_mutex_lock(&pending->lock);
    while (pending->told.times == 0)
        pthread_cond_wait(&pending->is_told, &pending->lock);
    struct told told = pending->told;
    pthread_mutex_unlock(&pending->lock);
    pthread_cond_destroy(&pending->is_told);
    pthread_mutex_destroy(&pending->lock);
    free(pending);
    return told;
}

struct told ask_ledger(struct ledger *ledger, const struct asked *asked) {
    return pending_wait(ask_later(ledger, asked));
}

enum ledger_fact fact_of(struct ledger *ledger, const struct asked *asked) {
    return ask_ledger(ledger, asked).fact;
}

size_t record_all(struct ledger *ledger, const struct asked *asked, size_t count) {
    struct pending **pending = calloc(count, sizeof(struct pending *));
    if (pending == NULL)
        abort();
    size_t recorded = 0;
    for (size_t i = 0; i < count; i++)
        pending[i] = ask_later(ledger, &asked[i]);
    for (size_t i = 0; i < count; i++)
        recorded += pending_wait(pending[i]).fact == LEDGER_RECORDED;
    free(pending);
    return recorded;
}
