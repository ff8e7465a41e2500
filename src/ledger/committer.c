#include "committer.h"

#include "settle_queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum {
    PAUSE = 10000000,          /* nanoseconds between two tries */
    TENDING_SOON = 250000,     /* microseconds until more is forgotten, when there is more */
    TENDING_LATER = 1000000,   /* and when there isn't */
    FORGOTTEN_AT_LEAST = 256,  /* states per tending */
    FORGOTTEN_PER_SETTLED = 2, /* so that forgetting keeps up */
    TRIES_ALONE = 2,           /* of one settlement whose transaction fails */
};

/* A settlement in the transaction. */
struct item {
    struct waiting waiting;
    enum ledger_fact fact;
    struct buffer reply; /* with LEDGER_REPLAYED */
};

struct committer {
    struct ledger ledger; /* first: the interface's pointer is ours */
    struct committer_config config;
    struct settle_queue *queue;
    pthread_t thread;
    atomic_size_t used_states;
    atomic_bool is_healthy; /* no call of the store failed since it last took a write */
    atomic_uint_fast64_t read_errors;

    struct waiting taken[BATCH_MOST]; /* the committing thread's own, as all below */
    struct item batch[BATCH_MOST];
    int64_t next_tending; /* monotonic microseconds */
    size_t settled_since; /* the last tending */
};

static void pause_a_little(void) {
    struct timespec rest = {0, PAUSE};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR)
        ;
}

static void settle(struct ledger *ledger, const struct settlement *settlement, ledger_done *done,
                   void *context) {
    settle_queue_ask(((struct committer *)ledger)->queue, settlement, done, context);
}

/* Everything below runs in the committing thread. */

static const struct store_operations *operations_of(const struct committer *committer) {
    return committer->config.store->operations;
}

/* Passes a status of the store's on, and keeps count. */
static enum status noted(struct committer *committer, enum status status) {
    if (status != STATUS_OK) {
        atomic_store(&committer->is_healthy, false);
        settle_queue_count_error(committer->queue);
    }
    return status;
}

static bool changes(enum ledger_fact fact) {
    return fact == LEDGER_RECORDED || fact == LEDGER_TAKEN;
}

/* Tells those whose fact is known. */
static void tell(struct committer *committer, struct item *items, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct settled settled = {items[i].fact, buffer_bytes(&items[i].reply)};
        settle_queue_tell(committer->queue, &items[i].waiting, &settled);
        buffer_done(&items[i].reply);
    }
}

static enum status settle_item(struct committer *committer, struct item *item) {
    buffer_clear(&item->reply);
    enum status status = operations_of(committer)->settle(
        committer->config.store, item->waiting.settlement, &item->fact, &item->reply);
    if (status == STATUS_OK)
        status = item->reply.status;
    return noted(committer, status);
}

/* Ends the transaction in which `count` settlements were settled. */
static enum status commit(struct committer *committer, const struct item *items, size_t count) {
    enum status status =
        noted(committer, operations_of(committer)->commit(committer->config.store));
    if (status != STATUS_OK)
        return status;
    size_t changed = 0;
    for (size_t i = 0; i < count; i++)
        changed += changes(items[i].fact);
    atomic_fetch_add(&committer->used_states, changed);
    committer->settled_since += changed;
    if (changed > 0) {
        atomic_store(&committer->is_healthy, true);
        settle_queue_count_commit(committer->queue, changed);
    }
    return STATUS_OK;
}

/* One settlement in a transaction of its own. `commit_tried` is written in every case: when true,
 * and the status isn't STATUS_OK, it isn't known whether it is recorded. */
static enum status try_alone(struct committer *committer, struct item *item, bool *commit_tried) {
    const struct store_operations *operations = operations_of(committer);
    *commit_tried = false;
    enum status status = noted(committer, operations->begin(committer->config.store));
    if (status == STATUS_OK)
        status = settle_item(committer, item);
    if (status == STATUS_OK) {
        *commit_tried = changes(item->fact);
        status = commit(committer, item, 1);
    }
    if (status != STATUS_OK)
        operations->rollback(committer->config.store);
    return status;
}

/* Reads back whether a settlement is recorded; only this thread records any. */
static enum status read_back(struct committer *committer, const struct item *item, bool *found) {
    enum status status =
        noted(committer, operations_of(committer)->find(committer->config.store,
                                                        item->waiting.settlement, found));
    if (status == STATUS_OK && *found)
        atomic_fetch_add(&committer->used_states, 1);
    return status;
}

/* Finds out what became of a settlement whose transaction failed, or settles it after all, for as
 * long as it takes up to `until`. `unknown`: its commit was tried, which is looked into at least
 * once, however late it is. */
static void rescue_item(struct committer *committer, struct item *item, bool unknown,
                        int64_t until) {
    for (int tries = 0; tries < TRIES_ALONE;) {
        bool found = false;
        if (unknown && read_back(committer, item, &found) == STATUS_OK) {
            if (found)
                return;
            unknown = false;
        }
        if (monotonic_time() >= until)
            break;
        enum status status = unknown ? STATUS_BUSY : try_alone(committer, item, &unknown);
        if (status == STATUS_OK)
            return;
        tries += !unknown && status != STATUS_BUSY;
        pause_a_little();
    }
    buffer_clear(&item->reply);
    item->fact = LEDGER_UNAVAILABLE;
}

/* What a failed transaction leaves behind: each of its settlements is seen to alone, so that one
 * that can't be recorded takes no other with it. */
static void rescue(struct committer *committer, size_t count, bool commit_tried) {
    int64_t until = monotonic_time() + committer->config.deadline * 1000;
    operations_of(committer)->rollback(committer->config.store);
    for (size_t i = 0; i < count; i++) {
        struct item *item = &committer->batch[i];
        rescue_item(committer, item, commit_tried && changes(item->fact), until);
        tell(committer, item, 1);
    }
}

static size_t take_batch(struct committer *committer) {
    size_t count = settle_queue_take(committer->queue, committer->taken, BATCH_MOST);
    for (size_t i = 0; i < count; i++)
        committer->batch[i] =
            (struct item){.waiting = committer->taken[i], .reply = buffer_new(REPLY_SIZE_MAX)};
    return count;
}

/* Takes all that wait into one transaction. They are taken once it has begun: until then each may
 * still be told that it waited too long. */
static void run_batch(struct committer *committer) {
    const struct store_operations *operations = operations_of(committer);
    if (noted(committer, operations->begin(committer->config.store)) != STATUS_OK) {
        operations->rollback(committer->config.store);
        return pause_a_little();
    }
    size_t count = take_batch(committer);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = settle_item(committer, &committer->batch[i]);
    bool commit_tried = status == STATUS_OK;
    if (commit_tried)
        status = commit(committer, committer->batch, count);
    if (status == STATUS_OK)
        tell(committer, committer->batch, count);
    else
        rescue(committer, count, commit_tried);
}

/* Forgets a bounded number of states, and sees whether a store that failed works again. */
static void tend(struct committer *committer) {
    const struct store_operations *operations = operations_of(committer);
    struct store *store = committer->config.store;
    size_t most = FORGOTTEN_AT_LEAST + FORGOTTEN_PER_SETTLED * committer->settled_since;
    size_t pruned = 0;
    bool was_healthy = atomic_load(&committer->is_healthy);
    enum status status = operations->begin(store);
    if (status == STATUS_OK && !was_healthy)
        status = operations->touch(store);
    if (status == STATUS_OK)
        status = operations->prune(store, clock_seconds(committer->config.clock), most, &pruned);
    if (status == STATUS_OK)
        status = operations->commit(store);
    if (noted(committer, status) != STATUS_OK) {
        operations->rollback(store);
        pruned = 0;
    } else {
        atomic_store(&committer->is_healthy, true);
    }
    atomic_fetch_sub(&committer->used_states, pruned);
    committer->settled_since = 0;
    committer->next_tending = monotonic_time() + (pruned == most ? TENDING_SOON : TENDING_LATER);
}

static void *run(void *context) {
    struct committer *committer = context;
    bool ending = false;
    while (!ending) {
        if (settle_queue_wait(committer->queue, committer->next_tending, &ending))
            run_batch(committer);
        if (monotonic_time() >= committer->next_tending)
            tend(committer);
    }
    return NULL;
}

/* The rest of the interface, for any thread. */

static enum status find_taken(struct ledger *ledger, struct bytes salon, const struct bytes *slots,
                              size_t count, bool *taken) {
    struct committer *committer = (struct committer *)ledger;
    struct store *store = committer->config.store;
    enum status status = store->operations->find_taken(store, salon, slots, count, taken);
    if (status != STATUS_OK)
        atomic_fetch_add(&committer->read_errors, 1);
    return status;
}

static bool is_ready(struct ledger *ledger, int64_t now) {
    struct committer *committer = (struct committer *)ledger;
    (void)now;
    return settle_queue_has_room(committer->queue) && atomic_load(&committer->is_healthy);
}

static size_t used_states(struct ledger *ledger) {
    return atomic_load(&((struct committer *)ledger)->used_states);
}

static void read_stats(struct ledger *ledger, struct ledger_stats *stats) {
    struct committer *committer = (struct committer *)ledger;
    settle_queue_read_stats(committer->queue, stats);
    stats->read_errors = atomic_load(&committer->read_errors);
}

static void free_parts(struct committer *committer) {
    settle_queue_free(committer->queue);
    committer->config.store->operations->free(committer->config.store);
    free(committer);
}

static void release(struct ledger *ledger) {
    struct committer *committer = (struct committer *)ledger;
    settle_queue_end(committer->queue);
    pthread_join(committer->thread, NULL);
    free_parts(committer);
}

static void init(struct committer *committer, const struct committer_config *config) {
    static const struct ledger_operations operations = {
        .settle = settle,
        .find_taken = find_taken,
        .is_ready = is_ready,
        .used_states = used_states,
        .read_stats = read_stats,
        .free = release,
    };
    committer->config = *config;
    committer->ledger = (struct ledger){&operations, config->store->has_exclusive_slots};
    committer->next_tending = monotonic_time();
    atomic_init(&committer->used_states, config->store->used_states);
    atomic_init(&committer->is_healthy, true);
    atomic_init(&committer->read_errors, 0);
}

enum status ledger_committer_new(const struct committer_config *config, struct ledger **out) {
    struct committer *committer = calloc(1, sizeof *committer);
    if (committer == NULL) {
        config->store->operations->free(config->store);
        return STATUS_NO_MEMORY;
    }
    init(committer, config);
    enum status status =
        settle_queue_new(config->waiting_max, config->deadline * 1000, &committer->queue);
    if (status == STATUS_OK && pthread_create(&committer->thread, NULL, run, committer) != 0)
        status = STATUS_IO;
    if (status != STATUS_OK) {
        free_parts(committer);
        return status;
    }
    *out = &committer->ledger;
    return STATUS_OK;
}
