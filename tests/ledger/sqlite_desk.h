/* A private folder with a ledger's file, a clock in the test's hands, and what is opened on them.
 */
#ifndef TANDEM_TEST_SQLITE_DESK_H
#define TANDEM_TEST_SQLITE_DESK_H

#include "committer.h"
#include "faulty_store.h"
#include "server_process.h"
#include "settling.h"
#include "sqlite_store.h"

#include <stdatomic.h>

struct desk {
    struct arena arena;
    char directory[DIRECTORY_SIZE];
    const char *file;
    atomic_int_fast64_t time; /* the system's, in microseconds; monotonic time stands still */
    struct clock *clock;
    struct sqlite_store_config config; /* of the next opening; its file is the desk's */
    int64_t deadline;                  /* milliseconds; 0: that of a server */
    size_t waiting_max;                /* 0: 1024 */
    struct faulty *faulty;             /* between the ledger and its store, while one is open */
    struct ledger *ledger;             /* or NULL */
};

/* cmocka's set-up and tear-down; `state` becomes a desk whose clock reads NOW. */
int desk_set_up(void **state);
int desk_tear_down(void **state);
#define DESK_TEST(function) cmocka_unit_test_setup_teardown(function, desk_set_up, desk_tear_down)

/* What the desk's clock is made of. */
struct clock_source desk_clock_source(struct desk *desk);

/* Time passes, also for a ledger that is open. */
void desk_pass(struct desk *desk, int64_t seconds);
int64_t desk_now(struct desk *desk);

/* Opens a ledger on the file, through a faulty store without faults; fails the test when it can't.
 */
void desk_open(struct desk *desk);
void desk_close(struct desk *desk);

/* Opens the file's store, and closes it again when that works: the status and, when it doesn't,
 * why.
 */
enum status desk_try(struct desk *desk, struct ledger_problem *problem);

/* Waits until the ledger has forgotten all but this many states; fails the test when it doesn't. */
void desk_wait_for_states(struct desk *desk, size_t count);

/* The same until it is ready, or until it isn't. */
void desk_wait_until_ready(struct desk *desk, bool ready);

/* Runs SQL on the file through a connection of its own; fails the test when it can't. */
void desk_run(struct desk *desk, const char *sql);
int64_t desk_number(struct desk *desk, const char *sql);

#endif
