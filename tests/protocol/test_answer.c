#include "fixtures.h"

#include "booking.h"

static const struct bytes OFFERED[] = {ROW_BYTES("sat-10:30"), ROW_BYTES("sat-11:30"),
                                       ROW_BYTES("")};

static void given_offered_times_when_one_is_accepted_then_the_answer_holds_it(void **state) {
    (void)state;
    static const char *const rows[] = {"the first", "the second", "an empty one"};
    struct offer offered = {OFFERED, LENGTH_OF(OFFERED)};
    for (size_t i = 0; i < LENGTH_OF(OFFERED); i++) {
        struct response response = {RESPONSE_ACCEPT, OFFERED[i]};
        struct answer answer = {.action = ANSWER_CANCEL};
        enum refusal refusal = REFUSAL_COUNT;
        assert_row(rows[i], answer_parse(&response, offered, &answer, &refusal));
        assert_row_number(rows[i], answer.action, ANSWER_ACCEPT);
        assert_row_bytes(rows[i], offered_time_text(answer.time), OFFERED[i]);
        assert_row_number(rows[i], refusal, REFUSAL_COUNT);
    }
}

static void given_any_offer_when_it_is_declined_or_cancelled_then_that_is_the_answer(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum response_kind kind;
        enum answer_action action;
    } rows[] = {
        {"decline", RESPONSE_DECLINE, ANSWER_DECLINE},
        {"cancel", RESPONSE_CANCEL, ANSWER_CANCEL},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        for (size_t count = 0; count <= LENGTH_OF(OFFERED); count++) {
            struct response response = {.kind = rows[i].kind};
            struct answer answer = {.action = ANSWER_ACCEPT};
            enum refusal refusal = REFUSAL_COUNT;
            struct offer offered = {OFFERED, count};
            assert_row(rows[i].name, answer_parse(&response, offered, &answer, &refusal));
            assert_row_number(rows[i].name, answer.action, rows[i].action);
            assert_row(rows[i].name, answer.time == NULL);
        }
    }
}

static void given_two_offered_times_when_the_answer_is_wrong_then_it_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct response response;
        enum refusal refusal;
    } rows[] = {
        {"missing", {.kind = RESPONSE_MISSING}, REFUSAL_NO_ANSWER},
        {"malformed", {.kind = RESPONSE_MALFORMED}, REFUSAL_NOT_AN_ANSWER},
        {"another time", {RESPONSE_ACCEPT, ROW_BYTES("sat-13:00")}, REFUSAL_NEVER_OFFERED},
        {"another case", {RESPONSE_ACCEPT, ROW_BYTES("SAT-10:30")}, REFUSAL_NEVER_OFFERED},
        {"a space after", {RESPONSE_ACCEPT, ROW_BYTES("sat-10:30 ")}, REFUSAL_NEVER_OFFERED},
        {"a space before", {RESPONSE_ACCEPT, ROW_BYTES(" sat-10:30")}, REFUSAL_NEVER_OFFERED},
        {"its beginning", {RESPONSE_ACCEPT, ROW_BYTES("sat-10:3")}, REFUSAL_NEVER_OFFERED},
        {"empty", {RESPONSE_ACCEPT, ROW_BYTES("")}, REFUSAL_NEVER_OFFERED},
        {"no bytes at all", {RESPONSE_ACCEPT, {NULL, 0}}, REFUSAL_NEVER_OFFERED},
        {"both", {RESPONSE_ACCEPT, ROW_BYTES("sat-10:30sat-11:30")}, REFUSAL_NEVER_OFFERED},
    };
    struct offer offered = {OFFERED, 2};
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct answer answer = {ANSWER_CANCEL, NULL};
        enum refusal refusal = REFUSAL_COUNT;
        assert_row(rows[i].name, !answer_parse(&rows[i].response, offered, &answer, &refusal));
        assert_row_number(rows[i].name, refusal, rows[i].refusal);
        assert_row(rows[i].name, answer.action == ANSWER_CANCEL && answer.time == NULL);
    }
}

static void given_no_offered_time_when_one_is_accepted_then_it_was_never_offered(void **state) {
    (void)state;
    struct response response = {RESPONSE_ACCEPT, BYTES("sat-10:30")};
    struct answer answer;
    enum refusal refusal = REFUSAL_COUNT;
    assert_false(answer_parse(&response, (struct offer){NULL, 0}, &answer, &refusal));
    assert_int_equal(refusal, REFUSAL_NEVER_OFFERED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_offered_times_when_one_is_accepted_then_the_answer_holds_it),
        cmocka_unit_test(given_any_offer_when_it_is_declined_or_cancelled_then_that_is_the_answer),
        cmocka_unit_test(given_two_offered_times_when_the_answer_is_wrong_then_it_is_refused),
        cmocka_unit_test(given_no_offered_time_when_one_is_accepted_then_it_was_never_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
