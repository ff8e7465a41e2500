#include "fixtures.h"

#include <stdio.h>
#include <stdlib.h>

static void given_room_to_the_ceiling_when_it_is_filled_exactly_then_it_holds_all(void **state) {
    (void)state;
    static const size_t ceilings[] = {1, 255, 256, 257, 511, 512, 513, 1000, 5000};
    for (size_t i = 0; i < LENGTH_OF(ceilings); i++) {
        char row[32];
        snprintf(row, sizeof row, "ceiling %zu", ceilings[i]);
        struct buffer buffer = buffer_new(ceilings[i]);
        for (size_t j = 0; j < ceilings[i]; j++)
            buffer_append_byte(&buffer, (unsigned char)j);
        assert_row_number(row, buffer.status, STATUS_OK);
        assert_row_number(row, buffer.size, ceilings[i]);
        for (size_t j = 0; j < ceilings[i]; j++)
            assert_row(row, buffer.data[j] == (unsigned char)j);
        buffer_append_byte(&buffer, 'x');
        assert_row_number(row, buffer.status, STATUS_LIMIT);
        assert_row_number(row, buffer.size, ceilings[i]);
        buffer_done(&buffer);
    }
}

static void
given_a_failed_buffer_when_what_would_fit_is_appended_then_it_does_nothing(void **state) {
    (void)state;
    struct buffer buffer = buffer_new(4);
    buffer_append_text(&buffer, "ab");
    buffer_append_text(&buffer, "cde");
    buffer_append_text(&buffer, "c");
    buffer_append_byte(&buffer, 'd');
    buffer_append_integer(&buffer, 7);
    assert_null(buffer_extend(&buffer, 1));
    assert_null(buffer_extend(&buffer, 0));
    assert_int_equal(buffer.status, STATUS_LIMIT);
    assert_row_bytes("what was there before", buffer_bytes(&buffer), BYTES("ab"));
    buffer_done(&buffer);
}

static void
given_a_failed_buffer_when_what_needs_more_memory_is_appended_then_it_stays_failed(void **state) {
    (void)state;
    struct buffer buffer = buffer_new(1000);
    buffer_append_text(&buffer, "ab");
    assert_null(buffer_extend(&buffer, 999));
    assert_null(buffer_extend(&buffer, 900));
    assert_int_equal(buffer.status, STATUS_LIMIT);
    assert_row_bytes("what was there before", buffer_bytes(&buffer), BYTES("ab"));
    buffer_done(&buffer);
}

static void _when_more_than_the_address_space_is_asked_for_then_it_is_over_the_limit(void **state) {
    (void)state;
    struct buffer buffer = buffer_new(1000);
    buffer_append_text(&buffer, "some");
    assert_null(buffer_extend(&buffer, SIZE_MAX));
    assert_int_equal(buffer.status, STATUS_LIMIT);
    assert_int_equal(buffer.size, 4);
    buffer_done(&buffer);
}

static void given_a_ceiling_of_nothing_when_nothing_is_appended_then_it_is_fine(void **state) {
    (void)state;
    struct buffer buffer = buffer_new(0);
    buffer_append(&buffer, (struct bytes){NULL, 0});
    buffer_append_text(&buffer, "");
    assert_int_equal(buffer.status, STATUS_OK);
    assert_int_equal(buffer_bytes(&buffer).size, 0);
    buffer_append_byte(&buffer, 0);
    assert_int_equal(buffer.status, STATUS_LIMIT);
    assert_null(buffer_take(&buffer));
}

static void given_what_was_written_when_the_buffer_grows_then_nothing_of_it_is_lost(void **state) {
    (void)state;
    struct buffer buffer = buffer_new(100000);
    for (int i = 0; i < 3000; i++)
        buffer_append_integer(&buffer, i % 10);
    for (size_t i = 0; i < 3000; i++)
        assert_int_equal(buffer.data[i], '0' + i % 10);
    assert_int_equal(buffer.size, 3000);
    buffer_done_secret(&buffer);
}

static void given_a_failed_buffer_when_it_is_done_then_it_can_be_filled_again(void **state) {
    (void)state;
    struct buffer buffer = buffer_new(3);
    buffer_append_text(&buffer, "abcd");
    buffer_done(&buffer);
    buffer_append_text(&buffer, "abc");
    assert_int_equal(buffer.status, STATUS_OK);
    assert_row_bytes("again", buffer_bytes(&buffer), BYTES("abc"));
    buffer_done_secret(&buffer);
    assert_null(buffer.data);
    assert_int_equal(buffer.size, 0);
}

static void given_a_failed_buffer_when_it_is_cleared_then_it_keeps_its_memory(void **state) {
    (void)state;
    struct buffer buffer = buffer_new(300);
    append_repeated(&buffer, "x", 300);
    buffer_append_byte(&buffer, 'x');
    unsigned char *memory = buffer.data;
    buffer_clear(&buffer);
    assert_int_equal(buffer.status, STATUS_OK);
    assert_int_equal(buffer.size, 0);
    append_repeated(&buffer, "y", 300);
    assert_int_equal(buffer.status, STATUS_OK);
    assert_ptr_equal(buffer.data, memory);
    buffer_done(&buffer);
}

static void given_a_filled_buffer_when_its_memory_is_taken_then_it_is_empty(void **state) {
    (void)state;
    struct buffer buffer = buffer_new(10);
    buffer_append_text(&buffer, "given");
    unsigned char *taken = buffer_take(&buffer);
    assert_memory_equal(taken, "given", 5);
    assert_null(buffer.data);
    assert_int_equal(buffer.size, 0);
    free(taken);
}

static void _when_integers_are_appended_then_each_is_written_in_decimal(void **state) {
    (void)state;
    static const struct {
        int64_t value;
        const char *text;
    } rows[] = {
        {0, "0"},
        {9, "9"},
        {10, "10"},
        {-1, "-1"},
        {-10, "-10"},
        {1791018120, "1791018120"},
        {INT64_MAX, "9223372036854775807"},
        {INT64_MIN, "-9223372036854775808"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct buffer buffer = buffer_new(20);
        buffer_append_integer(&buffer, rows[i].value);
        assert_row_bytes(rows[i].text, buffer_bytes(&buffer), bytes_of_text(rows[i].text));
        buffer_done(&buffer);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_room_to_the_ceiling_when_it_is_filled_exactly_then_it_holds_all),
        cmocka_unit_test(
            given_a_failed_buffer_when_what_would_fit_is_appended_then_it_does_nothing),
        cmocka_unit_test(
            given_a_failed_buffer_when_what_needs_more_memory_is_appended_then_it_stays_failed),
        cmocka_unit_test(_when_more_than_the_address_space_is_asked_for_then_it_is_over_the_limit),
        cmocka_unit_test(given_a_ceiling_of_nothing_when_nothing_is_appended_then_it_is_fine),
        cmocka_unit_test(given_what_was_written_when_the_buffer_grows_then_nothing_of_it_is_lost),
        cmocka_unit_test(given_a_failed_buffer_when_it_is_done_then_it_can_be_filled_again),
        cmocka_unit_test(given_a_failed_buffer_when_it_is_cleared_then_it_keeps_its_memory),
        cmocka_unit_test(given_a_filled_buffer_when_its_memory_is_taken_then_it_is_empty),
        cmocka_unit_test(_when_integers_are_appended_then_each_is_written_in_decimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
