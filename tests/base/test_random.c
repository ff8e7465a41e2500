#include "fixtures.h"

#include "random.h"

#include <stdlib.h>
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

enum { PORTION = 8, PORTIONS = 500 };

struct drawer {
    unsigned failed;
    unsigned char portions[PORTIONS][PORTION];
};

static void draw_often(void *context) {
    struct drawer *drawer = context;
    for (size_t i = 0; i < PORTIONS; i++)
        drawer->failed += random_draw(drawer->portions[i], PORTION) != STATUS_OK;
}

static int compare_portions(const void *left, const void *right) {
    return memcmp(left, right, PORTION);
}

static void given_threads_when_they_draw_portions_then_no_portion_comes_twice(void **state) {
    (void)state;
    enum { THREADS = 4 };
    struct drawer drawers[THREADS] = {{0}};
    run_together(draw_often, drawers, THREADS, sizeof drawers[0]);
    unsigned char all[THREADS * PORTIONS][PORTION];
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(drawers[i].failed, 0);
        memcpy(all[i * PORTIONS], drawers[i].portions, sizeof drawers[i].portions);
    }
    qsort(all, LENGTH_OF(all), PORTION, compare_portions);
    for (size_t i = 1; i < LENGTH_OF(all); i++)
        assert_memory_not_equal(all[i - 1], all[i], PORTION);
}

static void _when_portions_of_any_size_are_drawn_then_each_is_filled(void **state) {
    (void)state;
    static const size_t sizes[] = {256, 100, 100, 100, 1, 255, 256, 0};
    for (size_t i = 0; i < LENGTH_OF(sizes); i++) {
        unsigned char first[257] = {0};
        unsigned char second[257] = {0};
        assert_int_equal(random_draw(first, sizes[i]), STATUS_OK);
        assert_int_equal(random_draw(second, sizes[i]), STATUS_OK);
        if (sizes[i] >= 100)
            assert_memory_not_equal(first, second, sizes[i]);
        assert_int_equal(first[sizes[i]], 0);
        assert_int_equal(second[sizes[i]], 0);
    }
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
        cmocka_unit_test(given_threads_when_they_draw_portions_then_no_portion_comes_twice),
        cmocka_unit_test(_when_portions_of_any_size_are_drawn_then_each_is_filled),
        cmocka_unit_test(_when_a_status_is_put_in_words_then_each_has_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
