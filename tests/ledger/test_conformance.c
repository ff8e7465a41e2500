/* What every ledger does, run on each of them. */
#include "settling.h"

#ifdef TANDEM_SQLITE
#include "sqlite_desk.h"
#endif

#include <stdio.h>
#include <string.h>

enum { RACERS = 64, RACES = 25 };

static void spend_once(struct ledger *ledger) {
    const struct asked asked = {.state = 1, .slot = "sat-10:30"};
    assert_fact("first", fact_of(ledger, &asked), LEDGER_RECORDED);
    assert_fact("again", fact_of(ledger, &asked), LEDGER_USED);
    const struct asked other_slot = {.state = 1, .slot = "sat-11:30"};
    assert_fact("another slot", fact_of(ledger, &other_slot), LEDGER_USED);
    const struct asked other_state = {.state = 2, .slot = "sat-10:30"};
    assert_fact("another state", fact_of(ledger, &other_state), LEDGER_RECORDED);
    assert_int_equal(ledger_used_states(ledger), 2);
}

static void decline(struct ledger *ledger) {
    const struct asked asked = {.state = 1};
    assert_fact("first", fact_of(ledger, &asked), LEDGER_RECORDED);
    const struct asked booked = {.state = 1, .slot = "sat-10:30"};
    assert_fact("booked after all", fact_of(ledger, &booked), LEDGER_USED);
}

/* Case B6. */
static void let_it_expire(struct ledger *ledger) {
    struct asked asked = {.state = 1, .slot = "sat-10:30"};
    assert_fact("first", fact_of(ledger, &asked), LEDGER_RECORDED);
    asked.now = GOOD_UNTIL - 1;
    assert_fact("a second before", fact_of(ledger, &asked), LEDGER_USED);
    asked.now = GOOD_UNTIL;
    assert_fact("at", fact_of(ledger, &asked), LEDGER_USED);
    asked.now = GOOD_UNTIL + 1;
    assert_fact("a second after", fact_of(ledger, &asked), LEDGER_EXPIRED);
    asked.now = NOW;
    enum ledger_fact fact = fact_of(ledger, &asked);
    assert_true(fact == LEDGER_USED || fact == LEDGER_EXPIRED);
    const struct asked late = {.state = 2, .now = GOOD_UNTIL + 1};
    assert_fact("never used, and late", fact_of(ledger, &late), LEDGER_EXPIRED);
}

static void lose_a_reply(struct ledger *ledger) {
    struct asked asked = {.state = 1, .slot = "sat-10:30", .key = "key"};
    struct told first = ask_ledger(ledger, &asked);
    assert_fact("first", first.fact, LEDGER_RECORDED);
    assert_string_equal(first.reply, "");
    struct told again = ask_ledger(ledger, &asked);
    assert_fact("again", again.fact, LEDGER_REPLAYED);
    assert_string_equal(again.reply, "reply to 1 yes");
    asked.only_replay = true;
    assert_fact("only a replay", fact_of(ledger, &asked), LEDGER_REPLAYED);
    asked.answer = "no";
    assert_fact("only a replay, another answer", fact_of(ledger, &asked), LEDGER_KEY_REUSED);
    asked.only_replay = false;
    assert_fact("another answer", fact_of(ledger, &asked), LEDGER_KEY_REUSED);
    asked.key = "other";
    assert_fact("another key and answer", fact_of(ledger, &asked), LEDGER_USED);
    asked.answer = NULL;
    assert_fact("another key", fact_of(ledger, &asked), LEDGER_USED);
    asked.only_replay = true;
    assert_fact("only a replay, another key", fact_of(ledger, &asked), LEDGER_NOT_STORED);
    const struct asked keyless = {.state = 1, .slot = "sat-10:30"};
    assert_fact("no key", fact_of(ledger, &keyless), LEDGER_USED);
}

static void look_before_it_is_used(struct ledger *ledger) {
    struct asked asked = {.state = 1, .slot = "sat-10:30", .key = "key", .only_replay = true};
    assert_fact("nothing kept", fact_of(ledger, &asked), LEDGER_NOT_STORED);
    asked.key = NULL;
    assert_fact("no key", fact_of(ledger, &asked), LEDGER_NOT_STORED);
    assert_int_equal(ledger_used_states(ledger), 0);
    const struct asked keyless = {.state = 1, .slot = "sat-10:30"};
    assert_fact("used without a key", fact_of(ledger, &keyless), LEDGER_RECORDED);
    const struct asked late = {.state = 1, .slot = "sat-10:30", .key = "key"};
    assert_fact("the key comes late", fact_of(ledger, &late), LEDGER_USED);
}

static void take_any_bytes(struct ledger *ledger) {
    static const struct asked rows[] = {
        {.state = 1, .salon = "a", .words = "", .slot = ""},
        {.state = 2,
         .salon = "\xE2\x9C\x82'\"; DROP TABLE used; --",
         .words = "\x01\n%s",
         .slot = "?"},
        {.state = 3, .salon = "1", .words = "1", .slot = "1.0"},
        {.state = 4, .salon = "1.0", .words = "NULL", .slot = "1"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        assert_fact(rows[i].salon, fact_of(ledger, &rows[i]), LEDGER_RECORDED);
        assert_fact(rows[i].salon, fact_of(ledger, &rows[i]), LEDGER_USED);
    }
}

struct racer {
    struct ledger *ledger;
    struct asked asked;
    struct told told;
};

static void race(void *context) {
    struct racer *racer = context;
    racer->told = ask_ledger(racer->ledger, &racer->asked);
}

/* Everybody asks for one state at once: how many got which fact. */
static void race_for(struct ledger *ledger, const struct asked *asked,
                     size_t counts[LEDGER_FACT_COUNT]) {
    struct racer racers[RACERS];
    for (size_t i = 0; i < RACERS; i++)
        racers[i] = (struct racer){.ledger = ledger, .asked = *asked};
    run_together(race, racers, RACERS, sizeof racers[0]);
    memset(counts, 0, LEDGER_FACT_COUNT * sizeof counts[0]);
    for (size_t i = 0; i < RACERS; i++) {
        counts[racers[i].told.fact]++;
        assert_int_equal(racers[i].told.times, 1);
        if (racers[i].told.fact == LEDGER_REPLAYED)
            assert_string_equal(racers[i].told.reply, racers[0].told.fact == LEDGER_REPLAYED
                                                          ? racers[0].told.reply
                                                          : racers[1].told.reply);
    }
}

static void race_for_states(struct ledger *ledger) {
    for (unsigned i = 0; i < RACES; i++) {
        size_t counts[LEDGER_FACT_COUNT];
        race_for(ledger, &(struct asked){.state = i, .slot = "sat-10:30"}, counts);
        assert_int_equal(counts[LEDGER_RECORDED], 1);
        assert_int_equal(counts[LEDGER_USED], RACERS - 1);
    }
    printf("    %d racers for each of %d states\n", RACERS, RACES);
    assert_int_equal(ledger_used_states(ledger), RACES);
}

static void race_of_twins(struct ledger *ledger) {
    for (unsigned i = 0; i < RACES; i++) {
        size_t counts[LEDGER_FACT_COUNT];
        race_for(ledger, &(struct asked){.state = i, .slot = "sat-10:30", .key = "k"}, counts);
        assert_int_equal(counts[LEDGER_RECORDED], 1);
        assert_int_equal(counts[LEDGER_REPLAYED], RACERS - 1);
    }
}

static void be_ready(struct ledger *ledger) {
    assert_true(ledger_is_ready(ledger, NOW));
    bool taken[2] = {true, true};
    const struct bytes slots[] = {ROW_BYTES("a"), ROW_BYTES("b")};
    assert_int_equal(ledger_find_taken(ledger, BYTES("elm-street"), slots, 2, taken), STATUS_OK);
    assert_false(taken[0] || taken[1]);
}

static void on_memory(void (*story)(struct ledger *ledger)) {
    struct ledger *ledger = NULL;
    assert_int_equal(ledger_memory_new(1000, NULL, &ledger), STATUS_OK);
    story(ledger);
    ledger_free(ledger);
}

#ifdef TANDEM_SQLITE
static void on_sqlite(void (*story)(struct ledger *ledger)) {
    void *state = NULL;
    assert_int_equal(desk_set_up(&state), 0);
    struct desk *desk = state;
    desk_open(desk);
    story(desk->ledger);
    desk_tear_down(&state);
}
#endif

#ifdef TANDEM_SQLITE
#define ON_EACH(story)                                                                             \
    static void given_a_memory_ledger_when_told_to_##story##_then_it_conforms(void **state) {      \
        (void)state;                                                                               \
        on_memory(story);                                                                          \
    }                                                                                              \
    static void given_a_sqlite_ledger_when_told_to_##story##_then_it_conforms(void **state) {      \
        (void)state;                                                                               \
        on_sqlite(story);                                                                          \
    }
#define TESTS(story)                                                                               \
    cmocka_unit_test(given_a_memory_ledger_when_told_to_##story##_then_it_conforms),               \
        cmocka_unit_test(given_a_sqlite_ledger_when_told_to_##story##_then_it_conforms)
#else
#define ON_EACH(story)                                                                             \
    static void given_a_memory_ledger_when_told_to_##story##_then_it_conforms(void **state) {      \
        (void)state;                                                                               \
        on_memory(story);                                                                          \
    }
#define TESTS(story) cmocka_unit_test(given_a_memory_ledger_when_told_to_##story##_then_it_conforms)
#endif

ON_EACH(spend_once)
ON_EACH(decline)
ON_EACH(let_it_expire)
ON_EACH(lose_a_reply)
ON_EACH(look_before_it_is_used)
ON_EACH(take_any_bytes)
ON_EACH(race_for_states)
ON_EACH(race_of_twins)
ON_EACH(be_ready)

int main(void) {
    const struct CMUnitTest tests[] = {
        TESTS(spend_once),
        TESTS(decline),
        TESTS(let_it_expire),
        TESTS(lose_a_reply),
        TESTS(look_before_it_is_used),
        TESTS(take_any_bytes),
        TESTS(race_for_states),
        TESTS(race_of_twins),
        TESTS(be_ready),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
