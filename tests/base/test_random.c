#include "fixtures.h"

#include "random.h"

#include <string.h>

static void _when_bytes_are_drawn_twice_then_they_differ_and_keep_to_their_room(void **state) {
    (void)state;
    enum { MOST = 256 };
    unsigned char first[MOST + 1] = {0};
    unsigned char second[MOST + 1] = {0};
    assert_int_equal(random_fill(first, MOST), STATUS_OK);
    assert_int_equal(random_fill(second, MOST), STATUS_OK);
    assert_memory_not_equal(first, second, MOST);
    assert_memory_not_equal(first + MOST / 2, second + MOST / 2, MOST / 2);
    assert_int_equal(first[MOST], 0);
    assert_int_equal(second[MOST], 0);
}

static void _when_a_status_is_put_in_words_then_each_has_its_own(void **state) {
    (void)state;
    for (int i = STATUS_OK; i <= STATUS_INVALID; i++) {
        assert_true(strlen(status_text((enum status)i)) > 0);
        assert_string_not_equal(status_text((enum status)i), "unknown");
        for (int j = STATUS_OK; j < i; j++)
            assert_string_not_equal(status_text((enum status)i), status_text((enum status)j));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(_when_bytes_are_drawn_twice_then_they_differ_and_keep_to_their_room),
        cmocka_unit_test(_when_a_status_is_put_in_words_then_each_has_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
