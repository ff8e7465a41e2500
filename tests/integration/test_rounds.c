/* Both rounds of a booking, as a customer's app sees them (protocol.md, sections 1 and 2). */
#include "checked_exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void given_open_slots_when_round_one_comes_then_it_asks_between_two_times(void **state) {
    struct scene *scene = *state;
    const struct client_reply *reply =
        book(scene, round_one(&scene->arena, "{\"message\":\"a trim\",\"openSlots\":[\"sat-10:30\","
                                             "\"sat-11:30\",\"sat-13:00\"]}"));
    const char *issued = state_of(&scene->arena, reply);
    assert_non_null(issued);
    assert_reply(
        reply, 200,
        arena_format(&scene->arena,
                     "{\"inputRequests\":{\"time\":{\"method\":\"elicitation/create\",\"params\":{"
                     "\"message\":\"Which time suits you?\",\"mode\":\"form\",\"requestedSchema\":{"
                     "\"properties\":{\"time\":{\"enum\":[\"sat-10:30\",\"sat-11:30\"],\"type\":"
                     "\"string\"}},\"required\":[\"time\"],\"type\":\"object\"}}}},"
                     "\"requestState\":%s,\"resultType\":\"input_required\"}",
                     json_quoted(&scene->arena, issued)));
}

static void given_one_open_slot_twice_when_round_one_comes_then_it_is_offered_once(void **state) {
    struct scene *scene = *state;
    const struct client_reply *reply = book(
        scene, round_one(&scene->arena, "{\"message\":\"\",\"openSlots\":[\"noon\",\"noon\"]}"));
    assert_int_equal(reply->status, 200);
    assert_non_null(strstr((const char *)reply->body.data, "\"enum\":[\"noon\"]"));
}

static void given_a_question_when_a_time_is_accepted_then_it_is_booked(void **state) {
    struct scene *scene = *state;
    static const char *const answers[] = {ACCEPT_TIME("sat-10:30"), ACCEPT_TIME("sat-11:30")};
    static const char *const times[] = {"sat-10:30", "sat-11:30"};
    for (size_t i = 0; i < 2; i++)
        assert_reply(answer(scene, answers[i], ask(scene)), 200,
                     booked_body(&scene->arena, times[i]));
}

/* Case A3. */
static void given_a_question_when_declined_or_cancelled_then_nothing_is_booked(void **state) {
    struct scene *scene = *state;
    static const char *const answers[] = {DECLINE, CANCEL};
    for (size_t i = 0; i < 2; i++) {
        const char *issued = ask(scene);
        assert_reply(answer(scene, answers[i], issued), 200, NOT_CHOSEN_BODY);
        assert_refused(scene, answer(scene, ACCEPT_TIME("sat-10:30"), issued), 400,
                       "requestState was already used");
    }
}

static void given_no_open_slot_when_round_one_comes_then_it_completes_at_once(void **state) {
    struct scene *scene = *state;
    assert_reply(book(scene, round_one(&scene->arena, "{\"message\":\"a trim\",\"openSlots\":[]}")),
                 200, NOTHING_OPEN_BODY);
}

/* Case A1: the same bytes twice. */
static void given_a_used_state_when_it_comes_again_then_it_is_refused(void **state) {
    struct scene *scene = *state;
    struct bytes body = round_two(&scene->arena, A_BOOKING, ACCEPT_TIME("sat-10:30"), ask(scene));
    assert_reply(book(scene, body), 200, booked_body(&scene->arena, "sat-10:30"));
    assert_refused(scene, book(scene, body), 400, "requestState was already used");
}

static void
given_fields_that_nobody_reads_when_both_rounds_come_then_they_are_ignored(void **state) {
    struct scene *scene = *state;
    static const char booking[] =
        "{\"message\":\"a trim\",\"slot\":\"sat-09:00\",\"openSlots\":[\"sat-10:30\"],"
        "\"resultType\":{\"status\":[\"booked\",null,-0,1.5e3]}}";
    const char *issued = ask_for(scene, "elm-street", booking);
    const char *body =
        arena_format(&scene->arena,
                     "{\"structuredContent\":{\"status\":\"booked\",\"slot\":\"sat-09:00\"},"
                     "\"arguments\":%s,\"inputResponses\":{\"time\":{\"action\":\"accept\","
                     "\"slot\":\"sat-09:00\",\"content\":{\"time\":\"sat-10:30\",\"slot\":7}},"
                     "\"colour\":{\"action\":\"accept\",\"content\":{\"time\":\"sat-09:00\"}}},"
                     "\"requestState\":%s}",
                     booking, json_quoted(&scene->arena, issued));
    assert_reply(book(scene, bytes_of_text(body)), 200, booked_body(&scene->arena, "sat-10:30"));
}

static void given_null_answers_and_state_when_they_come_then_it_is_round_one(void **state) {
    struct scene *scene = *state;
    const struct client_reply *reply =
        book(scene, bytes_of_text("{\"arguments\":" A_BOOKING
                                  ",\"inputResponses\":null,\"requestState\":null}"));
    assert_int_equal(reply->status, 200);
    assert_non_null(state_of(&scene->arena, reply));
}

static void given_words_of_every_script_when_booked_then_each_byte_comes_back(void **state) {
    struct scene *scene = *state;
    static const char booking[] = "{\"message\":\"\xE2\x9C\x82 \xD1\x81\xD1\x82\xD1\x80\xD0\xB8\","
                                  "\"openSlots\":[\"\xF0\x9F\x92\x88 \\u00e9\\\"\\\\\\b\\f/<\"]}";
    const char *issued = ask_for(scene, "caf%C3%A9", booking);
    const struct client_reply *reply =
        book_at(scene, "caf%C3%A9",
                round_two(&scene->arena, booking,
                          ACCEPT_TIME("\xF0\x9F\x92\x88 \xC3\xA9\\\"\\\\\\b\\f/<"), issued));
    assert_reply(reply, 200,
                 "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"\xF0\x9F\x92\x88 "
                 "\xC3\xA9\\\"\\\\\\u0008\\u000c/< is yours.\",\"slot\":\"\xF0\x9F\x92\x88 "
                 "\xC3\xA9\\\"\\\\\\u0008\\u000c/<\",\"status\":\"booked\"}}");
}

/* What a state's payload says; -1 and "" for what isn't there. */
static long long good_until_of(const char *issued) {
    const char *claim = strstr(issued, "\"goodUntil\":");
    return claim == NULL ? -1 : atoll(claim + strlen("\"goodUntil\":"));
}

static const char *nonce_of(struct arena *arena, const char *issued) {
    const char *claim = strstr(issued, "\"nonce\":\"");
    return claim == NULL ? "" : arena_format(arena, "%.32s", claim + strlen("\"nonce\":\""));
}

static void given_identical_requests_in_one_second_when_asked_then_the_states_differ(void **state) {
    struct scene *scene = *state;
    const char *first = ask(scene);
    const char *second = ask(scene);
    for (int tries = 0; tries < 100 && good_until_of(first) != good_until_of(second); tries++) {
        first = second;
        second = ask(scene);
    }
    assert_true(good_until_of(first) > 0);
    assert_true(good_until_of(first) == good_until_of(second));
    assert_string_not_equal(first, second);
    assert_reply(answer(scene, ACCEPT_TIME("sat-10:30"), first), 200,
                 booked_body(&scene->arena, "sat-10:30"));
    assert_reply(answer(scene, ACCEPT_TIME("sat-10:30"), second), 200,
                 booked_body(&scene->arena, "sat-10:30"));
}

static void given_two_states_when_their_nonces_are_read_then_only_the_mark_is_shared(void **state) {
    struct scene *scene = *state;
    const char *first = nonce_of(&scene->arena, ask(scene));
    const char *second = nonce_of(&scene->arena, ask(scene));
    assert_int_equal(strspn(first, "0123456789abcdef"), 32);
    assert_int_equal(strspn(second, "0123456789abcdef"), 32);
    assert_memory_equal(first, second, 16);
    assert_memory_not_equal(first + 16, second + 16, 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO(given_open_slots_when_round_one_comes_then_it_asks_between_two_times),
        SCENARIO(given_one_open_slot_twice_when_round_one_comes_then_it_is_offered_once),
        SCENARIO(given_a_question_when_a_time_is_accepted_then_it_is_booked),
        SCENARIO(given_a_question_when_declined_or_cancelled_then_nothing_is_booked),
        SCENARIO(given_no_open_slot_when_round_one_comes_then_it_completes_at_once),
        SCENARIO(given_a_used_state_when_it_comes_again_then_it_is_refused),
        SCENARIO(given_fields_that_nobody_reads_when_both_rounds_come_then_they_are_ignored),
        SCENARIO(given_null_answers_and_state_when_they_come_then_it_is_round_one),
        SCENARIO(given_words_of_every_script_when_booked_then_each_byte_comes_back),
        SCENARIO(given_identical_requests_in_one_second_when_asked_then_the_states_differ),
        SCENARIO(given_two_states_when_their_nonces_are_read_then_only_the_mark_is_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
