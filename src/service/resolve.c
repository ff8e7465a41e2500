#include "resolve.h"

static struct resolution refused(enum refusal refusal) {
    return (struct resolution){RESOLVED_REFUSAL, refusal};
}

static struct resolution resolved(enum resolution_kind kind) {
    return (struct resolution){kind, REFUSAL_NONE};
}

struct resolution resolve(enum ledger_fact fact) {
    switch (fact) {
    case LEDGER_RECORDED:
    case LEDGER_NOT_STORED:
        return resolved(RESOLVED_AS_DECIDED);
    case LEDGER_TAKEN:
        return resolved(RESOLVED_TAKEN);
    case LEDGER_REPLAYED:
        return resolved(RESOLVED_REPLAY);
    case LEDGER_KEY_REUSED:
        return refused(REFUSAL_KEY_REUSED);
    case LEDGER_USED:
        return refused(REFUSAL_USED);
    case LEDGER_EXPIRED:
        return refused(REFUSAL_EXPIRED);
    case LEDGER_UNAVAILABLE:
    case LEDGER_FACT_COUNT:
        break;
    }
    return refused(REFUSAL_UNAVAILABLE);
}
