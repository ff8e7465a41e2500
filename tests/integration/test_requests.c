/* Requests that can't be read: the text names what is wrong and where (protocol.md, sections 2 and
 * 4; cases D1 to D4). */
#include "checked_exchange.h"

#include "protocol_limits.h"

#include <string.h>

struct bad_body {
    const char *name;
    const char *body;
    const char *reason; /* how the reason starts */
};

static void assert_unreadable(struct scene *scene, const char *name, struct bytes body,
                              const char *reason) {
    const struct client_reply *reply = book(scene, body);
    const char *got = reason_of(&scene->arena, reply);
    if (reply->status != 400 || got == NULL || strncmp(got, reason, strlen(reason)) != 0)
        fail_msg("%s: %u %s", name, reply->status, (const char *)reply->body.data);
}

static void check_bad_bodies(struct scene *scene, const struct bad_body *rows, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_unreadable(scene, rows[i].name, bytes_of_text(rows[i].body), rows[i].reason);
}

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

static void
given_a_body_of_another_shape_when_it_comes_then_the_text_names_the_place(void **state) {
    static const struct bad_body rows[] = {
        {"no arguments", "{}", "arguments is missing"},
        {"arguments null", "{\"arguments\":null}", "arguments is not an object"},
        {"arguments a list", "{\"arguments\":[]}", "arguments is not an object"},
        {"no message", "{\"arguments\":{\"openSlots\":[]}}", "arguments.message is missing"},
        {"message null", "{\"arguments\":{\"message\":null,\"openSlots\":[]}}",
         "arguments.message is not a string"},
        {"no slots", "{\"arguments\":{\"message\":\"\"}}", "arguments.openSlots is missing"},
        {"slots a string", "{\"arguments\":{\"message\":\"\",\"openSlots\":\"noon\"}}",
         "arguments.openSlots is not an array"},
        {"slots null", "{\"arguments\":{\"message\":\"\",\"openSlots\":null}}",
         "arguments.openSlots is not an array"},
        {"a slot a number", "{\"arguments\":{\"message\":\"\",\"openSlots\":[\"noon\",7]}}",
         "arguments.openSlots[1] is not a string"},
        {"a slot null", "{\"arguments\":{\"message\":\"\",\"openSlots\":[null]}}",
         "arguments.openSlots[0] is not a string"},
        {"state a number", "{\"arguments\":" A_BOOKING ",\"requestState\":7}",
         "requestState is not a string"},
        {"state an object", "{\"arguments\":" A_BOOKING ",\"requestState\":{}}",
         "requestState is not a string"},
        {"a list", "[]", "the body is not an object"},
        {"a string", "\"book\"", "the body is not an object"},
        {"null", "null", "the body is not an object"},
    };
    check_bad_bodies(*state, rows, COUNT(rows));
}

static void given_a_body_that_is_no_json_when_it_comes_then_it_is_refused(void **state) {
    static const struct bad_body rows[] = {
        {"empty", "", "the body is empty"},
        {"a form", "message=a+trim", "the body is not JSON"},
        {"cut", "{\"arguments\":{\"message\":", "the body's JSON is cut short"},
        {"two values", "{\"arguments\":" A_BOOKING "}{}", "the body goes on after its JSON value"},
        {"a comma too many", "{\"arguments\":" A_BOOKING ",}", "the body is not JSON"},
        {"a comment", "/**/{\"arguments\":" A_BOOKING "}", "the body is not JSON"},
        {"a byte order mark", "\xEF\xBB\xBF{\"arguments\":" A_BOOKING "}", "the body is not JSON"},
        {"a form feed behind", "{\"arguments\":" A_BOOKING "}\f",
         "the body goes on after its JSON value"},
        {"latin-1", "{\"arguments\":{\"message\":\"caf\xE9\",\"openSlots\":[]}}",
         "the body is not UTF-8"},
        {"a lone surrogate", "{\"arguments\":{\"message\":\"\\ud800\",\"openSlots\":[]}}",
         "the body is not JSON"},
        {"a raw control", "{\"arguments\":{\"message\":\"\x01\",\"openSlots\":[]}}",
         "the body is not JSON"},
    };
    check_bad_bodies(*state, rows, COUNT(rows));
}

/* Case D1. */
static void given_a_field_twice_at_any_depth_when_it_comes_then_it_is_refused(void **state) {
#define TWICE "the body gives a field twice"
    static const struct bad_body rows[] = {
        {"arguments", "{\"arguments\":" A_BOOKING ",\"arguments\":" A_BOOKING "}", TWICE},
        {"message", "{\"arguments\":{\"message\":\"a\",\"openSlots\":[],\"message\":\"b\"}}",
         TWICE},
        {"an unread field", "{\"x\":1,\"arguments\":" A_BOOKING ",\"x\":1}", TWICE},
        {"deep in an unread field",
         "{\"x\":[[{\"y\":{\"z\":1,\"z\":2}}]],\"arguments\":" A_BOOKING "}", TWICE},
        {"time, once escaped",
         "{\"arguments\":" A_BOOKING ",\"inputResponses\":{\"time\":" DECLINE
         ",\"t\\u0069me\":" CANCEL "},\"requestState\":\"\"}",
         TWICE},
        {"action",
         "{\"arguments\":" A_BOOKING
         ",\"inputResponses\":{\"time\":{\"action\":\"decline\",\"action\":\"accept\"}},"
         "\"requestState\":\"\"}",
         TWICE},
        {"state", "{\"requestState\":null,\"arguments\":" A_BOOKING ",\"requestState\":null}",
         TWICE},
    };
    check_bad_bodies(*state, rows, COUNT(rows));
}

/* Case D2. */
static void given_a_nul_anywhere_when_it_comes_then_it_is_refused(void **state) {
#define HAS_NUL "the body has a NUL in a string"
    struct scene *scene = *state;
    static const struct bad_body rows[] = {
        {"in the message", "{\"arguments\":{\"message\":\"a\\u0000\",\"openSlots\":[]}}", HAS_NUL},
        {"in a slot", "{\"arguments\":{\"message\":\"\",\"openSlots\":[\"a\\u0000b\"]}}", HAS_NUL},
        {"in an unread text", "{\"x\":\"\\u0000\",\"arguments\":" A_BOOKING "}", HAS_NUL},
        {"in a key", "{\"a\\u0000b\":1,\"arguments\":" A_BOOKING "}", HAS_NUL},
    };
    static const char behind[] = "{\"arguments\":" A_BOOKING "}\0";
    static const char before[] = "\0{\"arguments\":" A_BOOKING "}";
    check_bad_bodies(scene, rows, COUNT(rows));
    assert_unreadable(scene, "raw, behind",
                      (struct bytes){(const unsigned char *)behind, sizeof behind - 1}, "the body");
    assert_unreadable(scene, "raw, before",
                      (struct bytes){(const unsigned char *)before, sizeof before - 1}, "the body");
}

/* `count` of `text`, one after the other. */
static char *repeat(struct arena *arena, const char *text, size_t count) {
    char *all = arena_take(arena, strlen(text) * count + 1);
    for (size_t i = 0; i < count; i++)
        memcpy(all + i * strlen(text), text, strlen(text));
    return all;
}

/* Case D3. */
static void given_deep_nesting_when_it_comes_then_it_is_refused_and_the_server_lives(void **state) {
#define TOO_DEEP "the body is nested deeper than 64"
    struct scene *scene = *state;
    struct arena *arena = &scene->arena;
    const char *open = repeat(arena, "[", 2000);
    const char *close = repeat(arena, "]", 2000);
    const struct bad_body rows[] = {
        {"3000 open", repeat(arena, "[", 3000), TOO_DEEP},
        {"65 open", repeat(arena, "[", 65), TOO_DEEP},
        {"65 objects", repeat(arena, "{\"a\":", 65), TOO_DEEP},
        {"the message",
         arena_format(arena, "{\"arguments\":{\"message\":%s%s,\"openSlots\":[]}}", open, close),
         TOO_DEEP},
        {"inputResponses",
         arena_format(arena, "{\"arguments\":" A_BOOKING ",\"inputResponses\":%.65s%.65s}", open,
                      close),
         TOO_DEEP},
        {"an unread field, by one",
         arena_format(arena, "{\"arguments\":" A_BOOKING ",\"x\":%.64s%.64s}", open, close),
         TOO_DEEP},
    };
    check_bad_bodies(scene, rows, COUNT(rows));
    const struct client_reply *reply =
        book(scene, bytes_of_text(arena_format(
                        arena, "{\"arguments\":" A_BOOKING ",\"x\":%.63s%.63s}", open, close)));
    assert_int_equal(reply->status, 200);
}

/* Case D4. */
static void given_numbers_that_nobody_reads_when_out_of_range_then_they_are_refused(void **state) {
#define OUT_OF_RANGE "the body has a number out of range"
    struct scene *scene = *state;
    static const struct bad_body rows[] = {
        {"over 64 bits", "{\"n\":17000000000000000000,\"arguments\":" A_BOOKING "}", OUT_OF_RANGE},
        {"over a double", "{\"n\":1e400,\"arguments\":" A_BOOKING "}", OUT_OF_RANGE},
    };
    check_bad_bodies(scene, rows, COUNT(rows));
    static const char *const fine[] = {"-0", "9223372036854775807", "-9223372036854775808",
                                       "1.7e308", "0.1e-5"};
    for (size_t i = 0; i < COUNT(fine); i++) {
        const char *body =
            arena_format(&scene->arena, "{\"n\":%s,\"arguments\":" A_BOOKING "}", fine[i]);
        assert_int_equal(book(scene, bytes_of_text(body))->status, 200);
    }
}

static struct bytes booking_of_sizes(struct arena *arena, size_t message, size_t slots,
                                     size_t slot) {
    const char *one = arena_format(arena, ",\"%s\"", repeat(arena, "s", slot));
    const char *all = repeat(arena, one, slots);
    return round_one(arena, arena_format(arena, "{\"message\":\"%s\",\"openSlots\":[%s]}",
                                         repeat(arena, "m", message), slots == 0 ? "" : all + 1));
}

static void
given_texts_and_lists_at_their_limits_when_they_grow_by_one_then_they_are_refused(void **state) {
    struct scene *scene = *state;
    struct arena *arena = &scene->arena;
    static const struct {
        const char *name;
        size_t message, slots, slot;
        const char *reason;
    } rows[] = {
        {"message", MESSAGE_SIZE_MAX, 0, 0, NULL},
        {"message and one", MESSAGE_SIZE_MAX + 1, 0, 0,
         "arguments.message is longer than 8192 bytes"},
        {"slot", 0, 1, SLOT_SIZE_MAX, NULL},
        {"slot and one", 0, 1, SLOT_SIZE_MAX + 1,
         "arguments.openSlots[0] is longer than 256 bytes"},
        {"slots", 0, SLOT_COUNT_MAX, 1, NULL},
        {"slots and one", 0, SLOT_COUNT_MAX + 1, 1, "arguments.openSlots has more than 500 slots"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bytes body = booking_of_sizes(arena, rows[i].message, rows[i].slots, rows[i].slot);
        if (rows[i].reason != NULL)
            assert_unreadable(scene, rows[i].name, body, rows[i].reason);
        else if (book(scene, body)->status != 200)
            fail_msg("%s: refused", rows[i].name);
    }
}

static void given_a_booking_whose_answer_could_not_fit_when_asked_then_it_is_refused(void **state) {
    struct scene *scene = *state;
    static const char *const arguments[] = {"--max-body", "1024", NULL};
    scene_start(scene, arguments);
    assert_refused(scene, book(scene, booking_of_sizes(&scene->arena, 0, 3, 200)), 400,
                   "the answer to this booking could not fit a body of 1024 bytes: send fewer "
                   "slots");
    assert_int_equal(book(scene, booking_of_sizes(&scene->arena, 0, 1, 10))->status, 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO(given_a_body_of_another_shape_when_it_comes_then_the_text_names_the_place),
        SCENARIO(given_a_body_that_is_no_json_when_it_comes_then_it_is_refused),
        SCENARIO(given_a_field_twice_at_any_depth_when_it_comes_then_it_is_refused),
        SCENARIO(given_a_nul_anywhere_when_it_comes_then_it_is_refused),
        SCENARIO(given_deep_nesting_when_it_comes_then_it_is_refused_and_the_server_lives),
        SCENARIO(given_numbers_that_nobody_reads_when_out_of_range_then_they_are_refused),
        SCENARIO(given_texts_and_lists_at_their_limits_when_they_grow_by_one_then_they_are_refused),
        SCENARIO(given_a_booking_whose_answer_could_not_fit_when_asked_then_it_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
