/* The tree's memory: that a parse which runs out of it is left whole, at any allocation. */
#include "fixtures.h"

#include "allocation_faults.h"
#include "json_tree.h"

#include <stdio.h>
#include <string.h>

static void given_a_text_when_read_then_the_tree_has_it(void **state) {
    (void)state;
    json_error_t error;
    struct json_tree tree;
    assert_int_equal(json_tree_read(BYTES("{\"a\":[1,\"\\u00e9\"]}"), &tree, &error), STATUS_OK);
    const json_t *array = json_object_get(tree.root, "a");
    assert_int_equal(json_array_size(array), 2);
    assert_string_equal(json_string_value(json_array_get(array, 1)), "\xC3\xA9");
    json_tree_done(&tree);
    json_tree_done(&tree);
}

static void given_a_text_that_is_not_to_be_read_when_read_then_it_is_invalid(void **state) {
    (void)state;
    static const struct bytes rows[] = {
        {NULL, 0},
        ROW_BYTES("{"),
        ROW_BYTES("{\"a\":1,\"a\":2}"),
        ROW_BYTES("[\"\\u0000\"]"),
        ROW_BYTES("[\"\xFF\"]"),
        ROW_BYTES("[1e999]"),
        ROW_BYTES("[] []"),
        ROW_BYTES("\xEF\xBB\xBF[]"),
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        json_error_t error = {.line = 0};
        struct json_tree tree = {0};
        if (json_tree_read(rows[i], &tree, &error) != STATUS_INVALID || tree.root != NULL)
            fail_msg("row %zu is read", i);
    }
}

static void given_any_allocation_that_fails_when_reading_then_there_is_no_tree(void **state) {
    (void)state;
    if (!ALLOCATION_FAULTS_WORK)
        skip();
    thread_is_marked = marked_threads_count = true;
    char text[20000] = "[\"";
    memset(text + 2, 'x', 9000);
    strcpy(text + 9002, "\",{\"a\":[1,2,3],\"b\":\"");
    size_t size = strlen(text);
    memset(text + size, 'y', 9000);
    strcpy(text + size + 9000, "\"}]");
    const struct bytes input = bytes_of_text(text);
    long failed = 0;
    for (bool goes_on = true; goes_on;) {
        json_error_t error;
        struct json_tree tree = {0};
        allocation_fault_arm(failed + 1);
        enum status status = json_tree_read(input, &tree, &error);
        goes_on = allocation_fault_disarm();
        assert_int_equal(status, goes_on ? STATUS_NO_MEMORY : STATUS_OK);
        failed += goes_on ? 1 : 0;
        json_tree_done(&tree);
    }
    assert_true(failed >= 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_text_when_read_then_the_tree_has_it),
        cmocka_unit_test(given_a_text_that_is_not_to_be_read_when_read_then_it_is_invalid),
        cmocka_unit_test(given_any_allocation_that_fails_when_reading_then_there_is_no_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
