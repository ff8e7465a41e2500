#include "shop.h"

#include <stdio.h>

#define SAT "sat-10:30"

static void given_open_slots_when_round_one_comes_then_it_asks_between_two_times(void **state) {
    struct shop *shop = *state;
    struct plan_row {
        const char *name;
        const char *arguments;
        const char *times;
    };
    static const struct plan_row rows[] = {
        {"two", TRIM, "[\"sat-10:30\",\"sat-11:30\"]"},
        {"three", "{\"message\":\"m\",\"openSlots\":[\"c\",\"b\",\"a\"]}", "[\"c\",\"b\"]"},
        {"one", "{\"message\":\"m\",\"openSlots\":[\"a\"]}", "[\"a\"]"},
        {"repeats", "{\"message\":\"m\",\"openSlots\":[\"a\",\"a\",\"b\"]}", "[\"a\",\"b\"]"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct buffer body = app_body(&(struct app_request){.arguments = rows[i].arguments});
        struct service_reply reply;
        book_and_wait(shop->service, BYTES("elm-street"), buffer_bytes(&body), &reply);
        char start[512];
        int size =
            snprintf(start, sizeof start,
                     "{\"inputRequests\":{\"time\":{\"method\":\"elicitation/create\",\"params\":{"
                     "\"message\":\"Which time suits you?\",\"mode\":\"form\",\"requestedSchema\":"
                     "{\"properties\":{\"time\":{\"enum\":%s,\"type\":\"string\"}},\"required\":["
                     "\"time\"],\"type\":\"object\"}}}},\"requestState\":\"",
                     rows[i].times);
        struct bytes written = buffer_bytes(&reply.body);
        assert_row_bytes(rows[i].name, bytes_up_to(written, (size_t)size), bytes_of_text(start));
        assert_row_number(rows[i].name, reply.outcome, OUTCOME_ASK);
        buffer_done(&reply.body);
        buffer_done(&body);
    }
    assert_int_equal(atomic_load(&shop->ledger.settled), 0);
}

/* The golden case of protocol.md, whole: a state without a nonce, as the reference's. */
static void
given_no_nonces_when_the_golden_booking_comes_then_the_reply_is_the_protocols(void **state) {
    struct shop *shop = *state;
    struct shop_plan plan = USUAL_PLAN;
    plan.mark = NULL;
    shop_reopen(shop, &plan);
    expect_reply(
        shop, "golden",
        &(struct app_request){
            .arguments = "{\"message\":\"A cut on Saturday morning, please\",\"openSlots\":"
                         "[\"sat-10:30\",\"sat-11:30\",\"sat-13:00\"]}"},
        OUTCOME_ASK,
        "{\"inputRequests\":{\"time\":{\"method\":\"elicitation/create\",\"params\":{\"message\":"
        "\"Which time suits you?\",\"mode\":\"form\",\"requestedSchema\":{\"properties\":{\"time\":"
        "{\"enum\":[\"sat-10:30\",\"sat-11:30\"],\"type\":\"string\"}},\"required\":[\"time\"],"
        "\"type\":\"object\"}}}},\"requestState\":\"{\\\"goodUntil\\\":1791018120,\\\"offered\\\":["
        "\\\"sat-10:30\\\",\\\"sat-11:30\\\"],\\\"request\\\":"
        "\\\"cc46a46dac1e042f51cfa1cc7df214ad18fdfc6b4390c08d49d952f34fb9dfe1\\\"}."
        "bca644fa9cc25dfa3c2721254ddf1b5b1363167a6770aacd2c9212a437ab6019\",\"resultType\":"
        "\"input_required\"}");
}

static void given_a_question_when_round_two_accepts_a_time_then_it_is_booked(void **state) {
    struct shop *shop = *state;
    static const struct {
        const char *time;
        const char *responses;
    } rows[] = {
        {"sat-10:30", ACCEPT("sat-10:30")},
        {"sat-11:30", ACCEPT("sat-11:30")},
        {"sat-10:30", ACCEPT("\\u0073at-10:30")},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct bytes text = shop_ask(shop, rows[i].responses, TRIM);
        expect_booked(
            shop, rows[i].responses,
            &(struct app_request){.arguments = TRIM, .responses = rows[i].responses, .state = text},
            rows[i].time);
    }
}

/* Case A3. */
static void given_a_question_when_it_is_declined_or_cancelled_then_nothing_is_booked(void **state) {
    struct shop *shop = *state;
    static const char *const rows[] = {
        DECLINE, CANCEL,
        "{\"time\":{\"action\":\"decline\",\"content\":{\"time\":\"sat-10:30\"}}}"};
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct app_request request = {.arguments = TRIM, .responses = rows[i]};
        request.state = shop_ask(shop, rows[i], TRIM);
        expect_not_chosen(shop, rows[i], &request);
        expect_refused(shop, rows[i], &request, REFUSAL_USED);
        request.responses = ACCEPT("sat-10:30");
        expect_refused(shop, rows[i], &request, REFUSAL_USED);
    }
}

static void given_nothing_open_when_round_one_comes_then_it_completes_at_once(void **state) {
    struct shop *shop = *state;
    struct app_request request = {.arguments = "{\"message\":\"a trim please\",\"openSlots\":[]}"};
    for (int i = 0; i < 2; i++)
        expect_reply(
            shop, "nothing open", &request, OUTCOME_NOTHING_OPEN,
            "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"Nothing is open "
            "then, so the salon will call you.\",\"status\":\"not_booked\"}}");
    assert_int_equal(atomic_load(&shop->ledger.settled), 0);
}

/* Whatever a client slips in where nobody reads: the reply is the one without it. */
static void _when_fields_come_that_nobody_reads_then_they_are_ignored(void **state) {
    struct shop *shop = *state;
    static const char slipped[] =
        "{\"message\":\"a trim please\",\"openSlots\":[\"sat-10:30\",\"sat-11:30\"],\"slot\":"
        "\"sat-13:00\",\"status\":\"booked\",\"offered\":[\"sat-13:00\"]},\"resultType\":"
        "\"complete\",\"structuredContent\":{\"status\":\"booked\",\"slot\":\"sat-13:00\"},"
        "\"goodUntil\":9999999999,\"x\":{\"requestState\":1}";
    struct bytes text = shop_ask(shop, "round one", slipped);
    static const char responses[] = "{\"time\":{\"action\":\"accept\",\"content\":{\"time\":\"sat-"
                                    "11:30\",\"slot\":\"sat-13:00\""
                                    "},\"result\":{\"status\":\"booked\"}},\"other\":7}";
    expect_booked(shop, "round two, without them in the booking",
                  &(struct app_request){.arguments = TRIM, .responses = responses, .state = text},
                  "sat-11:30");
}

/* Case A1. */
static void
given_a_completed_booking_when_the_same_bytes_come_again_then_it_was_used(void **state) {
    struct shop *shop = *state;
    struct app_request request = {.arguments = TRIM, .responses = ACCEPT(SAT)};
    request.state = shop_ask(shop, "round one", TRIM);
    expect_booked(shop, "the first time", &request, SAT);
    expect_refused(shop, "the second time", &request, REFUSAL_USED);
    assert_int_equal(shop_recorded(shop), 1);
    assert_int_equal(ledger_used_states(&shop->ledger.ledger), 1);
}

static void
given_two_customers_who_ask_the_same_at_once_when_both_answer_then_both_complete(void **state) {
    struct shop *shop = *state;
    struct buffer first = buffer_new(STATE_SIZE_MAX);
    buffer_append(&first, shop_ask(shop, "the first", TRIM));
    struct bytes second = shop_ask(shop, "the second", TRIM);
    assert_false(bytes_equal(buffer_bytes(&first), second));
    struct app_request request = {.arguments = TRIM, .responses = ACCEPT(SAT)};
    request.state = buffer_bytes(&first);
    expect_booked(shop, "the first", &request, SAT);
    request.state = second;
    expect_booked(shop, "the second", &request, SAT);
    buffer_done(&first);
}

static void
_when_a_state_is_issued_then_it_carries_the_mark_and_the_second_rounded_down(void **state) {
    struct shop *shop = *state;
    scripted_time_pass(&shop->time, 7 * SECOND + SECOND - 1);
    struct bytes text = shop_ask(shop, "fraction", TRIM);
    static const char start[] = "{\"goodUntil\":1791018127,\"nonce\":\"6f75722d6d61726b";
    assert_row_bytes("start", bytes_up_to(text, sizeof start - 1), bytes_of_text(start));
}

/* A clock may tick between two readings: one serves the whole request. */
static void _when_a_request_is_answered_then_the_clock_is_read_once(void **state) {
    struct shop *shop = *state;
    unsigned before = atomic_load(&shop->clock_readings);
    struct bytes text = shop_ask(shop, "round one", TRIM);
    assert_int_equal(atomic_load(&shop->clock_readings) - before, 1);
    expect_booked(shop, "round two",
                  &(struct app_request){.arguments = TRIM, .responses = ACCEPT(SAT), .state = text},
                  SAT);
    assert_int_equal(atomic_load(&shop->clock_readings) - before, 2);
}

static void
given_times_that_need_escapes_when_they_are_booked_then_each_round_writes_them_alike(void **state) {
    struct shop *shop = *state;
    static const struct {
        const char *name;
        const char *json; /* as JSON with escapes, and as the reply writes it */
        const char *written;
    } rows[] = {
        {"a quote", "\\u0022\\u005c", "\\\"\\\\"},
        {"controls", "\\u0001\\b\\f\\n", "\\u0001\\u0008\\u000c\\n"},
        {"raw UTF-8", "caf\\u00e9 \\ud83d\\ude00\\u2028",
         "caf\xC3\xA9 \xF0\x9F\x98\x80\xE2\x80\xA8"},
        {"a slash and DEL", "\\/\\u007f", "/\x7F"},
        {"empty", "", ""},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        char arguments[256];
        char responses[256];
        snprintf(arguments, sizeof arguments, "{\"message\":\"m\",\"openSlots\":[\"%s\"]}",
                 rows[i].json);
        snprintf(responses, sizeof responses, ACCEPT("%s"), rows[i].json);
        struct bytes text = shop_ask(shop, rows[i].name, arguments);
        expect_booked(
            shop, rows[i].name,
            &(struct app_request){.arguments = arguments, .responses = responses, .state = text},
            rows[i].written);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SHOP_TEST(given_open_slots_when_round_one_comes_then_it_asks_between_two_times),
        SHOP_TEST(given_no_nonces_when_the_golden_booking_comes_then_the_reply_is_the_protocols),
        SHOP_TEST(given_a_question_when_round_two_accepts_a_time_then_it_is_booked),
        SHOP_TEST(given_a_question_when_it_is_declined_or_cancelled_then_nothing_is_booked),
        SHOP_TEST(given_nothing_open_when_round_one_comes_then_it_completes_at_once),
        SHOP_TEST(_when_fields_come_that_nobody_reads_then_they_are_ignored),
        SHOP_TEST(given_a_completed_booking_when_the_same_bytes_come_again_then_it_was_used),
        SHOP_TEST(given_two_customers_who_ask_the_same_at_once_when_both_answer_then_both_complete),
        SHOP_TEST(_when_a_state_is_issued_then_it_carries_the_mark_and_the_second_rounded_down),
        SHOP_TEST(_when_a_request_is_answered_then_the_clock_is_read_once),
        SHOP_TEST(
            given_times_that_need_escapes_when_they_are_booked_then_each_round_writes_them_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
