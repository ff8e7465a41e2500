/* A durable store as the committer uses it: in one thread, one transaction at a time. It knows
 * nothing of queues and deadlines, and the committer nothing of SQL. Private to ledger. */
#ifndef TANDEM_STORE_H
#define TANDEM_STORE_H

#include "ledger.h"

struct store;

struct store_operations {
    /* Begins a transaction that may write; STATUS_BUSY while somebody else writes. */
    enum status (*begin)(struct store *store);

    /* Settles within the transaction: the fact, true once it is committed, and with LEDGER_REPLAYED
     * the kept reply. After any other status than STATUS_OK only rollback may follow. */
    enum status (*settle)(struct store *store, const struct settlement *settlement,
                          enum ledger_fact *fact, struct buffer *reply);

    /* Within the transaction: forgets states that can never be accepted again at `now`, `most` at
     * the most, and raises the floor below which none is accepted. */
    enum status (*prune)(struct store *store, int64_t now, size_t most, size_t *pruned);

    /* Within the transaction: writes something that changes nothing, to see whether that works. */
    enum status (*touch)(struct store *store);

    /* After any other status than STATUS_OK it isn't known whether the transaction is there. */
    enum status (*commit)(struct store *store);

    /* Takes the transaction back, if there is one. */
    void (*rollback)(struct store *store);

    /* Outside any transaction: whether the state is spent, as whoever opens the store next will
     * see it. */
    enum status (*find)(struct store *store, const struct settlement *settlement, bool *found);

    /* As ledger_find_taken. Any thread, also beside all others. Only with exclusive slots. */
    enum status (*find_taken)(struct store *store, struct bytes salon, const struct bytes *slots,
                              size_t count, bool *taken);

    void (*free)(struct store *store);
};

struct store {
    const struct store_operations *operations;
    bool has_exclusive_slots;
    size_t used_states; /* how many there were when it was opened */
};

#endif
