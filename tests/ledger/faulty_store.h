/* A store that passes every call on to another one, and fails when told to. Any thread may tell. */
#ifndef TANDEM_TEST_FAULTY_STORE_H
#define TANDEM_TEST_FAULTY_STORE_H

#include "store.h"

enum call {
    CALL_BEGIN,
    CALL_SETTLE,
    CALL_PRUNE,
    CALL_COMMIT,
    CALL_FIND,
    CALL_FIND_TAKEN,
    CALL_COUNT
};

struct fault {
    unsigned skip;      /* this many calls go well first */
    unsigned times;     /* and then so many fail; 0: none does */
    enum status status; /* with what they fail */
    bool does_it;       /* the call is made all the same, and reported as failed */
};

struct faulty;

/* `inner` belongs to the faulty store from then on. */
struct store *faulty_store_new(struct store *inner, struct faulty **faulty);

/* From now on calls of this kind fail so. */
void faulty_set(struct faulty *faulty, enum call call, struct fault fault);

/* How often a call was made, failed ones included. */
unsigned faulty_calls(struct faulty *faulty, enum call call);

/* While it is held, no transaction begins: the call waits. */
void faulty_hold(struct faulty *faulty);
void faulty_let_go(struct faulty *faulty);

#endif
