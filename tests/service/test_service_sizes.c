/* The property that no conversation is asked that can't be answered: the largest round two after
 * an accepted round one fits the body limit. The app's JSON writer here escapes all it can. */
#include "shop.h"

#include "json_text.h"

#include <stdio.h>

/* Open slots, of which round one offers the first two distinct. */
enum { SLOTS_MOST = 6 };

struct slots {
    struct buffer texts[SLOTS_MOST];
    size_t count;
};

static struct slots random_slots(struct dice *dice) {
    struct slots slots = {.count = 1 + dice_roll(dice, SLOTS_MOST)};
    for (size_t i = 0; i < slots.count; i++) {
        slots.texts[i] = buffer_new(SLOT_SIZE_MAX);
        switch (dice_roll(dice, 3)) {
        case 0:
            append_repeated(&slots.texts[i], "\x01", dice_roll(dice, 100));
            break;
        case 1:
            append_repeated(&slots.texts[i], "\xC3\xA9", dice_roll(dice, 64));
            break;
        default:
            dice_text(dice, &slots.texts[i], dice_roll(dice, 64));
        }
        assert_int_equal(slots.texts[i].status, STATUS_OK);
    }
    return slots;
}

static void slots_done(struct slots *slots) {
    for (size_t i = 0; i < slots->count; i++)
        buffer_done(&slots->texts[i]);
}

/* The offered time that is longest as the app writes it. */
static struct bytes longest_offered(const struct slots *slots) {
    struct bytes first = buffer_bytes(&slots->texts[0]);
    for (size_t i = 1; i < slots->count; i++) {
        struct bytes second = buffer_bytes(&slots->texts[i]);
        if (!bytes_equal(first, second))
            return json_string_size_most(second) > json_string_size_most(first) ? second : first;
    }
    return first;
}

/* Round one's body, but for its last brace. */
static void write_booking(struct buffer *body, const struct slots *slots, size_t message_size) {
    buffer_clear(body);
    buffer_append_text(body, "{\"arguments\": {\"message\": \"");
    append_repeated(body, "m", message_size);
    buffer_append_text(body, "\", \"openSlots\": [");
    for (size_t i = 0; i < slots->count; i++) {
        buffer_append_text(body, i == 0 ? "" : ", ");
        append_ascii_json(body, buffer_bytes(&slots->texts[i]));
    }
    buffer_append_text(body, "]}");
}

static void write_answer(struct buffer *body, struct bytes time, struct bytes text) {
    buffer_append_text(body, ", \"inputResponses\": {\"time\": {\"action\": \"accept\", "
                             "\"content\": {\"time\": ");
    append_ascii_json(body, time);
    buffer_append_text(body, "}}}, \"requestState\": ");
    append_ascii_json(body, text);
    buffer_append_byte(body, '}');
}

/* Sends round one. True, and the state in the shop, when it asks; false when the answer could not
 * fit, which is all that it may say. */
static bool is_asked(struct shop *shop, const char *row, struct bytes body, const char *too_large) {
    struct service_reply reply;
    book_and_wait(shop->service, BYTES("elm-street"), body, &reply);
    bool asked = reply.kind == REPLY_RESULT;
    if (asked) {
        assert_row_number(row, reply.outcome, OUTCOME_ASK);
        read_state(row, buffer_bytes(&reply.body), &shop->state);
    } else {
        assert_row_number(row, reply.refusal, REFUSAL_UNREADABLE);
        assert_row_bytes(row, buffer_bytes(&reply.body), bytes_of_text(too_large));
    }
    buffer_done(&reply.body);
    return asked;
}

/* The longest message with which round one is still answered. */
static size_t longest_message(struct shop *shop, const char *row, const struct slots *slots,
                              const char *too_large) {
    struct buffer body = buffer_new(BODY_SIZE_MOST);
    size_t fits = 0;
    size_t over = MESSAGE_SIZE_MAX;
    while (over - fits > 1) {
        size_t middle = fits + (over - fits) / 2;
        write_booking(&body, slots, middle);
        buffer_append_byte(&body, '}');
        if (is_asked(shop, row, buffer_bytes(&body), too_large))
            fits = middle;
        else
            over = middle;
    }
    buffer_done(&body);
    return fits;
}

static void expect_answerable(struct shop *shop, const char *row, size_t limit) {
    char too_large[128];
    snprintf(too_large, sizeof too_large,
             "\"the answer to this booking could not fit a body of %zu bytes: send fewer slots\"",
             limit);
    struct dice dice = {limit};
    for (int i = 0; i < 60; i++) {
        struct slots slots = random_slots(&dice);
        size_t message_size = longest_message(shop, row, &slots, too_large);
        struct buffer body = buffer_new(BODY_SIZE_MOST);
        write_booking(&body, &slots, message_size);
        struct bytes booking = buffer_bytes(&body);
        buffer_append_byte(&body, '}');
        if (is_asked(shop, row, buffer_bytes(&body), too_large)) {
            body.size = booking.size;
            write_answer(&body, longest_offered(&slots), buffer_bytes(&shop->state));
            assert_row(row, body.size <= limit);
            /* Not refused long before it has to be. */
            assert_row(row, body.size + 256 >= limit);
            struct service_reply reply;
            book_and_wait(shop->service, BYTES("elm-street"), buffer_bytes(&body), &reply);
            assert_row_number(row, reply.kind, REPLY_RESULT);
            assert_row_number(row, reply.outcome, OUTCOME_BOOKED);
            buffer_done(&reply.body);
        }
        buffer_done(&body);
        slots_done(&slots);
    }
}

static void given_a_small_body_limit_when_round_one_is_accepted_then_its_answer_fits(void **state) {
    struct shop *shop = *state;
    static const size_t limits[] = {4096, 5000, 8192};
    for (size_t i = 0; i < LENGTH_OF(limits); i++) {
        char row[32];
        snprintf(row, sizeof row, "%zu bytes", limits[i]);
        struct shop_plan plan = USUAL_PLAN;
        plan.body_size_max = limits[i];
        shop_reopen(shop, &plan);
        expect_answerable(shop, row, limits[i]);
        assert_row(row, shop_recorded(shop) >= (i + 1) * 30);
    }
}

static void
given_the_least_body_limit_when_a_plain_booking_comes_then_it_can_be_made(void **state) {
    struct shop *shop = *state;
    struct shop_plan plan = USUAL_PLAN;
    plan.body_size_max = BODY_SIZE_LEAST;
    shop_reopen(shop, &plan);
    struct bytes text = shop_ask(shop, "plain", "{\"message\":\"trim\",\"openSlots\":[\"a\"]}");
    expect_booked(shop, "plain",
                  &(struct app_request){.arguments = "{\"message\":\"trim\",\"openSlots\":[\"a\"]}",
                                        .responses = ACCEPT("a"),
                                        .state = text},
                  "a");
}

/* Every text at its limit and every character of six bytes: the buffers' ceilings hold it. */
static void given_the_usual_body_limit_when_the_largest_times_are_offered_then_they_can_be_booked(
    void **state) {
    struct shop *shop = *state;
    struct slots slots = {.count = 2};
    for (size_t i = 0; i < slots.count; i++) {
        slots.texts[i] = buffer_new(SLOT_SIZE_MAX);
        append_repeated(&slots.texts[i], "\x01", SLOT_SIZE_MAX - 1);
        buffer_append_byte(&slots.texts[i], (unsigned char)(2 + i));
    }
    struct buffer body = buffer_new(BODY_SIZE_MOST);
    write_booking(&body, &slots, MESSAGE_SIZE_MAX);
    size_t booking_size = body.size;
    buffer_append_byte(&body, '}');
    assert_true(is_asked(shop, "the largest", buffer_bytes(&body), ""));
    body.size = booking_size;
    write_answer(&body, buffer_bytes(&slots.texts[1]), buffer_bytes(&shop->state));
    assert_in_range(body.size, 0, BODY_SIZE_DEFAULT);
    struct service_reply reply;
    book_and_wait(shop->service, BYTES("elm-street"), buffer_bytes(&body), &reply);
    assert_int_equal(reply.kind, REPLY_RESULT);
    assert_int_equal(reply.outcome, OUTCOME_BOOKED);
    assert_int_equal(reply.body.status, STATUS_OK);
    buffer_done(&reply.body);
    buffer_done(&body);
    slots_done(&slots);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SHOP_TEST(given_a_small_body_limit_when_round_one_is_accepted_then_its_answer_fits),
        SHOP_TEST(given_the_least_body_limit_when_a_plain_booking_comes_then_it_can_be_made),
        SHOP_TEST(
            given_the_usual_body_limit_when_the_largest_times_are_offered_then_they_can_be_booked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
