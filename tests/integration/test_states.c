/* What a request state is refused for (protocol.md, sections 3 and 4; cases A2, A7, B1, B2). */
#include "checked_exchange.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char not_verified[] = "requestState doesn't verify";

static void assert_still_completes(struct scene *scene, const char *issued) {
    assert_reply(answer(scene, ACCEPT_TIME("sat-10:30"), issued), 200,
                 booked_body(&scene->arena, "sat-10:30"));
}

/* Another character of the same kind: of hex digits one of another value, in the same case. */
static char other_character(char character) {
    if (isdigit((unsigned char)character))
        return character == '0' ? '1' : (char)(character - 1);
    if (isalpha((unsigned char)character))
        return tolower((unsigned char)character) == 'a' ? (char)(character + 1)
                                                        : (char)(character - 1);
    return character == '~' ? '!' : '~';
}

/* Case B1. */
static void given_a_state_when_any_character_is_another_then_it_does_not_verify(void **state) {
    struct scene *scene = *state;
    const char *issued = ask(scene);
    for (size_t i = 0; i < strlen(issued); i++) {
        char *edited = arena_format(&scene->arena, "%s", issued);
        edited[i] = other_character(edited[i]);
        const struct client_reply *reply = answer(scene, ACCEPT_TIME("sat-10:30"), edited);
        if (reply->status != 400 || !bytes_equal(reply->body, BYTES("\"requestState doesn't "
                                                                    "verify\"")))
            fail_msg("character %zu of %s as %c: %s", i, issued, edited[i],
                     (const char *)reply->body.data);
    }
    assert_still_completes(scene, issued);
}

/* Case A2, what needs no second instance. */
static void given_a_state_when_something_is_added_or_dropped_then_it_does_not_verify(void **state) {
    struct scene *scene = *state;
    const char *issued = ask(scene);
    int size = (int)strlen(issued);
    const char *const edited[] = {
        arena_format(&scene->arena, "%s ", issued),
        arena_format(&scene->arena, " %s", issued),
        arena_format(&scene->arena, "%s=", issued),
        arena_format(&scene->arena, "%s\n", issued),
        arena_format(&scene->arena, "%s.", issued),
        arena_format(&scene->arena, ".%s", issued),
        arena_format(&scene->arena, "%s0", issued),
        arena_format(&scene->arena, "%.*s", size - 1, issued),
        arena_format(&scene->arena, "%s", issued + 1),
        arena_format(&scene->arena, "%.*s", size - 64, issued),
        arena_format(&scene->arena, "%.*s", size - 65, issued),
        arena_format(&scene->arena, "%s", issued + size - 65),
        arena_format(&scene->arena, "%s", issued + size - 64),
        "",
        ".",
    };
    for (size_t i = 0; i < sizeof edited / sizeof edited[0]; i++)
        assert_refused(scene, answer(scene, ACCEPT_TIME("sat-10:30"), edited[i]), 400,
                       not_verified);
    assert_still_completes(scene, issued);
}

/* Case B2. */
static void given_a_mac_in_capitals_when_used_then_as_issued_it_is_used_too(void **state) {
    struct scene *scene = *state;
    const char *issued = ask(scene);
    char *capitals = arena_format(&scene->arena, "%s", issued);
    for (char *at = strrchr(capitals, '.'); *at != '\0'; at++)
        *at = (char)toupper((unsigned char)*at);
    assert_string_not_equal(issued, capitals);
    assert_still_completes(scene, capitals);
    assert_refused(scene, answer(scene, ACCEPT_TIME("sat-10:30"), issued), 400,
                   "requestState was already used");
    assert_refused(scene, answer(scene, ACCEPT_TIME("sat-10:30"), capitals), 400,
                   "requestState was already used");
}

/* Round two that isn't of the same booking as round one. */
struct other_booking {
    const char *name;
    const char *salon; /* round one's */
    const char *arguments;
    const char *other_salon; /* round two's */
    const char *other_arguments;
};

static void check_other_booking(struct scene *scene, const struct other_booking *row) {
    const char *issued = ask_for(scene, row->salon, row->arguments);
    const struct client_reply *reply = book_at(
        scene, row->other_salon, round_two(&scene->arena, row->other_arguments, DECLINE, issued));
    const char *reason = reason_of(&scene->arena, reply);
    if (reply->status != 400 || reason == NULL ||
        strcmp(reason, "requestState belongs to another request") != 0)
        fail_msg("%s: %u %s", row->name, reply->status, (const char *)reply->body.data);
    assert_reply(
        book_at(scene, row->salon, round_two(&scene->arena, row->arguments, DECLINE, issued)), 200,
        NOT_CHOSEN_BODY);
}

/* Case A7. */
static void
given_a_state_when_the_booking_is_another_then_it_belongs_to_that_of_round_one(void **state) {
#define SLOTS(message, slots) "{\"message\":\"" message "\",\"openSlots\":[" slots "]}"
    static const struct other_booking rows[] = {
        {"another salon", "elm-street", A_BOOKING, "oak-street", A_BOOKING},
        {"a salon in capitals", "elm-street", A_BOOKING, "Elm-Street", A_BOOKING},
        {"a space against a plus", "a%20b", A_BOOKING, "a+b", A_BOOKING},
        {"a salon in NFC against NFD", "caf%C3%A9", A_BOOKING, "cafe%CC%81", A_BOOKING},
        {"reordered slots", "elm-street", SLOTS("m", "\"a\",\"b\""), "elm-street",
         SLOTS("m", "\"b\",\"a\"")},
        {"an added slot", "elm-street", SLOTS("m", "\"a\",\"b\""), "elm-street",
         SLOTS("m", "\"a\",\"b\",\"c\"")},
        {"a dropped slot that wasn't offered", "elm-street", SLOTS("m", "\"a\",\"b\",\"c\""),
         "elm-street", SLOTS("m", "\"a\",\"b\"")},
        {"a changed slot", "elm-street", SLOTS("m", "\"a\",\"b\""), "elm-street",
         SLOTS("m", "\"a\",\"c\"")},
        {"two slots as one", "elm-street", SLOTS("m", "\"a\",\"b\""), "elm-street",
         SLOTS("m", "\"a\\\",\\\"b\"")},
        {"no slots any more", "elm-street", SLOTS("m", "\"a\""), "elm-street", SLOTS("m", "")},
        {"another message", "elm-street", SLOTS("m", "\"a\""), "elm-street", SLOTS("n", "\"a\"")},
        {"a message in NFC against NFD", "elm-street", SLOTS("\xC3\xA9", "\"a\""), "elm-street",
         SLOTS("e\xCC\x81", "\"a\"")},
        {"a space behind the message", "elm-street", SLOTS("m", "\"a\""), "elm-street",
         SLOTS("m ", "\"a\"")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_other_booking(*state, &rows[i]);
}

static void given_answers_or_a_state_alone_when_they_come_then_they_are_refused(void **state) {
    struct scene *scene = *state;
    static const char reason[] = "answers and their requestState travel together";
    const char *issued = ask(scene);
    const char *const bodies[] = {
        "{\"arguments\":" A_BOOKING ",\"inputResponses\":{\"time\":" DECLINE "}}",
        "{\"arguments\":" A_BOOKING ",\"inputResponses\":{\"time\":" DECLINE
        "},\"requestState\":null}",
        "{\"arguments\":" A_BOOKING ",\"inputResponses\":[]}",
        arena_format(&scene->arena, "{\"arguments\":" A_BOOKING ",\"requestState\":%s}",
                     json_quoted(&scene->arena, issued)),
        "{\"arguments\":" A_BOOKING ",\"requestState\":\"\"}",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
        assert_refused(scene, book(scene, bytes_of_text(bodies[i])), 400, reason);
    assert_still_completes(scene, issued);
}

static void given_states_of_another_key_when_they_come_then_they_do_not_verify(void **state) {
    struct scene *scene = *state;
    const char *issued = ask(scene);
    directory_write(scene->directory, KEY_FILE, BYTES("another key of thirty-two bytes "), 0600);
    scene_start(scene, NULL);
    assert_refused(scene, answer(scene, ACCEPT_TIME("sat-10:30"), issued), 400, not_verified);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO(given_a_state_when_any_character_is_another_then_it_does_not_verify),
        SCENARIO(given_a_state_when_something_is_added_or_dropped_then_it_does_not_verify),
        SCENARIO(given_a_mac_in_capitals_when_used_then_as_issued_it_is_used_too),
        SCENARIO(given_a_state_when_the_booking_is_another_then_it_belongs_to_that_of_round_one),
        SCENARIO(given_answers_or_a_state_alone_when_they_come_then_they_are_refused),
        SCENARIO(given_states_of_another_key_when_they_come_then_they_do_not_verify),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
