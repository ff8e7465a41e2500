#include "settle_queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { MICROSECONDS = 1000000 };

struct settle_queue {
    size_t waiting_max;
    int64_t deadline; /* microseconds */
    pthread_t watcher;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t work;
    pthread_cond_t end;
    bool ending;
    struct ledger_stats stats;
    size_t first; /* in the ring */
    size_t count;
    struct waiting ring[]; /* of waiting_max places */
};

int64_t monotonic_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * MICROSECONDS + now.tv_nsec / 1000;
}

static struct timespec timespec_of(int64_t time) {
    return (struct timespec){time / MICROSECONDS, (long)(time % MICROSECONDS) * 1000};
}

/* Under the lock. */
static void count_told(struct ledger_stats *stats, enum ledger_fact fact, int64_t latency) {
    size_t i = 0;
    while (i < LEDGER_LATENCY_BOUNDS && latency > ledger_latency_bounds[i])
        i++;
    stats->facts[fact]++;
    stats->latencies[i]++;
    stats->latency_sum += (uint64_t)latency;
}

void settle_queue_tell(struct settle_queue *queue, const struct waiting *waiting,
                       const struct settled *settled) {
    int64_t latency = monotonic_time() - waiting->since;
    pthread_mutex_lock(&queue->lock);
    count_told(&queue->stats, settled->fact, latency);
    pthread_mutex_unlock(&queue->lock);
    waiting->done(waiting->context, settled);
}

static void tell_unavailable(struct settle_queue *queue, const struct waiting *waiting) {
    const struct settled settled = {.fact = LEDGER_UNAVAILABLE};
    settle_queue_tell(queue, waiting, &settled);
}

void settle_queue_ask(struct settle_queue *queue, const struct settlement *settlement,
                      ledger_done *done, void *context) {
    const struct waiting waiting = {settlement, done, context, monotonic_time()};
    pthread_mutex_lock(&queue->lock);
    bool has_room = queue->count < queue->waiting_max;
    if (has_room) {
        queue->ring[(queue->first + queue->count++) % queue->waiting_max] = waiting;
        pthread_cond_signal(&queue->work);
    }
    pthread_mutex_unlock(&queue->lock);
    if (!has_room)
        tell_unavailable(queue, &waiting);
}

/* Under the lock: the one that waits longest; there must be one. */
static struct waiting take_first(struct settle_queue *queue) {
    struct waiting waiting = queue->ring[queue->first];
    queue->first = (queue->first + 1) % queue->waiting_max;
    queue->count--;
    return waiting;
}

size_t settle_queue_take(struct settle_queue *queue, struct waiting *out, size_t most) {
    size_t count = 0;
    pthread_mutex_lock(&queue->lock);
    while (queue->count > 0 && count < most)
        out[count++] = take_first(queue);
    pthread_mutex_unlock(&queue->lock);
    return count;
}

bool settle_queue_wait(struct settle_queue *queue, int64_t until, bool *ending) {
    struct timespec at = timespec_of(until);
    pthread_mutex_lock(&queue->lock);
    if (queue->count == 0 && !queue->ending)
        pthread_cond_timedwait(&queue->work, &queue->lock, &at);
    bool has_work = queue->count > 0;
    *ending = queue->ending && !has_work;
    pthread_mutex_unlock(&queue->lock);
    return has_work;
}

/* The watcher's thread. */
static void *watch(void *context) {
    struct settle_queue *queue = context;
    pthread_mutex_lock(&queue->lock);
    while (!queue->ending || queue->count > 0) {
        int64_t now = monotonic_time();
        int64_t since = queue->count == 0 ? now : queue->ring[queue->first].since;
        struct timespec at = timespec_of(since + queue->deadline);
        if (now < since + queue->deadline) {
            pthread_cond_timedwait(&queue->end, &queue->lock, &at);
            continue;
        }
        struct waiting waiting = take_first(queue);
        pthread_mutex_unlock(&queue->lock);
        tell_unavailable(queue, &waiting);
        pthread_mutex_lock(&queue->lock);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

bool settle_queue_has_room(struct settle_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    bool has_room = queue->count < queue->waiting_max;
    pthread_mutex_unlock(&queue->lock);
    return has_room;
}

void settle_queue_read_stats(struct settle_queue *queue, struct ledger_stats *stats) {
    pthread_mutex_lock(&queue->lock);
    *stats = queue->stats;
    stats->waiting = queue->count;
    pthread_mutex_unlock(&queue->lock);
}

void settle_queue_count_commit(struct settle_queue *queue, size_t completions) {
    pthread_mutex_lock(&queue->lock);
    queue->stats.commits++;
    queue->stats.completions += completions;
    pthread_mutex_unlock(&queue->lock);
}

void settle_queue_count_error(struct settle_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->stats.errors++;
    pthread_mutex_unlock(&queue->lock);
}

void settle_queue_end(struct settle_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->ending = true;
    pthread_cond_signal(&queue->work);
    pthread_cond_signal(&queue->end);
    pthread_mutex_unlock(&queue->lock);
}

static void release(struct settle_queue *queue) {
    pthread_cond_destroy(&queue->work);
    pthread_cond_destroy(&queue->end);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

void settle_queue_free(struct settle_queue *queue) {
    if (queue == NULL)
        return;
    /* The watcher ends only once nobody waits, and may have slept since before that. */
    settle_queue_end(queue);
    pthread_join(queue->watcher, NULL);
    release(queue);
}

enum status settle_queue_new(size_t waiting_max, int64_t deadline, struct settle_queue **out) {
    struct settle_queue *queue = calloc(1, sizeof *queue + waiting_max * sizeof(struct waiting));
    if (queue == NULL)
        return STATUS_NO_MEMORY;
    queue->waiting_max = waiting_max;
    queue->deadline = deadline;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->work, &attributes);
    pthread_cond_init(&queue->end, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&queue->watcher, NULL, watch, queue) != 0) {
        release(queue);
        return STATUS_IO;
    }
    *out = queue;
    return STATUS_OK;
}
