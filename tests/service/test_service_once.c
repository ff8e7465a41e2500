/* No state completes twice: not in a race, not after a restart, not when the clock steps back, not
 * when the memory of used states is full. */
#include "shop.h"

#include <stdio.h>

#define SAT "sat-10:30"

static struct app_request accept_sat(struct bytes text) {
    return (struct app_request){.arguments = TRIM, .responses = ACCEPT(SAT), .state = text};
}

static void
given_a_memory_only_server_when_it_restarts_then_nothing_issued_before_completes(void **state) {
    struct shop *shop = *state;
    struct buffer used = buffer_new(STATE_SIZE_MAX);
    buffer_append(&used, shop_ask(shop, "to be used", TRIM));
    struct app_request replay = accept_sat(buffer_bytes(&used));
    expect_booked(shop, "before the restart", &replay, SAT);
    struct buffer open = buffer_new(STATE_SIZE_MAX);
    buffer_append(&open, shop_ask(shop, "left open", TRIM));
    struct app_request late = accept_sat(buffer_bytes(&open));

    struct shop_plan plan = USUAL_PLAN;
    plan.mark = OTHER_MARK;
    shop_reopen(shop, &plan);
    expect_refused(shop, "used before", &replay, REFUSAL_EXPIRED);
    expect_refused(shop, "open before", &late, REFUSAL_EXPIRED);
    late.responses = DECLINE;
    expect_refused(shop, "declined after", &late, REFUSAL_EXPIRED);
    late.responses = "{}";
    expect_refused(shop, "the answer is looked at first", &late, REFUSAL_NO_ANSWER);
    struct app_request fresh = accept_sat(shop_ask(shop, "issued since", TRIM));
    expect_booked(shop, "issued since", &fresh, SAT);
    expect_refused(shop, "issued since, again", &fresh, REFUSAL_USED);
    buffer_done(&used);
    buffer_done(&open);
}

static void
given_states_used_and_expired_when_the_clock_steps_back_then_none_lives_again(void **state) {
    struct shop *shop = *state;
    struct buffer used = buffer_new(STATE_SIZE_MAX);
    buffer_append(&used, shop_ask(shop, "to be used", TRIM));
    struct app_request replay = accept_sat(buffer_bytes(&used));
    struct buffer open = buffer_new(STATE_SIZE_MAX);
    buffer_append(&open, shop_ask(shop, "left open", TRIM));
    struct app_request late = accept_sat(buffer_bytes(&open));
    expect_booked(shop, "in time", &replay, SAT);
    shop_pass_seconds(shop, 121);
    expect_refused(shop, "expired", &late, REFUSAL_EXPIRED);

    shop->time.system -= INT64_C(3600) * SECOND;
    expect_refused(shop, "expired, an hour back", &late, REFUSAL_EXPIRED);
    expect_refused(shop, "used, an hour back", &replay, REFUSAL_EXPIRED);
    shop_pass_seconds(shop, 60);
    expect_refused(shop, "expired, later", &late, REFUSAL_EXPIRED);
    struct app_request fresh = accept_sat(shop_ask(shop, "asked since", TRIM));
    shop_pass_seconds(shop, 120);
    expect_booked(shop, "asked since", &fresh, SAT);
    buffer_done(&used);
    buffer_done(&open);
}

/* Case B6. */
static void
given_a_used_state_when_it_is_replayed_around_its_end_then_it_never_works(void **state) {
    struct shop *shop = *state;
    static const struct {
        const char *name;
        int64_t passed; /* since the row before */
        enum refusal refusal;
    } rows[] = {
        {"119", 118, REFUSAL_USED},
        {"120", 1, REFUSAL_USED},
        {"121", 1, REFUSAL_EXPIRED},
        {"122", 1, REFUSAL_EXPIRED},
    };
    struct app_request request = accept_sat(shop_ask(shop, "at 0", TRIM));
    shop_pass_seconds(shop, 1);
    expect_booked(shop, "at 1", &request, SAT);
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        shop_pass_seconds(shop, rows[i].passed);
        expect_refused(shop, rows[i].name, &request, rows[i].refusal);
    }
}

/* Case B5. */
static void
given_a_full_memory_of_used_states_when_one_more_answers_then_it_has_to_wait(void **state) {
    struct shop *shop = *state;
    struct shop_plan plan = USUAL_PLAN;
    plan.capacity = 1;
    shop_reopen(shop, &plan);
    struct buffer first = buffer_new(STATE_SIZE_MAX);
    buffer_append(&first, shop_ask(shop, "the first", TRIM));
    struct app_request replay = accept_sat(buffer_bytes(&first));
    expect_booked(shop, "the first", &replay, SAT);
    shop_pass_seconds(shop, 100);
    struct app_request waiting = accept_sat(shop_ask(shop, "asked though full", TRIM));
    for (int i = 0; i < 3; i++) {
        expect_refused(shop, "no room", &waiting, REFUSAL_UNAVAILABLE);
        expect_refused(shop, "nothing replayable meanwhile", &replay, REFUSAL_USED);
        assert_int_equal(ledger_used_states(&shop->ledger.ledger), 1);
        assert_int_equal(service_not_ready(shop->service), NOT_READY_LEDGER);
    }
    shop_pass_seconds(shop, 21);
    assert_int_equal(service_not_ready(shop->service), 0);
    expect_booked(shop, "room again", &waiting, SAT);
    expect_refused(shop, "the first is over", &replay, REFUSAL_EXPIRED);
    buffer_done(&first);
}

/* Case A2, and B8's first half: any instance takes any round. */
static void
given_two_instances_on_one_ledger_when_a_round_goes_to_each_then_the_key_decides(void **state) {
    struct shop *shop = *state;
    struct service *first = shop->service;
    struct service *same_key = shop_new_service(shop, BYTES(KEY_TEXT));
    struct service *other_key = shop_new_service(shop, BYTES(OTHER_KEY_TEXT));
    struct app_request request = accept_sat(shop_ask(shop, "at the first", TRIM));
    shop->service = other_key;
    expect_refused(shop, "another key", &request, REFUSAL_NOT_VERIFIED);
    shop->service = same_key;
    expect_booked(shop, "the same key", &request, SAT);
    shop->service = first;
    expect_refused(shop, "back at the first", &request, REFUSAL_USED);
    service_free(same_key);
    service_free(other_key);
}

/* One of the app's requests under way. */
struct runner {
    struct service *service;
    struct bytes body;
    enum reply_kind kind;
    enum refusal refusal;
};

static void answer_once(void *context) {
    struct runner *runner = context;
    struct service_reply reply;
    book_and_wait(runner->service, BYTES("elm-street"), runner->body, &reply);
    runner->kind = reply.kind;
    runner->refusal = reply.refusal;
    buffer_done(&reply.body);
}

enum { RUNNERS_MOST = 64 };

/* Half of the runners accept each time; exactly one gets it. */
static void expect_one_winner(struct shop *shop, const char *row, size_t count) {
    struct app_request request = accept_sat(shop_ask(shop, row, TRIM));
    struct buffer bodies[2];
    bodies[0] = app_body(&request);
    request.responses = ACCEPT("sat-11:30");
    bodies[1] = app_body(&request);
    struct runner runners[RUNNERS_MOST];
    for (size_t i = 0; i < count; i++)
        runners[i] = (struct runner){shop->service, buffer_bytes(&bodies[i % 2]), REPLY_REFUSAL,
                                     REFUSAL_NONE};
    unsigned before = shop_recorded(shop);
    run_together(answer_once, runners, count, sizeof runners[0]);
    size_t completed = 0;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        completed += runners[i].kind == REPLY_RESULT;
        used += runners[i].kind == REPLY_REFUSAL && runners[i].refusal == REFUSAL_USED;
    }
    assert_row_number(row, completed, 1);
    assert_row_number(row, used, count - 1);
    assert_row_number(row, shop_recorded(shop), before + 1);
    buffer_done(&bodies[0]);
    buffer_done(&bodies[1]);
}

/* Case B4. */
static void
given_racing_requests_with_one_state_when_they_answer_then_exactly_one_completes(void **state) {
    struct shop *shop = *state;
    static const size_t counts[] = {2, 50, RUNNERS_MOST};
    for (size_t i = 0; i < LENGTH_OF(counts); i++) {
        char row[32];
        snprintf(row, sizeof row, "%zu requests", counts[i]);
        for (int again = 0; again < 10; again++)
            expect_one_winner(shop, row, counts[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SHOP_TEST(given_a_memory_only_server_when_it_restarts_then_nothing_issued_before_completes),
        SHOP_TEST(given_states_used_and_expired_when_the_clock_steps_back_then_none_lives_again),
        SHOP_TEST(given_a_used_state_when_it_is_replayed_around_its_end_then_it_never_works),
        SHOP_TEST(given_a_full_memory_of_used_states_when_one_more_answers_then_it_has_to_wait),
        SHOP_TEST(given_two_instances_on_one_ledger_when_a_round_goes_to_each_then_the_key_decides),
        SHOP_TEST(given_racing_requests_with_one_state_when_they_answer_then_exactly_one_completes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
