#include "fixtures.h"

#include "hex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void _when_bytes_are_compared_then_only_the_same_ones_are_equal(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct bytes left;
        struct bytes right;
        bool equal;
        bool equal_ignoring_case;
    } rows[] = {
        {"both empty", {NULL, 0}, ROW_BYTES(""), true, true},
        {"empty and not", {NULL, 0}, ROW_BYTES("a"), false, false},
        {"the same", ROW_BYTES("sat-10:30"), ROW_BYTES("sat-10:30"), true, true},
        {"another case", ROW_BYTES("sat-AZ"), ROW_BYTES("SAT-az"), false, true},
        {"a prefix", ROW_BYTES("sat"), ROW_BYTES("sat-"), false, false},
        {"beyond a NUL", ROW_BYTES("a\0b"), ROW_BYTES("a\0c"), false, false},
        {"what is no letter: [ and {", ROW_BYTES("["), ROW_BYTES("{"), false, false},
        {"what is no letter: @ and `", ROW_BYTES("@"), ROW_BYTES("`"), false, false},
        {"what is not ASCII", ROW_BYTES("\xC3\x89"), ROW_BYTES("\xC3\xA9"), false, false},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        assert_row(rows[i].name, bytes_equal(rows[i].left, rows[i].right) == rows[i].equal);
        assert_row(rows[i].name, bytes_equal_ignoring_case(rows[i].left, rows[i].right) ==
                                     rows[i].equal_ignoring_case);
    }
}

static void _when_a_part_is_taken_then_it_stays_inside_the_whole(void **state) {
    (void)state;
    struct bytes whole = BYTES("abc");
    assert_row_bytes("from the start", bytes_from(whole, 0), BYTES("abc"));
    assert_row_bytes("from the last", bytes_from(whole, 2), BYTES("c"));
    assert_row_bytes("from the end", bytes_from(whole, 3), BYTES(""));
    assert_row_bytes("from past the end", bytes_from(whole, SIZE_MAX), BYTES(""));
    assert_row_bytes("up to nothing", bytes_up_to(whole, 0), BYTES(""));
    assert_row_bytes("up to two", bytes_up_to(whole, 2), BYTES("ab"));
    assert_row_bytes("up to more", bytes_up_to(whole, SIZE_MAX), BYTES("abc"));
    assert_int_equal(bytes_find(BYTES("a\0ba"), 'a'), 0);
    assert_int_equal(bytes_find(BYTES("a\0ba"), 'b'), 2);
    assert_int_equal(bytes_find(BYTES("a\0ba"), 0), 1);
    assert_int_equal(bytes_find(whole, 'd'), 3);
    assert_int_equal(bytes_find((struct bytes){NULL, 0}, 'a'), 0);
}

static void _when_a_text_is_trimmed_then_only_its_blanks_around_go(void **state) {
    (void)state;
    assert_row_bytes("both sides", bytes_trimmed(BYTES(" \t\r\na b\n\r\t ")), BYTES("a b"));
    assert_row_bytes("one byte", bytes_trimmed(BYTES(" a")), BYTES("a"));
    assert_row_bytes("blanks only", bytes_trimmed(BYTES(" \r\n\t")), BYTES(""));
    assert_row_bytes("nothing", bytes_trimmed((struct bytes){NULL, 0}), BYTES(""));
    assert_row_bytes("no blanks", bytes_trimmed(BYTES("\0a\v\f\xC2\xA0")),
                     BYTES("\0a\v\f\xC2\xA0"));
}

/* Judges a copy that ends where its memory ends, so that reading on is seen by the sanitizers. */
static bool copy_is_utf8(struct bytes text) {
    unsigned char *copy = malloc(text.size == 0 ? 1 : text.size);
    assert_non_null(copy);
    memcpy(copy, text.data, text.size);
    bool is_utf8 = bytes_are_utf8((struct bytes){copy, text.size});
    free(copy);
    return is_utf8;
}

static void _when_bytes_are_judged_then_only_well_formed_ones_are_utf8(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct bytes text;
        bool is_utf8;
    } rows[] = {
        {"empty", ROW_BYTES(""), true},
        {"ASCII with a NUL", ROW_BYTES("a\0z\x7F"), true},
        {"U+0080", ROW_BYTES("\xC2\x80"), true},
        {"U+07FF", ROW_BYTES("\xDF\xBF"), true},
        {"U+0800", ROW_BYTES("\xE0\xA0\x80"), true},
        {"U+D7FF", ROW_BYTES("\xED\x9F\xBF"), true},
        {"U+E000", ROW_BYTES("\xEE\x80\x80"), true},
        {"U+FFFF", ROW_BYTES("\xEF\xBF\xBF"), true},
        {"U+10000", ROW_BYTES("\xF0\x90\x80\x80"), true},
        {"U+10FFFF", ROW_BYTES("\xF4\x8F\xBF\xBF"), true},
        {"one after another", ROW_BYTES("a\xC2\x80\xE0\xA0\x80\xF0\x90\x80\x80z"), true},
        {"a continuation alone: 80", ROW_BYTES("\x80"), false},
        {"a continuation alone: BF", ROW_BYTES("\xBF"), false},
        {"a continuation too many", ROW_BYTES("\xC2\x80\x80"), false},
        {"overlong in 2: C0 80", ROW_BYTES("\xC0\x80"), false},
        {"overlong in 2: C1 BF", ROW_BYTES("\xC1\xBF"), false},
        {"overlong in 3: E0 80 80", ROW_BYTES("\xE0\x80\x80"), false},
        {"overlong in 3: E0 9F BF", ROW_BYTES("\xE0\x9F\xBF"), false},
        {"overlong in 4: F0 80 80 80", ROW_BYTES("\xF0\x80\x80\x80"), false},
        {"overlong in 4: F0 8F BF BF", ROW_BYTES("\xF0\x8F\xBF\xBF"), false},
        {"the first surrogate", ROW_BYTES("\xED\xA0\x80"), false},
        {"the last surrogate", ROW_BYTES("\xED\xBF\xBF"), false},
        {"a pair of surrogates", ROW_BYTES("\xED\xA0\xBD\xED\xB8\x80"), false},
        {"U+110000", ROW_BYTES("\xF4\x90\x80\x80"), false},
        {"F5", ROW_BYTES("\xF5\x80\x80\x80"), false},
        {"five bytes", ROW_BYTES("\xF8\x88\x80\x80\x80"), false},
        {"FE", ROW_BYTES("\xFE"), false},
        {"FF", ROW_BYTES("\xFF"), false},
        {"cut: 1 of 2", ROW_BYTES("\xC2"), false},
        {"cut: 1 of 3", ROW_BYTES("\xE2"), false},
        {"cut: 2 of 3", ROW_BYTES("\xE2\x82"), false},
        {"cut: 1 of 4", ROW_BYTES("\xF0"), false},
        {"cut: 2 of 4", ROW_BYTES("\xF0\x9F"), false},
        {"cut: 3 of 4", ROW_BYTES("\xF0\x9F\x98"), false},
        {"cut by a letter: 2 of 2", ROW_BYTES("\xC2z"), false},
        {"cut by a letter: 2 of 3", ROW_BYTES("\xE2z\xAC"), false},
        {"cut by a letter: 3 of 3", ROW_BYTES("\xE2\x82z"), false},
        {"cut by a letter: 3 of 4", ROW_BYTES("\xF0\x9Fz\x80"), false},
        {"cut by a letter: 4 of 4", ROW_BYTES("\xF0\x9F\x98z"), false},
        {"cut by the next: 2 of 3", ROW_BYTES("\xE2\x82\xE2\x82\xAC"), false},
        {"Latin-1", ROW_BYTES("caf\xE9"), false},
        {"right, then wrong", ROW_BYTES("caf\xC3\xA9\xFF"), false},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++)
        assert_row(rows[i].name, copy_is_utf8(rows[i].text) == rows[i].is_utf8);
}

static void _when_every_code_point_is_judged_then_all_but_the_surrogates_are_utf8(void **state) {
    (void)state;
    struct buffer text = buffer_new(4);
    for (uint32_t code_point = 0; code_point <= 0x10FFFF; code_point++) {
        text.size = 0;
        append_utf8(&text, code_point);
        bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
        if (bytes_are_utf8(buffer_bytes(&text)) == surrogate)
            fail_msg("U+%04X", (unsigned)code_point);
    }
    buffer_done(&text);
}

static void _when_every_byte_is_written_in_hex_then_it_is_lowercase_and_reads_back(void **state) {
    (void)state;
    for (unsigned value = 0; value < 256; value++) {
        char expected[8];
        snprintf(expected, sizeof expected, "%02x", value);
        unsigned char byte = (unsigned char)value;
        unsigned char digits[2];
        hex_write((struct bytes){&byte, 1}, digits);
        struct bytes written = {digits, sizeof digits};
        assert_row_bytes(expected, written, bytes_of_text(expected));
        unsigned char again = (unsigned char)~value;
        assert_row(expected, hex_parse(written, &again, 1) && again == byte);
        snprintf(expected, sizeof expected, "%02X", value);
        again = (unsigned char)~value;
        assert_row(expected, hex_parse(bytes_of_text(expected), &again, 1) && again == byte);
    }
}

static void _when_what_is_no_hex_is_read_then_nothing_is_written(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct bytes digits;
    } rows[] = {
        {"empty", ROW_BYTES("")},
        {"too few", ROW_BYTES("abc")},
        {"too many", ROW_BYTES("abcde")},
        {"a whole byte more", ROW_BYTES("abcdef")},
        {"g", ROW_BYTES("abcg")},
        {"G", ROW_BYTES("abcG")},
        {"before 0", ROW_BYTES("abc/")},
        {"after 9", ROW_BYTES("abc:")},
        {"before A", ROW_BYTES("abc@")},
        {"before a", ROW_BYTES("abc`")},
        {"0x", ROW_BYTES("0xab")},
        {"a space", ROW_BYTES(" abc")},
        {"a sign", ROW_BYTES("+abc")},
        {"a NUL", ROW_BYTES("abc\0")},
        {"the first", ROW_BYTES("gabc")},
        {"not ASCII", ROW_BYTES("\xC3\xA9"
                                "ab")},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        unsigned char out[2] = {0x55, 0x66};
        assert_row(rows[i].name, !hex_parse(rows[i].digits, out, sizeof out));
        assert_row(rows[i].name, out[0] == 0x55 && out[1] == 0x66);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(_when_bytes_are_compared_then_only_the_same_ones_are_equal),
        cmocka_unit_test(_when_a_part_is_taken_then_it_stays_inside_the_whole),
        cmocka_unit_test(_when_a_text_is_trimmed_then_only_its_blanks_around_go),
        cmocka_unit_test(_when_bytes_are_judged_then_only_well_formed_ones_are_utf8),
        cmocka_unit_test(_when_every_code_point_is_judged_then_all_but_the_surrogates_are_utf8),
        cmocka_unit_test(_when_every_byte_is_written_in_hex_then_it_is_lowercase_and_reads_back),
        cmocka_unit_test(_when_what_is_no_hex_is_read_then_nothing_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
