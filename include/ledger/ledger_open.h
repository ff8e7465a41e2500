/* Ledgers by name, as --ledger has them: "memory", "sqlite:FILE". */
#ifndef TANDEM_LEDGER_OPEN_H
#define TANDEM_LEDGER_OPEN_H

#include "clock.h"
#include "ledger.h"

enum { REPLAY_WINDOW_DEFAULT = 86400, REPLAY_WINDOW_MOST = 31536000 };

struct ledger_config {
    const char *url;
    struct clock *clock; /* borrowed for the ledger's life */
    /* memory's: */
    size_t used_states_max;
    const unsigned char *mark; /* as ledger_memory_new has it */
    /* a durable ledger's: */
    bool exclusive_slots;  /* a slot of a salon is booked once while its booking stands */
    int64_t replay_window; /* seconds for which a reply is kept under its Idempotency-Key */
    size_t waiting_max;    /* settlements that wait for a commit */
};

/* True when sqlite: is built in. */
bool ledger_has_sqlite(void);

/* True for a name that ledger_open takes; otherwise `problem` says what there is. */
bool ledger_url_is_valid(const char *url, struct ledger_problem *problem);

/* True when the ledger outlives the process, so that a state issued before a restart completes
 * after it. */
bool ledger_url_is_durable(const char *url);

/* True, with a text for the owner in `warning`, when others can read or write the ledger's file
 * (its group counts as others), which holds what customers wrote. It serves all the same. */
bool ledger_is_exposed(const char *url, struct ledger_problem *warning);

/* Opens a ledger; a file that isn't there is made, a damaged one never replaced. On failure
 * `problem` says what is wrong, and what to do. */
enum status ledger_open(const struct ledger_config *config, struct ledger **out,
                        struct ledger_problem *problem);

#endif
