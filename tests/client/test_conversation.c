/* The conversation as a state machine: its phases, the bytes that it sends, and every problem with
 * its prefix (protocol.md, section 5). */
#include "fixtures.h"

#include "conversation.h"

#include <stdio.h>
#include <string.h>

#define BOOKING                                                                                    \
    "{\"message\":\"A cut on Saturday morning, please\",\"openSlots\":[\"sat-10:30\","             \
    "\"sat-11:30\",\"sat-13:00\"]}"
#define STATE_TEXT "{\"goodUntil\":1791018120,\"offered\":[\"sat-10:30\"]}.AB\xC3\xA9\t"
#define STATE_JSON                                                                                 \
    "\"{\\\"goodUntil\\\":1791018120,\\\"offered\\\":[\\\"sat-10:30\\\"]}.AB\xC3\xA9\\t\""
#define QUESTION                                                                                   \
    "{\"inputRequests\":{\"time\":{\"method\":\"elicitation/create\",\"params\":{\"message\":"     \
    "\"Which time suits you?\",\"mode\":\"form\",\"requestedSchema\":{\"properties\":{\"time\":{"  \
    "\"enum\":[\"sat-10:30\",\"sat-11:30\"],\"type\":\"string\"}},\"required\":[\"time\"],"        \
    "\"type\":"                                                                                    \
    "\"object\"}}}},\"requestState\":" STATE_JSON ",\"resultType\":\"input_required\"}"
#define BOOKED                                                                                     \
    "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"sat-10:30 is "                  \
    "yours.\",\"slot\":"                                                                           \
    "\"sat-10:30\",\"status\":\"booked\"}}"
#define NOT_BOOKED                                                                                 \
    "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"No time was chosen, so "        \
    "nothing "                                                                                     \
    "is booked.\",\"status\":\"not_booked\"}}"

static int set_up(void **state) {
    struct conversation *conversation = NULL;
    int result = conversation_new(&conversation) == STATUS_OK ? 0 : -1;
    *state = conversation;
    return result;
}

static int tear_down(void **state) {
    conversation_free(*state);
    return 0;
}

static bool is(struct bytes bytes, const char *text) {
    return bytes_equal(bytes, bytes_of_text(text));
}

static const struct bytes slots[] = {
    {(const unsigned char *)"sat-10:30", 9},
    {(const unsigned char *)"sat-11:30", 9},
    {(const unsigned char *)"sat-13:00", 9},
};

static struct round_request start(struct conversation *conversation) {
    struct round_request request;
    assert_int_equal(conversation_start(conversation, BYTES("elm-street"),
                                        BYTES("A cut on Saturday morning, please"), slots,
                                        LENGTH_OF(slots), &request),
                     STATUS_OK);
    return request;
}

static struct round_reply json_reply(const char *body) {
    return (struct round_reply){.kind = REPLY_WHOLE,
                                .request_sent = true,
                                .is_json = true,
                                .status = 200,
                                .body = bytes_of_text(body)};
}

static void take(struct conversation *conversation, struct round_reply reply) {
    assert_int_equal(conversation_reply(conversation, &reply), STATUS_OK);
}

static void ask(struct conversation *conversation) {
    start(conversation);
    take(conversation, json_reply(QUESTION));
    assert_int_equal(conversation_phase(conversation), CONVERSATION_ASKING);
}

static struct round_request choose(struct conversation *conversation, size_t choice) {
    struct round_request request;
    assert_int_equal(conversation_answer(conversation, choice, &request), STATUS_OK);
    return request;
}

static void assert_problem(struct conversation *conversation, const char *text) {
    assert_int_equal(conversation_phase(conversation), CONVERSATION_FAILED);
    const struct problem *problem = conversation_problem(conversation);
    assert_non_null(problem);
    if (!is(problem->text, text))
        fail_msg("\"%.*s\" instead of \"%s\"", (int)problem->text.size, problem->text.data, text);
    assert_null(conversation_question(conversation));
    assert_null(conversation_completion(conversation));
    assert_int_equal(conversation_under_way(conversation), ROUND_NONE);
}

static void given_a_booking_when_started_then_round_one_carries_it(void **state) {
    struct conversation *conversation = *state;
    struct round_request request = start(conversation);
    assert_true(is(request.path, "/salons/elm-street/book"));
    assert_true(is(request.body, "{\"arguments\":" BOOKING "}"));
    assert_int_equal(conversation_phase(conversation), CONVERSATION_IDLE);
    assert_int_equal(conversation_under_way(conversation), ROUND_ONE);
}

static void given_odd_texts_when_started_then_they_are_escaped(void **state) {
    struct conversation *conversation = *state;
    static const struct bytes odd[] = {{(const unsigned char *)"", 0},
                                       {(const unsigned char *)"\"\\\x01\x7F\xC3\xA9", 6}};
    struct round_request request;
    assert_int_equal(conversation_start(conversation, BYTES("elm/a b+%c\xC3\xA9?#~.."),
                                        BYTES("1\n2\x1F"), odd, LENGTH_OF(odd), &request),
                     STATUS_OK);
    assert_true(is(request.path, "/salons/elm%2Fa%20b%2B%25c%C3%A9%3F%23~../book"));
    assert_true(is(request.body, "{\"arguments\":{\"message\":\"1\\n2\\u001f\",\"openSlots\":[\"\","
                                 "\"\\\"\\\\\\u0001\x7F\xC3\xA9\"]}}"));
}

static void given_no_slots_when_started_then_round_one_is_sent_all_the_same(void **state) {
    struct round_request request;
    assert_int_equal(conversation_start(*state, BYTES("elm"), BYTES(""), NULL, 0, &request),
                     STATUS_OK);
    assert_true(is(request.body, "{\"arguments\":{\"message\":\"\",\"openSlots\":[]}}"));
}

static void given_texts_that_no_request_can_carry_when_started_then_nothing_is_sent(void **state) {
    struct conversation *conversation = *state;
    static const struct bytes bad = {(const unsigned char *)"a\xFF", 2};
    static const struct bytes with_nul = {(const unsigned char *)"a\0", 2};
    const struct bytes salons[] = {BYTES(""), BYTES("."), BYTES(".."), bad, with_nul};
    struct round_request request = {BYTES("untouched"), BYTES(""), BYTES("")};
    for (size_t i = 0; i < LENGTH_OF(salons); i++)
        assert_int_equal(conversation_start(conversation, salons[i], BYTES("x"), NULL, 0, &request),
                         STATUS_INVALID);
    const struct bytes texts[] = {bad, with_nul};
    for (size_t i = 0; i < LENGTH_OF(texts); i++) {
        assert_int_equal(
            conversation_start(conversation, BYTES("elm"), texts[i], NULL, 0, &request),
            STATUS_INVALID);
        assert_int_equal(
            conversation_start(conversation, BYTES("elm"), BYTES("x"), &texts[i], 1, &request),
            STATUS_INVALID);
    }
    assert_true(is(request.path, "untouched"));
    assert_int_equal(conversation_under_way(conversation), ROUND_NONE);
    start(conversation);
}

static void
given_a_question_when_answered_then_the_retry_carries_the_same_booking_the_answer_and_the_state_untouched(
    void **state) {
    struct conversation *conversation = *state;
    ask(conversation);
    const struct question *question = conversation_question(conversation);
    assert_true(is(question->message, "Which time suits you?"));
    assert_int_equal(question->time_count, 2);
    assert_true(is(question->state, STATE_TEXT));
    struct round_request request = choose(conversation, 1);
    assert_true(is(request.path, "/salons/elm-street/book"));
    assert_true(is(request.body,
                   "{\"arguments\":" BOOKING ",\"inputResponses\":{\"time\":{\"action\":\"accept\","
                   "\"content\":{\"time\":\"sat-11:30\"}}},\"requestState\":" STATE_JSON "}"));
    assert_int_equal(conversation_phase(conversation), CONVERSATION_ASKING);
    assert_int_equal(conversation_under_way(conversation), ROUND_TWO);
}

static void given_a_question_when_declined_or_cancelled_then_round_two_names_no_time(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "{\"arguments\":" BOOKING ",\"inputResponses\":{\"time\":{\"action\":\"decline\"}},"
        "\"requestState\":" STATE_JSON "}",
        "{\"arguments\":" BOOKING ",\"inputResponses\":{\"time\":{\"action\":\"cancel\"}},"
        "\"requestState\":" STATE_JSON "}",
    };
    for (size_t i = 0; i < LENGTH_OF(bodies); i++) {
        struct conversation *conversation = NULL;
        assert_int_equal(conversation_new(&conversation), STATUS_OK);
        ask(conversation);
        struct round_request request;
        assert_int_equal(i == 0 ? conversation_decline(conversation, &request)
                                : conversation_cancel(conversation, &request),
                         STATUS_OK);
        assert_true(is(request.body, bodies[i]));
        take(conversation, json_reply(NOT_BOOKED));
        assert_int_equal(conversation_phase(conversation), CONVERSATION_DONE);
        assert_false(conversation_completion(conversation)->is_booked);
        conversation_free(conversation);
    }
}

static void given_an_answer_when_the_server_books_then_the_conversation_is_done(void **state) {
    struct conversation *conversation = *state;
    ask(conversation);
    choose(conversation, 0);
    take(conversation, json_reply(BOOKED));
    assert_int_equal(conversation_phase(conversation), CONVERSATION_DONE);
    const struct completion *completion = conversation_completion(conversation);
    assert_true(completion->is_booked);
    assert_true(is(completion->slot, "sat-10:30"));
    assert_true(is(completion->say, "sat-10:30 is yours."));
    assert_null(conversation_question(conversation));
    assert_null(conversation_problem(conversation));
}

static void given_round_one_when_it_completes_at_once_then_nothing_is_asked(void **state) {
    struct conversation *conversation = *state;
    start(conversation);
    take(conversation, json_reply(NOT_BOOKED));
    assert_int_equal(conversation_phase(conversation), CONVERSATION_DONE);
    assert_true(is(conversation_completion(conversation)->say,
                   "No time was chosen, so nothing is booked."));
}

static void
given_words_that_name_another_time_when_booked_then_the_booking_does_not_move(void **state) {
    struct conversation *conversation = *state;
    ask(conversation);
    choose(conversation, 0);
    take(conversation,
         json_reply("{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"sat-11:30 is "
                    "yours.\",\"slot\":\"sat-10:30\",\"status\":\"booked\"}}"));
    assert_true(is(conversation_completion(conversation)->slot, "sat-10:30"));
}

static void given_a_second_question_when_it_comes_then_the_conversation_stops(void **state) {
    struct conversation *conversation = *state;
    ask(conversation);
    choose(conversation, 0);
    take(conversation, json_reply(QUESTION));
    assert_problem(conversation, "round two: the server asked again");
    assert_false(conversation_problem(conversation)->may_be_booked);
}

#define A_KEY "\"key-1\""

static const struct round_reply no_reply = {.kind = REPLY_NONE, .request_sent = true};
static const struct round_reply never_sent = {.kind = REPLY_NONE};

/* A conversation that waits for the reply to its answer, which went with a key. */
static struct round_request answer_with_key(struct conversation *conversation) {
    ask(conversation);
    assert_int_equal(conversation_use_key(conversation, BYTES(A_KEY)), STATUS_OK);
    return choose(conversation, 0);
}

static void given_a_key_when_rounds_are_sent_then_only_round_two_has_it(void **state) {
    struct conversation *conversation = *state;
    assert_int_equal(conversation_use_key(conversation, BYTES(A_KEY)), STATUS_OK);
    static const unsigned char long_key[258] = {'"'};
    assert_int_equal(conversation_use_key(conversation, (struct bytes){long_key, sizeof long_key}),
                     STATUS_LIMIT);
    assert_int_equal(start(conversation).key.size, 0);
    take(conversation, json_reply(QUESTION));
    assert_true(is(choose(conversation, 0).key, A_KEY));
    assert_int_equal(conversation_use_key(conversation, BYTES("\"late\"")), STATUS_INVALID);
}

static void given_no_word_on_round_two_when_it_is_repeated_then_it_is_the_same(void **state) {
    (void)state;
    const struct round_reply unsure[] = {
        no_reply,
        never_sent,
        {.kind = REPLY_WHOLE, .request_sent = true, .status = 503},
        {.kind = REPLY_CUT, .request_sent = true, .is_json = true, .status = 200},
    };
    for (size_t i = 0; i < LENGTH_OF(unsure); i++) {
        struct conversation *conversation = NULL;
        struct round_request again;
        assert_int_equal(conversation_new(&conversation), STATUS_OK);
        struct round_request first = answer_with_key(conversation);
        char body[1024];
        snprintf(body, sizeof body, "%.*s", (int)first.body.size, (const char *)first.body.data);
        assert_int_equal(conversation_repeat(conversation, &again), STATUS_INVALID);
        take(conversation, unsure[i]);
        if (!conversation_may_repeat(conversation))
            fail_msg("row %zu can't be repeated", i);
        assert_int_equal(conversation_repeat(conversation, &again), STATUS_OK);
        assert_int_equal(conversation_under_way(conversation), ROUND_TWO);
        assert_true(is(again.path, "/salons/elm-street/book"));
        assert_true(is(again.key, A_KEY));
        assert_true(is(again.body, body));
        assert_int_equal(conversation_repeat(conversation, &again), STATUS_INVALID);
        take(conversation, json_reply(BOOKED));
        assert_int_equal(conversation_phase(conversation), CONVERSATION_DONE);
        assert_null(conversation_problem(conversation));
        conversation_free(conversation);
    }
}

/* Whatever the second reply says, the first one's booking may stand. */
static void given_a_repetition_when_it_fails_too_then_the_first_may_be_booked(void **state) {
    (void)state;
    const struct {
        struct round_reply first;
        struct round_reply second;
        bool may_be_booked;
    } rows[] = {
        {no_reply, no_reply, true},
        {no_reply, never_sent, true},
        {no_reply, {.kind = REPLY_WHOLE, .request_sent = true, .status = 400}, true},
        {never_sent, never_sent, false},
        {never_sent, {.kind = REPLY_WHOLE, .request_sent = true, .status = 400}, false},
        {never_sent, no_reply, true},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct conversation *conversation = NULL;
        struct round_request again;
        assert_int_equal(conversation_new(&conversation), STATUS_OK);
        answer_with_key(conversation);
        take(conversation, rows[i].first);
        assert_int_equal(conversation_repeat(conversation, &again), STATUS_OK);
        take(conversation, rows[i].second);
        assert_false(conversation_may_repeat(conversation));
        if (conversation_problem(conversation)->may_be_booked != rows[i].may_be_booked)
            fail_msg("row %zu", i);
        conversation_free(conversation);
    }
}

static void given_a_repetition_when_its_reply_cant_be_kept_then_the_problem_stays(void **state) {
    static const unsigned char location[70000] = {'x'};
    struct conversation *conversation = *state;
    struct round_request again;
    answer_with_key(conversation);
    take(conversation, no_reply);
    assert_int_equal(conversation_repeat(conversation, &again), STATUS_OK);
    const struct round_reply redirected = {.kind = REPLY_WHOLE,
                                           .request_sent = true,
                                           .status = 302,
                                           .location = {location, sizeof location}};
    assert_int_equal(conversation_reply(conversation, &redirected), STATUS_LIMIT);
    assert_int_equal(conversation_under_way(conversation), ROUND_TWO);
    const struct problem *problem = conversation_problem(conversation);
    assert_true(is(problem->text, "round two: the server gave no reply"));
    assert_true(problem->may_be_booked);
}

static void given_a_clear_reply_or_no_key_when_round_two_fails_then_it_ends_there(void **state) {
    struct conversation *conversation = *state;
    ask(conversation);
    choose(conversation, 0);
    take(conversation, no_reply);
    assert_false(conversation_may_repeat(conversation)); /* without a key */
    const struct round_reply clear[] = {
        {.kind = REPLY_WHOLE, .request_sent = true, .status = 400},
        {.kind = REPLY_WHOLE, .request_sent = true, .status = 302},
        json_reply(QUESTION),
        json_reply("{\"resultType\":\"maybe\"}"),
        json_reply(BOOKED),
    };
    for (size_t i = 0; i < LENGTH_OF(clear); i++) {
        struct conversation *keyed = NULL;
        assert_int_equal(conversation_new(&keyed), STATUS_OK);
        answer_with_key(keyed);
        take(keyed, clear[i]);
        if (conversation_may_repeat(keyed))
            fail_msg("row %zu would be repeated", i);
        conversation_free(keyed);
    }
    struct conversation *asked = NULL;
    assert_int_equal(conversation_new(&asked), STATUS_OK);
    assert_int_equal(conversation_use_key(asked, BYTES(A_KEY)), STATUS_OK);
    start(asked);
    take(asked, no_reply);
    assert_false(conversation_may_repeat(asked)); /* round one */
    conversation_free(asked);
}

/* Both rounds, with whether a visit may be booked after round two. */
struct row {
    const char *name;
    struct round_reply reply;
    const char *problem;
    bool may_be_booked;
};

static const struct row rows[] = {
    {"refused",
     {REPLY_WHOLE, true, true, 400, ROW_BYTES(""), ROW_BYTES("\"no\"")},
     "the server refused it (400)",
     false},
    {"refused in plain text",
     {REPLY_WHOLE, true, false, 415, ROW_BYTES(""), ROW_BYTES("send JSON")},
     "the server refused it (415)",
     false},
    {"refused, and cut",
     {REPLY_CUT, true, true, 422, ROW_BYTES(""), ROW_BYTES("\"n")},
     "the server refused it (422)",
     false},
    {"refused, with a booking",
     {REPLY_WHOLE, true, true, 409, ROW_BYTES(""), ROW_BYTES(BOOKED)},
     "the server refused it (409)",
     false},
    {"unavailable",
     {REPLY_WHOLE, true, true, 503, ROW_BYTES(""), ROW_BYTES("\"busy\"")},
     "the server refused it (503)",
     true},
    {"a server's fault",
     {REPLY_WHOLE, true, false, 500, ROW_BYTES(""), ROW_BYTES("")},
     "the server refused it (500)",
     true},
    {"redirected",
     {REPLY_WHOLE, true, false, 302, ROW_BYTES("http://elsewhere/"), ROW_BYTES("")},
     "the server refused it (302)",
     false},
    {"another protocol",
     {REPLY_WHOLE, true, false, 101, ROW_BYTES(""), ROW_BYTES("")},
     "the server refused it (101)",
     false},
    {"no reply",
     {REPLY_NONE, true, false, 0, ROW_BYTES(""), ROW_BYTES("")},
     "the server gave no reply",
     true},
    {"not even sent",
     {REPLY_NONE, false, false, 0, ROW_BYTES(""), ROW_BYTES("")},
     "the server gave no reply",
     false},
    {"cut",
     {REPLY_CUT, true, true, 200, ROW_BYTES(""), ROW_BYTES("{\"resultType\":")},
     "the reply can't be read",
     true},
    {"cut after a whole booking",
     {REPLY_CUT, true, true, 200, ROW_BYTES(""), ROW_BYTES(BOOKED)},
     "the reply can't be read",
     true},
    {"cut, and not labelled JSON",
     {REPLY_CUT, true, false, 200, ROW_BYTES(""), ROW_BYTES(BOOKED)},
     "the reply can't be read",
     true},
    {"JSON that doesn't parse",
     {REPLY_WHOLE, true, true, 200, ROW_BYTES(""), ROW_BYTES("{]")},
     "the reply can't be read",
     true},
    {"an empty body",
     {REPLY_WHOLE, true, true, 200, ROW_BYTES(""), ROW_BYTES("")},
     "the reply can't be read",
     true},
    {"not labelled JSON",
     {REPLY_WHOLE, true, false, 200, ROW_BYTES(""), ROW_BYTES(BOOKED)},
     "unknown resultType undefined",
     true},
    {"an unknown type",
     {REPLY_WHOLE, true, true, 201, ROW_BYTES(""), ROW_BYTES("{\"resultType\":\"maybe\"}")},
     "unknown resultType \"maybe\"",
     true},
    {"an unknown status",
     {REPLY_WHOLE, true, true, 200, ROW_BYTES(""),
      ROW_BYTES(
          "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"\",\"status\":\"held\"}"
          "}")},
     "structuredContent has unknown status \"held\"",
     true},
    {"no content",
     {REPLY_WHOLE, true, true, 200, ROW_BYTES(""), ROW_BYTES("{\"resultType\":\"complete\"}")},
     "structuredContent is not a booking",
     true},
    {"no slot",
     {REPLY_WHOLE, true, true, 200, ROW_BYTES(""),
      ROW_BYTES("{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"\",\"status\":"
                "\"booked\"}}")},
     "a booking needs its slot",
     true},
};

static void check_row(const struct row *row, enum round round) {
    struct conversation *conversation = NULL;
    assert_int_equal(conversation_new(&conversation), STATUS_OK);
    if (round == ROUND_ONE) {
        start(conversation);
    } else {
        ask(conversation);
        choose(conversation, 0);
    }
    take(conversation, row->reply);
    char text[128];
    snprintf(text, sizeof text, "round %s: %s", round == ROUND_ONE ? "one" : "two", row->problem);
    assert_problem(conversation, text);
    const struct problem *problem = conversation_problem(conversation);
    if (problem->may_be_booked != (round == ROUND_TWO && row->may_be_booked))
        fail_msg("%s: may be booked in round %d?", row->name, (int)round);
    assert_int_equal(problem->round, round);
    assert_true(bytes_equal(problem->location, row->reply.location));
    conversation_free(conversation);
}

static void given_a_bad_reply_in_either_round_when_taken_then_the_problem_says_so(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        check_row(&rows[i], ROUND_ONE);
        check_row(&rows[i], ROUND_TWO);
    }
}

static void given_a_refusal_with_a_body_when_taken_then_no_reply_body_is_kept(void **state) {
    struct conversation *conversation = *state;
    char body[] = "\"a secret\"";
    start(conversation);
    struct round_reply reply = json_reply(body);
    reply.status = 400;
    take(conversation, reply);
    assert_problem(conversation, "round one: the server refused it (400)");
    /* Nor is it borrowed. */
    memset(body, 'x', sizeof body);
    assert_problem(conversation, "round one: the server refused it (400)");
}

static void given_a_reply_when_its_memory_is_gone_then_the_question_is_still_there(void **state) {
    struct conversation *conversation = *state;
    char body[] = QUESTION;
    start(conversation);
    take(conversation, json_reply(body));
    memset(body, 'x', sizeof body);
    assert_true(is(conversation_question(conversation)->times[1], "sat-11:30"));
    assert_true(is(conversation_question(conversation)->state, STATE_TEXT));
}

static void given_nothing_was_asked_when_answered_then_the_conversation_fails(void **state) {
    (void)state;
    for (size_t before = 0; before < 4; before++) {
        struct conversation *conversation = NULL;
        assert_int_equal(conversation_new(&conversation), STATUS_OK);
        if (before > 0)
            start(conversation);
        if (before > 1)
            take(conversation, json_reply(before == 2 ? NOT_BOOKED : "{]"));
        struct round_request request = {BYTES("untouched"), BYTES(""), BYTES("")};
        assert_int_equal(before % 2 == 0 ? conversation_answer(conversation, 0, &request)
                                         : conversation_decline(conversation, &request),
                         STATUS_INVALID);
        assert_problem(conversation, "nothing was asked");
        assert_int_equal(conversation_problem(conversation)->round, ROUND_NONE);
        assert_true(is(request.path, "untouched"));
        conversation_free(conversation);
    }
}

static void given_round_two_under_way_when_answered_again_then_only_one_is_sent(void **state) {
    struct conversation *conversation = *state;
    ask(conversation);
    choose(conversation, 0);
    struct round_request request;
    assert_int_equal(conversation_answer(conversation, 1, &request), STATUS_BUSY);
    assert_int_equal(conversation_decline(conversation, &request), STATUS_BUSY);
    assert_int_equal(conversation_cancel(conversation, &request), STATUS_BUSY);
    take(conversation, json_reply(BOOKED));
    assert_int_equal(conversation_phase(conversation), CONVERSATION_DONE);
}

static void given_a_question_when_the_choice_has_no_time_then_it_is_still_asking(void **state) {
    struct conversation *conversation = *state;
    ask(conversation);
    struct round_request request;
    assert_int_equal(conversation_answer(conversation, 2, &request), STATUS_LIMIT);
    assert_int_equal(conversation_phase(conversation), CONVERSATION_ASKING);
    choose(conversation, 1);
}

static void given_a_conversation_that_began_when_started_again_then_it_goes_on(void **state) {
    struct conversation *conversation = *state;
    struct round_request request;
    start(conversation);
    assert_int_equal(conversation_start(conversation, BYTES("oak"), BYTES("x"), NULL, 0, &request),
                     STATUS_INVALID);
    take(conversation, json_reply(QUESTION));
    assert_int_equal(conversation_start(conversation, BYTES("oak"), BYTES("x"), NULL, 0, &request),
                     STATUS_INVALID);
    assert_true(is(choose(conversation, 0).path, "/salons/elm-street/book"));
}

static void given_no_round_under_way_when_a_reply_comes_then_nothing_changes(void **state) {
    struct conversation *conversation = *state;
    const struct round_reply reply = json_reply(BOOKED);
    assert_int_equal(conversation_reply(conversation, &reply), STATUS_INVALID);
    assert_int_equal(conversation_phase(conversation), CONVERSATION_IDLE);
    ask(conversation);
    assert_int_equal(conversation_reply(conversation, &reply), STATUS_INVALID);
    assert_int_equal(conversation_phase(conversation), CONVERSATION_ASKING);
}

#define SCENARIO(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO(given_a_key_when_rounds_are_sent_then_only_round_two_has_it),
        SCENARIO(given_no_word_on_round_two_when_it_is_repeated_then_it_is_the_same),
        SCENARIO(given_a_repetition_when_it_fails_too_then_the_first_may_be_booked),
        SCENARIO(given_a_repetition_when_its_reply_cant_be_kept_then_the_problem_stays),
        SCENARIO(given_a_clear_reply_or_no_key_when_round_two_fails_then_it_ends_there),
        SCENARIO(given_a_booking_when_started_then_round_one_carries_it),
        SCENARIO(given_odd_texts_when_started_then_they_are_escaped),
        SCENARIO(given_no_slots_when_started_then_round_one_is_sent_all_the_same),
        SCENARIO(given_texts_that_no_request_can_carry_when_started_then_nothing_is_sent),
        SCENARIO(
            given_a_question_when_answered_then_the_retry_carries_the_same_booking_the_answer_and_the_state_untouched),
        SCENARIO(given_a_question_when_declined_or_cancelled_then_round_two_names_no_time),
        SCENARIO(given_an_answer_when_the_server_books_then_the_conversation_is_done),
        SCENARIO(given_round_one_when_it_completes_at_once_then_nothing_is_asked),
        SCENARIO(given_words_that_name_another_time_when_booked_then_the_booking_does_not_move),
        SCENARIO(given_a_second_question_when_it_comes_then_the_conversation_stops),
        SCENARIO(given_a_bad_reply_in_either_round_when_taken_then_the_problem_says_so),
        SCENARIO(given_a_refusal_with_a_body_when_taken_then_no_reply_body_is_kept),
        SCENARIO(given_a_reply_when_its_memory_is_gone_then_the_question_is_still_there),
        SCENARIO(given_nothing_was_asked_when_answered_then_the_conversation_fails),
        SCENARIO(given_round_two_under_way_when_answered_again_then_only_one_is_sent),
        SCENARIO(given_a_question_when_the_choice_has_no_time_then_it_is_still_asking),
        SCENARIO(given_a_conversation_that_began_when_started_again_then_it_goes_on),
        SCENARIO(given_no_round_under_way_when_a_reply_comes_then_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
