#include "fixtures.h"

#include "used_set.h"

#include <stdio.h>
#include <string.h>

/* A MAC of our choosing. All begin alike, so that they meet in one chain of the hash set. */
struct mac {
    unsigned char bytes[MAC_SIZE];
};

static struct mac mac_of(unsigned number) {
    struct mac mac = {{0}};
    mac.bytes[0] = (unsigned char)(number % 4);
    memcpy(mac.bytes + MAC_SIZE - sizeof number, &number, sizeof number);
    return mac;
}

static struct used_set *new_set(size_t capacity) {
    struct used_set *set = NULL;
    assert_int_equal(used_set_new(capacity, &set), STATUS_OK);
    return set;
}

static enum spend spend(struct used_set *set, unsigned number, int64_t good_until, int64_t now) {
    return used_set_spend(set, mac_of(number).bytes, good_until, now);
}

static void
given_an_empty_set_when_a_state_is_spent_then_only_the_first_use_is_recorded(void **state) {
    (void)state;
    struct used_set *set = new_set(10);
    assert_int_equal(used_set_count(set), 0);
    assert_int_equal(spend(set, 1, 120, 1), SPEND_RECORDED);
    assert_int_equal(spend(set, 1, 120, 1), SPEND_USED);
    assert_int_equal(spend(set, 1, 120, 2), SPEND_USED);
    assert_int_equal(used_set_count(set), 1);
    assert_int_equal(spend(set, 2, 120, 2), SPEND_RECORDED);
    assert_int_equal(used_set_count(set), 2);
    used_set_free(set);
    used_set_free(NULL);
}

static void
given_macs_that_differ_in_one_byte_when_they_are_spent_then_each_is_its_own(void **state) {
    (void)state;
    struct used_set *set = new_set(2 * MAC_SIZE);
    struct mac mac = {{0}};
    assert_int_equal(used_set_spend(set, mac.bytes, 120, 1), SPEND_RECORDED);
    for (size_t i = 0; i < MAC_SIZE; i++) {
        mac.bytes[i] ^= 0x80;
        assert_int_equal(used_set_spend(set, mac.bytes, 120, 1), SPEND_RECORDED);
        assert_int_equal(used_set_spend(set, mac.bytes, 120, 1), SPEND_USED);
        mac.bytes[i] ^= 0x80;
    }
    assert_int_equal(used_set_spend(set, mac.bytes, 120, 1), SPEND_USED);
    used_set_free(set);
}

/* Case B6: used at second 1, replayed around the end. No gap between used and expired, whatever
 * else the set is asked meanwhile. */
static void
given_a_used_state_when_it_is_replayed_around_its_end_then_it_never_works(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t now;
        enum spend expected;
    } rows[] = {
        {"119", 119, SPEND_USED},          {"120", 120, SPEND_USED},
        {"121", 121, SPEND_EXPIRED},       {"122", 122, SPEND_EXPIRED},
        {"121 again", 121, SPEND_EXPIRED}, {"back to 2", 2, SPEND_EXPIRED},
    };
    for (unsigned others = 0; others < 3; others++) {
        struct used_set *set = new_set(100);
        assert_int_equal(spend(set, 1, 120, 1), SPEND_RECORDED);
        for (size_t i = 0; i < LENGTH_OF(rows); i++) {
            assert_row_number(rows[i].name, spend(set, 1, 120, rows[i].now), rows[i].expected);
            for (unsigned other = 0; other < others; other++)
                (void)spend(set, 1000 + (unsigned)i * 10 + other, rows[i].now + 120, rows[i].now);
        }
        used_set_free(set);
    }
}

static void _when_a_state_is_past_good_until_then_it_is_expired_and_not_recorded(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t good_until;
        int64_t now;
        enum spend expected;
    } rows[] = {
        {"a second left", 120, 119, SPEND_RECORDED},
        {"at its end", 120, 120, SPEND_RECORDED},
        {"a second past", 120, 121, SPEND_EXPIRED},
        {"before 1970", -5, -5, SPEND_RECORDED},
        {"past, before 1970", -5, -4, SPEND_EXPIRED},
        {"the last second", INT64_MAX, INT64_MAX, SPEND_RECORDED},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct used_set *set = new_set(4);
        assert_row_number(rows[i].name, spend(set, 1, rows[i].good_until, rows[i].now),
                          rows[i].expected);
        assert_row_number(rows[i].name, used_set_count(set),
                          rows[i].expected == SPEND_RECORDED ? 1 : 0);
        used_set_free(set);
    }
}

static void
given_forgotten_states_when_the_clock_steps_back_then_nothing_lives_again(void **state) {
    (void)state;
    enum { STATES = 20 };
    struct used_set *set = new_set(100);
    for (unsigned i = 0; i < STATES; i++)
        assert_int_equal(spend(set, i, 100 + i, 1), SPEND_RECORDED);
    /* Each call forgets a few; after these none of the first is left. */
    for (unsigned i = 0; i < STATES; i++)
        assert_int_equal(spend(set, 500 + i, 10000, 1000), SPEND_RECORDED);
    assert_int_equal(used_set_count(set), STATES);
    for (unsigned i = 0; i < STATES; i++)
        assert_int_equal(spend(set, i, 100 + i, 1), SPEND_EXPIRED);
    /* The floor is the latest end of those: a state that was never seen falls under it too. */
    assert_int_equal(spend(set, 900, 100 + STATES - 1, 1), SPEND_EXPIRED);
    assert_int_equal(spend(set, 901, 100 + STATES, 1), SPEND_RECORDED);
    for (unsigned i = 0; i < STATES; i++)
        assert_int_equal(spend(set, 500 + i, 10000, 1), SPEND_USED);
    used_set_free(set);
}

/* Case B5. */
static void
given_a_set_full_of_live_states_when_one_more_comes_then_nothing_is_forgotten(void **state) {
    (void)state;
    enum { CAPACITY = 8 };
    struct used_set *set = new_set(CAPACITY);
    for (unsigned i = 0; i < CAPACITY; i++)
        assert_int_equal(spend(set, i, 100 + i, 1), SPEND_RECORDED);
    for (unsigned i = 0; i < 50; i++) {
        assert_int_equal(spend(set, 100 + i, 500, 100), SPEND_FULL);
        assert_int_equal(used_set_count(set), CAPACITY);
        assert_int_equal(spend(set, i % CAPACITY, 100 + i % CAPACITY, 100), SPEND_USED);
    }
    /* The first has expired: one has room, and what was refused for want of it is as new. */
    assert_int_equal(spend(set, 100, 500, 101), SPEND_RECORDED);
    assert_int_equal(spend(set, 101, 500, 101), SPEND_FULL);
    assert_int_equal(spend(set, 0, 100, 101), SPEND_EXPIRED);
    for (unsigned i = 1; i < CAPACITY; i++)
        assert_int_equal(spend(set, i, 100 + i, 101), SPEND_USED);
    for (unsigned i = 0; i < CAPACITY - 1; i++)
        assert_int_equal(spend(set, 200 + i, 500, 200), SPEND_RECORDED);
    assert_int_equal(spend(set, 300, 500, 200), SPEND_FULL);
    assert_int_equal(used_set_count(set), CAPACITY);
    used_set_free(set);
}

static void
given_room_for_one_when_states_come_then_each_waits_for_the_end_of_the_last(void **state) {
    (void)state;
    struct used_set *set = new_set(1);
    for (unsigned i = 0; i < 10; i++) {
        int64_t now = i * 10;
        assert_int_equal(spend(set, i, now + 9, now), SPEND_RECORDED);
        assert_int_equal(spend(set, i + 1, now + 19, now + 9), SPEND_FULL);
        assert_int_equal(spend(set, i, now + 9, now + 9), SPEND_USED);
        assert_int_equal(used_set_count(set), 1);
    }
    used_set_free(set);
}

static void
_when_it_is_asked_whether_the_set_is_full_then_expired_states_count_as_room(void **state) {
    (void)state;
    struct used_set *set = new_set(2);
    assert_false(used_set_is_full(set, 1));
    assert_int_equal(spend(set, 1, 120, 1), SPEND_RECORDED);
    assert_false(used_set_is_full(set, 1));
    assert_int_equal(spend(set, 2, 130, 1), SPEND_RECORDED);
    assert_true(used_set_is_full(set, 1));
    assert_true(used_set_is_full(set, 120));
    assert_false(used_set_is_full(set, 121));
    assert_int_equal(used_set_count(set), 2);
    assert_int_equal(spend(set, 3, 240, 121), SPEND_RECORDED);
    assert_true(used_set_is_full(set, 121));
    used_set_free(set);
}

static void _when_the_capacity_is_senseless_then_there_is_no_set(void **state) {
    (void)state;
    struct used_set *set = NULL;
    assert_int_equal(used_set_new(0, &set), STATUS_INVALID);
    assert_int_equal(used_set_new((size_t)USED_SET_CAPACITY_MOST + 1, &set), STATUS_INVALID);
    assert_int_equal(used_set_new(SIZE_MAX, &set), STATUS_INVALID);
    assert_null(set);
}

/* What is known of a state without knowing how the set works. */
enum { MODEL_STATES = 200 };

struct model {
    struct used_set *set;
    size_t capacity;
    int64_t latest; /* the largest reading of the clock so far */
    struct {
        int64_t good_until;
        bool recorded;
    } states[MODEL_STATES];
};

static size_t model_live(const struct model *model, int64_t now) {
    size_t live = 0;
    for (size_t i = 0; i < MODEL_STATES; i++)
        live += model->states[i].recorded && model->states[i].good_until >= now;
    return live;
}

/* Says what is wrong with an answer, or NULL. */
static const char *judge(const struct model *model, unsigned number, int64_t now,
                         enum spend answer) {
    int64_t good_until = model->states[number].good_until;
    bool recorded = model->states[number].recorded;
    bool seen_past = good_until < model->latest;
    switch (answer) {
    case SPEND_RECORDED:
        return recorded ? "recorded twice" : good_until < now ? "recorded past its end" : NULL;
    case SPEND_USED:
        return recorded ? NULL : "used, and never was";
    case SPEND_EXPIRED:
        return seen_past || good_until < now ? NULL : "expired before its end";
    case SPEND_FULL:
        if (recorded && !seen_past)
            return "a used state is lost in a full set";
        return model_live(model, now) < model->capacity ? "full with room left" : NULL;
    }
    return "no answer at all";
}

static void model_step(struct model *model, struct dice *dice, const char *row) {
    /* Mostly on, often standing still, at times a reading that lags behind another thread's. */
    int64_t now = model->latest;
    uint64_t roll = dice_roll(dice, 10);
    if (roll == 0)
        now -= (int64_t)dice_roll(dice, 30);
    else if (roll < 3)
        now += (int64_t)dice_roll(dice, 6);
    unsigned number = (unsigned)dice_roll(dice, MODEL_STATES);
    size_t before = used_set_count(model->set);
    if (now > model->latest)
        model->latest = now;
    enum spend answer = spend(model->set, number, model->states[number].good_until, now);
    size_t after = used_set_count(model->set);
    const char *wrong = judge(model, number, now, answer);
    if (wrong != NULL)
        fail_msg("%s: %s", row, wrong);
    model->states[number].recorded |= answer == SPEND_RECORDED;
    assert_row(row, after <= model->capacity);
    assert_row(row, after <= before + (answer == SPEND_RECORDED ? 1 : 0));
    assert_row(row, after >= model_live(model, model->latest));
}

static void _when_many_states_are_spent_at_random_then_the_set_agrees_with_a_model(void **state) {
    (void)state;
    static const size_t capacities[] = {1, 2, 7, 40, MODEL_STATES};
    struct dice dice = {42};
    for (size_t i = 0; i < LENGTH_OF(capacities); i++) {
        for (unsigned run = 0; run < 20; run++) {
            char row[64];
            snprintf(row, sizeof row, "capacity %zu, run %u", capacities[i], run);
            struct model model = {new_set(capacities[i]), capacities[i], 0, {{0}}};
            for (size_t j = 0; j < MODEL_STATES; j++)
                model.states[j].good_until = (int64_t)dice_roll(&dice, 200);
            for (unsigned j = 0; j < 600; j++)
                model_step(&model, &dice, row);
            used_set_free(model.set);
        }
    }
}

struct spender {
    struct used_set *set;
    unsigned first;
    unsigned count;
    unsigned recorded;
    unsigned used;
};

static void spend_all(void *context) {
    struct spender *spender = context;
    for (unsigned i = 0; i < spender->count; i++) {
        unsigned number = (spender->first + i) % spender->count;
        enum spend answer = spend(spender->set, number, 120, 1);
        spender->recorded += answer == SPEND_RECORDED;
        spender->used += answer == SPEND_USED;
    }
}

static void
given_racing_threads_when_they_spend_the_same_states_then_each_works_once(void **state) {
    (void)state;
    enum { THREADS = 64 };
    static const unsigned counts[] = {1, 2, 500};
    for (size_t i = 0; i < LENGTH_OF(counts); i++) {
        char row[32];
        snprintf(row, sizeof row, "%u states", counts[i]);
        struct used_set *set = new_set(1000);
        struct spender spenders[THREADS];
        for (unsigned j = 0; j < THREADS; j++)
            spenders[j] = (struct spender){.set = set, .first = j * 7, .count = counts[i]};
        run_together(spend_all, spenders, THREADS, sizeof spenders[0]);
        unsigned recorded = 0;
        unsigned used = 0;
        for (unsigned j = 0; j < THREADS; j++) {
            recorded += spenders[j].recorded;
            used += spenders[j].used;
        }
        assert_row_number(row, recorded, counts[i]);
        assert_row_number(row, used, (THREADS - 1) * counts[i]);
        assert_row_number(row, used_set_count(set), counts[i]);
        used_set_free(set);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            given_an_empty_set_when_a_state_is_spent_then_only_the_first_use_is_recorded),
        cmocka_unit_test(
            given_macs_that_differ_in_one_byte_when_they_are_spent_then_each_is_its_own),
        cmocka_unit_test(given_a_used_state_when_it_is_replayed_around_its_end_then_it_never_works),
        cmocka_unit_test(_when_a_state_is_past_good_until_then_it_is_expired_and_not_recorded),
        cmocka_unit_test(given_forgotten_states_when_the_clock_steps_back_then_nothing_lives_again),
        cmocka_unit_test(
            given_a_set_full_of_live_states_when_one_more_comes_then_nothing_is_forgotten),
        cmocka_unit_test(
            given_room_for_one_when_states_come_then_each_waits_for_the_end_of_the_last),
        cmocka_unit_test(
            _when_it_is_asked_whether_the_set_is_full_then_expired_states_count_as_room),
        cmocka_unit_test(_when_the_capacity_is_senseless_then_there_is_no_set),
        cmocka_unit_test(_when_many_states_are_spent_at_random_then_the_set_agrees_with_a_model),
        cmocka_unit_test(given_racing_threads_when_they_spend_the_same_states_then_each_works_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
