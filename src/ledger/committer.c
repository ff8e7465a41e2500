#include "committer.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum {
    MICROSECONDS = 1000000,
    PAUSE = 10000,             /* microseconds between two tries */
    TENDING_SOON = 250000,     /* microseconds until more is forgotten, when there is more */
    TENDING_LATER = 1000000,   /* and when there isn't */
    FORGOTTEN_AT_LEAST = 256,  /* states per tending */
    FORGOTTEN_PER_SETTLED = 2, /* so that forgetting keeps up */
    TRIES_ALONE = 2,           /* of one settlement whose transaction fails */
};

/* Somebody who waits. */
struct waiting {
    const struct settlement *settlement;
    ledger_done *done;
    void *context;
    int64_t since; /* monotonic microseconds */
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
    pthread_t thread;
    pthread_t watcher;
    size_t threads_started;
    atomic_size_t used_states;
    atomic_bool is_healthy; /* no call of the store failed since it last took a write */
    atomic_uint_fast64_t read_errors;

    pthread_mutex_t lock; /* guards all below, up to the committing thread's own */
    pthread_cond_t work;
    pthread_cond_t end;
    bool ending;
    size_t first; /* in the ring `queue` of waiting_max places */
    size_t count;
    struct waiting *queue;
    struct ledger_stats stats;

    struct item batch[BATCH_MOST]; /* the committing thread's own, as all below */
    int64_t next_tending;          /* monotonic microseconds */
    size_t settled_since;          /* the last tending */
};

static int64_t monotonic_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * MICROSECONDS + now.tv_nsec / 1000;
}

static struct timespec timespec_of(int64_t time) {
    return (struct timespec){time / MICROSECONDS, (long)(time % MICROSECONDS) * 1000};
}

static void pause_a_little(void) {
    struct timespec rest = timespec_of(PAUSE);
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR)
        ;
}

static int64_t deadline_of(const struct committer *committer, int64_t since) {
    return since + committer->config.deadline * 1000;
}

static void count_latency(struct ledger_stats *stats, int64_t latency) {
    size_t i = 0;
    while (i < LEDGER_LATENCY_BOUNDS && latency > ledger_latency_bounds[i])
        i++;
    stats->latencies[i]++;
    stats->latency_sum += (uint64_t)latency;
}

/* Under the lock. */
static void count_told(struct committer *committer, enum ledger_fact fact, int64_t latency) {
    committer->stats.facts[fact]++;
    count_latency(&committer->stats, latency);
}

static void tell_unavailable(const struct waiting *waiting) {
    const struct settled settled = {.fact = LEDGER_UNAVAILABLE};
    waiting->done(waiting->context, &settled);
}

static void settle(struct ledger *ledger, const struct settlement *settlement, ledger_done *done,
                   void *context) {
    struct committer *committer = (struct committer *)ledger;
    const struct waiting waiting = {settlement, done, context, monotonic_time()};
    pthread_mutex_lock(&committer->lock);
    bool has_room = committer->count < committer->config.waiting_max;
    if (has_room) {
        size_t place = (committer->first + committer->count++) % committer->config.waiting_max;
        committer->queue[place] = waiting;
        pthread_cond_signal(&committer->work);
    } else {
        count_told(committer, LEDGER_UNAVAILABLE, 0);
    }
    pthread_mutex_unlock(&committer->lock);
    if (!has_room)
        tell_unavailable(&waiting);
}

/* Under the lock: the one that waits longest; there must be one. */
static struct waiting take_first(struct committer *committer) {
    struct waiting waiting = committer->queue[committer->first];
    committer->first = (committer->first + 1) % committer->config.waiting_max;
    committer->count--;
    return waiting;
}

/* The watcher's part: whoever waits too long is told, whatever the committing thread is held up by.
 */
static void *watch(void *context) {
    struct committer *committer = context;
    pthread_mutex_lock(&committer->lock);
    while (!committer->ending || committer->count > 0) {
        int64_t now = monotonic_time();
        int64_t until = deadline_of(
            committer, committer->count == 0 ? now : committer->queue[committer->first].since);
        if (now >= until) {
            struct waiting waiting = take_first(committer);
            count_told(committer, LEDGER_UNAVAILABLE, now - waiting.since);
            pthread_mutex_unlock(&committer->lock);
            tell_unavailable(&waiting);
            pthread_mutex_lock(&committer->lock);
            continue;
        }
        struct timespec at = timespec_of(until);
        pthread_cond_timedwait(&committer->end, &committer->lock, &at);
    }
    pthread_mutex_unlock(&committer->lock);
    return NULL;
}

/* Everything below runs in the committing thread. */

static const struct store_operations *operations_of(const struct committer *committer) {
    return committer->config.store->operations;
}

/* Passes a status of the store's on, and keeps count. */
static enum status noted(struct committer *committer, enum status status) {
    if (status != STATUS_OK) {
        atomic_store(&committer->is_healthy, false);
        pthread_mutex_lock(&committer->lock);
        committer->stats.errors++;
        pthread_mutex_unlock(&committer->lock);
    }
    return status;
}

static bool changes(enum ledger_fact fact) {
    return fact == LEDGER_RECORDED || fact == LEDGER_TAKEN;
}

/* Tells those whose fact is known. */
static void tell(struct committer *committer, struct item *items, size_t count) {
    int64_t now = monotonic_time();
    pthread_mutex_lock(&committer->lock);
    for (size_t i = 0; i < count; i++)
        count_told(committer, items[i].fact, now - items[i].waiting.since);
    pthread_mutex_unlock(&committer->lock);
    for (size_t i = 0; i < count; i++) {
        const struct settled settled = {items[i].fact, buffer_bytes(&items[i].reply)};
        items[i].waiting.done(items[i].waiting.context, &settled);
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
    if (changed > 0)
        atomic_store(&committer->is_healthy, true);
    pthread_mutex_lock(&committer->lock);
    committer->stats.commits += changed > 0;
    committer->stats.completions += changed;
    pthread_mutex_unlock(&committer->lock);
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
 * long as it takes up to `until`. `unknown`: its commit was tried. */
static void rescue_item(struct committer *committer, struct item *item, bool unknown,
                        int64_t until) {
    int tries = 0;
    for (;;) {
        bool found = false;
        if (unknown && read_back(committer, item, &found) == STATUS_OK) {
            if (found)
                return;
            unknown = false;
        }
        if (!unknown) {
            enum status status = try_alone(committer, item, &unknown);
            if (status == STATUS_OK)
                return;
            tries += status != STATUS_BUSY;
        }
        if ((!unknown && tries == TRIES_ALONE) || monotonic_time() >= until)
            break;
        pause_a_little();
    }
    buffer_clear(&item->reply);
    item->fact = LEDGER_UNAVAILABLE;
}

/* What a failed transaction leaves behind: each of its settlements is seen to alone, so that one
 * that can't be recorded takes no other with it. */
static void rescue(struct committer *committer, size_t count, bool commit_tried) {
    int64_t until = deadline_of(committer, monotonic_time());
    operations_of(committer)->rollback(committer->config.store);
    for (size_t i = 0; i < count; i++) {
        struct item *item = &committer->batch[i];
        rescue_item(committer, item, commit_tried && changes(item->fact), until);
        tell(committer, item, 1);
    }
}

static size_t take_batch(struct committer *committer) {
    size_t count = 0;
    pthread_mutex_lock(&committer->lock);
    while (committer->count > 0 && count < BATCH_MOST)
        committer->batch[count++] =
            (struct item){.waiting = take_first(committer), .reply = buffer_new(REPLY_SIZE_MAX)};
    pthread_mutex_unlock(&committer->lock);
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

/* Waits for work until it is time to tend. True when there is some. */
static bool wait_for_work(struct committer *committer, bool *ending) {
    struct timespec until = timespec_of(committer->next_tending);
    pthread_mutex_lock(&committer->lock);
    if (committer->count == 0 && !committer->ending)
        pthread_cond_timedwait(&committer->work, &committer->lock, &until);
    bool has_work = committer->count > 0;
    *ending = committer->ending && !has_work;
    pthread_mutex_unlock(&committer->lock);
    return has_work;
}

static void *run(void *context) {
    struct committer *committer = context;
    bool ending = false;
    while (!ending) {
        if (wait_for_work(committer, &ending))
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
    pthread_mutex_lock(&committer->lock);
    bool has_room = committer->count < committer->config.waiting_max;
    pthread_mutex_unlock(&committer->lock);
    return has_room && atomic_load(&committer->is_healthy);
}

static size_t used_states(struct ledger *ledger) {
    return atomic_load(&((struct committer *)ledger)->used_states);
}

static void read_stats(struct ledger *ledger, struct ledger_stats *stats) {
    struct committer *committer = (struct committer *)ledger;
    pthread_mutex_lock(&committer->lock);
    *stats = committer->stats;
    stats->waiting = committer->count;
    pthread_mutex_unlock(&committer->lock);
    stats->read_errors = atomic_load(&committer->read_errors);
}

static void end_threads(struct committer *committer) {
    pthread_mutex_lock(&committer->lock);
    committer->ending = true;
    pthread_cond_signal(&committer->work);
    pthread_mutex_unlock(&committer->lock);
    if (committer->threads_started > 0)
        pthread_join(committer->thread, NULL);
    pthread_mutex_lock(&committer->lock);
    pthread_cond_signal(&committer->end);
    pthread_mutex_unlock(&committer->lock);
    if (committer->threads_started > 1)
        pthread_join(committer->watcher, NULL);
}

static void release(struct ledger *ledger) {
    struct committer *committer = (struct committer *)ledger;
    end_threads(committer);
    committer->config.store->operations->free(committer->config.store);
    pthread_cond_destroy(&committer->work);
    pthread_cond_destroy(&committer->end);
    pthread_mutex_destroy(&committer->lock);
    free(committer->queue);
    free(committer);
}

static enum status start_threads(struct committer *committer) {
    if (pthread_create(&committer->thread, NULL, run, committer) != 0)
        return STATUS_IO;
    committer->threads_started++;
    if (pthread_create(&committer->watcher, NULL, watch, committer) != 0)
        return STATUS_IO;
    committer->threads_started++;
    return STATUS_OK;
}

static void init(struct committer *committer, const struct committer_config *config) {
    static const struct ledger_operations exclusive = {
        .settle = settle,
        .find_taken = find_taken,
        .is_ready = is_ready,
        .used_states = used_states,
        .read_stats = read_stats,
        .free = release,
    };
    static const struct ledger_operations plain = {
        .settle = settle,
        .is_ready = is_ready,
        .used_states = used_states,
        .read_stats = read_stats,
        .free = release,
    };
    committer->config = *config;
    committer->ledger.operations =
        config->store->operations->find_taken == NULL ? &plain : &exclusive;
    committer->next_tending = monotonic_time();
    atomic_init(&committer->used_states, config->store->used_states);
    atomic_init(&committer->is_healthy, true);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&committer->lock, NULL);
    pthread_cond_init(&committer->work, &attributes);
    pthread_cond_init(&committer->end, &attributes);
    pthread_condattr_destroy(&attributes);
}

enum status ledger_committer_new(const struct committer_config *config, struct ledger **out) {
    struct committer *committer = calloc(1, sizeof *committer);
    struct waiting *queue = calloc(config->waiting_max, sizeof *queue);
    if (committer == NULL || queue == NULL) {
        free(committer);
        free(queue);
        config->store->operations->free(config->store);
        return STATUS_NO_MEMORY;
    }
    init(committer, config);
    committer->queue = queue;
    enum status status = start_threads(committer);
    if (status != STATUS_OK) {
        release(&committer->ledger);
        return status;
    }
    *out = &committer->ledger;
    return STATUS_OK;
}
