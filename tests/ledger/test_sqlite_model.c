/* Long random runs of settling, cancelling, forgetting, clock jumps and restarts, against the
 * memory ledger as the model. Where the two may differ is said in judge(); what must never happen
 * is held by counting. The seed is printed, and the same in every run. */
#include "bookings.h"
#include "sqlite_desk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 60, SLOTS = 6, RUNS = 12, STEPS = 120, RUNS_SLOW = 150, STEPS_SLOW = 400 };

/* What the test itself knows of a state. */
struct known {
    int64_t good_until;
    unsigned completed; /* how often; once at the most */
    const char *key;    /* it completed with, or NULL */
    const char *answer; /* the same */
    char reply[64];     /* kept then */
};

struct run {
    struct desk *desk;
    struct ledger *model;
    struct dice dice;
    struct known states[STATES];
    const char *standing[SLOTS]; /* the slot's name while a booking of it stands, or NULL */
    int64_t latest;              /* clock reading ever given */
    size_t facts[LEDGER_FACT_COUNT];
    size_t cancelled;
    size_t restarts;
    size_t leniencies;
};

static const char *const slots[SLOTS] = {"s0", "s1", "s2", "s3", "s4", "s5"};
static const char *const keys[] = {NULL, NULL, "k1", "k2"};
static const char *const answers[] = {"yes", "no"};

static int64_t now_of(const struct run *run) {
    return desk_now(run->desk);
}

static size_t slot_index(const char *slot) {
    size_t i = 0;
    while (strcmp(slots[i], slot) != 0)
        i++;
    return i;
}

static bool is_refused(enum ledger_fact fact) {
    return fact == LEDGER_USED || fact == LEDGER_EXPIRED || fact == LEDGER_NOT_STORED;
}

/* A reply is kept longer in the file than in the model, and the model forgets at once what the file
 * keeps for an hour: after the clock was set back the file may know better. It never says less than
 * that the state is used or expired. */
static bool may_differ(const struct run *run, const struct asked *asked, enum ledger_fact model,
                       enum ledger_fact got) {
    const struct known *known = &run->states[asked->state];
    bool key_fits = known->key != NULL && asked->key != NULL && strcmp(known->key, asked->key) == 0;
    if (is_refused(model) && (got == LEDGER_REPLAYED || got == LEDGER_KEY_REUSED))
        return key_fits && known->completed == 1 &&
               (got == LEDGER_REPLAYED) == (strcmp(known->answer, asked->answer) == 0);
    bool clock_went_back = asked->now < run->latest;
    if (clock_went_back && is_refused(got) && is_refused(model))
        return true;
    return clock_went_back && model == LEDGER_EXPIRED && known->completed == 0 &&
           (got == LEDGER_RECORDED || got == LEDGER_TAKEN);
}

static void judge(struct run *run, const struct asked *asked, enum ledger_fact model,
                  const struct told *told) {
    bool is_taken = asked->slot != NULL && run->standing[slot_index(asked->slot)] != NULL;
    if (model == LEDGER_RECORDED && is_taken)
        model = LEDGER_TAKEN;
    if (told->fact != model && !may_differ(run, asked, model, told->fact))
        fail_msg("state %u (good until %+lld, completed %u), key %s, at %+lld: %s, and the model "
                 "says %s",
                 asked->state, (long long)(asked->good_until - NOW),
                 run->states[asked->state].completed, asked->key == NULL ? "none" : asked->key,
                 (long long)(asked->now - NOW), ledger_fact_label(told->fact),
                 ledger_fact_label(model));
    run->leniencies += told->fact != model;
    run->facts[told->fact]++;
}

/* Holds what must never happen, and remembers. */
static void note(struct run *run, const struct asked *asked, const struct told *told) {
    struct known *known = &run->states[asked->state];
    if (told->fact == LEDGER_REPLAYED)
        assert_string_equal(told->reply, known->reply);
    if (told->fact != LEDGER_RECORDED && told->fact != LEDGER_TAKEN)
        return;
    assert_int_equal(known->completed, 0);
    known->completed = 1;
    known->key = asked->key;
    known->answer = asked->answer;
    if (told->fact == LEDGER_TAKEN)
        snprintf(known->reply, sizeof known->reply, "taken %u", asked->state);
    else
        snprintf(known->reply, sizeof known->reply, "reply to %u %s", asked->state, asked->answer);
    if (told->fact == LEDGER_RECORDED && asked->slot != NULL) {
        assert_null(run->standing[slot_index(asked->slot)]);
        run->standing[slot_index(asked->slot)] = asked->slot;
    }
}

static void settle(struct run *run) {
    unsigned number = (unsigned)dice_roll(&run->dice, STATES);
    struct known *known = &run->states[number];
    if (known->good_until == 0)
        known->good_until = now_of(run) + (int64_t)dice_roll(&run->dice, 200);
    const struct asked asked = {
        .state = number,
        .good_until = known->good_until,
        .now = now_of(run),
        .slot = dice_roll(&run->dice, 4) == 0 ? NULL : slots[dice_roll(&run->dice, SLOTS)],
        .key = keys[dice_roll(&run->dice, LENGTH_OF(keys))],
        .answer = answers[dice_roll(&run->dice, LENGTH_OF(answers))],
        .only_replay = dice_roll(&run->dice, 8) == 0,
    };
    enum ledger_fact model = fact_of(run->model, &asked);
    struct told told = ask_ledger(run->desk->ledger, &asked);
    judge(run, &asked, model, &told);
    note(run, &asked, &told);
}

/* What a list finds standing. */
struct found {
    int64_t ids[SLOTS];
    size_t counts[SLOTS];
};

static bool take_standing(void *context, const struct booking_record *record) {
    struct found *found = context;
    for (size_t i = 0; i < SLOTS; i++)
        if (bytes_equal(record->slot, bytes_of_text(slots[i]))) {
            found->ids[i] = record->id;
            found->counts[i]++;
        }
    return true;
}

/* Compares what stands with what should, and cancels one booking if told to. */
static void look_at_bookings(struct run *run, bool cancels) {
    struct ledger_problem problem;
    struct bookings *bookings = NULL;
    struct found found = {0};
    const char *url = arena_format(&run->desk->arena, "sqlite:%s", run->desk->file);
    const struct booking_filter filter = {
        .from = INT64_MIN, .until = INT64_MAX, .status = BOOKING_BOOKED};
    assert_int_equal(bookings_open(url, &bookings, &problem), STATUS_OK);
    assert_int_equal(bookings_list(bookings, &filter, take_standing, &found, &problem), STATUS_OK);
    for (size_t i = 0; i < SLOTS; i++)
        assert_int_equal(found.counts[i], run->standing[i] != NULL);
    size_t which = dice_roll(&run->dice, SLOTS);
    if (cancels && found.counts[which] == 1) {
        enum cancellation done;
        assert_int_equal(bookings_cancel(bookings, found.ids[which], now_of(run), &done, &problem),
                         STATUS_OK);
        assert_int_equal(done, CANCELLATION_DONE);
        run->standing[which] = NULL;
        run->cancelled++;
    }
    bookings_free(bookings);
}

static void restart(struct run *run, int64_t jump) {
    desk_close(run->desk);
    if (now_of(run) > run->latest)
        run->latest = now_of(run);
    desk_pass(run->desk, jump);
    clock_free(run->desk->clock);
    assert_int_equal(clock_new(desk_clock_source(run->desk), &run->desk->clock), STATUS_OK);
    desk_open(run->desk);
    run->restarts++;
}

static void step_once(struct run *run) {
    uint64_t kind = dice_roll(&run->dice, 100);
    if (kind < 70)
        settle(run);
    else if (kind < 80)
        desk_pass(run->desk, (int64_t)dice_roll(&run->dice, 90));
    else if (kind < 82)
        desk_pass(run->desk, (int64_t)dice_roll(&run->dice, 8000));
    else if (kind < 92)
        look_at_bookings(run, true);
    else if (kind < 97)
        restart(run, 0);
    else if (kind < 99)
        restart(run, (int64_t)dice_roll(&run->dice, 8000) - 4000);
    else
        restart(run, (int64_t)dice_roll(&run->dice, 200) - 100);
}

static void run_once(struct run *run, size_t steps) {
    void *state = NULL;
    assert_int_equal(desk_set_up(&state), 0);
    run->desk = state;
    run->desk->config.exclusive_slots = true;
    run->latest = INT64_MIN;
    memset(run->states, 0, sizeof run->states);
    memset(run->standing, 0, sizeof run->standing);
    assert_int_equal(ledger_memory_new(STATES, NULL, &run->model), STATUS_OK);
    desk_open(run->desk);
    for (size_t i = 0; i < steps; i++)
        step_once(run);
    look_at_bookings(run, false);
    restart(run, 0);
    ledger_free(run->model);
    desk_tear_down(&state);
}

static void _when_anything_happens_in_any_order_then_it_is_as_the_model_says(void **state) {
    (void)state;
    bool is_slow = getenv("TANDEM_SLOW") != NULL;
    struct run run = {.dice = {20261003}};
    size_t runs = is_slow ? RUNS_SLOW : RUNS;
    size_t steps = is_slow ? STEPS_SLOW : STEPS;
    for (size_t i = 0; i < runs; i++)
        run_once(&run, steps);
    printf("    %zu runs of %zu steps, seed 20261003: %zu cancelled, %zu restarts, %zu times the "
           "file knew more;",
           runs, steps, run.cancelled, run.restarts, run.leniencies);
    for (size_t i = 0; i < LEDGER_FACT_COUNT; i++)
        printf(" %zu %s", run.facts[i], ledger_fact_label((enum ledger_fact)i));
    printf("\n");
    assert_true(run.facts[LEDGER_RECORDED] > runs && run.facts[LEDGER_TAKEN] > 0 &&
                run.facts[LEDGER_REPLAYED] > 0 && run.facts[LEDGER_KEY_REUSED] > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(_when_anything_happens_in_any_order_then_it_is_as_the_model_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
