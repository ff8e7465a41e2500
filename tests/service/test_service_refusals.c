#include "shop.h"

#include <stdio.h>

#define SAT "sat-10:30"
#define THREE "{\"message\":\"m\",\"openSlots\":[\"sat-10:30\",\"sat-11:30\",\"sat-13:00\"]}"

/* What an app sends in round two; NULL leaves the usual. */
struct altered {
    const char *name;
    const char *salon;
    const char *arguments;
};

/* The state is refused with what is altered, and still completes the right round two. */
static void expect_another_request(struct shop *shop, const char *arguments,
                                   const struct altered *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct app_request request = {.arguments = arguments, .responses = ACCEPT(SAT)};
        request.state = shop_ask(shop, rows[i].name, arguments);
        struct app_request wrong = request;
        wrong.salon = rows[i].salon;
        if (rows[i].arguments != NULL)
            wrong.arguments = rows[i].arguments;
        expect_refused(shop, rows[i].name, &wrong, REFUSAL_ANOTHER_REQUEST);
        expect_booked(shop, rows[i].name, &request, SAT);
    }
}

/* Case A7, and an added slot. */
static void
given_a_state_when_the_booking_differs_then_it_belongs_to_another_request(void **state) {
    static const struct altered rows[] = {
        {"another salon", "oak-street", NULL},
        {"a salon in capitals", "Elm-Street", NULL},
        {"a slot added", NULL,
         "{\"message\":\"a trim "
         "please\",\"openSlots\":[\"sat-10:30\",\"sat-11:30\",\"sat-13:00\"]}"},
        {"a slot added in front", NULL,
         "{\"message\":\"a trim "
         "please\",\"openSlots\":[\"sat-09:00\",\"sat-10:30\",\"sat-11:30\"]}"},
        {"a slot repeated", NULL,
         "{\"message\":\"a trim "
         "please\",\"openSlots\":[\"sat-10:30\",\"sat-11:30\",\"sat-11:30\"]}"},
        {"a slot left out", NULL, "{\"message\":\"a trim please\",\"openSlots\":[\"sat-10:30\"]}"},
        {"no slot left", NULL, "{\"message\":\"a trim please\",\"openSlots\":[]}"},
        {"slots reordered", NULL,
         "{\"message\":\"a trim please\",\"openSlots\":[\"sat-11:30\",\"sat-10:30\"]}"},
        {"a slot changed", NULL,
         "{\"message\":\"a trim please\",\"openSlots\":[\"sat-10:30\",\"sat-11:31\"]}"},
        {"another message", NULL,
         "{\"message\":\"a trim, please\",\"openSlots\":[\"sat-10:30\",\"sat-11:30\"]}"},
    };
    expect_another_request(*state, TRIM, rows, LENGTH_OF(rows));
}

static void
given_names_that_look_alike_when_the_state_moves_between_them_then_it_is_refused(void **state) {
    struct shop *shop = *state;
    static const struct {
        const char *name;
        struct app_request asked;
        struct app_request answered;
    } rows[] = {
        {"a space and a plus",
         {.salon = "a b", .arguments = TRIM},
         {.salon = "a+b", .arguments = TRIM}},
        {"a salon in NFC and NFD",
         {.salon = "caf\xC3\xA9", .arguments = TRIM},
         {.salon = "cafe\xCC\x81", .arguments = TRIM}},
        {"a message in NFC and NFD",
         {.arguments = "{\"message\":\"\\u00e9\",\"openSlots\":[\"sat-10:30\"]}"},
         {.arguments = "{\"message\":\"e\\u0301\",\"openSlots\":[\"sat-10:30\"]}"}},
        {"a slot in NFC and NFD",
         {.arguments = "{\"message\":\"m\",\"openSlots\":[\"sat-10:30\",\"\\u00e9\"]}"},
         {.arguments = "{\"message\":\"m\",\"openSlots\":[\"sat-10:30\",\"e\\u0301\"]}"}},
        {"a message that ends where the slots begin",
         {.arguments = "{\"message\":\"m\\\",[\\\"a\",\"openSlots\":[\"sat-10:30\"]}"},
         {.arguments = "{\"message\":\"m\",\"openSlots\":[\"a\",\"sat-10:30\"]}"}},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct buffer body = app_body(&rows[i].asked);
        const char *salon = rows[i].asked.salon == NULL ? "elm-street" : rows[i].asked.salon;
        struct service_reply reply;
        book_and_wait(shop->service, bytes_of_text(salon), buffer_bytes(&body), &reply);
        read_state(rows[i].name, buffer_bytes(&reply.body), &shop->state);
        buffer_done(&reply.body);
        buffer_done(&body);
        struct app_request wrong = rows[i].answered;
        wrong.responses = ACCEPT(SAT);
        wrong.state = buffer_bytes(&shop->state);
        expect_refused(shop, rows[i].name, &wrong, REFUSAL_ANOTHER_REQUEST);
        struct app_request right = rows[i].asked;
        right.responses = ACCEPT(SAT);
        right.state = buffer_bytes(&shop->state);
        expect_booked(shop, rows[i].name, &right, SAT);
    }
}

static void
given_the_same_booking_when_another_writer_wrote_it_then_it_is_the_same_request(void **state) {
    struct shop *shop = *state;
    struct bytes text = shop_ask(shop, "round one", TRIM);
    expect_booked(shop, "spaces, escapes, another order",
                  &(struct app_request){.arguments =
                                            "{ \"openSlots\": [ \"sat\\u002d10:30\", \"sat-11:30\" "
                                            "], \"message\": \"a \\u0074rim please\" }",
                                        .responses = ACCEPT(SAT),
                                        .state = text},
                  SAT);
}

/* Case B1. */
static void
given_a_state_when_any_character_of_it_is_replaced_then_it_does_not_verify(void **state) {
    struct shop *shop = *state;
    struct app_request request = {.arguments = TRIM, .responses = ACCEPT(SAT)};
    request.state = shop_ask(shop, "round one", TRIM);
    for (size_t at = 0; at < shop->state.size; at++) {
        char row[32];
        snprintf(row, sizeof row, "character %zu", at);
        shop->state.data[at] ^= 1; /* no letter of a MAC becomes its capital so */
        expect_refused(shop, row, &request, REFUSAL_NOT_VERIFIED);
        shop->state.data[at] ^= 1;
    }
    expect_booked(shop, "as it came", &request, SAT);
}

/* Case A2, its last row. */
static void given_a_state_when_it_is_longer_or_shorter_then_it_does_not_verify(void **state) {
    struct shop *shop = *state;
    static const struct {
        const char *name;
        size_t dropped_before;
        size_t dropped_after;
        const char *before;
        const char *after;
    } rows[] = {
        {"a space after", 0, 0, "", " "},       {"= after", 0, 0, "", "="},
        {"a line end after", 0, 0, "", "\n"},   {"a space before", 0, 0, " ", ""},
        {"a dot after", 0, 0, "", "."},         {"the first dropped", 1, 0, "", ""},
        {"the last dropped", 0, 1, "", ""},     {"the MAC dropped", 0, 64, "", ""},
        {"MAC and dot dropped", 0, 65, "", ""}, {"all dropped", 0, SIZE_MAX, "", ""},
    };
    struct app_request request = {.arguments = TRIM, .responses = ACCEPT(SAT)};
    request.state = shop_ask(shop, "round one", TRIM);
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct buffer edited = buffer_new(STATE_SIZE_MAX);
        buffer_append_text(&edited, rows[i].before);
        size_t end = rows[i].dropped_after > request.state.size
                         ? 0
                         : request.state.size - rows[i].dropped_after;
        buffer_append(&edited, bytes_from(bytes_up_to(request.state, end), rows[i].dropped_before));
        buffer_append_text(&edited, rows[i].after);
        struct app_request wrong = request;
        wrong.state = edited.size == 0 ? BYTES("") : buffer_bytes(&edited);
        expect_refused(shop, rows[i].name, &wrong, REFUSAL_NOT_VERIFIED);
        buffer_done(&edited);
    }
    expect_booked(shop, "as it came", &request, SAT);
}

static void write_mac_in_capitals(struct buffer *text) {
    for (size_t i = text->size - (size_t)2 * MAC_SIZE; i < text->size; i++)
        if (text->data[i] >= 'a')
            text->data[i] = (unsigned char)(text->data[i] - 'a' + 'A');
}

/* Case B2, and the other way round. */
static void
given_a_used_state_when_its_mac_is_written_in_the_other_case_then_it_was_used(void **state) {
    struct shop *shop = *state;
    struct buffer capitals = buffer_new(STATE_SIZE_MAX);
    for (int capitals_first = 0; capitals_first < 2; capitals_first++) {
        const char *row = capitals_first ? "capitals first" : "as issued first";
        struct app_request issued = {.arguments = TRIM, .responses = ACCEPT(SAT)};
        issued.state = shop_ask(shop, row, TRIM);
        buffer_clear(&capitals);
        buffer_append(&capitals, issued.state);
        write_mac_in_capitals(&capitals);
        struct app_request other = issued;
        other.state = buffer_bytes(&capitals);
        assert_row(row, !bytes_equal(issued.state, other.state));
        expect_booked(shop, row, capitals_first ? &other : &issued, SAT);
        expect_refused(shop, row, capitals_first ? &issued : &other, REFUSAL_USED);
        expect_refused(shop, row, capitals_first ? &other : &issued, REFUSAL_USED);
    }
    buffer_done(&capitals);
}

static void given_a_state_when_its_time_is_over_then_it_has_expired(void **state) {
    struct shop *shop = *state;
    struct app_request request = {.arguments = TRIM, .responses = ACCEPT(SAT)};
    request.state = shop_ask(shop, "round one", TRIM);
    shop_pass_seconds(shop, 120);
    scripted_time_pass(&shop->time, SECOND - 1);
    expect_booked(shop, "within its last second", &request, SAT);
    request.state = shop_ask(shop, "round one again", TRIM);
    shop_pass_seconds(shop, 120);
    scripted_time_pass(&shop->time, 1);
    expect_refused(shop, "a second past", &request, REFUSAL_EXPIRED);
    request.responses = DECLINE;
    expect_refused(shop, "declined", &request, REFUSAL_EXPIRED);
}

struct answer_row {
    const char *responses;
    enum refusal refusal;
    const char *text; /* NULL for the refusal's reason */
};

/* Every one is refused, and the corrected answer then completes. */
static void expect_answers_refused(struct shop *shop, const struct answer_row *rows, size_t count) {
    struct app_request request = {.arguments = THREE};
    request.state = shop_ask(shop, "round one", THREE);
    for (size_t i = 0; i < count; i++) {
        request.responses = rows[i].responses;
        const char *text =
            rows[i].text == NULL ? refusal_row(rows[i].refusal)->reason : rows[i].text;
        expect_refused_as(shop, rows[i].responses, &request, rows[i].refusal, text);
    }
    assert_int_equal(atomic_load(&shop->ledger.settled), 0);
    request.responses = ACCEPT(SAT);
    expect_booked(shop, "the corrected answer", &request, SAT);
}

static void
given_two_offered_times_when_another_is_accepted_then_it_was_never_offered(void **state) {
    static const struct answer_row rows[] = {
        {ACCEPT("sat-13:00"), REFUSAL_NEVER_OFFERED, "sat-13:00 was never offered"},
        {ACCEPT("SAT-10:30"), REFUSAL_NEVER_OFFERED, "SAT-10:30 was never offered"},
        {ACCEPT("sat-10:30 "), REFUSAL_NEVER_OFFERED, "sat-10:30  was never offered"},
        {ACCEPT("sat-10:3"), REFUSAL_NEVER_OFFERED, "sat-10:3 was never offered"},
        {ACCEPT(""), REFUSAL_NEVER_OFFERED, " was never offered"},
        {ACCEPT("\\\"\\\\\\u0001\\u00e9"), REFUSAL_NEVER_OFFERED,
         "\"\\\x01\xC3\xA9 was never offered"},
    };
    expect_answers_refused(*state, rows, LENGTH_OF(rows));
}

static void given_a_long_time_when_it_is_accepted_then_the_limit_of_a_slot_decides(void **state) {
    struct shop *shop = *state;
    static const struct {
        const char *name;
        size_t size;
        enum refusal refusal;
    } rows[] = {
        {"at the limit", SLOT_SIZE_MAX, REFUSAL_NEVER_OFFERED},
        {"over the limit", SLOT_SIZE_MAX + 1, REFUSAL_UNREADABLE},
    };
    struct bytes text = shop_ask(shop, "round one", TRIM);
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        char time[SLOT_SIZE_MAX + 2] = {0};
        for (size_t j = 0; j < rows[i].size; j++)
            time[j] = 'a';
        char responses[512];
        snprintf(responses, sizeof responses, ACCEPT("%s"), time);
        char never[512];
        snprintf(never, sizeof never, "%s was never offered", time);
        expect_refused_as(
            shop, rows[i].name,
            &(struct app_request){.arguments = TRIM, .responses = responses, .state = text},
            rows[i].refusal,
            rows[i].refusal == REFUSAL_NEVER_OFFERED
                ? never
                : "inputResponses.time.content.time is longer than 256 bytes");
    }
}

/* Case A5, and wrong actions. */
static void given_a_question_when_the_answer_has_another_shape_then_it_is_none(void **state) {
#define WITH_CONTENT(content) "{\"time\":{\"action\":\"accept\",\"content\":" content "}}"
#define WITH_ACTION(action)                                                                        \
    "{\"time\":{\"action\":" action ",\"content\":{\"time\":\"sat-10:30\"}}}"
    static const struct answer_row rows[] = {
        {WITH_CONTENT("7"), REFUSAL_NOT_AN_ANSWER, NULL},
        {WITH_CONTENT("[\"sat-10:30\"]"), REFUSAL_NOT_AN_ANSWER, NULL},
        {WITH_CONTENT("\"sat-10:30\""), REFUSAL_NOT_AN_ANSWER, NULL},
        {WITH_CONTENT("null"), REFUSAL_NOT_AN_ANSWER, NULL},
        {WITH_CONTENT("{}"), REFUSAL_NOT_AN_ANSWER, NULL},
        {WITH_CONTENT("{\"time\":[\"sat-10:30\"]}"), REFUSAL_NOT_AN_ANSWER, NULL},
        {WITH_CONTENT("{\"time\":{\"x\":1}}"), REFUSAL_NOT_AN_ANSWER, NULL},
        {WITH_CONTENT("{\"time\":7}"), REFUSAL_NOT_AN_ANSWER, NULL},
        {WITH_CONTENT("{\"time\":null}"), REFUSAL_NOT_AN_ANSWER, NULL},
        {"{\"time\":{\"action\":\"accept\"}}", REFUSAL_NOT_AN_ANSWER, NULL},
        {"{\"time\":{\"action\":\"accept\",\"time\":\"sat-10:30\"}}", REFUSAL_NOT_AN_ANSWER, NULL},
        {WITH_ACTION("\"book\""), REFUSAL_NOT_AN_ANSWER, NULL},
        {WITH_ACTION("\"Accept\""), REFUSAL_NOT_AN_ANSWER, NULL},
        {WITH_ACTION("\"\""), REFUSAL_NOT_AN_ANSWER, NULL},
        {WITH_ACTION("null"), REFUSAL_NOT_AN_ANSWER, NULL},
        {WITH_ACTION("7"), REFUSAL_NOT_AN_ANSWER, NULL},
        {"{\"time\":{\"content\":{\"time\":\"sat-10:30\"}}}", REFUSAL_NOT_AN_ANSWER, NULL},
        {"{\"time\":null}", REFUSAL_NOT_AN_ANSWER, NULL},
        {"{\"time\":\"sat-10:30\"}", REFUSAL_NOT_AN_ANSWER, NULL},
        {"{\"time\":[]}", REFUSAL_NOT_AN_ANSWER, NULL},
    };
    expect_answers_refused(*state, rows, LENGTH_OF(rows));
}

/* Case A6. */
static void given_a_question_when_only_others_are_answered_then_there_is_no_answer(void **state) {
    static const struct answer_row rows[] = {
        {"{}", REFUSAL_NO_ANSWER, NULL},
        {"{\"place\":{\"action\":\"accept\",\"content\":{\"time\":\"sat-10:30\"}}}",
         REFUSAL_NO_ANSWER, NULL},
        {"{\"Time\":{\"action\":\"cancel\"}}", REFUSAL_NO_ANSWER, NULL},
        {"[]", REFUSAL_NO_ANSWER, NULL},
        {"[{\"time\":{\"action\":\"cancel\"}}]", REFUSAL_NO_ANSWER, NULL},
        {"false", REFUSAL_NO_ANSWER, NULL},
        {"\"sat-10:30\"", REFUSAL_NO_ANSWER, NULL},
    };
    struct shop *shop = *state;
    expect_answers_refused(shop, rows, LENGTH_OF(rows));
    struct bytes text = shop_ask(shop, "one more", TRIM);
    expect_booked(shop, "an extra answer",
                  &(struct app_request){
                      .arguments = TRIM,
                      .responses = "{\"place\":{\"action\":\"cancel\"},\"time\":{\"action\":"
                                   "\"accept\",\"content\":{\"time\":\"sat-10:30\"}}}",
                      .state = text},
                  SAT);
}

static void _when_answers_and_state_come_alone_then_they_travel_together(void **state) {
    struct shop *shop = *state;
    struct bytes text = shop_ask(shop, "round one", TRIM);
    const struct {
        const char *name;
        struct app_request request;
    } rows[] = {
        {"answers", {.arguments = TRIM, .responses = ACCEPT(SAT)}},
        {"no answer at all", {.arguments = TRIM, .responses = "{}"}},
        {"answers of another kind", {.arguments = TRIM, .responses = "false"}},
        {"a state", {.arguments = TRIM, .state = text}},
        {"an empty state", {.arguments = TRIM, .state = BYTES("")}},
        {"a state and null", {.arguments = TRIM, .responses = "null", .state = text}},
        {"answers, nothing open",
         {.arguments = "{\"message\":\"m\",\"openSlots\":[]}", .responses = ACCEPT(SAT)}},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++)
        expect_refused(shop, rows[i].name, &rows[i].request, REFUSAL_ALONE);
    /* Case A2: null is absent. */
    expect_refused(
        shop, "answers and a null state",
        &(struct app_request){.arguments = TRIM ",\"requestState\":null", .responses = ACCEPT(SAT)},
        REFUSAL_ALONE);
    struct bytes fresh =
        shop_ask(shop, "both null", TRIM ",\"requestState\":null,\"inputResponses\":null");
    expect_booked(
        shop, "its state",
        &(struct app_request){.arguments = TRIM, .responses = ACCEPT(SAT), .state = fresh}, SAT);
}

static void given_no_key_when_any_round_comes_then_the_service_is_unavailable(void **state) {
    struct shop *shop = *state;
    struct app_request request = {.arguments = TRIM, .responses = ACCEPT(SAT)};
    request.state = shop_ask(shop, "with a key", TRIM);
    struct shop_plan plan = USUAL_PLAN;
    plan.key = BYTES("");
    shop_reopen(shop, &plan);
    expect_refused(shop, "round two", &request, REFUSAL_UNAVAILABLE);
    expect_refused(shop, "round one", &(struct app_request){.arguments = TRIM},
                   REFUSAL_UNAVAILABLE);
    expect_refused(shop, "nothing open",
                   &(struct app_request){.arguments = "{\"message\":\"m\",\"openSlots\":[]}"},
                   REFUSAL_UNAVAILABLE);
    expect_refused(shop, "answers alone",
                   &(struct app_request){.arguments = TRIM, .responses = ACCEPT(SAT)},
                   REFUSAL_UNAVAILABLE);
    expect_refused_as(shop, "unreadable comes first", &(struct app_request){.arguments = "[]"},
                      REFUSAL_UNREADABLE, "arguments is not an object");
}

/* The order of protocol.md, section 4: of two faults the earlier one is told. */
static void given_two_faults_when_round_two_comes_then_the_earlier_check_refuses(void **state) {
    struct shop *shop = *state;
    struct bytes good = shop_ask(shop, "round one", TRIM);
    struct app_request request = {.arguments = TRIM, .responses = "{}", .state = BYTES("x.y")};
    expect_refused(shop, "no state, no answer", &request, REFUSAL_NOT_VERIFIED);
    request = (struct app_request){"oak-street", TRIM, "{}", good};
    expect_refused(shop, "another salon, no answer", &request, REFUSAL_ANOTHER_REQUEST);
    shop_pass_seconds(shop, 121);
    expect_refused(shop, "another salon, expired", &request, REFUSAL_ANOTHER_REQUEST);
    request.salon = NULL;
    expect_refused(shop, "expired, no answer", &request, REFUSAL_EXPIRED);
    request.state = shop_ask(shop, "round one again", TRIM);
    request.responses = ACCEPT(SAT);
    expect_booked(shop, "round two", &request, SAT);
    request.responses = "{}";
    expect_refused(shop, "used, no answer", &request, REFUSAL_NO_ANSWER);
    request.responses = ACCEPT("sat-13:00");
    expect_refused_as(shop, "used, never offered", &request, REFUSAL_NEVER_OFFERED,
                      "sat-13:00 was never offered");
    request.responses = ACCEPT(SAT);
    expect_refused(shop, "used", &request, REFUSAL_USED);
}

static void _when_the_request_is_unreadable_then_the_text_says_where(void **state) {
    struct shop *shop = *state;
    static const struct {
        const char *arguments;
        const char *text;
    } rows[] = {
        {"{\"message\":\"m\",\"openSlots\":[\"a\",7]}", "arguments.openSlots[1] is not a string"},
        {"{\"openSlots\":[]}", "arguments.message is missing"},
        {"{\"message\":\"m\",\"openSlots\":[]", "the body's JSON is cut short (line 1, column 43)"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++)
        expect_refused_as(shop, rows[i].arguments,
                          &(struct app_request){.arguments = rows[i].arguments}, REFUSAL_UNREADABLE,
                          rows[i].text);
    expect_refused_as(shop, "no salon", &(struct app_request){.salon = "", .arguments = TRIM},
                      REFUSAL_UNREADABLE, "the salon is empty");
    struct service_reply reply;
    book_and_wait(shop->service, BYTES("elm-street"), BYTES(""), &reply);
    assert_row_bytes("no body", buffer_bytes(&reply.body), BYTES("\"the body is empty\""));
    assert_int_equal(reply.refusal, REFUSAL_UNREADABLE);
    assert_int_equal(reply.round, 0);
    buffer_done(&reply.body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SHOP_TEST(given_a_state_when_the_booking_differs_then_it_belongs_to_another_request),
        SHOP_TEST(given_names_that_look_alike_when_the_state_moves_between_them_then_it_is_refused),
        SHOP_TEST(given_the_same_booking_when_another_writer_wrote_it_then_it_is_the_same_request),
        SHOP_TEST(given_a_state_when_any_character_of_it_is_replaced_then_it_does_not_verify),
        SHOP_TEST(given_a_state_when_it_is_longer_or_shorter_then_it_does_not_verify),
        SHOP_TEST(given_a_used_state_when_its_mac_is_written_in_the_other_case_then_it_was_used),
        SHOP_TEST(given_a_state_when_its_time_is_over_then_it_has_expired),
        SHOP_TEST(given_two_offered_times_when_another_is_accepted_then_it_was_never_offered),
        SHOP_TEST(given_a_long_time_when_it_is_accepted_then_the_limit_of_a_slot_decides),
        SHOP_TEST(given_a_question_when_the_answer_has_another_shape_then_it_is_none),
        SHOP_TEST(given_a_question_when_only_others_are_answered_then_there_is_no_answer),
        SHOP_TEST(_when_answers_and_state_come_alone_then_they_travel_together),
        SHOP_TEST(given_no_key_when_any_round_comes_then_the_service_is_unavailable),
        SHOP_TEST(given_two_faults_when_round_two_comes_then_the_earlier_check_refuses),
        SHOP_TEST(_when_the_request_is_unreadable_then_the_text_says_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
