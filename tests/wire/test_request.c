#include "fixtures.h"

#include "wire.h"

#include <pthread.h>
#include <stdio.h>

#define ARGUMENTS "\"arguments\":{\"message\":\"m\",\"openSlots\":[]}"

static enum status parse(struct bytes body, struct wire_request **request,
                         struct wire_problem *problem) {
    return wire_request_parse(BYTES("elm-street"), body, request, problem);
}

static void expect_unreadable(const char *row, struct bytes body, const char *text) {
    struct wire_request *request = NULL;
    struct wire_problem problem = {.text = ""};
    assert_row_number(row, parse(body, &request, &problem), STATUS_INVALID);
    assert_row(row, request == NULL);
    assert_row_bytes(row, bytes_of_text(problem.text), bytes_of_text(text));
}

/* Reads what must be readable; the caller frees it. */
static struct wire_request *read_body(const char *row, struct bytes body) {
    struct wire_request *request = NULL;
    struct wire_problem problem = {.text = ""};
    if (parse(body, &request, &problem) != STATUS_OK)
        fail_msg("%s: %s", row, problem.text);
    return request;
}

static void expect_readable(const char *row, struct bytes body) {
    wire_request_free(read_body(row, body));
}

struct text_row {
    const char *name;
    struct bytes body;
    const char *text;
};

static void expect_all_unreadable(const struct text_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++)
        expect_unreadable(rows[i].name, rows[i].body, rows[i].text);
}

static void _when_the_body_is_not_json_then_the_text_says_so_in_our_words(void **state) {
    (void)state;
    static const struct text_row rows[] = {
        {"empty", {NULL, 0}, "the body is empty"},
        {"a word", ROW_BYTES("hello"), "the body is not JSON (line 1, column 5)"},
        {"single quotes", ROW_BYTES("{'a':1}"), "the body is not JSON (line 1, column 2)"},
        {"a comma too many", ROW_BYTES("{" ARGUMENTS ",}"),
         "the body is not JSON (line 1, column 45)"},
        {"a bracket of the other kind", ROW_BYTES("{\"a\":1]"),
         "the body is not JSON (line 1, column 7)"},
        {"NaN", ROW_BYTES("{\"a\":NaN}"), "the body is not JSON (line 1, column 8)"},
        {"a leading zero", ROW_BYTES("01"), "the body is not JSON (line 1, column 1)"},
        {"a byte order mark", ROW_BYTES("\xEF\xBB\xBF{}"),
         "the body is not JSON (line 1, column 1)"},
        {"a vertical tab", ROW_BYTES("{\"a\":\v1}"), "the body is not JSON (line 1, column 6)"},
        {"a form feed at the end", ROW_BYTES("{\"a\":1}\f"),
         "the body goes on after its JSON value (line 1, column 8)"},
        {"half a surrogate pair", ROW_BYTES("{\"a\":\"\\ud800\"}"),
         "the body is not JSON (line 1, column 13)"},
        {"a raw NUL in a string", ROW_BYTES("{\"a\":\"b\0c\"}"),
         "the body is not JSON (line 1, column 7)"},
        {"a raw line end in a string", ROW_BYTES("{\n\"a\":\"b\nc\"}"),
         "the body is not JSON (line 2, column 6)"},
        {"a byte that is not UTF-8", ROW_BYTES("{\"a\":\"\xFF\"}"),
         "the body is not UTF-8 (line 1, column 6)"},
        {"an overlong form", ROW_BYTES("{\"a\":\"\xC0\x80\"}"),
         "the body is not UTF-8 (line 1, column 6)"},
        {"a raw surrogate", ROW_BYTES("{\"a\":\"\xED\xA0\x80\"}"),
         "the body is not UTF-8 (line 1, column 6)"},
        {"UTF-8 that ends too early", ROW_BYTES("{\"a\":\"\xE2\x82\"}"),
         "the body is not UTF-8 (line 1, column 6)"},
    };
    expect_all_unreadable(rows, LENGTH_OF(rows));
}

static void _when_the_json_ends_early_or_goes_on_then_the_text_says_where(void **state) {
    (void)state;
    static const struct text_row rows[] = {
        {"white space only", ROW_BYTES(" "), "the body's JSON is cut short (line 1, column 1)"},
        {"a brace", ROW_BYTES("{"), "the body's JSON is cut short (line 1, column 1)"},
        {"cut before a value", ROW_BYTES("{\"arguments\":"),
         "the body's JSON is cut short (line 1, column 13)"},
        {"cut in a string", ROW_BYTES("{\"arguments\":{\"message\":\"a"),
         "the body's JSON is cut short (line 1, column 26)"},
        {"cut by one brace", ROW_BYTES("{" ARGUMENTS),
         "the body's JSON is cut short (line 1, column 43)"},
        {"a word after it", ROW_BYTES("{" ARGUMENTS "} x"),
         "the body goes on after its JSON value (line 1, column 46)"},
        {"another value after it", ROW_BYTES("{" ARGUMENTS "}{}"),
         "the body goes on after its JSON value (line 1, column 45)"},
        {"a NUL after it", ROW_BYTES("{" ARGUMENTS "}\0"),
         "the body goes on after its JSON value (line 1, column 45)"},
    };
    expect_all_unreadable(rows, LENGTH_OF(rows));
    expect_readable("white space after it", BYTES("{" ARGUMENTS "} \r\n\t"));
}

static void given_a_readable_body_when_it_is_cut_anywhere_then_it_is_unreadable(void **state) {
    (void)state;
    static const char body[] = "{\"arguments\":{\"message\":\"caf\xC3\xA9\",\"openSlots\":[\"a\"]},"
                               "\"inputResponses\":{\"time\":{\"action\":\"cancel\"}},"
                               "\"requestState\":\"a.b\"}";
    struct bytes whole = bytes_of_text(body);
    expect_readable("whole", whole);
    for (size_t size = 0; size < whole.size; size++) {
        struct wire_request *request = NULL;
        struct wire_problem problem;
        if (parse(bytes_up_to(whole, size), &request, &problem) != STATUS_INVALID)
            fail_msg("cut after %zu bytes", size);
    }
}

static void _when_a_field_is_given_twice_then_it_is_unreadable_at_any_depth(void **state) {
    (void)state;
    static const struct text_row rows[] = {
        {"at the root", ROW_BYTES("{" ARGUMENTS "," ARGUMENTS "}"),
         "the body gives a field twice (line 1, column 55)"},
        {"in arguments", ROW_BYTES("{\"arguments\":{\"message\":\"m\",\"message\":\"m\"}}"),
         "the body gives a field twice (line 1, column 37)"},
        {"as an escape", ROW_BYTES("{\"arguments\":{\"message\":\"m\",\"\\u006dessage\":\"m\"}}"),
         "the body gives a field twice (line 1, column 42)"},
        {"in an answer",
         ROW_BYTES("{" ARGUMENTS ",\"inputResponses\":{\"time\":1,\"t\\u0069me\":2}}"),
         "the body gives a field twice (line 1, column 82)"},
        {"where nobody reads", ROW_BYTES("{" ARGUMENTS ",\"x\":[{\"y\":[{\"\":1,\"\":1}]}]}"),
         "the body gives a field twice (line 1, column 63)"},
    };
    expect_all_unreadable(rows, LENGTH_OF(rows));
    expect_readable("the same names in other objects",
                    BYTES("{" ARGUMENTS ",\"message\":1,\"x\":{\"arguments\":2,\"x\":3}}"));
    expect_readable("another case", BYTES("{" ARGUMENTS ",\"x\":{\"time\":1,\"Time\":2}}"));
}

static void _when_a_string_holds_an_escaped_nul_then_it_is_unreadable(void **state) {
    (void)state;
    static const struct text_row rows[] = {
        {"the message", ROW_BYTES("{\"arguments\":{\"message\":\"a\\u0000b\",\"openSlots\":[]}}"),
         "the body has a NUL in a string (line 1, column 34)"},
        {"a slot", ROW_BYTES("{\"arguments\":{\"message\":\"m\",\"openSlots\":[\"\\u0000\"]}}"),
         "the body has a NUL in a string (line 1, column 49)"},
        {"a key", ROW_BYTES("{" ARGUMENTS ",\"k\\u0000\":1}"),
         "the body has a NUL in a string (line 1, column 53)"},
        {"what nobody reads", ROW_BYTES("{" ARGUMENTS ",\"k\":[\"\\u0000\"]}"),
         "the body has a NUL in a string (line 1, column 57)"},
    };
    expect_all_unreadable(rows, LENGTH_OF(rows));
    expect_readable("an escaped backslash before u0000",
                    BYTES("{" ARGUMENTS ",\"k\":\"\\\\u0000\"}"));
}

static void _when_a_number_is_out_of_range_then_it_is_unreadable_wherever_it_is(void **state) {
    (void)state;
    static const struct text_row rows[] = {
        {"a large integer", ROW_BYTES("{" ARGUMENTS ",\"n\":17000000000000000000}"),
         "the body has a number out of range (line 1, column 68)"},
        {"a large negative one", ROW_BYTES("{" ARGUMENTS ",\"n\":-17000000000000000000}"),
         "the body has a number out of range (line 1, column 69)"},
        {"one too many", ROW_BYTES("{" ARGUMENTS ",\"n\":9223372036854775808}"),
         "the body has a number out of range (line 1, column 67)"},
        {"1e400", ROW_BYTES("{" ARGUMENTS ",\"n\":1e400}"),
         "the body has a number out of range (line 1, column 53)"},
        {"-1e400", ROW_BYTES("{" ARGUMENTS ",\"n\":-1e400}"),
         "the body has a number out of range (line 1, column 54)"},
    };
    expect_all_unreadable(rows, LENGTH_OF(rows));
    expect_readable("the largest", BYTES("{" ARGUMENTS ",\"n\":9223372036854775807}"));
    expect_readable("the least", BYTES("{" ARGUMENTS ",\"n\":-9223372036854775808}"));
    expect_readable("minus zero", BYTES("{" ARGUMENTS ",\"n\":-0}"));
    expect_readable("too small to tell from zero", BYTES("{" ARGUMENTS ",\"n\":1e-400}"));
}

static void _when_a_member_is_missing_or_mistyped_then_the_text_names_it(void **state) {
    (void)state;
    static const struct text_row rows[] = {
        {"an array", ROW_BYTES("[]"), "the body is not an object"},
        {"a string", ROW_BYTES("\"x\""), "the body is not an object"},
        {"null", ROW_BYTES("null"), "the body is not an object"},
        {"no arguments", ROW_BYTES("{}"), "arguments is missing"},
        {"arguments null", ROW_BYTES("{\"arguments\":null}"), "arguments is not an object"},
        {"arguments an array", ROW_BYTES("{\"arguments\":[]}"), "arguments is not an object"},
        {"no slots", ROW_BYTES("{\"arguments\":{\"message\":\"m\"}}"),
         "arguments.openSlots is missing"},
        {"slots null", ROW_BYTES("{\"arguments\":{\"message\":\"m\",\"openSlots\":null}}"),
         "arguments.openSlots is not an array"},
        {"slots a string", ROW_BYTES("{\"arguments\":{\"message\":\"m\",\"openSlots\":\"a\"}}"),
         "arguments.openSlots is not an array"},
        {"slots an object", ROW_BYTES("{\"arguments\":{\"message\":\"m\",\"openSlots\":{}}}"),
         "arguments.openSlots is not an array"},
        {"the second slot a number",
         ROW_BYTES("{\"arguments\":{\"message\":\"m\",\"openSlots\":[\"a\",7]}}"),
         "arguments.openSlots[1] is not a string"},
        {"the first slot null",
         ROW_BYTES("{\"arguments\":{\"message\":\"m\",\"openSlots\":[null]}}"),
         "arguments.openSlots[0] is not a string"},
        {"no message", ROW_BYTES("{\"arguments\":{\"openSlots\":[]}}"),
         "arguments.message is missing"},
        {"message null", ROW_BYTES("{\"arguments\":{\"message\":null,\"openSlots\":[]}}"),
         "arguments.message is not a string"},
        {"message a number", ROW_BYTES("{\"arguments\":{\"message\":1,\"openSlots\":[]}}"),
         "arguments.message is not a string"},
        {"state a number", ROW_BYTES("{" ARGUMENTS ",\"requestState\":1}"),
         "requestState is not a string"},
        {"state false", ROW_BYTES("{" ARGUMENTS ",\"requestState\":false}"),
         "requestState is not a string"},
        {"state an object", ROW_BYTES("{" ARGUMENTS ",\"requestState\":{}}"),
         "requestState is not a string"},
    };
    expect_all_unreadable(rows, LENGTH_OF(rows));
}

/* A member with an array nested `levels` deep, at any place. */
static struct buffer nested(const char *before, size_t levels, const char *after) {
    struct buffer body = buffer_new(65536);
    buffer_append_text(&body, before);
    append_repeated(&body, "[", levels);
    append_repeated(&body, "]", levels);
    buffer_append_text(&body, after);
    assert_int_equal(body.status, STATUS_OK);
    return body;
}

static const struct depth_row {
    const char *name;
    const char *before;
    size_t levels;
    const char *after;
    const char *text; /* NULL when it is readable */
} depth_rows[] = {
    {"64 in all", "{" ARGUMENTS ",\"x\":", 63, "}", NULL},
    {"65 in all", "{" ARGUMENTS ",\"x\":", 64, "}", "the body is nested deeper than 64"},
    {"64 of responses", "{" ARGUMENTS ",\"inputResponses\":", 63, "}", NULL},
    {"65 of responses", "{" ARGUMENTS ",\"inputResponses\":", 65, "}",
     "the body is nested deeper than 64"},
    {"a message 2,000 deep", "{\"arguments\":{\"openSlots\":[],\"message\":", 2000, "}}",
     "the body is nested deeper than 64"},
    {"3,000 brackets", "", 3000, "", "the body is nested deeper than 64"},
    {"3,000 brackets in a string", "{" ARGUMENTS ",\"x\":\"\\\"", 3000, "\\\\\"}", NULL},
    {"64 without an object", "", 64, "", "the body is not an object"},
};

static void _when_the_body_is_nested_too_deep_then_it_is_unreadable(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH_OF(depth_rows); i++) {
        const struct depth_row *row = &depth_rows[i];
        struct buffer body = nested(row->before, row->levels, row->after);
        if (row->text == NULL)
            expect_readable(row->name, buffer_bytes(&body));
        else
            expect_unreadable(row->name, buffer_bytes(&body), row->text);
        buffer_done(&body);
    }
}

static void _when_openings_alone_are_nested_too_deep_then_it_is_unreadable(void **state) {
    (void)state;
    struct buffer body = buffer_new(65536);
    append_repeated(&body, "[", 3000);
    expect_unreadable("3,000 [", buffer_bytes(&body), "the body is nested deeper than 64");
    body.size = 0;
    append_repeated(&body, "{\"a\":", 65);
    expect_unreadable("65 {", buffer_bytes(&body), "the body is nested deeper than 64");
    body.size = 64 * 5;
    expect_unreadable("64 {", buffer_bytes(&body),
                      "the body's JSON is cut short (line 1, column 320)");
    buffer_done(&body);
}

struct deep_parse {
    struct bytes body;
    enum status status;
};

static void *parse_deep(void *context) {
    struct deep_parse *deep = context;
    struct wire_request *request = NULL;
    struct wire_problem problem;
    deep->status = parse(deep->body, &request, &problem);
    if (deep->status == STATUS_OK)
        wire_request_free(request);
    return NULL;
}

static void given_a_small_stack_when_the_body_is_as_deep_as_can_be_then_it_suffices(void **state) {
    (void)state;
    enum { SMALL_STACK = 262144 };
    pthread_attr_t attributes;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, SMALL_STACK), 0);
    for (size_t i = 0; i < LENGTH_OF(depth_rows); i++) {
        const struct depth_row *row = &depth_rows[i];
        struct buffer body = nested(row->before, row->levels, row->after);
        struct deep_parse deep = {buffer_bytes(&body), STATUS_BUSY};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, &attributes, parse_deep, &deep), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_row_number(row->name, deep.status, row->text == NULL ? STATUS_OK : STATUS_INVALID);
        buffer_done(&body);
    }
    pthread_attr_destroy(&attributes);
}

/* The text that a value over its limit gives, or NULL when it is at or under it. */
static void expect_size(const char *row, struct buffer *body, const char *text) {
    assert_row_number(row, body->status, STATUS_OK);
    if (text == NULL)
        expect_readable(row, buffer_bytes(body));
    else
        expect_unreadable(row, buffer_bytes(body), text);
    buffer_done(body);
}

static void _when_texts_reach_their_limits_then_one_byte_more_is_unreadable(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const char *before;
        const char *character;
        size_t count;
        const char *after;
        const char *text;
    } rows[] = {
        {"message one under", "{\"arguments\":{\"openSlots\":[],\"message\":\"", "a", 8191, "\"}}",
         NULL},
        {"message at", "{\"arguments\":{\"openSlots\":[],\"message\":\"", "a", 8192, "\"}}", NULL},
        {"message one over", "{\"arguments\":{\"openSlots\":[],\"message\":\"", "a", 8193, "\"}}",
         "arguments.message is longer than 8192 bytes"},
        {"message empty", "{\"arguments\":{\"openSlots\":[],\"message\":\"", "", 0, "\"}}", NULL},
        {"message at, in two bytes each", "{\"arguments\":{\"openSlots\":[],\"message\":\"",
         "\xC3\xA9", 4096, "\"}}", NULL},
        {"message over, in two bytes each", "{\"arguments\":{\"openSlots\":[],\"message\":\"",
         "\xC3\xA9", 4097, "\"}}", "arguments.message is longer than 8192 bytes"},
        {"message at, as escapes", "{\"arguments\":{\"openSlots\":[],\"message\":\"", "\\u00e9",
         4096, "\"}}", NULL},
        {"message over, as escapes", "{\"arguments\":{\"openSlots\":[],\"message\":\"", "\\u00e9",
         4097, "\"}}", "arguments.message is longer than 8192 bytes"},
        {"slot empty", "{\"arguments\":{\"message\":\"\",\"openSlots\":[\"", "", 0, "\"]}}", NULL},
        {"slot one under", "{\"arguments\":{\"message\":\"\",\"openSlots\":[\"", "a", 255, "\"]}}",
         NULL},
        {"slot at", "{\"arguments\":{\"message\":\"\",\"openSlots\":[\"", "a", 256, "\"]}}", NULL},
        {"slot one over", "{\"arguments\":{\"message\":\"\",\"openSlots\":[\"b\",\"", "a", 257,
         "\"]}}", "arguments.openSlots[1] is longer than 256 bytes"},
        {"slot over, in four bytes each", "{\"arguments\":{\"message\":\"\",\"openSlots\":[\"",
         "\xF0\x9F\x98\x80", 65, "\"]}}", "arguments.openSlots[0] is longer than 256 bytes"},
        {"slots one under", "{\"arguments\":{\"message\":\"\",\"openSlots\":[\"\"", ",\"b\"", 498,
         "]}}", NULL},
        {"slots at", "{\"arguments\":{\"message\":\"\",\"openSlots\":[\"\"", ",\"b\"", 499, "]}}",
         NULL},
        {"slots one over", "{\"arguments\":{\"message\":\"\",\"openSlots\":[\"\"", ",\"b\"", 500,
         "]}}", "arguments.openSlots has more than 500 slots"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct buffer body = buffer_new(65536);
        buffer_append_text(&body, rows[i].before);
        append_repeated(&body, rows[i].character, rows[i].count);
        buffer_append_text(&body, rows[i].after);
        expect_size(rows[i].name, &body, rows[i].text);
    }
}

static void _when_a_salons_size_is_checked_then_1_to_256_bytes_are_fine(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t size;
        const char *text;
    } rows[] = {
        {"empty", 0, "the salon is empty"},
        {"one byte", 1, NULL},
        {"one under", SALON_SIZE_MAX - 1, NULL},
        {"at", SALON_SIZE_MAX, NULL},
        {"one over", SALON_SIZE_MAX + 1, "the salon is longer than 256 bytes"},
    };
    struct buffer salon = buffer_new(SALON_SIZE_MAX + 1);
    append_repeated(&salon, "e", SALON_SIZE_MAX + 1);
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct bytes name = bytes_up_to(buffer_bytes(&salon), rows[i].size);
        struct wire_problem problem = {.text = ""};
        assert_row(rows[i].name, wire_salon_check(name, &problem) == (rows[i].text == NULL));
        const char *text = rows[i].text == NULL ? "" : rows[i].text;
        assert_row_bytes(rows[i].name, bytes_of_text(problem.text), bytes_of_text(text));
        struct wire_request *request = NULL;
        enum status status = wire_request_parse(name, BYTES("{" ARGUMENTS "}"), &request, &problem);
        assert_row(rows[i].name, (status == STATUS_OK) == (rows[i].text == NULL));
        wire_request_free(request);
    }
    buffer_done(&salon);
}

static void _when_a_body_is_read_then_the_booking_is_what_it_says(void **state) {
    (void)state;
    struct wire_request *request = read_body(
        "booking",
        BYTES("{\"arguments\":{\"message\":\"A \\u0063ut\\n\\ud83d\\ude00 "
              "caf\xC3\xA9\",\"openSlots\":"
              "[\"sat-10:30\",\"\",\"\\u0001\"],\"status\":\"booked\"},"
              "\"structuredContent\":{\"status\":\"booked\"},\"requestState\":\"a.b\\u002ec\"}"));
    const struct booking *booking = wire_request_booking(request);
    assert_row_bytes("salon", booking->salon, BYTES("elm-street"));
    assert_row_bytes("message", booking->message, BYTES("A cut\n\xF0\x9F\x98\x80 caf\xC3\xA9"));
    assert_int_equal(booking->slot_count, 3);
    assert_row_bytes("slot 0", booking->slots[0], BYTES("sat-10:30"));
    assert_row_bytes("slot 1", booking->slots[1], BYTES(""));
    assert_row_bytes("slot 2", booking->slots[2], BYTES("\x01"));
    assert_row_bytes("state", *wire_request_state(request), BYTES("a.b.c"));
    assert_false(wire_request_has_responses(request));
    wire_request_free(request);
    wire_request_free(NULL);
}

static void _when_optional_members_are_null_then_they_are_absent(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct bytes body;
        bool has_state;
        bool has_responses;
    } rows[] = {
        {"neither", ROW_BYTES("{" ARGUMENTS "}"), false, false},
        {"both null", ROW_BYTES("{" ARGUMENTS ",\"inputResponses\":null,\"requestState\":null}"),
         false, false},
        {"a state", ROW_BYTES("{" ARGUMENTS ",\"inputResponses\":null,\"requestState\":\"s\"}"),
         true, false},
        {"an empty state", ROW_BYTES("{" ARGUMENTS ",\"requestState\":\"\"}"), true, false},
        {"responses", ROW_BYTES("{" ARGUMENTS ",\"inputResponses\":{},\"requestState\":null}"),
         false, true},
        {"responses false", ROW_BYTES("{" ARGUMENTS ",\"inputResponses\":false}"), false, true},
        {"both", ROW_BYTES("{" ARGUMENTS ",\"inputResponses\":[],\"requestState\":\"s\"}"), true,
         true},
        {"in arguments only",
         ROW_BYTES("{\"arguments\":{\"message\":\"m\",\"openSlots\":[],\"inputResponses\":{},"
                   "\"requestState\":\"s\"}}"),
         false, false},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct wire_request *request = read_body(rows[i].name, rows[i].body);
        assert_row(rows[i].name, (wire_request_state(request) != NULL) == rows[i].has_state);
        assert_row(rows[i].name, wire_request_has_responses(request) == rows[i].has_responses);
        wire_request_free(request);
    }
}

static struct buffer body_with_responses(const char *responses) {
    struct buffer body = buffer_new(65536);
    buffer_append_text(&body, "{" ARGUMENTS ",\"requestState\":\"s\",\"inputResponses\":");
    buffer_append_text(&body, responses);
    buffer_append_byte(&body, '}');
    return body;
}

static void _when_responses_are_read_then_each_shape_has_its_kind(void **state) {
    (void)state;
    static const struct {
        const char *responses;
        enum response_kind kind;
        const char *time;
    } rows[] = {
        {"{\"time\":{\"action\":\"accept\",\"content\":{\"time\":\"sat-10:30\"}}}", RESPONSE_ACCEPT,
         "sat-10:30"},
        {"{\"time\":{\"action\":\"accept\",\"content\":{\"time\":\"\"}}}", RESPONSE_ACCEPT, ""},
        {"{\"time\":{\"action\":\"\\u0061ccept\",\"content\":{\"time\":\"a\",\"x\":1}},\"x\":{}}",
         RESPONSE_ACCEPT, "a"},
        {"{\"time\":{\"action\":\"decline\"}}", RESPONSE_DECLINE, ""},
        {"{\"time\":{\"action\":\"decline\",\"content\":7}}", RESPONSE_DECLINE, ""},
        {"{\"time\":{\"action\":\"cancel\",\"content\":{\"time\":\"a\"}}}", RESPONSE_CANCEL, ""},
        {"{}", RESPONSE_MISSING, ""},
        {"[]", RESPONSE_MISSING, ""},
        {"[{\"time\":{\"action\":\"cancel\"}}]", RESPONSE_MISSING, ""},
        {"false", RESPONSE_MISSING, ""},
        {"\"time\"", RESPONSE_MISSING, ""},
        {"7", RESPONSE_MISSING, ""},
        {"{\"Time\":{\"action\":\"cancel\"}}", RESPONSE_MISSING, ""},
        {"{\"place\":{\"action\":\"cancel\"}}", RESPONSE_MISSING, ""},
        {"{\"action\":\"cancel\"}", RESPONSE_MISSING, ""},
        {"{\"time\":null}", RESPONSE_MALFORMED, ""},
        {"{\"time\":\"sat-10:30\"}", RESPONSE_MALFORMED, ""},
        {"{\"time\":[]}", RESPONSE_MALFORMED, ""},
        {"{\"time\":{}}", RESPONSE_MALFORMED, ""},
        {"{\"time\":{\"content\":{\"time\":\"a\"}}}", RESPONSE_MALFORMED, ""},
        {"{\"time\":{\"action\":null}}", RESPONSE_MALFORMED, ""},
        {"{\"time\":{\"action\":\"\",\"content\":{\"time\":\"a\"}}}", RESPONSE_MALFORMED, ""},
        {"{\"time\":{\"action\":\"Accept\",\"content\":{\"time\":\"a\"}}}", RESPONSE_MALFORMED, ""},
        {"{\"time\":{\"action\":\"accept \",\"content\":{\"time\":\"a\"}}}", RESPONSE_MALFORMED,
         ""},
        {"{\"time\":{\"action\":\"book\",\"content\":{\"time\":\"a\"}}}", RESPONSE_MALFORMED, ""},
        {"{\"time\":{\"action\":[\"accept\"],\"content\":{\"time\":\"a\"}}}", RESPONSE_MALFORMED,
         ""},
        {"{\"time\":{\"action\":\"Decline\"}}", RESPONSE_MALFORMED, ""},
        {"{\"time\":{\"action\":\"accept\"}}", RESPONSE_MALFORMED, ""},
        {"{\"time\":{\"action\":\"accept\",\"content\":null}}", RESPONSE_MALFORMED, ""},
        {"{\"time\":{\"action\":\"accept\",\"content\":7}}", RESPONSE_MALFORMED, ""},
        {"{\"time\":{\"action\":\"accept\",\"content\":\"a\"}}", RESPONSE_MALFORMED, ""},
        {"{\"time\":{\"action\":\"accept\",\"content\":[\"a\"]}}", RESPONSE_MALFORMED, ""},
        {"{\"time\":{\"action\":\"accept\",\"content\":{}}}", RESPONSE_MALFORMED, ""},
        {"{\"time\":{\"action\":\"accept\",\"content\":{\"time\":null}}}", RESPONSE_MALFORMED, ""},
        {"{\"time\":{\"action\":\"accept\",\"content\":{\"time\":7}}}", RESPONSE_MALFORMED, ""},
        {"{\"time\":{\"action\":\"accept\",\"content\":{\"time\":[\"a\"]}}}", RESPONSE_MALFORMED,
         ""},
        {"{\"time\":{\"action\":\"accept\",\"content\":{\"time\":{\"x\":1}}}}", RESPONSE_MALFORMED,
         ""},
        {"{\"time\":{\"action\":\"accept\",\"time\":\"a\"}}", RESPONSE_MALFORMED, ""},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct buffer body = body_with_responses(rows[i].responses);
        struct wire_request *request = read_body(rows[i].responses, buffer_bytes(&body));
        struct response response = {.kind = RESPONSE_CANCEL};
        struct wire_problem problem;
        assert_row(rows[i].responses, wire_request_response(request, &response, &problem));
        assert_row_number(rows[i].responses, response.kind, rows[i].kind);
        assert_row_bytes(rows[i].responses, response.time, bytes_of_text(rows[i].time));
        wire_request_free(request);
        buffer_done(&body);
    }
}

static void _when_an_answer_names_a_time_then_it_has_the_limit_of_a_slot(void **state) {
    (void)state;
    for (size_t size = SLOT_SIZE_MAX - 1; size <= SLOT_SIZE_MAX + 1; size++) {
        char row[32];
        snprintf(row, sizeof row, "%zu bytes", size);
        struct buffer responses = buffer_new(1024);
        buffer_append_text(&responses, "{\"time\":{\"action\":\"accept\",\"content\":{\"time\":\"");
        append_repeated(&responses, "a", size);
        buffer_append(&responses, BYTES("\"}}}\0"));
        struct buffer body = body_with_responses((const char *)responses.data);
        struct wire_request *request = read_body(row, buffer_bytes(&body));
        struct response response = {.kind = RESPONSE_CANCEL};
        struct wire_problem problem = {.text = ""};
        bool fits = size <= SLOT_SIZE_MAX;
        assert_row(row, wire_request_response(request, &response, &problem) == fits);
        assert_row_number(row, response.kind, fits ? RESPONSE_ACCEPT : RESPONSE_CANCEL);
        const char *text = fits ? "" : "inputResponses.time.content.time is longer than 256 bytes";
        assert_row_bytes(row, bytes_of_text(problem.text), bytes_of_text(text));
        wire_request_free(request);
        buffer_done(&body);
        buffer_done(&responses);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(_when_the_body_is_not_json_then_the_text_says_so_in_our_words),
        cmocka_unit_test(_when_the_json_ends_early_or_goes_on_then_the_text_says_where),
        cmocka_unit_test(given_a_readable_body_when_it_is_cut_anywhere_then_it_is_unreadable),
        cmocka_unit_test(_when_a_field_is_given_twice_then_it_is_unreadable_at_any_depth),
        cmocka_unit_test(_when_a_string_holds_an_escaped_nul_then_it_is_unreadable),
        cmocka_unit_test(_when_a_number_is_out_of_range_then_it_is_unreadable_wherever_it_is),
        cmocka_unit_test(_when_a_member_is_missing_or_mistyped_then_the_text_names_it),
        cmocka_unit_test(_when_the_body_is_nested_too_deep_then_it_is_unreadable),
        cmocka_unit_test(_when_openings_alone_are_nested_too_deep_then_it_is_unreadable),
        cmocka_unit_test(given_a_small_stack_when_the_body_is_as_deep_as_can_be_then_it_suffices),
        cmocka_unit_test(_when_texts_reach_their_limits_then_one_byte_more_is_unreadable),
        cmocka_unit_test(_when_a_salons_size_is_checked_then_1_to_256_bytes_are_fine),
        cmocka_unit_test(_when_a_body_is_read_then_the_booking_is_what_it_says),
        cmocka_unit_test(_when_optional_members_are_null_then_they_are_absent),
        cmocka_unit_test(_when_responses_are_read_then_each_shape_has_its_kind),
        cmocka_unit_test(_when_an_answer_names_a_time_then_it_has_the_limit_of_a_slot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
