/* What the service makes of a ledger, a nonce source and key rings that do not do the usual. */
#include "shop.h"

#include <sched.h>
#include <string.h>

#define SAT "sat-10:30"

static struct app_request accept_sat(struct bytes text) {
    return (struct app_request){.arguments = TRIM, .responses = ACCEPT(SAT), .state = text};
}

static void
given_a_ledger_that_refuses_when_round_two_completes_then_its_fact_is_the_reply(void **state) {
    struct shop *shop = *state;
    static const struct {
        const char *name;
        enum ledger_fact fact;
        enum refusal refusal;
    } rows[] = {
        {"used", LEDGER_USED, REFUSAL_USED},
        {"expired", LEDGER_EXPIRED, REFUSAL_EXPIRED},
        {"unavailable", LEDGER_UNAVAILABLE, REFUSAL_UNAVAILABLE},
    };
    static const char *const responses[] = {ACCEPT(SAT), DECLINE, CANCEL};
    struct app_request request = accept_sat(shop_ask(shop, "round one", TRIM));
    shop->ledger.fakes = true;
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        shop->ledger.fact = rows[i].fact;
        for (size_t j = 0; j < LENGTH_OF(responses); j++) {
            request.responses = responses[j];
            expect_refused(shop, rows[i].name, &request, rows[i].refusal);
        }
    }
    request.responses = ACCEPT(SAT);
    shop->ledger.fact = LEDGER_RECORDED;
    expect_booked(shop, "recorded", &request, SAT);
}

/* Where a reply that comes later is put down. */
struct desk {
    unsigned replies;
    struct service_reply reply;
};

static void take_reply(void *context, struct service_reply *reply) {
    struct desk *desk = context;
    desk->replies++;
    desk->reply = *reply;
}

static void
given_a_ledger_that_answers_later_when_round_two_comes_then_the_reply_waits(void **state) {
    struct shop *shop = *state;
    static const struct {
        const char *name;
        enum ledger_fact fact;
        enum reply_kind kind;
        const char *body;
    } rows[] = {
        {"recorded", LEDGER_RECORDED, REPLY_RESULT,
         "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"sat-10:30 is yours.\","
         "\"slot\":\"sat-10:30\",\"status\":\"booked\"}}"},
        {"used", LEDGER_USED, REPLY_REFUSAL, "\"requestState was already used\""},
        {"unavailable", LEDGER_UNAVAILABLE, REPLY_REFUSAL,
         "\"the booking service is unavailable\""},
    };
    struct app_request request = accept_sat(shop_ask(shop, "round one", TRIM));
    struct buffer body = app_body(&request);
    shop->ledger.fakes = shop->ledger.waits = true;
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        shop->ledger.fact = rows[i].fact;
        struct desk desk = {0};
        service_book_later(shop->service, BYTES("elm-street"), buffer_bytes(&body), NULL,
                           take_reply, &desk);
        assert_row_number(rows[i].name, desk.replies, 0);
        shop_ledger_answers(shop);
        assert_row_number(rows[i].name, desk.replies, 1);
        assert_row_number(rows[i].name, desk.reply.kind, rows[i].kind);
        assert_row_bytes(rows[i].name, buffer_bytes(&desk.reply.body), bytes_of_text(rows[i].body));
        buffer_done(&desk.reply.body);
    }
    buffer_done(&body);
}

static void
given_a_ledger_that_answers_later_when_it_is_not_needed_then_no_reply_waits(void **state) {
    struct shop *shop = *state;
    shop->ledger.waits = true;
    static const char *const rows[] = {TRIM, "{\"message\":\"m\",\"openSlots\":[]}", "[]", "{"};
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct buffer body = app_body(&(struct app_request){.arguments = rows[i]});
        struct desk desk = {0};
        service_book_later(shop->service, BYTES("elm-street"), buffer_bytes(&body), NULL,
                           take_reply, &desk);
        assert_row_number(rows[i], desk.replies, 1);
        assert_row(rows[i], desk.reply.body.size > 0);
        buffer_done(&desk.reply.body);
        buffer_done(&body);
    }
    assert_int_equal(atomic_load(&shop->ledger.settled), 0);
}

/* What a reply needs it keeps until then. */
static void given_a_reply_that_waits_when_the_keys_are_swapped_then_it_still_comes(void **state) {
    struct shop *shop = *state;
    struct app_request request = accept_sat(shop_ask(shop, "round one", TRIM));
    struct buffer body = app_body(&request);
    shop->ledger.waits = true;
    struct desk desk = {0};
    service_book_later(shop->service, BYTES("elm-street"), buffer_bytes(&body), NULL, take_reply,
                       &desk);
    struct keyring *keyring = new_keyring(BYTES(""));
    service_set_keyring(shop->service, keyring);
    keyring_release(keyring);
    shop_ledger_answers(shop);
    assert_int_equal(desk.replies, 1);
    assert_int_equal(desk.reply.outcome, OUTCOME_BOOKED);
    buffer_done(&desk.reply.body);
    buffer_done(&body);
}

/* One who books and waits, and one who tells the fact once it is there. */
struct party {
    struct shop *shop;
    struct bytes body; /* empty for the teller */
    enum reply_kind kind;
    enum outcome_kind outcome;
};

static void book_or_tell(void *context) {
    struct party *party = context;
    if (party->body.size == 0) {
        while (atomic_load(&party->shop->ledger.kept) == 0)
            sched_yield();
        return shop_ledger_answers(party->shop);
    }
    struct service_reply reply;
    book_and_wait(party->shop->service, BYTES("elm-street"), party->body, &reply);
    party->kind = reply.kind;
    party->outcome = reply.outcome;
    buffer_done(&reply.body);
}

static void
given_a_ledger_that_answers_in_another_thread_when_one_waits_then_the_reply_comes(void **state) {
    struct shop *shop = *state;
    struct app_request request = accept_sat(shop_ask(shop, "round one", TRIM));
    struct buffer body = app_body(&request);
    shop->ledger.waits = true;
    struct party parties[] = {{.shop = shop, .body = buffer_bytes(&body), .kind = REPLY_REFUSAL},
                              {.shop = shop}};
    run_together(book_or_tell, parties, LENGTH_OF(parties), sizeof parties[0]);
    assert_int_equal(parties[0].kind, REPLY_RESULT);
    assert_int_equal(parties[0].outcome, OUTCOME_BOOKED);
    buffer_done(&body);
}

static void given_a_refused_request_when_it_is_answered_then_the_ledger_is_not_asked(void **state) {
    struct shop *shop = *state;
    struct app_request request = accept_sat(shop_ask(shop, "round one", TRIM));
    shop->ledger.fakes = true; /* would take anything: fact is LEDGER_RECORDED */
    struct app_request wrong = request;
    wrong.salon = "oak-street";
    expect_refused(shop, "another salon", &wrong, REFUSAL_ANOTHER_REQUEST);
    wrong = request;
    wrong.responses = "{}";
    expect_refused(shop, "no answer", &wrong, REFUSAL_NO_ANSWER);
    wrong.state = BYTES("x");
    expect_refused(shop, "no state", &wrong, REFUSAL_NOT_VERIFIED);
    shop_pass_seconds(shop, 121);
    expect_refused(shop, "expired", &request, REFUSAL_EXPIRED);
    assert_int_equal(atomic_load(&shop->ledger.settled), 0);
}

/* Round two would tell. */
static void given_taken_slots_when_they_cannot_be_read_then_all_are_offered(void **state) {
    struct shop *shop = *state;
    static const struct {
        const char *name;
        bool has_exclusive_slots;
        enum status read_status;
        const char *offered;
    } rows[] = {
        {"not exclusive", false, STATUS_OK, "\"offered\":[\"sat-10:30\",\"sat-11:30\"]"},
        {"one is taken", true, STATUS_OK, "\"offered\":[\"sat-11:30\"]"},
        {"out of reach", true, STATUS_IO, "\"offered\":[\"sat-10:30\",\"sat-11:30\"]"},
        {"busy", true, STATUS_BUSY, "\"offered\":[\"sat-10:30\",\"sat-11:30\"]"},
    };
    shop->ledger.taken_slot = BYTES(SAT);
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        shop->ledger.ledger.has_exclusive_slots = rows[i].has_exclusive_slots;
        shop->ledger.read_status = rows[i].read_status;
        struct bytes text = shop_ask(shop, rows[i].name, TRIM);
        const char *found = memmem(text.data, text.size, rows[i].offered, strlen(rows[i].offered));
        assert_row(rows[i].name, found != NULL);
    }
}

static void
given_no_random_bytes_when_round_one_comes_then_the_service_is_unavailable(void **state) {
    struct shop *shop = *state;
    struct app_request request = accept_sat(shop_ask(shop, "while there are some", TRIM));
    shop->nonce_status = STATUS_IO;
    expect_refused(shop, "round one", &(struct app_request){.arguments = TRIM},
                   REFUSAL_UNAVAILABLE);
    expect_booked(shop, "round two needs none", &request, SAT);
    expect_reply(shop, "nothing open needs none",
                 &(struct app_request){.arguments = "{\"message\":\"m\",\"openSlots\":[]}"},
                 OUTCOME_NOTHING_OPEN,
                 "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"Nothing is open "
                 "then, so the salon will call you.\",\"status\":\"not_booked\"}}");
    shop->nonce_status = STATUS_OK;
    (void)shop_ask(shop, "again", TRIM);
}

static void swap_keys(struct shop *shop, const struct bytes *keys, size_t count) {
    struct keyring *keyring = NULL;
    assert_int_equal(keyring_new(keys, count, &keyring), STATUS_OK);
    service_set_keyring(shop->service, keyring);
    keyring_release(keyring);
}

/* Case B7. */
static void
given_keys_that_are_swapped_when_old_states_are_answered_then_the_ring_decides(void **state) {
    struct shop *shop = *state;
    const struct bytes keys[] = {BYTES(OTHER_KEY_TEXT), BYTES(KEY_TEXT)};
    struct buffer first = buffer_new(STATE_SIZE_MAX);
    struct buffer second = buffer_new(STATE_SIZE_MAX);
    buffer_append(&first, shop_ask(shop, "under the first key", TRIM));
    buffer_append(&second, shop_ask(shop, "under the first key too", TRIM));
    struct app_request answered = accept_sat(buffer_bytes(&first));
    struct app_request late = accept_sat(buffer_bytes(&second));
    swap_keys(shop, keys, 2);
    expect_booked(shop, "both keys", &answered, SAT);
    struct app_request fresh = accept_sat(shop_ask(shop, "under the new key", TRIM));
    swap_keys(shop, keys, 1);
    expect_refused(shop, "the new key alone, an old state", &late, REFUSAL_NOT_VERIFIED);
    expect_booked(shop, "the new key alone, its state", &fresh, SAT);
    expect_refused(shop, "used stays used", &fresh, REFUSAL_USED);
    buffer_done(&first);
    buffer_done(&second);
}

static void _when_the_service_is_not_ready_then_it_says_why_and_goes_on_to_answer(void **state) {
    struct shop *shop = *state;
    assert_int_equal(service_not_ready(shop->service), 0);
    swap_keys(shop, NULL, 0);
    assert_int_equal(service_not_ready(shop->service), NOT_READY_NO_KEY);
    swap_keys(shop, &BYTES(KEY_TEXT), 1);
    assert_int_equal(service_not_ready(shop->service), 0);
    service_drain(shop->service);
    assert_int_equal(service_not_ready(shop->service), NOT_READY_DRAINING);
    swap_keys(shop, NULL, 0);
    assert_int_equal(service_not_ready(shop->service), NOT_READY_DRAINING | NOT_READY_NO_KEY);
    swap_keys(shop, &BYTES(KEY_TEXT), 1);
    struct app_request request = accept_sat(shop_ask(shop, "round one", TRIM));
    expect_booked(shop, "round two", &request, SAT);
}

struct customer {
    struct service *service;
    struct bytes body;
    unsigned failed;
};

static void ask_often(void *context) {
    struct customer *customer = context;
    for (int i = 0; i < 100; i++) {
        struct service_reply reply;
        book_and_wait(customer->service, BYTES("elm-street"), customer->body, &reply);
        customer->failed += reply.kind != REPLY_RESULT || reply.outcome != OUTCOME_ASK;
        buffer_done(&reply.body);
    }
}

/* The last of these threads swaps keys; the others book meanwhile. */
static void swap_or_ask(void *context) {
    struct customer *customer = context;
    if (customer->body.size > 0)
        return ask_often(context);
    for (int i = 0; i < 100; i++) {
        struct keyring *keyring = NULL;
        customer->failed += keyring_new(&BYTES(OTHER_KEY_TEXT), 1, &keyring) != STATUS_OK;
        service_set_keyring(customer->service, keyring);
        keyring_release(keyring);
    }
}

static void
given_requests_under_way_when_the_keys_are_swapped_then_each_keeps_its_ring(void **state) {
    struct shop *shop = *state;
    struct buffer body = app_body(&(struct app_request){.arguments = TRIM});
    struct customer customers[5];
    for (size_t i = 0; i < LENGTH_OF(customers); i++)
        customers[i] = (struct customer){shop->service, buffer_bytes(&body), 0};
    customers[LENGTH_OF(customers) - 1].body = BYTES("");
    run_together(swap_or_ask, customers, LENGTH_OF(customers), sizeof customers[0]);
    for (size_t i = 0; i < LENGTH_OF(customers); i++)
        assert_int_equal(customers[i].failed, 0);
    buffer_done(&body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SHOP_TEST(given_a_ledger_that_refuses_when_round_two_completes_then_its_fact_is_the_reply),
        SHOP_TEST(given_a_ledger_that_answers_later_when_round_two_comes_then_the_reply_waits),
        SHOP_TEST(given_a_ledger_that_answers_later_when_it_is_not_needed_then_no_reply_waits),
        SHOP_TEST(given_a_reply_that_waits_when_the_keys_are_swapped_then_it_still_comes),
        SHOP_TEST(
            given_a_ledger_that_answers_in_another_thread_when_one_waits_then_the_reply_comes),
        SHOP_TEST(given_a_refused_request_when_it_is_answered_then_the_ledger_is_not_asked),
        SHOP_TEST(given_taken_slots_when_they_cannot_be_read_then_all_are_offered),
        SHOP_TEST(given_no_random_bytes_when_round_one_comes_then_the_service_is_unavailable),
        SHOP_TEST(given_keys_that_are_swapped_when_old_states_are_answered_then_the_ring_decides),
        SHOP_TEST(_when_the_service_is_not_ready_then_it_says_why_and_goes_on_to_answer),
        SHOP_TEST(given_requests_under_way_when_the_keys_are_swapped_then_each_keeps_its_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
