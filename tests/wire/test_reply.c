#include "fixtures.h"

#include "json_text.h"
#include "wire.h"

#include <stdio.h>

static void expect_written(const char *row, struct buffer *out, const char *expected) {
    assert_row_bytes(row, buffer_bytes(out), bytes_of_text(expected));
    buffer_done(out);
}

static void _when_a_question_is_written_then_it_is_the_protocols_to_the_byte(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct bytes times[2];
        size_t count;
        struct bytes text;
        const char *enumeration;
        const char *written_state;
    } rows[] = {
        {"two times",
         {ROW_BYTES("sat-10:30"), ROW_BYTES("sat-11:30")},
         2,
         ROW_BYTES("{\"goodUntil\":1}.ab"),
         "[\"sat-10:30\",\"sat-11:30\"]",
         "\"{\\\"goodUntil\\\":1}.ab\""},
        {"one time", {ROW_BYTES("")}, 1, ROW_BYTES("p.m"), "[\"\"]", "\"p.m\""},
        {"escapes",
         {ROW_BYTES("\"\\\n\b\x1F\x7F/"), ROW_BYTES("\xE2\x80\xA8")},
         2,
         ROW_BYTES("\"\\u0001\".m"),
         "[\"\\\"\\\\\\n\\u0008\\u001f\x7F/\",\"\xE2\x80\xA8\"]",
         "\"\\\"\\\\u0001\\\".m\""},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        char expected[1024];
        snprintf(expected, sizeof expected,
                 "{\"inputRequests\":{\"time\":{\"method\":\"elicitation/create\",\"params\":"
                 "{\"message\":\"Which time suits you?\",\"mode\":\"form\",\"requestedSchema\":"
                 "{\"properties\":{\"time\":{\"enum\":%s,\"type\":\"string\"}},\"required\":"
                 "[\"time\"],\"type\":\"object\"}}}},\"requestState\":%s,\"resultType\":"
                 "\"input_required\"}",
                 rows[i].enumeration, rows[i].written_state);
        struct buffer out = buffer_new(REPLY_SIZE_MAX);
        wire_question_write(&out, (struct offer){rows[i].times, rows[i].count}, rows[i].text);
        expect_written(rows[i].name, &out, expected);
    }
}

static void _when_a_booking_is_written_then_it_is_the_protocols_to_the_byte(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct bytes time;
        const char *expected;
    } rows[] = {
        {"plain", ROW_BYTES("sat-10:30"),
         "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"sat-10:30 is yours.\","
         "\"slot\":\"sat-10:30\",\"status\":\"booked\"}}"},
        {"empty", ROW_BYTES(""),
         "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\" is yours.\",\"slot\":\"\","
         "\"status\":\"booked\"}}"},
        {"escapes", ROW_BYTES("\"\f\xC3\xA9\\"),
         "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"\\\"\\u000c\xC3\xA9\\\\ is "
         "yours.\",\"slot\":\"\\\"\\u000c\xC3\xA9\\\\\",\"status\":\"booked\"}}"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct buffer out = buffer_new(REPLY_SIZE_MAX);
        wire_booked_write(&out, rows[i].time);
        expect_written(rows[i].name, &out, rows[i].expected);
    }
}

static void _when_no_booking_is_written_then_it_is_the_protocols_to_the_byte(void **state) {
    (void)state;
    struct buffer out = buffer_new(REPLY_SIZE_MAX);
    wire_not_booked_write(&out, SAY_NOT_CHOSEN);
    expect_written("declined", &out,
                   "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"No time was "
                   "chosen, so nothing is booked.\",\"status\":\"not_booked\"}}");
    wire_not_booked_write(&out, SAY_NOTHING_OPEN);
    expect_written("nothing open", &out,
                   "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"Nothing is open "
                   "then, so the salon will call you.\",\"status\":\"not_booked\"}}");
    wire_taken_write(&out, BYTES("sat-10:30"));
    expect_written(
        "taken", &out,
        "{\"resultType\":\"complete\",\"structuredContent\":{\"reason\":\"taken\",\"say\":"
        "\"sat-10:30 was taken meanwhile. Pick another time?\",\"status\":"
        "\"not_booked\"}}");
}

static void _when_the_digests_input_is_written_then_no_two_requests_share_it(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct bytes salon;
        struct bytes message;
        struct bytes slots[2];
        size_t count;
        const char *expected;
    } rows[] = {
        {"no slots",
         ROW_BYTES("elm-street"),
         ROW_BYTES("a trim"),
         {{NULL, 0}},
         0,
         "[\"elm-street\",\"a trim\",[]]"},
        {"two slots",
         ROW_BYTES("elm/street"),
         ROW_BYTES(""),
         {ROW_BYTES("a"), ROW_BYTES("b")},
         2,
         "[\"elm/street\",\"\",[\"a\",\"b\"]]"},
        {"one slot that looks like two",
         ROW_BYTES("elm"),
         ROW_BYTES("m"),
         {ROW_BYTES("a\",\"b")},
         1,
         "[\"elm\",\"m\",[\"a\\\",\\\"b\"]]"},
        {"a message that looks like slots",
         ROW_BYTES("e\",\"m"),
         ROW_BYTES("\",[\"a\"]]"),
         {{NULL, 0}},
         0,
         "[\"e\\\",\\\"m\",\"\\\",[\\\"a\\\"]]\",[]]"},
        {"raw UTF-8",
         ROW_BYTES("caf\xC3\xA9"),
         ROW_BYTES("\x0B"),
         {ROW_BYTES("e\xCC\x81")},
         1,
         "[\"caf\xC3\xA9\",\"\\u000b\",[\"e\xCC\x81\"]]"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct booking booking = {rows[i].salon, rows[i].message, rows[i].slots, rows[i].count};
        struct buffer out = buffer_new(REPLY_SIZE_MAX);
        wire_digest_input_write(&out, &booking);
        expect_written(rows[i].name, &out, rows[i].expected);
    }
}

static void _when_a_conversation_is_too_large_then_the_text_says_what_to_do(void **state) {
    (void)state;
    struct wire_problem problem;
    wire_problem_round_two_size(&problem, 65536);
    assert_string_equal(problem.text, "the answer to this booking could not fit a body of 65536 "
                                      "bytes: send fewer slots");
}

/* What round two adds to round one's body, by a writer that escapes all it can. */
static void append_round_two(struct buffer *out, struct bytes time, struct bytes text) {
    buffer_append_text(out, ", \"inputResponses\": {\"time\": {\"action\": \"accept\", "
                            "\"content\": {\"time\": ");
    append_ascii_json(out, time);
    buffer_append_text(out, "}}}, \"requestState\": ");
    append_ascii_json(out, text);
}

/* What fits is told for the bytes that such a writer makes of it, and not for much less. */
static void expect_told(const char *row, struct offer offered, struct bytes text, size_t longest) {
    enum { ROUND_ONE = 1000, SPARE = 256 };
    struct buffer more = buffer_new(REPLY_SIZE_MAX);
    append_round_two(&more, offered.times[longest], text);
    assert_row_number(row, more.status, STATUS_OK);
    size_t size = ROUND_ONE + more.size;
    buffer_done(&more);
    assert_row(row, !wire_round_two_fits(ROUND_ONE, offered, text, ROUND_ONE));
    assert_row(row, !wire_round_two_fits(ROUND_ONE, offered, text, size - 1));
    assert_row(row, wire_round_two_fits(ROUND_ONE, offered, text, size + SPARE));
    assert_row(row, wire_round_two_fits(ROUND_ONE, offered, text, BODY_SIZE_MOST));
}

static void
_when_a_wasteful_writer_would_go_over_the_limit_then_round_two_does_not_fit(void **state) {
    (void)state;
    struct dice dice = {7};
    struct buffer first = buffer_new(SLOT_SIZE_MAX);
    struct buffer second = buffer_new(SLOT_SIZE_MAX);
    struct buffer text = buffer_new(STATE_SIZE_MAX);
    for (unsigned i = 0; i < 200; i++) {
        char row[32];
        snprintf(row, sizeof row, "random state %u", i);
        first.size = second.size = text.size = 0;
        append_repeated(&first, i % 2 == 0 ? "\x01" : "e", dice_roll(&dice, SLOT_SIZE_MAX));
        append_repeated(&second, i % 3 == 0 ? "\xC3\xA9" : "i", dice_roll(&dice, 128));
        dice_text(&dice, &text, dice_roll(&dice, 400));
        struct bytes times[] = {buffer_bytes(&first), buffer_bytes(&second)};
        size_t longest = json_string_size_most(times[0]) > json_string_size_most(times[1]) ? 0 : 1;
        expect_told(row, (struct offer){times, 2}, buffer_bytes(&text), longest);
    }
    buffer_done(&first);
    buffer_done(&second);
    buffer_done(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(_when_a_question_is_written_then_it_is_the_protocols_to_the_byte),
        cmocka_unit_test(_when_a_booking_is_written_then_it_is_the_protocols_to_the_byte),
        cmocka_unit_test(_when_no_booking_is_written_then_it_is_the_protocols_to_the_byte),
        cmocka_unit_test(_when_the_digests_input_is_written_then_no_two_requests_share_it),
        cmocka_unit_test(_when_a_conversation_is_too_large_then_the_text_says_what_to_do),
        cmocka_unit_test(
            _when_a_wasteful_writer_would_go_over_the_limit_then_round_two_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
