#include "sqlite_desk.h"

#include "deadline.h"

#include <sched.h>
#include <sqlite3.h>
#include <stdlib.h>

static int64_t read_time(void *context) {
    return atomic_load(&((struct desk *)context)->time);
}

static int64_t stand_still(void *context) {
    (void)context;
    return 0;
}

struct clock_source desk_clock_source(struct desk *desk) {
    return (struct clock_source){read_time, stand_still, desk};
}

void desk_pass(struct desk *desk, int64_t seconds) {
    atomic_fetch_add(&desk->time, seconds * 1000000);
}

int64_t desk_now(struct desk *desk) {
    return atomic_load(&desk->time) / 1000000;
}

int desk_set_up(void **state) {
    struct desk *desk = calloc(1, sizeof *desk);
    if (desk == NULL)
        return -1;
    *state = desk;
    directory_make(desk->directory);
    desk->file = arena_format(&desk->arena, "%s/tandem.db", desk->directory);
    atomic_init(&desk->time, (int64_t)NOW * 1000000);
    desk->config = (struct sqlite_store_config){.file = desk->file, .replay_window = 86400};
    assert_int_equal(clock_new(desk_clock_source(desk), &desk->clock), STATUS_OK);
    return 0;
}

int desk_tear_down(void **state) {
    struct desk *desk = *state;
    desk_close(desk);
    clock_free(desk->clock);
    directory_remove(desk->directory);
    arena_done(&desk->arena);
    free(desk);
    return 0;
}

void desk_open(struct desk *desk) {
    struct ledger_problem problem;
    struct store *store;
    if (sqlite_store_new(&desk->config, &store, &problem) != STATUS_OK)
        fail_msg("%s", problem.text);
    const struct committer_config config = {
        .store = faulty_store_new(store, &desk->faulty),
        .clock = desk->clock,
        .waiting_max = desk->waiting_max == 0 ? 1024 : desk->waiting_max,
        .deadline = desk->deadline == 0 ? SETTLE_DEADLINE : desk->deadline,
    };
    assert_int_equal(ledger_committer_new(&config, &desk->ledger), STATUS_OK);
}

void desk_close(struct desk *desk) {
    ledger_free(desk->ledger);
    desk->ledger = NULL;
}

enum status desk_try(struct desk *desk, struct ledger_problem *problem) {
    struct store *store;
    enum status status = sqlite_store_new(&desk->config, &store, problem);
    if (status == STATUS_OK)
        store->operations->free(store);
    return status;
}

void desk_wait_for_states(struct desk *desk, size_t count) {
    struct deadline deadline = deadline_in(PATIENCE);
    while (ledger_used_states(desk->ledger) > count) {
        if (deadline_left(deadline) == 0)
            fail_msg("%zu states are kept, not %zu", ledger_used_states(desk->ledger), count);
        sched_yield();
    }
    assert_int_equal(ledger_used_states(desk->ledger), count);
}

void desk_wait_until_ready(struct desk *desk, bool ready) {
    struct deadline deadline = deadline_in(PATIENCE);
    while (ledger_is_ready(desk->ledger, NOW) != ready) {
        if (deadline_left(deadline) == 0)
            fail_msg("the ledger is %sready", ready ? "not " : "");
        sched_yield();
    }
}

static sqlite3 *connect_to_file(struct desk *desk) {
    sqlite3 *database = NULL;
    if (sqlite3_open_v2(desk->file, &database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        fail_msg("%s can't be opened", desk->file);
    sqlite3_busy_timeout(database, PATIENCE);
    return database;
}

void desk_run(struct desk *desk, const char *sql) {
    sqlite3 *database = connect_to_file(desk);
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(database));
    sqlite3_close(database);
}

int64_t desk_number(struct desk *desk, const char *sql) {
    sqlite3 *database = connect_to_file(desk);
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        fail_msg("%s: %s", sql, sqlite3_errmsg(database));
    int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return number;
}
