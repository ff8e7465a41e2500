#include "fixtures.h"

#include "booking.h"

static const struct bytes TWO_SLOTS[] = {ROW_BYTES("sat-10:30"), ROW_BYTES("sat-11:30")};

static struct booking booking_of(const struct bytes *slots, size_t count) {
    return (struct booking){BYTES("elm-street"), BYTES("a trim please"), slots, count};
}

static void _when_there_is_no_answer_then_the_open_slots_decide(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t slot_count;
        enum outcome_kind kind;
    } rows[] = {
        {"no open slot", 0, OUTCOME_NOTHING_OPEN},
        {"one open slot", 1, OUTCOME_ASK},
        {"two open slots", 2, OUTCOME_ASK},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct booking booking = booking_of(TWO_SLOTS, rows[i].slot_count);
        assert_row_number(rows[i].name, step(&booking, NULL).kind, rows[i].kind);
    }
}

static void _when_there_is_an_answer_then_it_decides_whatever_is_open(void **state) {
    (void)state;
    struct response accept = {RESPONSE_ACCEPT, BYTES("sat-11:30")};
    struct offer offered = {TWO_SLOTS, LENGTH_OF(TWO_SLOTS)};
    struct answer accepted = {.action = ANSWER_CANCEL};
    enum refusal refusal;
    assert_true(answer_parse(&accept, offered, &accepted, &refusal));
    for (size_t open = 0; open <= 2; open++) {
        static const char *const rows[] = {"nothing open", "one open", "two open"};
        struct booking booking = booking_of(TWO_SLOTS, open);
        struct outcome outcome = step(&booking, &accepted);
        assert_row_number(rows[open], outcome.kind, OUTCOME_BOOKED);
        assert_row_bytes(rows[open], offered_time_text(outcome.time), BYTES("sat-11:30"));
        outcome = step(&booking, &(struct answer){.action = ANSWER_DECLINE});
        assert_row_number(rows[open], outcome.kind, OUTCOME_NOT_CHOSEN);
        assert_row(rows[open], outcome.time == NULL);
        outcome = step(&booking, &(struct answer){.action = ANSWER_CANCEL});
        assert_row_number(rows[open], outcome.kind, OUTCOME_NOT_CHOSEN);
        assert_row(rows[open], outcome.time == NULL);
    }
}

static void _when_slots_are_offered_then_they_are_the_first_two_distinct_ones(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct bytes slots[5];
        size_t slot_count;
        struct bytes times[2];
        size_t count;
    } rows[] = {
        {"none", {{NULL, 0}}, 0, {{NULL, 0}}, 0},
        {"one", {ROW_BYTES("a")}, 1, {ROW_BYTES("a")}, 1},
        {"two", {ROW_BYTES("b"), ROW_BYTES("a")}, 2, {ROW_BYTES("b"), ROW_BYTES("a")}, 2},
        {"three",
         {ROW_BYTES("c"), ROW_BYTES("b"), ROW_BYTES("a")},
         3,
         {ROW_BYTES("c"), ROW_BYTES("b")},
         2},
        {"one twice", {ROW_BYTES("a"), ROW_BYTES("a")}, 2, {ROW_BYTES("a")}, 1},
        {"one five times",
         {ROW_BYTES("a"), ROW_BYTES("a"), ROW_BYTES("a"), ROW_BYTES("a"), ROW_BYTES("a")},
         5,
         {ROW_BYTES("a")},
         1},
        {"repeats before the second",
         {ROW_BYTES("a"), ROW_BYTES("a"), ROW_BYTES("b"), ROW_BYTES("c")},
         4,
         {ROW_BYTES("a"), ROW_BYTES("b")},
         2},
        {"repeats apart",
         {ROW_BYTES("a"), ROW_BYTES("b"), ROW_BYTES("a")},
         3,
         {ROW_BYTES("a"), ROW_BYTES("b")},
         2},
        {"an empty slot", {ROW_BYTES(""), ROW_BYTES("a")}, 2, {ROW_BYTES(""), ROW_BYTES("a")}, 2},
        {"an empty slot twice",
         {ROW_BYTES(""), ROW_BYTES(""), ROW_BYTES("a")},
         3,
         {ROW_BYTES(""), ROW_BYTES("a")},
         2},
        {"another case, and a space",
         {ROW_BYTES("sat"), ROW_BYTES("SAT"), ROW_BYTES("sat ")},
         3,
         {ROW_BYTES("sat"), ROW_BYTES("SAT")},
         2},
        {"composed and decomposed",
         {ROW_BYTES("\xC3\xA9"), ROW_BYTES("e\xCC\x81")},
         2,
         {ROW_BYTES("\xC3\xA9"), ROW_BYTES("e\xCC\x81")},
         2},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct booking booking = booking_of(rows[i].slots, rows[i].slot_count);
        struct bytes times[TIMES_ASKED_MAX];
        struct offer offered = slots_to_offer(&booking, times);
        assert_row_number(rows[i].name, offered.count, rows[i].count);
        for (size_t j = 0; j < rows[i].count; j++)
            assert_row_bytes(rows[i].name, offered.times[j], rows[i].times[j]);
    }
}

static void _when_the_texts_are_read_then_they_are_those_of_the_protocol(void **state) {
    (void)state;
    assert_string_equal(QUESTION_TEXT, "Which time suits you?");
    assert_string_equal(SAY_NOTHING_OPEN, "Nothing is open then, so the salon will call you.");
    assert_string_equal(SAY_NOT_CHOSEN, "No time was chosen, so nothing is booked.");
    assert_string_equal(SAY_BOOKED_SUFFIX, " is yours.");
}

static void _when_an_outcome_is_named_then_it_has_a_label_of_its_own_and_its_round(void **state) {
    (void)state;
    static const struct {
        enum outcome_kind kind;
        const char *label;
        unsigned round;
    } rows[] = {
        {OUTCOME_ASK, "asked", 1},     {OUTCOME_NOTHING_OPEN, "nothing_open", 1},
        {OUTCOME_BOOKED, "booked", 2}, {OUTCOME_NOT_CHOSEN, "not_chosen", 2},
        {OUTCOME_TAKEN, "taken", 2},   {OUTCOME_REPLAYED, "replayed", 2},
    };
    assert_int_equal(LENGTH_OF(rows), OUTCOME_COUNT);
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        assert_string_equal(outcome_label(rows[i].kind), rows[i].label);
        assert_row_number(rows[i].label, outcome_round(rows[i].kind), rows[i].round);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(_when_there_is_no_answer_then_the_open_slots_decide),
        cmocka_unit_test(_when_there_is_an_answer_then_it_decides_whatever_is_open),
        cmocka_unit_test(_when_slots_are_offered_then_they_are_the_first_two_distinct_ones),
        cmocka_unit_test(_when_the_texts_are_read_then_they_are_those_of_the_protocol),
        cmocka_unit_test(_when_an_outcome_is_named_then_it_has_a_label_of_its_own_and_its_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
