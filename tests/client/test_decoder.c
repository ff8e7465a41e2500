/* Every row of the client's table of problems that a reply's body can cause, and the order in which
 * fields are looked at (protocol.md, section 5). */
#include "fixtures.h"

#include "decoder.h"

#include <stdlib.h>
#include <string.h>

#define REAL_QUESTION                                                                              \
    "{\"inputRequests\":{\"time\":{\"method\":\"elicitation/create\",\"params\":{\"message\":"     \
    "\"Which time suits you?\",\"mode\":\"form\",\"requestedSchema\":{\"properties\":{\"time\":{"  \
    "\"enum\":[\"sat-10:30\",\"sat-11:30\"],\"type\":\"string\"}},\"required\":[\"time\"],"        \
    "\"type\":"                                                                                    \
    "\"object\"}}}},\"requestState\":\"{\\\"goodUntil\\\":1}.ab\",\"resultType\":"                 \
    "\"input_required\"}"

/* A question with one part of it changed. */
#define PARAMS(message, times)                                                                     \
    "{" message "\"mode\":\"form\",\"requestedSchema\":{\"properties\":{\"time\":{" times "}}}}"
#define MESSAGE "\"message\":\"Which?\","
#define TIMES "\"enum\":[\"a\",\"b\"]"
#define STATE ",\"requestState\":\"s\""
#define QUESTION(method, params, state)                                                            \
    "{\"resultType\":\"input_required\",\"inputRequests\":{\"time\":{" method "\"params\":" params \
    "}}" state "}"
#define METHOD "\"method\":\"elicitation/create\","
#define COMPLETE(content) "{\"resultType\":\"complete\",\"structuredContent\":" content "}"

#define NOT_A_FORM "the question is not an elicitation form"
#define NO_TIMES "the question offers no times"
#define NO_STATE "a question needs its requestState"
#define NOT_A_BOOKING "structuredContent is not a booking"
#define NO_SLOT "a booking needs its slot"
#define UNREADABLE "the reply can't be read"

struct row {
    const char *name;
    struct bytes body;
    const char *problem;
};

#define ROW(name, body, problem)                                                                   \
    { name, ROW_BYTES(body), problem }

static void check_rows(enum round round, enum decoded_kind kind, const struct row *rows,
                       size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct decoded decoded = {.kind = DECODED_QUESTION};
        assert_int_equal(decoder_read(round, true, rows[i].body, &decoded), STATUS_OK);
        struct bytes problem = buffer_bytes(&decoded.problem);
        if (decoded.kind != kind || !bytes_equal(problem, bytes_of_text(rows[i].problem)))
            fail_msg("%s: kind %d, \"%.*s\" instead of \"%s\"", rows[i].name, (int)decoded.kind,
                     (int)problem.size, problem.data == NULL ? "" : (const char *)problem.data,
                     rows[i].problem);
        decoded_done(&decoded);
    }
}

static bool is(struct bytes bytes, const char *text) {
    return bytes_equal(bytes, bytes_of_text(text));
}

static void given_the_servers_question_when_read_then_it_has_times_and_its_state(void **state) {
    (void)state;
    struct decoded decoded;
    assert_int_equal(decoder_read(ROUND_ONE, true, BYTES(REAL_QUESTION), &decoded), STATUS_OK);
    assert_int_equal(decoded.kind, DECODED_QUESTION);
    assert_true(is(decoded.question.message, "Which time suits you?"));
    assert_int_equal(decoded.question.time_count, 2);
    assert_true(is(decoded.question.times[0], "sat-10:30"));
    assert_true(is(decoded.question.times[1], "sat-11:30"));
    assert_true(is(decoded.question.state, "{\"goodUntil\":1}.ab"));
    decoded_done(&decoded);
}

static void given_a_booking_when_read_then_the_slot_is_the_slots_field(void **state) {
    (void)state;
    static const struct bytes body = {
        (const unsigned char *)COMPLETE(
            "{\"say\":\"sat-11:30 is yours.\",\"slot\":\"sat-10:30\",\"status\":\"booked\"}"),
        sizeof COMPLETE(
            "{\"say\":\"sat-11:30 is yours.\",\"slot\":\"sat-10:30\",\"status\":\"booked\"}") -
            1};
    for (enum round round = ROUND_ONE; round <= ROUND_TWO; round++) {
        struct decoded decoded;
        assert_int_equal(decoder_read(round, true, body, &decoded), STATUS_OK);
        assert_int_equal(decoded.kind, DECODED_COMPLETION);
        assert_true(decoded.completion.is_booked);
        assert_true(is(decoded.completion.slot, "sat-10:30"));
        assert_true(is(decoded.completion.say, "sat-11:30 is yours."));
        decoded_done(&decoded);
    }
}

static void given_no_booking_when_read_then_it_has_no_slot_whatever_it_names(void **state) {
    (void)state;
    struct decoded decoded;
    assert_int_equal(
        decoder_read(ROUND_TWO, true,
                     BYTES(COMPLETE("{\"say\":\"No.\",\"status\":\"not_booked\",\"slot\":\"a\"}")),
                     &decoded),
        STATUS_OK);
    assert_int_equal(decoded.kind, DECODED_COMPLETION);
    assert_false(decoded.completion.is_booked);
    assert_int_equal(decoded.completion.slot.size, 0);
    decoded_done(&decoded);
}

static void given_a_question_that_is_malformed_when_read_then_the_problem_names_it(void **state) {
    (void)state;
    static const struct row rows[] = {
        ROW("no requests", "{\"resultType\":\"input_required\",\"requestState\":\"s\"}",
            NOT_A_FORM),
        ROW("no request of that name",
            "{\"resultType\":\"input_required\",\"inputRequests\":{},\"requestState\":\"s\"}",
            NOT_A_FORM),
        ROW("requests in a list",
            "{\"resultType\":\"input_required\",\"inputRequests\":[1],\"requestState\":\"s\"}",
            NOT_A_FORM),
        ROW("no method", QUESTION("", PARAMS(MESSAGE, TIMES), STATE), NOT_A_FORM),
        ROW("another method",
            QUESTION("\"method\":\"sampling/createMessage\",", PARAMS(MESSAGE, TIMES), STATE),
            NOT_A_FORM),
        ROW("a method in capitals",
            QUESTION("\"method\":\"Elicitation/Create\",", PARAMS(MESSAGE, TIMES), STATE),
            NOT_A_FORM),
        ROW("a url instead of a form",
            QUESTION(METHOD, "{\"message\":\"Which?\",\"mode\":\"url\"}", STATE), NOT_A_FORM),
        ROW("a mode that is no text",
            QUESTION(METHOD, "{\"message\":\"Which?\",\"mode\":null}", STATE), NOT_A_FORM),
        ROW("no message", QUESTION(METHOD, PARAMS("", TIMES), STATE), NOT_A_FORM),
        ROW("a message of null", QUESTION(METHOD, PARAMS("\"message\":null,", TIMES), STATE),
            NOT_A_FORM),
        ROW("no params", QUESTION(METHOD, "null", STATE), NOT_A_FORM),
        ROW("no schema", QUESTION(METHOD, "{\"message\":\"Which?\"}", STATE), NO_TIMES),
        ROW("no times", QUESTION(METHOD, PARAMS(MESSAGE, ""), STATE), NO_TIMES),
        ROW("an empty list", QUESTION(METHOD, PARAMS(MESSAGE, "\"enum\":[]"), STATE), NO_TIMES),
        ROW("times in no list", QUESTION(METHOD, PARAMS(MESSAGE, "\"enum\":\"a\""), STATE),
            NO_TIMES),
        ROW("a time that is no text",
            QUESTION(METHOD, PARAMS(MESSAGE, "\"enum\":[\"a\",7]"), STATE), NO_TIMES),
        ROW("a time of null", QUESTION(METHOD, PARAMS(MESSAGE, "\"enum\":[null,\"a\"]"), STATE),
            NO_TIMES),
        ROW("no state", QUESTION(METHOD, PARAMS(MESSAGE, TIMES), ""), NO_STATE),
        ROW("a state of null", QUESTION(METHOD, PARAMS(MESSAGE, TIMES), ",\"requestState\":null"),
            NO_STATE),
        ROW("a state that is no text",
            QUESTION(METHOD, PARAMS(MESSAGE, TIMES), ",\"requestState\":{\"a\":1}"), NO_STATE),
    };
    check_rows(ROUND_ONE, DECODED_MALFORMED, rows, LENGTH_OF(rows));
}

static void given_a_completion_that_is_malformed_when_read_then_the_problem_names_it(void **state) {
    (void)state;
    static const struct row rows[] = {
        ROW("no content", "{\"resultType\":\"complete\"}", NOT_A_BOOKING),
        ROW("content of null", COMPLETE("null"), NOT_A_BOOKING),
        ROW("content in a list", COMPLETE("[\"say\"]"), NOT_A_BOOKING),
        ROW("no say", COMPLETE("{\"status\":\"booked\",\"slot\":\"a\"}"), NOT_A_BOOKING),
        ROW("a say that is no text", COMPLETE("{\"say\":1,\"status\":\"booked\",\"slot\":\"a\"}"),
            NOT_A_BOOKING),
        ROW("an unknown status", COMPLETE("{\"say\":\"x\",\"status\":\"held\",\"slot\":\"a\"}"),
            "structuredContent has unknown status \"held\""),
        ROW("a status in capitals",
            COMPLETE("{\"say\":\"x\",\"status\":\"Booked\",\"slot\":\"a\"}"),
            "structuredContent has unknown status \"Booked\""),
        ROW("no status", COMPLETE("{\"say\":\"x\",\"slot\":\"a\"}"),
            "structuredContent has unknown status undefined"),
        ROW("a status that is true", COMPLETE("{\"say\":\"x\",\"status\":true}"),
            "structuredContent has unknown status true"),
        ROW("no slot", COMPLETE("{\"say\":\"x\",\"status\":\"booked\"}"), NO_SLOT),
        ROW("a slot of null", COMPLETE("{\"say\":\"x\",\"status\":\"booked\",\"slot\":null}"),
            NO_SLOT),
    };
    check_rows(ROUND_ONE, DECODED_MALFORMED, rows, LENGTH_OF(rows));
    check_rows(ROUND_TWO, DECODED_MALFORMED, rows, LENGTH_OF(rows));
}

static void given_an_unknown_result_type_when_read_then_its_json_is_named(void **state) {
    (void)state;
    static const struct row rows[] = {
        ROW("a word", "{\"resultType\":\"maybe\"}", "unknown resultType \"maybe\""),
        ROW("a word with escapes", "{\"resultType\":\"a\\\"\\u001b\\/\"}",
            "unknown resultType \"a\\\"\\u001b/\""),
        ROW("absent", "{\"structuredContent\":{}}", "unknown resultType undefined"),
        ROW("null", "{\"resultType\":null}", "unknown resultType null"),
        ROW("a number", "{\"resultType\": 1.5}", "unknown resultType 1.5"),
        ROW("a number without a short binary", "{\"resultType\": 0.1}", "unknown resultType 0.1"),
        ROW("an object", "{\"resultType\": { \"z\" : [ 1 , \"complete\" ], \"a\": {} } }",
            "unknown resultType {\"z\":[1,\"complete\"],\"a\":{}}"),
        ROW("a list", "[\"complete\"]", "unknown resultType undefined"),
        ROW("a lone text", "\"requestState was already used\"", "unknown resultType undefined"),
        ROW("a lone null", "null", "unknown resultType undefined"),
        ROW("in capitals", "{\"resultType\":\"COMPLETE\"}", "unknown resultType \"COMPLETE\""),
        ROW("under another name", "{\"resulttype\":\"complete\"}", "unknown resultType undefined"),
    };
    check_rows(ROUND_ONE, DECODED_MALFORMED, rows, LENGTH_OF(rows));
    check_rows(ROUND_TWO, DECODED_MALFORMED, rows, LENGTH_OF(rows));
}

static void given_a_long_unknown_value_when_named_then_it_is_cut(void **state) {
    (void)state;
    struct buffer body = buffer_new(1000000);
    buffer_append(&body, BYTES("{\"resultType\":\""));
    for (size_t i = 0; i < 5000; i++)
        buffer_append(&body, BYTES("\xC3\xA9"));
    buffer_append(&body, BYTES("\"}"));
    struct decoded decoded;
    assert_int_equal(decoder_read(ROUND_ONE, true, buffer_bytes(&body), &decoded), STATUS_OK);
    struct bytes problem = buffer_bytes(&decoded.problem);
    assert_true(bytes_are_utf8(problem));
    assert_true(problem.size <= sizeof "unknown resultType " + SHOWN_VALUE_SIZE_MAX + 3);
    assert_true(is(bytes_from(problem, problem.size - 3), "\xE2\x80\xA6"));
    decoded_done(&decoded);
    buffer_done(&body);
}

static void given_a_reply_that_is_not_labelled_json_when_read_then_it_has_no_type(void **state) {
    (void)state;
    struct decoded decoded;
    assert_int_equal(decoder_read(ROUND_ONE, false, BYTES(REAL_QUESTION), &decoded), STATUS_OK);
    assert_int_equal(decoded.kind, DECODED_MALFORMED);
    assert_true(is(buffer_bytes(&decoded.problem), "unknown resultType undefined"));
    decoded_done(&decoded);
}

static void given_a_second_question_when_read_then_the_server_asked_again(void **state) {
    (void)state;
    static const struct row rows[] = {
        ROW("a good one", REAL_QUESTION, "the server asked again"),
        ROW("a malformed one", "{\"resultType\":\"input_required\"}", "the server asked again"),
    };
    check_rows(ROUND_TWO, DECODED_ASKED_AGAIN, rows, LENGTH_OF(rows));
}

/* Each row has this problem and all that come after it in the order. */
static void given_several_problems_when_read_then_the_first_in_order_is_named(void **state) {
    (void)state;
    static const struct row rows[] = {
        ROW("type first", "{\"resultType\":\"maybe\",\"structuredContent\":1}",
            "unknown resultType \"maybe\""),
        ROW("method", QUESTION("\"method\":1,", PARAMS("", ""), ""), NOT_A_FORM),
        ROW("message", QUESTION(METHOD, PARAMS("", ""), ""), NOT_A_FORM),
        ROW("times", QUESTION(METHOD, PARAMS(MESSAGE, ""), ""), NO_TIMES),
        ROW("say", COMPLETE("{\"status\":\"held\"}"), NOT_A_BOOKING),
        ROW("status", COMPLETE("{\"say\":\"x\",\"status\":\"held\"}"),
            "structuredContent has unknown status \"held\""),
    };
    check_rows(ROUND_ONE, DECODED_MALFORMED, rows, LENGTH_OF(rows));
}

#define BOOKED "\"say\":\"x\",\"status\":\"booked\",\"slot\":\"a\""

static void given_json_that_readers_could_take_differently_when_read_then_it_cant_be(void **state) {
    (void)state;
    static const struct row rows[] = {
        ROW("nothing", "", UNREADABLE),
        ROW("blanks", " \n", UNREADABLE),
        ROW("words", "requestState was already used", UNREADABLE),
        ROW("cut", "{\"resultType\":\"complete\",\"structuredContent\":{" BOOKED "}", UNREADABLE),
        ROW("more behind it", COMPLETE("{" BOOKED "}") "{}", UNREADABLE),
        ROW("a NUL behind it", COMPLETE("{" BOOKED "}") "\0", UNREADABLE),
        ROW("the type twice", "{\"resultType\":\"maybe\",\"resultType\":\"complete\"}", UNREADABLE),
        ROW("the slot twice", COMPLETE("{" BOOKED ",\"slot\":\"b\"}"), UNREADABLE),
        ROW("the slot twice, once escaped", COMPLETE("{" BOOKED ",\"sl\\u006ft\":\"b\"}"),
            UNREADABLE),
        ROW("a field nobody reads twice", COMPLETE("{" BOOKED "},\"x\":{\"y\":1,\"y\":1}"),
            UNREADABLE),
        ROW("a NUL in a text", COMPLETE("{" BOOKED ",\"x\":\"\\u0000\"}"), UNREADABLE),
        ROW("a NUL in a name", COMPLETE("{" BOOKED ",\"x\\u0000\":1}"), UNREADABLE),
        ROW("not UTF-8", COMPLETE("{" BOOKED ",\"x\":\"\xFF\"}"), UNREADABLE),
        ROW("half a surrogate pair", COMPLETE("{" BOOKED ",\"x\":\"\\ud800\"}"), UNREADABLE),
        ROW("a number out of range", COMPLETE("{" BOOKED ",\"x\":1e400}"), UNREADABLE),
        ROW("a comma too many", COMPLETE("{" BOOKED ",}"), UNREADABLE),
        ROW("a byte order mark", "\xEF\xBB\xBF" COMPLETE("{" BOOKED "}"), UNREADABLE),
    };
    check_rows(ROUND_ONE, DECODED_UNREADABLE, rows, LENGTH_OF(rows));
    check_rows(ROUND_TWO, DECODED_UNREADABLE, rows, LENGTH_OF(rows));
}

static void given_nesting_when_deeper_than_the_limit_then_it_cant_be_read(void **state) {
    (void)state;
    const size_t depths[] = {REPLY_DEPTH_MAX - 1, REPLY_DEPTH_MAX, 3000, 200000};
    for (size_t i = 0; i < LENGTH_OF(depths); i++) {
        struct buffer body = buffer_new(1000000);
        buffer_append(&body, BYTES("{\"x\":"));
        for (size_t depth = 0; depth < depths[i]; depth++)
            buffer_append_byte(&body, '[');
        for (size_t depth = 0; depth < depths[i]; depth++)
            buffer_append_byte(&body, ']');
        buffer_append_byte(&body, '}');
        struct decoded decoded;
        assert_int_equal(decoder_read(ROUND_ONE, true, buffer_bytes(&body), &decoded), STATUS_OK);
        assert_int_equal(decoded.kind, i == 0 ? DECODED_MALFORMED : DECODED_UNREADABLE);
        decoded_done(&decoded);
        buffer_done(&body);
    }
}

static void given_a_good_reply_when_cut_at_any_byte_then_it_is_never_read(void **state) {
    (void)state;
    static const struct bytes bodies[] = {
        {(const unsigned char *)REAL_QUESTION, sizeof REAL_QUESTION - 1},
        {(const unsigned char *)COMPLETE("{" BOOKED "}"), sizeof COMPLETE("{" BOOKED "}") - 1},
    };
    for (size_t i = 0; i < LENGTH_OF(bodies); i++)
        for (size_t size = 0; size < bodies[i].size; size++) {
            /* A copy of that size, so that a sanitizer sees a read past it. */
            unsigned char *part = malloc(size + 1);
            assert_non_null(part);
            memcpy(part, bodies[i].data, size);
            struct decoded decoded;
            assert_int_equal(decoder_read(ROUND_ONE, true, (struct bytes){part, size}, &decoded),
                             STATUS_OK);
            assert_int_equal(decoded.kind, DECODED_UNREADABLE);
            decoded_done(&decoded);
            free(part);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_the_servers_question_when_read_then_it_has_times_and_its_state),
        cmocka_unit_test(given_a_booking_when_read_then_the_slot_is_the_slots_field),
        cmocka_unit_test(given_no_booking_when_read_then_it_has_no_slot_whatever_it_names),
        cmocka_unit_test(given_a_question_that_is_malformed_when_read_then_the_problem_names_it),
        cmocka_unit_test(given_a_completion_that_is_malformed_when_read_then_the_problem_names_it),
        cmocka_unit_test(given_an_unknown_result_type_when_read_then_its_json_is_named),
        cmocka_unit_test(given_a_long_unknown_value_when_named_then_it_is_cut),
        cmocka_unit_test(given_a_reply_that_is_not_labelled_json_when_read_then_it_has_no_type),
        cmocka_unit_test(given_a_second_question_when_read_then_the_server_asked_again),
        cmocka_unit_test(given_several_problems_when_read_then_the_first_in_order_is_named),
        cmocka_unit_test(given_json_that_readers_could_take_differently_when_read_then_it_cant_be),
        cmocka_unit_test(given_nesting_when_deeper_than_the_limit_then_it_cant_be_read),
        cmocka_unit_test(given_a_good_reply_when_cut_at_any_byte_then_it_is_never_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
