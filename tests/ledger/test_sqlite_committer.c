/* The committer over a store that fails in every way a store can: nothing acknowledged is lost,
 * nothing completes twice, and whoever can't be told the truth is told that. */
#include "sqlite_desk.h"

#include <stdio.h>
#include <string.h>

static const struct asked BOOKED = {.state = 1, .slot = "sat-10:30", .key = "key"};

/* Fails the test unless the state is kept once, with its booking. */
static void assert_kept_once(const char *row, struct desk *desk) {
    desk_close(desk);
    assert_row_number(row, desk_number(desk, "SELECT count(*) FROM used"), 1);
    assert_row_number(row, desk_number(desk, "SELECT count(*) FROM bookings"), 1);
}

static void start_anew(struct desk *desk) {
    desk_close(desk);
    desk_run(desk, "DELETE FROM used; DELETE FROM replies; DELETE FROM bookings");
    desk_open(desk);
}

/* Faults that pass: whatever fails once, the settlement is recorded in the end. */
static void given_a_passing_fault_when_settled_then_it_is_recorded_once(void **state) {
    struct desk *desk = *state;
    static const struct {
        const char *name;
        enum call call;
        struct fault fault;
    } rows[] = {
        {"busy once", CALL_BEGIN, {0, 1, STATUS_BUSY, false}},
        {"busy nine times", CALL_BEGIN, {0, 9, STATUS_BUSY, false}},
        {"no transaction", CALL_BEGIN, {0, 3, STATUS_IO, false}},
        {"settling fails", CALL_SETTLE, {0, 1, STATUS_IO, false}},
        {"settling fails after it was done", CALL_SETTLE, {0, 1, STATUS_IO, true}},
        {"no memory", CALL_SETTLE, {0, 1, STATUS_NO_MEMORY, false}},
        {"commit fails", CALL_COMMIT, {0, 1, STATUS_IO, false}},
        {"commit is busy", CALL_COMMIT, {0, 3, STATUS_BUSY, false}},
        {"committed, reported failed", CALL_COMMIT, {0, 1, STATUS_IO, true}},
        {"committed, reported full", CALL_COMMIT, {0, 1, STATUS_LIMIT, true}},
    };
    desk_open(desk);
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        start_anew(desk);
        /* The first tending is over once it has pruned, and takes no fault meant for us. */
        while (faulty_calls(desk->faulty, CALL_COMMIT) == 0)
            ;
        faulty_set(desk->faulty, rows[i].call, rows[i].fault);
        assert_fact(rows[i].name, fact_of(desk->ledger, &BOOKED), LEDGER_RECORDED);
        assert_row_number(rows[i].name, ledger_used_states(desk->ledger), 1);
        assert_fact(rows[i].name, fact_of(desk->ledger, &BOOKED), LEDGER_REPLAYED);
        struct ledger_stats stats;
        ledger_read_stats(desk->ledger, &stats);
        assert_row(rows[i].name, stats.errors > 0);
        assert_kept_once(rows[i].name, desk);
    }
}

/* Faults that stay: the truth is told where it is known, and it recovers by itself. */
static void
given_a_lasting_fault_when_settled_then_it_is_unavailable_until_it_passes(void **state) {
    struct desk *desk = *state;
    static const struct {
        const char *name;
        enum call call;
        struct fault fault;
    } rows[] = {
        {"busy", CALL_BEGIN, {0, 100000, STATUS_BUSY, false}},
        {"out of reach", CALL_BEGIN, {0, 100000, STATUS_IO, false}},
        {"full", CALL_SETTLE, {0, 100000, STATUS_LIMIT, false}},
        {"nothing is committed", CALL_COMMIT, {0, 100000, STATUS_IO, false}},
    };
    desk->deadline = 100;
    desk_open(desk);
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        start_anew(desk);
        faulty_set(desk->faulty, rows[i].call, rows[i].fault);
        assert_fact(rows[i].name, fact_of(desk->ledger, &BOOKED), LEDGER_UNAVAILABLE);
        if (rows[i].call != CALL_SETTLE) /* of which the tending doesn't know */
            desk_wait_until_ready(desk, false);
        faulty_set(desk->faulty, rows[i].call, (struct fault){0});
        desk_wait_until_ready(desk, true);
        assert_fact(rows[i].name, fact_of(desk->ledger, &BOOKED), LEDGER_RECORDED);
        assert_kept_once(rows[i].name, desk);
    }
}

/* Committed, reported failed, and for a while it can't be read back. */
static void given_an_unknown_commit_when_it_can_be_read_at_last_then_it_is_recorded(void **state) {
    struct desk *desk = *state;
    desk_open(desk);
    faulty_set(desk->faulty, CALL_COMMIT, (struct fault){0, 1000, STATUS_IO, true});
    faulty_set(desk->faulty, CALL_FIND, (struct fault){0, 5, STATUS_IO, false});
    assert_fact("read back", fact_of(desk->ledger, &BOOKED), LEDGER_RECORDED);
    faulty_set(desk->faulty, CALL_COMMIT, (struct fault){0});
    assert_kept_once("read back", desk);
}

static void given_an_unknown_commit_when_it_cannot_be_read_then_it_is_unavailable(void **state) {
    struct desk *desk = *state;
    desk->deadline = 100;
    desk_open(desk);
    faulty_set(desk->faulty, CALL_COMMIT, (struct fault){0, 1000, STATUS_IO, true});
    faulty_set(desk->faulty, CALL_FIND, (struct fault){0, 1000, STATUS_IO, false});
    assert_fact("nobody can tell", fact_of(desk->ledger, &BOOKED), LEDGER_UNAVAILABLE);
    faulty_set(desk->faulty, CALL_COMMIT, (struct fault){0});
    faulty_set(desk->faulty, CALL_FIND, (struct fault){0});
    assert_fact("with its key", fact_of(desk->ledger, &BOOKED), LEDGER_REPLAYED);
    assert_kept_once("nobody can tell", desk);
}

enum { MANY = 64 };

static void fill_asked(struct asked asked[MANY]) {
    for (unsigned i = 0; i < MANY; i++)
        asked[i] = (struct asked){.state = i, .slot = "sat-10:30"};
}

static void ask_all_later(struct desk *desk, const struct asked *asked, struct pending **pending,
                          size_t count) {
    for (size_t i = 0; i < count; i++)
        pending[i] = ask_later(desk->ledger, &asked[i]);
}

/* Waits for all, each of which must be told this. */
static void expect_all(const char *row, struct pending *const *pending, size_t count,
                       enum ledger_fact fact) {
    for (size_t i = 0; i < count; i++)
        assert_fact(row, pending_wait(pending[i]).fact, fact);
}

static void given_many_that_wait_when_let_go_then_they_share_a_commit(void **state) {
    struct desk *desk = *state;
    struct asked asked[MANY];
    struct pending *pending[MANY];
    fill_asked(asked);
    desk_open(desk);
    faulty_hold(desk->faulty);
    ask_all_later(desk, asked, pending, MANY);
    struct ledger_stats stats;
    ledger_read_stats(desk->ledger, &stats);
    assert_int_equal(stats.waiting, MANY);
    faulty_let_go(desk->faulty);
    expect_all("shared", pending, MANY, LEDGER_RECORDED);
    ledger_read_stats(desk->ledger, &stats);
    assert_int_equal(stats.waiting, 0);
    assert_int_equal(stats.commits, 1);
    assert_int_equal(stats.completions, MANY);
    assert_int_equal(stats.facts[LEDGER_RECORDED], MANY);
    uint64_t measured = 0;
    for (size_t i = 0; i <= LEDGER_LATENCY_BOUNDS; i++)
        measured += stats.latencies[i];
    assert_int_equal(measured, MANY);
    assert_true(stats.latency_sum > 0);
}

/* One that can't be recorded takes no other with it. */
static void given_a_batch_when_one_settlement_fails_then_the_others_are_recorded(void **state) {
    struct desk *desk = *state;
    struct asked asked[MANY];
    struct pending *pending[MANY];
    fill_asked(asked);
    desk_open(desk);
    faulty_hold(desk->faulty);
    ask_all_later(desk, asked, pending, MANY);
    faulty_set(desk->faulty, CALL_SETTLE, (struct fault){30, 1, STATUS_IO, false});
    faulty_let_go(desk->faulty);
    while (faulty_calls(desk->faulty, CALL_SETTLE) < 31)
        ;
    expect_all("in its own transaction", pending, MANY, LEDGER_RECORDED);
    desk_close(desk);
    assert_int_equal(desk_number(desk, "SELECT count(*) FROM bookings"), MANY);
}

/* Nothing more is tried once the time is over, however many are left. */
static void given_a_batch_that_fails_when_its_time_is_over_then_all_are_told_at_once(void **state) {
    struct desk *desk = *state;
    struct asked asked[MANY];
    struct pending *pending[MANY];
    fill_asked(asked);
    desk->deadline = 50;
    desk_open(desk);
    while (faulty_calls(desk->faulty, CALL_COMMIT) == 0) /* the first tending is over */
        ;
    unsigned begun = faulty_calls(desk->faulty, CALL_BEGIN);
    faulty_set(desk->faulty, CALL_SETTLE, (struct fault){MANY - 1, 1, STATUS_IO, false});
    faulty_set(desk->faulty, CALL_BEGIN, (struct fault){1, 100000, STATUS_BUSY, false});
    faulty_hold(desk->faulty);
    ask_all_later(desk, asked, pending, MANY);
    faulty_let_go(desk->faulty);
    expect_all("given up", pending, MANY, LEDGER_UNAVAILABLE);
    if (faulty_calls(desk->faulty, CALL_BEGIN) - begun > MANY / 2)
        fail_msg("%u transactions were tried", faulty_calls(desk->faulty, CALL_BEGIN) - begun);
    faulty_set(desk->faulty, CALL_BEGIN, (struct fault){0});
    assert_int_equal(record_all(desk->ledger, asked, MANY), MANY);
}

static void given_a_batch_when_its_commit_is_unknown_then_each_is_read_back(void **state) {
    struct desk *desk = *state;
    struct asked asked[MANY];
    struct pending *pending[MANY];
    fill_asked(asked);
    asked[MANY - 1].state = 0; /* the first one's twin */
    desk_open(desk);
    faulty_hold(desk->faulty);
    ask_all_later(desk, asked, pending, MANY);
    faulty_set(desk->faulty, CALL_COMMIT, (struct fault){0, 1, STATUS_IO, true});
    faulty_let_go(desk->faulty);
    expect_all("read back", pending, MANY - 1, LEDGER_RECORDED);
    assert_fact("the twin", pending_wait(pending[MANY - 1]).fact, LEDGER_USED);
    assert_int_equal(ledger_used_states(desk->ledger), MANY - 1);
    desk_close(desk);
    assert_int_equal(desk_number(desk, "SELECT count(*) FROM bookings"), MANY - 1);
}

static void given_a_full_queue_when_one_more_comes_then_it_is_told_at_once(void **state) {
    struct desk *desk = *state;
    struct asked asked[MANY];
    struct pending *pending[4];
    fill_asked(asked);
    desk->waiting_max = 4;
    desk_open(desk);
    faulty_hold(desk->faulty);
    ask_all_later(desk, asked, pending, 4);
    assert_false(ledger_is_ready(desk->ledger, NOW));
    assert_fact("one more", fact_of(desk->ledger, &asked[4]), LEDGER_UNAVAILABLE);
    faulty_let_go(desk->faulty);
    expect_all("waited", pending, 4, LEDGER_RECORDED);
    assert_fact("room again", fact_of(desk->ledger, &asked[4]), LEDGER_RECORDED);
}

/* The committing thread hangs in the store, and those that wait are told all the same. */
static void given_a_store_that_hangs_when_the_deadline_passes_then_they_are_told(void **state) {
    struct desk *desk = *state;
    struct asked asked[MANY];
    struct pending *pending[MANY];
    fill_asked(asked);
    desk->deadline = 50;
    desk_open(desk);
    faulty_hold(desk->faulty);
    ask_all_later(desk, asked, pending, MANY);
    expect_all("hangs", pending, MANY, LEDGER_UNAVAILABLE);
    faulty_let_go(desk->faulty);
    assert_int_equal(record_all(desk->ledger, asked, MANY), MANY);
}

static void given_some_that_wait_when_the_ledger_ends_then_each_is_told(void **state) {
    struct desk *desk = *state;
    struct asked asked[MANY];
    struct pending *pending[MANY];
    fill_asked(asked);
    desk_open(desk);
    ask_all_later(desk, asked, pending, MANY);
    desk_close(desk);
    for (size_t i = 0; i < MANY; i++) {
        assert_true(pending_is_told(pending[i]));
        assert_fact("ends", pending_wait(pending[i]).fact, LEDGER_RECORDED);
    }
}

static void given_pruning_that_fails_when_it_works_again_then_it_is_made_up_for(void **state) {
    struct desk *desk = *state;
    desk_open(desk);
    assert_fact("recorded", fact_of(desk->ledger, &BOOKED), LEDGER_RECORDED);
    faulty_set(desk->faulty, CALL_PRUNE, (struct fault){0, 1, STATUS_IO, true});
    desk_pass(desk, 200000);
    desk_wait_for_states(desk, 0);
    assert_true(ledger_is_ready(desk->ledger, NOW));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESK_TEST(given_a_passing_fault_when_settled_then_it_is_recorded_once),
        DESK_TEST(given_a_lasting_fault_when_settled_then_it_is_unavailable_until_it_passes),
        DESK_TEST(given_an_unknown_commit_when_it_can_be_read_at_last_then_it_is_recorded),
        DESK_TEST(given_an_unknown_commit_when_it_cannot_be_read_then_it_is_unavailable),
        DESK_TEST(given_many_that_wait_when_let_go_then_they_share_a_commit),
        DESK_TEST(given_a_batch_when_one_settlement_fails_then_the_others_are_recorded),
        DESK_TEST(given_a_batch_that_fails_when_its_time_is_over_then_all_are_told_at_once),
        DESK_TEST(given_a_batch_when_its_commit_is_unknown_then_each_is_read_back),
        DESK_TEST(given_a_full_queue_when_one_more_comes_then_it_is_told_at_once),
        DESK_TEST(given_a_store_that_hangs_when_the_deadline_passes_then_they_are_told),
        DESK_TEST(given_some_that_wait_when_the_ledger_ends_then_each_is_told),
        DESK_TEST(given_pruning_that_fails_when_it_works_again_then_it_is_made_up_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
