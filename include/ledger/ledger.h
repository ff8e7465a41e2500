/* Where completed conversations are settled: a state is spent and its booking recorded as one act
 * (protocol.md, section 3, Spend). One interface; what stands behind it is chosen at start. */
#ifndef TANDEM_LEDGER_H
#define TANDEM_LEDGER_H

#include "requeststate.h"

#include <stdint.h>

/* A reply that is kept under an Idempotency-Key, so that a client who lost it gets it again. */
struct idempotency {
    unsigned char key[DIGEST_SIZE];    /* SHA3-256 of the key */
    unsigned char answer[DIGEST_SIZE]; /* SHA3-256 of the answer that came with it */
    struct bytes reply;                /* kept with LEDGER_RECORDED */
    struct bytes reply_if_taken;       /* kept with LEDGER_TAKEN */
};

/* What is to be settled: a state that verified, and what its answer came to. All borrowed. */
struct settlement {
    const unsigned char *mac;   /* MAC_SIZE bytes */
    const unsigned char *nonce; /* NONCE_SIZE bytes, or NULL for a state that carries none */
    int64_t good_until;         /* unix seconds */
    int64_t now;                /* the request's clock reading, unix seconds */
    struct bytes salon;
    struct bytes words;                    /* the customer's */
    const struct bytes *slot;              /* the booked one, or NULL when none was chosen */
    const struct idempotency *idempotency; /* or NULL */
    bool only_replay; /* the request is refused unless a reply is kept: nothing is recorded */
};

/* What the ledger says happened. Only the first two changed anything: the state is spent. */
enum ledger_fact {
    LEDGER_RECORDED,
    LEDGER_TAKEN, /* another booking of the slot stands, at a ledger with exclusive slots */
    LEDGER_USED,
    LEDGER_EXPIRED,     /* never to be accepted again */
    LEDGER_REPLAYED,    /* the state was used with this key and answer: here is the reply again */
    LEDGER_KEY_REUSED,  /* the state was used with this key and another answer */
    LEDGER_NOT_STORED,  /* no reply is kept; with only_replay */
    LEDGER_UNAVAILABLE, /* full or out of reach: nothing is known to have happened */
    LEDGER_FACT_COUNT,
};

/* A fact's snake_case name in metrics. */
const char *ledger_fact_label(enum ledger_fact fact);

/* Why a ledger can't be had, or what it couldn't do, as a text for its owner. */
struct ledger_problem {
    char text[1024]; /* NUL-terminated */
};

struct settled {
    enum ledger_fact fact;
    struct bytes reply; /* with LEDGER_REPLAYED; borrowed for the call that tells */
};

struct ledger;

/* Told what happened, once, in any thread and perhaps before ledger_settle returns. */
typedef void ledger_done(void *context, const struct settled *settled);

/* Settles in one act: of several calls with one MAC, at any times, in any threads, exactly one gets
 * LEDGER_RECORDED or LEDGER_TAKEN. The settlement is borrowed until `done` is called. */
void ledger_settle(struct ledger *ledger, const struct settlement *settlement, ledger_done *done,
                   void *context);

/* Which of a salon's slots are taken, into `taken` (all false unless the ledger has exclusive
 * slots). On any other status than STATUS_OK `taken` is untouched; the ledger counts these. Any
 * thread. */
enum status ledger_find_taken(struct ledger *ledger, struct bytes salon, const struct bytes *slots,
                              size_t count, bool *taken);

/* True when a slot is booked at most once while its booking stands. Any thread. */
bool ledger_has_exclusive_slots(const struct ledger *ledger);

/* True when a settlement at `now` (unix seconds) could be recorded. Any thread. */
bool ledger_is_ready(struct ledger *ledger, int64_t now);

/* How many used states are kept. Any thread. */
size_t ledger_used_states(struct ledger *ledger);

/* What a ledger with a committer counts, from its start; all zero for one without. */
enum { LEDGER_LATENCY_BOUNDS = 12 };
extern const int64_t ledger_latency_bounds[LEDGER_LATENCY_BOUNDS]; /* microseconds */

struct ledger_stats {
    uint64_t facts[LEDGER_FACT_COUNT];             /* told, by kind */
    uint64_t latencies[LEDGER_LATENCY_BOUNDS + 1]; /* from asked to told, up to each bound, and
                                                      above; not cumulated */
    uint64_t latency_sum;                          /* microseconds */
    uint64_t commits;
    uint64_t completions; /* in those commits */
    uint64_t errors;      /* calls of the store that failed, or found it busy */
    uint64_t read_errors; /* of ledger_find_taken */
    size_t waiting;       /* settlements that aren't begun */
};

/* Any thread. */
void ledger_read_stats(struct ledger *ledger, struct ledger_stats *stats);

/* Releases the ledger, or does nothing for NULL. Whatever was asked is told before it returns. */
void ledger_free(struct ledger *ledger);

/* A ledger that dies with the process: the used set of `capacity` states. It accepts only states
 * whose nonce begins with `mark` (MARK_SIZE bytes, copied), so that no state completes twice across
 * a restart; with NULL it accepts any, which is for replaying recorded conversations only. It keeps
 * no bookings, so its slots are never exclusive. */
enum status ledger_memory_new(size_t capacity, const unsigned char *mark, struct ledger **out);

/* What an implementation provides. All are given the ledger itself, which is the implementation's
 * first member. Those that may be NULL do nothing then. */
struct ledger_operations {
    void (*settle)(struct ledger *ledger, const struct settlement *settlement, ledger_done *done,
                   void *context);
    enum status (*find_taken)(struct ledger *ledger, struct bytes salon, const struct bytes *slots,
                              size_t count, bool *taken); /* with exclusive slots */
    bool (*is_ready)(struct ledger *ledger, int64_t now);
    size_t (*used_states)(struct ledger *ledger);
    void (*read_stats)(struct ledger *ledger, struct ledger_stats *stats); /* or NULL */
    void (*free)(struct ledger *ledger);
};

struct ledger {
    const struct ledger_operations *operations;
    bool has_exclusive_slots;
};

#endif
