/* Where completed conversations are settled: a state is spent as one act (protocol.md, section 3,
 * Spend). One interface; what stands behind it is chosen at start. */
#ifndef TANDEM_LEDGER_H
#define TANDEM_LEDGER_H

#include "requeststate.h"

#include <stdint.h>

/* What is to be settled: a state that verified. */
struct settlement {
    const unsigned char *mac;   /* MAC_SIZE bytes */
    const unsigned char *nonce; /* NONCE_SIZE bytes, or NULL for a state that carries none */
    int64_t good_until;         /* unix seconds */
    int64_t now;                /* the request's clock reading, unix seconds */
};

/* What the ledger says happened. Only LEDGER_RECORDED changed anything. */
enum ledger_fact {
    LEDGER_RECORDED,
    LEDGER_USED,
    LEDGER_EXPIRED,     /* never to be accepted again */
    LEDGER_UNAVAILABLE, /* full or out of reach: nothing is known to have happened */
};

struct ledger;

/* Told what happened, once, in any thread and perhaps before ledger_settle returns. */
typedef void ledger_done(void *context, enum ledger_fact fact);

/* Settles in one act: of several calls with one MAC, at any times, in any threads, exactly one gets
 * LEDGER_RECORDED. The settlement is borrowed until `done` is called. */
void ledger_settle(struct ledger *ledger, const struct settlement *settlement, ledger_done *done,
                   void *context);

/* True when a settlement at `now` (unix seconds) could be recorded. Any thread. */
bool ledger_is_ready(struct ledger *ledger, int64_t now);

/* How many used states are kept. Any thread. */
size_t ledger_used_states(struct ledger *ledger);

/* Releases the ledger, or does nothing for NULL. */
void ledger_free(struct ledger *ledger);

/* A ledger that dies with the process: the used set of `capacity` states. It accepts only states
 * whose nonce begins with `mark` (MARK_SIZE bytes, copied), so that no state completes twice across
 * a restart; with NULL it accepts any, which is for replaying recorded conversations only. */
enum status ledger_memory_new(size_t capacity, const unsigned char *mark, struct ledger **out);

/* What an implementation provides. All are given the ledger itself, which is the implementation's
 * first member. */
struct ledger_operations {
    void (*settle)(struct ledger *ledger, const struct settlement *settlement, ledger_done *done,
                   void *context);
    bool (*is_ready)(struct ledger *ledger, int64_t now);
    size_t (*used_states)(struct ledger *ledger);
    void (*free)(struct ledger *ledger);
};

struct ledger {
    const struct ledger_operations *operations;
};

#endif
