/* What the ledger's tests share: settlements by number, asked and waited for. */
#ifndef TANDEM_TEST_SETTLING_H
#define TANDEM_TEST_SETTLING_H

#include "arena.h"
#include "fixtures.h"
#include "ledger.h"

/* A settlement in short. What is NULL or 0 has the value that most tests want. */
struct asked {
    unsigned state;     /* its number, from which the MAC is made */
    int64_t good_until; /* 0: GOOD_UNTIL */
    int64_t now;        /* 0: NOW */
    const char *salon;  /* NULL: elm-street */
    const char *words;  /* NULL: a trim please */
    const char *slot;   /* NULL: none is chosen */
    const char *key;    /* NULL: none */
    const char *answer; /* that comes with the key; NULL: yes */
    bool only_replay;
};

enum { NOW = 1000000, GOOD_UNTIL = NOW + 120 };

/* What came of it. `reply` has what was replayed, with a NUL behind. */
struct told {
    enum ledger_fact fact;
    unsigned times; /* that `done` was called */
    char reply[256];
};

/* Asks, and waits for the fact. Any thread. */
struct told ask_ledger(struct ledger *ledger, const struct asked *asked);
enum ledger_fact fact_of(struct ledger *ledger, const struct asked *asked);

/* Asks, and doesn't wait: pending_wait does, once. */
struct pending;
struct pending *ask_later(struct ledger *ledger, const struct asked *asked);
bool pending_is_told(struct pending *pending);
struct told pending_wait(struct pending *pending);

/* Asks for all of them, and then waits for all: how many were recorded. */
size_t record_all(struct ledger *ledger, const struct asked *asked, size_t count);

void mac_of(unsigned state, unsigned char mac[MAC_SIZE]);

/* Fails the test, naming the row, unless the fact is the expected one. */
#define assert_fact(row, got, expected)                                                            \
    do {                                                                                           \
        enum ledger_fact fact_got = (got);                                                         \
        if (fact_got != (expected))                                                                \
            fail_msg("%s: %s, not %s", (row), ledger_fact_label(fact_got),                         \
                     ledger_fact_label(expected));                                                 \
    } while (0)

#endif
