/* The memory of used states: a hash set of 32-byte MACs behind one mutex. A MAC is forgotten only
 * once its state can never be accepted again, and forgetting raises the floor in the same act
 * (protocol.md, section 3). Every call does a bounded amount of work, whatever the set holds: the
 * tables have their full size from the start (the system gives pages as they are first touched),
 * and a call forgets two states at the most. */
#ifndef TANDEM_USED_SET_H
#define TANDEM_USED_SET_H

#include "keyring.h"

#include <stdint.h>

struct used_set;

enum { USED_SET_CAPACITY_MOST = 1000000000 };

/* A set for `capacity` MACs, 1 to USED_SET_CAPACITY_MOST, of about 64 bytes each. */
enum status used_set_new(size_t capacity, struct used_set **out);
void used_set_free(struct used_set *set);

enum spend {
    SPEND_RECORDED, /* the first use; recorded */
    SPEND_USED,     /* spent before */
    SPEND_EXPIRED,  /* past `good_until`, or at or below the floor */
    SPEND_FULL,     /* the set is full of states that could still be accepted; nothing recorded */
};

/* Looks a MAC up and records it, in one critical section. `good_until` and `now` are unix seconds;
 * `now` may lag behind another thread's. Any thread. */
enum spend used_set_spend(struct used_set *set, const unsigned char mac[MAC_SIZE],
                          int64_t good_until, int64_t now);

/* How many MACs are remembered. Any thread. */
size_t used_set_count(struct used_set *set);

/* True when a state could not be spent at `now` for want of room. Any thread. */
bool used_set_is_full(struct used_set *set, int64_t now);

#endif
