/* The JSON text of values: compact, and the same value when it is read again. */
#include "fixtures.h"

#include "json_tree.h"
#include "json_value.h"

static const struct {
    struct bytes text;
    const char *written;
} rows[] = {
    {ROW_BYTES(" { \"z\" : [ 1 , true , null ] , \"a\" : { } , \"b\" : [ ] } "),
     "{\"z\":[1,true,null],\"a\":{},\"b\":[]}"},
    {ROW_BYTES("\"\\u00e9\\/\\b\\u000B\\n\\u007f\\\"\""), "\"\xC3\xA9/\\u0008\\u000b\\n\x7F\\\"\""},
    {ROW_BYTES("{\"\\u0001\":\"\"}"), "{\"\\u0001\":\"\"}"},
    {ROW_BYTES("-9223372036854775808"), "-9223372036854775808"},
    {ROW_BYTES("0.1"), "0.1"},
    {ROW_BYTES("0.30000000000000004"), "0.30000000000000004"},
    {ROW_BYTES("1.0"), "1.0"},
    {ROW_BYTES("-0.0"), "-0.0"},
    {ROW_BYTES("1e300"), "1e+300"},
    {ROW_BYTES("false"), "false"},
};

static void given_a_value_when_written_then_it_is_compact_and_in_order(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        json_error_t error;
        struct json_tree tree;
        struct buffer out = buffer_new(1000);
        assert_int_equal(json_tree_read(rows[i].text, &tree, &error), STATUS_OK);
        json_value_write(&out, tree.root);
        if (!bytes_equal(buffer_bytes(&out), bytes_of_text(rows[i].written)))
            fail_msg("\"%.*s\" instead of \"%s\"", (int)out.size, (const char *)out.data,
                     rows[i].written);
        buffer_done(&out);
        json_tree_done(&tree);
    }
}

static void given_no_string_when_its_text_is_taken_then_it_is_empty(void **state) {
    (void)state;
    assert_int_equal(json_text(NULL).size, 0);
    assert_int_equal(json_text(json_true()).size, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_value_when_written_then_it_is_compact_and_in_order),
        cmocka_unit_test(given_no_string_when_its_text_is_taken_then_it_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
