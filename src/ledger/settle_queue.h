/* Those who wait for the committing thread, what they are told, and the count of it. Whoever isn't
 * taken before the deadline is told that the ledger is unavailable, whatever the committing thread
 * is held up by. Private to ledger. */
#ifndef TANDEM_SETTLE_QUEUE_H
#define TANDEM_SETTLE_QUEUE_H

#include "ledger.h"

/* Somebody who waits. */
struct waiting {
    const struct settlement *settlement;
    ledger_done *done;
    void *context;
    int64_t since; /* monotonic microseconds */
};

struct settle_queue;

/* Microseconds of the system's monotonic clock. */
int64_t monotonic_time(void);

/* A queue for `waiting_max` settlements, with a thread of its own that watches the deadline
 * (microseconds). */
enum status settle_queue_new(size_t waiting_max, int64_t deadline, struct settle_queue **out);

/* Once it was ended, and with nobody left in it; or NULL. */
void settle_queue_free(struct settle_queue *queue);

/* Any thread. With no room left `done` is called at once. */
void settle_queue_ask(struct settle_queue *queue, const struct settlement *settlement,
                      ledger_done *done, void *context);
bool settle_queue_has_room(struct settle_queue *queue);
void settle_queue_read_stats(struct settle_queue *queue, struct ledger_stats *stats);

/* From now on nobody asks any more: wakes the committing thread. */
void settle_queue_end(struct settle_queue *queue);

/* The rest is the committing thread's. Waits until `until` (monotonic microseconds) for somebody to
 * ask, or for the end. True when somebody waits. */
bool settle_queue_wait(struct settle_queue *queue, int64_t until, bool *ending);

/* Takes those that wait longest, `most` at the most: from then on only settle_queue_tell tells
 * them. */
size_t settle_queue_take(struct settle_queue *queue, struct waiting *out, size_t most);
void settle_queue_tell(struct settle_queue *queue, const struct waiting *waiting,
                       const struct settled *settled);
void settle_queue_count_commit(struct settle_queue *queue, size_t completions);
void settle_queue_count_error(struct settle_queue *queue);

#endif
