#include "fixtures.h"

#include "json_text.h"

#include <stdio.h>

static void check_written(const char *row, struct bytes text, struct bytes expected) {
    struct buffer out = buffer_new(4096);
    json_write_string(&out, text);
    assert_row_bytes(row, buffer_bytes(&out), expected);
    buffer_done(&out);
}

static void _when_each_control_byte_is_written_then_it_is_escaped_in_the_one_form(void **state) {
    (void)state;
    for (unsigned value = 0; value < 0x20; value++) {
        unsigned char byte = (unsigned char)value;
        char expected[16];
        snprintf(expected, sizeof expected, "\"\\u%04x\"", value);
        const char *text = value == '\n'   ? "\"\\n\""
                           : value == '\r' ? "\"\\r\""
                           : value == '\t' ? "\"\\t\""
                                           : expected;
        check_written(expected, (struct bytes){&byte, 1}, bytes_of_text(text));
    }
}

static void _when_any_other_ascii_is_written_then_only_quotes_and_backslashes_change(void **state) {
    (void)state;
    for (unsigned value = 0x20; value < 0x80; value++) {
        unsigned char byte = (unsigned char)value;
        char expected[8];
        snprintf(expected, sizeof expected, "\"%s%c\"", byte == '"' || byte == '\\' ? "\\" : "",
                 (char)byte);
        check_written(expected, (struct bytes){&byte, 1}, bytes_of_text(expected));
    }
}

static void _when_texts_are_written_then_they_are_raw_utf8(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct bytes text;
        struct bytes expected;
    } rows[] = {
        {"empty", ROW_BYTES(""), ROW_BYTES("\"\"")},
        {"plain", ROW_BYTES("sat-10:30"), ROW_BYTES("\"sat-10:30\"")},
        {"only escapes", ROW_BYTES("\"\\\n\r\t"), ROW_BYTES("\"\\\"\\\\\\n\\r\\t\"")},
        {"plain, escape, plain", ROW_BYTES("a\nb"), ROW_BYTES("\"a\\nb\"")},
        {"escape, plain, escape", ROW_BYTES("\na\n"), ROW_BYTES("\"\\na\\n\"")},
        {"backspace and form feed", ROW_BYTES("\b\f"), ROW_BYTES("\"\\u0008\\u000c\"")},
        {"vertical tab, escape", ROW_BYTES("\v\x1B"), ROW_BYTES("\"\\u000b\\u001b\"")},
        {"NUL", ROW_BYTES("a\0b"), ROW_BYTES("\"a\\u0000b\"")},
        {"DEL", ROW_BYTES("\x7F"), ROW_BYTES("\"\x7F\"")},
        {"U+0080", ROW_BYTES("\xC2\x80"), ROW_BYTES("\"\xC2\x80\"")},
        {"U+2028", ROW_BYTES("\xE2\x80\xA8"), ROW_BYTES("\"\xE2\x80\xA8\"")},
        {"U+1F600", ROW_BYTES("\xF0\x9F\x98\x80"), ROW_BYTES("\"\xF0\x9F\x98\x80\"")},
        {"slash and angle", ROW_BYTES("</a>&'"), ROW_BYTES("\"</a>&'\"")},
        {"e and a combining acute", ROW_BYTES("e\xCC\x81"), ROW_BYTES("\"e\xCC\x81\"")},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++)
        check_written(rows[i].name, rows[i].text, rows[i].expected);
}

static void _when_a_string_is_written_in_parts_then_it_has_no_quotes(void **state) {
    (void)state;
    struct buffer out = buffer_new(64);
    json_write_characters(&out, BYTES("a\"b"));
    json_write_characters(&out, BYTES(""));
    json_write_characters(&out, BYTES("\\c"));
    assert_row_bytes("parts", buffer_bytes(&out), BYTES("a\\\"b\\\\c"));
    buffer_done(&out);
}

static void _when_arrays_are_written_then_they_have_no_spaces(void **state) {
    (void)state;
    static const struct bytes texts[] = {ROW_BYTES("a"), ROW_BYTES(""), ROW_BYTES("],[\"")};
    static const char *const expected[] = {"[]", "[\"a\"]", "[\"a\",\"\"]",
                                           "[\"a\",\"\",\"],[\\\"\"]"};
    for (size_t count = 0; count < LENGTH_OF(expected); count++) {
        struct buffer out = buffer_new(64);
        json_write_strings(&out, texts, count);
        assert_row_bytes(expected[count], buffer_bytes(&out), bytes_of_text(expected[count]));
        buffer_done(&out);
    }
}

static void given_no_room_for_an_escape_when_it_is_written_then_the_buffer_fails(void **state) {
    (void)state;
    for (size_t ceiling = 0; ceiling < 8; ceiling++) {
        struct buffer out = buffer_new(ceiling);
        json_write_string(&out, BYTES("\x01"));
        assert_int_equal(out.status, STATUS_LIMIT);
        assert_in_range(out.size, 0, ceiling);
        buffer_done(&out);
    }
}

static void _when_the_most_bytes_are_told_then_they_are_those_of_escapes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct bytes text;
        size_t most;
    } rows[] = {
        {"empty", ROW_BYTES(""), 2},
        {"plain", ROW_BYTES("sat-10:30"), 11},
        {"a control", ROW_BYTES("\x01"), 8},
        {"DEL", ROW_BYTES("\x7F"), 8},
        {"a quote", ROW_BYTES("\""), 8},
        {"U+00E9", ROW_BYTES("\xC3\xA9"), 8},
        {"U+2028", ROW_BYTES("\xE2\x80\xA8"), 8},
        {"U+1F600", ROW_BYTES("\xF0\x9F\x98\x80"), 14},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++)
        assert_row_number(rows[i].name, json_string_size_most(rows[i].text), rows[i].most);
}

static void _when_an_ascii_writer_writes_random_texts_then_it_stays_within_the_bound(void **state) {
    (void)state;
    struct dice dice = {20261003};
    struct buffer text = buffer_new(4096);
    struct buffer written = buffer_new(65536);
    for (unsigned i = 0; i < 3000; i++) {
        char row[32];
        snprintf(row, sizeof row, "random text %u", i);
        text.size = written.size = 0;
        dice_text(&dice, &text, dice_roll(&dice, 60));
        append_ascii_json(&written, buffer_bytes(&text));
        assert_row(row, text.status == STATUS_OK && written.status == STATUS_OK);
        assert_row(row, bytes_are_utf8(buffer_bytes(&text)));
        assert_row(row, written.size <= json_string_size_most(buffer_bytes(&text)));
        written.size = 0;
        json_write_string(&written, buffer_bytes(&text));
        assert_row(row, written.size <= json_string_size_most(buffer_bytes(&text)));
    }
    buffer_done(&text);
    buffer_done(&written);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(_when_each_control_byte_is_written_then_it_is_escaped_in_the_one_form),
        cmocka_unit_test(_when_any_other_ascii_is_written_then_only_quotes_and_backslashes_change),
        cmocka_unit_test(_when_texts_are_written_then_they_are_raw_utf8),
        cmocka_unit_test(_when_a_string_is_written_in_parts_then_it_has_no_quotes),
        cmocka_unit_test(_when_arrays_are_written_then_they_have_no_spaces),
        cmocka_unit_test(given_no_room_for_an_escape_when_it_is_written_then_the_buffer_fails),
        cmocka_unit_test(_when_the_most_bytes_are_told_then_they_are_those_of_escapes),
        cmocka_unit_test(_when_an_ascii_writer_writes_random_texts_then_it_stays_within_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
