/* What a settled answer comes to. Pure. Private to service. */
#ifndef TANDEM_RESOLVE_H
#define TANDEM_RESOLVE_H

#include "ledger.h"

enum resolution_kind {
    RESOLVED_AS_DECIDED, /* the reply that was decided on before the ledger was asked */
    RESOLVED_TAKEN,      /* not booked: the slot was taken meanwhile */
    RESOLVED_REPLAY,     /* the reply that the ledger kept */
    RESOLVED_REFUSAL,
};

struct resolution {
    enum resolution_kind kind;
    enum refusal refusal; /* with RESOLVED_REFUSAL */
};

/* Of an outcome that was to be settled, or of a refusal that only a kept reply could avert. */
struct resolution resolve(enum ledger_fact fact);

#endif
