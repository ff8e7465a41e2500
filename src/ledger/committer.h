/* A ledger over a durable store: whoever settles waits in a queue, and one thread takes all that
 * wait into one transaction. Private to ledger. */
#ifndef TANDEM_COMMITTER_H
#define TANDEM_COMMITTER_H

#include "clock.h"
#include "store.h"

enum {
    BATCH_MOST = 256,
    SETTLE_DEADLINE = 5000, /* milliseconds */
};

struct committer_config {
    struct store *store; /* the ledger's own from then on, also when it can't be made */
    struct clock *clock; /* borrowed for the ledger's life */
    size_t waiting_max;  /* settlements that wait; more are LEDGER_UNAVAILABLE at once */
    int64_t deadline;    /* milliseconds; one that isn't begun by then is LEDGER_UNAVAILABLE, and
                            one that was begun is tried again for as long */
};

enum status ledger_committer_new(const struct committer_config *config, struct ledger **out);

#endif
