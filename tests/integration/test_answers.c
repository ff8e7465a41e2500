/* What an answer is refused for, and that a slip costs the customer nothing (protocol.md, section
 * 4; cases A5 and A6). */
#include "checked_exchange.h"

#include <string.h>

struct wrong_answer {
    const char *responses; /* inputResponses, as JSON text */
    const char *reason;
};

static const char no_answer[] = "no answer to the question asked";
static const char not_an_answer[] = "the answer is not an accept, a decline or a cancel";

static void check_wrong_answer(struct scene *scene, const struct wrong_answer *row) {
    const char *issued = ask(scene);
    const struct client_reply *reply =
        book(scene, round_two_responses(&scene->arena, A_BOOKING, row->responses, issued));
    const char *reason = reason_of(&scene->arena, reply);
    if (reply->status != 400 || reason == NULL || strcmp(reason, row->reason) != 0)
        fail_msg("%s: %u %s", row->responses, reply->status, (const char *)reply->body.data);
    assert_reply(answer(scene, ACCEPT_TIME("sat-11:30"), issued), 200,
                 booked_body(&scene->arena, "sat-11:30"));
}

static void check_wrong_answers(struct scene *scene, const struct wrong_answer *rows,
                                size_t count) {
    for (size_t i = 0; i < count; i++)
        check_wrong_answer(scene, &rows[i]);
}

#define CONTENT(content) "{\"time\":{\"action\":\"accept\",\"content\":" content "}}"

/* Case A5. */
static void
given_a_question_when_the_time_is_no_offered_one_then_a_right_answer_still_completes(void **state) {
    static const struct wrong_answer rows[] = {
        {CONTENT("7"), not_an_answer},
        {CONTENT("[\"sat-10:30\"]"), not_an_answer},
        {CONTENT("{\"time\":[\"sat-10:30\"]}"), not_an_answer},
        {CONTENT("{\"time\":{\"x\":1}}"), not_an_answer},
        {CONTENT("{\"time\":null}"), not_an_answer},
        {CONTENT("{\"time\":1030}"), not_an_answer},
        {CONTENT("{}"), not_an_answer},
        {CONTENT("null"), not_an_answer},
        {CONTENT("\"sat-10:30\""), not_an_answer},
        {CONTENT("{\"time\":\"SAT-10:30\"}"), "SAT-10:30 was never offered"},
        {CONTENT("{\"time\":\"sat-10:30 \"}"), "sat-10:30  was never offered"},
        {CONTENT("{\"time\":\"\"}"), " was never offered"},
        {CONTENT("{\"time\":\"sat-10:3\"}"), "sat-10:3 was never offered"},
        {CONTENT("{\"time\":\"sun \\\"9\\\"\\n\"}"), "sun \"9\"\n was never offered"},
    };
    check_wrong_answers(*state, rows, sizeof rows / sizeof rows[0]);
}

static void given_a_question_when_the_action_is_none_of_three_then_a_right_answer_still_completes(
    void **state) {
#define ACTION(action) "{\"time\":{\"action\":" action ",\"content\":{\"time\":\"sat-10:30\"}}}"
    static const struct wrong_answer rows[] = {
        {ACTION("\"book\""), not_an_answer},
        {ACTION("\"Accept\""), not_an_answer},
        {ACTION("\"accept \""), not_an_answer},
        {ACTION("\"\""), not_an_answer},
        {ACTION("1"), not_an_answer},
        {ACTION("null"), not_an_answer},
        {ACTION("[\"accept\"]"), not_an_answer},
        {ACTION("true"), not_an_answer},
        {"{\"time\":{\"content\":{\"time\":\"sat-10:30\"}}}", not_an_answer},
        {"{\"time\":{\"action\":\"accept\"}}", not_an_answer},
        {"{\"time\":{}}", not_an_answer},
        {"{\"time\":null}", not_an_answer},
        {"{\"time\":\"accept\"}", not_an_answer},
        {"{\"time\":[]}", not_an_answer},
    };
    check_wrong_answers(*state, rows, sizeof rows / sizeof rows[0]);
}

/* Case A6. */
static void
given_a_question_when_it_is_not_answered_then_a_right_answer_still_completes(void **state) {
    static const struct wrong_answer rows[] = {
        {"{}", no_answer},
        {"{\"colour\":" ACCEPT_TIME("sat-10:30") "}", no_answer},
        {"{\"Time\":" ACCEPT_TIME("sat-10:30") "}", no_answer},
        {"[]", no_answer},
        {"[" ACCEPT_TIME("sat-10:30") "]", no_answer},
        {"\"accept\"", no_answer},
        {"7", no_answer},
        {"false", no_answer},
    };
    check_wrong_answers(*state, rows, sizeof rows / sizeof rows[0]);
}

static void
given_a_question_when_answered_with_another_answer_beside_then_it_completes(void **state) {
    struct scene *scene = *state;
    const struct client_reply *reply =
        book(scene, round_two_responses(&scene->arena, A_BOOKING,
                                        "{\"colour\":{\"action\":\"accept\"},\"time\":" ACCEPT_TIME(
                                            "sat-10:30") "}",
                                        ask(scene)));
    assert_reply(reply, 200, booked_body(&scene->arena, "sat-10:30"));
}

static void given_a_third_open_slot_when_accepted_then_it_was_never_offered(void **state) {
    struct scene *scene = *state;
    static const char booking[] = "{\"message\":\"\",\"openSlots\":[\"a\",\"b\",\"c\"]}";
    const char *issued = ask_for(scene, "elm-street", booking);
    assert_refused(scene, book(scene, round_two(&scene->arena, booking, ACCEPT_TIME("c"), issued)),
                   400, "c was never offered");
    assert_reply(book(scene, round_two(&scene->arena, booking, ACCEPT_TIME("b"), issued)), 200,
                 booked_body(&scene->arena, "b"));
}

static void given_a_time_over_the_limit_when_accepted_then_the_text_names_the_place(void **state) {
    struct scene *scene = *state;
    char time[258];
    memset(time, 't', 257);
    time[257] = '\0';
    const struct wrong_answer rows[] = {
        {arena_format(&scene->arena, CONTENT("{\"time\":\"%s\"}"), time),
         "inputResponses.time.content.time is longer than 256 bytes"},
        {arena_format(&scene->arena, CONTENT("{\"time\":\"%s\"}"), time + 1),
         arena_format(&scene->arena, "%s was never offered", time + 1)},
    };
    check_wrong_answers(scene, rows, 2);
}

static void given_an_empty_slot_when_accepted_then_it_is_booked(void **state) {
    struct scene *scene = *state;
    static const char booking[] = "{\"message\":\"\",\"openSlots\":[\"\"]}";
    const char *issued = ask_for(scene, "elm-street", booking);
    assert_reply(book(scene, round_two(&scene->arena, booking, ACCEPT_TIME(""), issued)), 200,
                 booked_body(&scene->arena, ""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO(
            given_a_question_when_the_time_is_no_offered_one_then_a_right_answer_still_completes),
        SCENARIO(
            given_a_question_when_the_action_is_none_of_three_then_a_right_answer_still_completes),
        SCENARIO(given_a_question_when_it_is_not_answered_then_a_right_answer_still_completes),
        SCENARIO(given_a_question_when_answered_with_another_answer_beside_then_it_completes),
        SCENARIO(given_a_third_open_slot_when_accepted_then_it_was_never_offered),
        SCENARIO(given_a_time_over_the_limit_when_accepted_then_the_text_names_the_place),
        SCENARIO(given_an_empty_slot_when_accepted_then_it_is_booked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
