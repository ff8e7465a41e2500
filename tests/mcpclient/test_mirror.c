/* Arguments mirrored into headers. */
#include "fixtures.h"

#include "mirror.h"

#include <string.h>

static void given_a_value_when_written_for_a_header_then_it_is_plain_or_base64(void **state) {
    (void)state;
    static const struct {
        const char *value;
        const char *written;
    } rows[] = {
        {"", ""},
        {"us-west1", "us-west1"},
        {"us west 1", "us west 1"},
        {" us", "=?base64?IHVz?="},
        {"us ", "=?base64?dXMg?="},
        {"a\tb", "=?base64?YQli?="},
        {"a\r\nb", "=?base64?YQ0KYg==?="},
        {"\x7F", "=?base64?fw==?="},
        {"\xC3\xA9", "=?base64?w6k=?="},
        {"=?base64?IHVz?=", "=?base64?PT9iYXNlNjQ/SUhWej89?="},
        {"=?other", "=?other"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct buffer out = buffer_new(SIZE_MAX);
        mirror_write_value(&out, bytes_of_text(rows[i].value));
        if (!bytes_equal(buffer_bytes(&out), bytes_of_text(rows[i].written)))
            fail_msg("row %zu: %.*s", i, (int)out.size, out.data);
        buffer_done(&out);
    }
}

#define PROPERTY(name, rest) "{\"properties\":{\"" name "\":{" rest "}}}"
#define ANNOTATED(type, header) "\"type\":\"" type "\",\"x-mcp-header\":" header

static void given_annotations_when_checked_then_wrong_ones_are_named(void **state) {
    (void)state;
    static const char elsewhere[] = "an x-mcp-header is not reached by properties alone";
    static const char name[] = "an x-mcp-header is no header name";
    static const char type[] = "an x-mcp-header is on neither a string, an integer nor a boolean";
    static const struct {
        const char *schema;
        const char *problem;
    } rows[] = {
        {"{\"type\":\"object\"}", NULL},
        {PROPERTY("a", ANNOTATED("string", "\"Region\"")), NULL},
        {PROPERTY("a", ANNOTATED("integer", "\"N\"")), NULL},
        {PROPERTY("a", ANNOTATED("boolean", "\"B\"")), NULL},
        {PROPERTY("a",
                  "\"type\":\"object\",\"properties\":{\"b\":{" ANNOTATED("string", "\"R\"") "}}"),
         NULL},
        {PROPERTY("x-mcp-header", "\"type\":\"string\""), NULL},
        {PROPERTY("a", "\"default\":{\"x-mcp-header\":1},\"enum\":[{\"x-mcp-header\":1}]"), NULL},
        {PROPERTY("a", ANNOTATED("number", "\"N\"")), type},
        {PROPERTY("a", ANNOTATED("object", "\"N\"")), type},
        {PROPERTY("a", ANNOTATED("null", "\"N\"")), type},
        {PROPERTY("a", "\"x-mcp-header\":\"N\""), type},
        {PROPERTY("a", ANNOTATED("string", "\"\"")), name},
        {PROPERTY("a", ANNOTATED("string", "\"a b\"")), name},
        {PROPERTY("a", ANNOTATED("string", "\"a:b\"")), name},
        {PROPERTY("a", ANNOTATED("string", "\"R\xC3\xA9gion\"")), name},
        {PROPERTY("a", ANNOTATED("string", "\"a\\tb\"")), name},
        {PROPERTY("a", ANNOTATED("string", "\"a\\u0000b\"")), name},
        {PROPERTY("a", ANNOTATED("string", "7")), name},
        {"{\"properties\":{\"a\":{" ANNOTATED("string", "\"My\"") "},\"b\":{" ANNOTATED(
             "string", "\"mY\"") "}}}",
         "two x-mcp-headers have one name"},
        {"{\"x-mcp-header\":\"A\"}", elsewhere},
        {PROPERTY("a", "\"items\":{" ANNOTATED("string", "\"A\"") "}"), elsewhere},
        {"{\"anyOf\":[" PROPERTY("a", ANNOTATED("string", "\"A\"")) "]}", elsewhere},
        {"{\"$defs\":{\"x\":{" ANNOTATED("string", "\"A\"") "}}}", elsewhere},
        {"{\"if\":" PROPERTY("a", ANNOTATED("string", "\"A\"")) "}", elsewhere},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct json_tree document = {0};
        const char *problem = NULL;
        assert_int_equal(mcp_json_read(bytes_of_text(rows[i].schema), &document, &problem),
                         STATUS_OK);
        const char *found = mirror_problem(document.root);
        bool is_right = found == NULL || rows[i].problem == NULL
                            ? found == rows[i].problem
                            : strcmp(found, rows[i].problem) == 0;
        if (!is_right)
            fail_msg("%s: %s", rows[i].schema, found == NULL ? "nothing" : found);
        json_tree_done(&document);
    }
}

static void gather(void *context, struct bytes name, struct bytes value) {
    buffer_append(context, name);
    buffer_append_byte(context, '=');
    buffer_append(context, value);
    buffer_append_byte(context, ';');
}

static void given_arguments_when_mirrored_then_null_and_absent_ones_are_left_out(void **state) {
    (void)state;
    struct json_tree schema = {0};
    struct json_tree arguments = {0};
    const char *problem = NULL;
    assert_int_equal(
        mcp_json_read(
            BYTES("{\"properties\":{\"a\":{" ANNOTATED("string", "\"A\"") "},\"b\":{" ANNOTATED(
                "integer",
                "\"B\"") "},\"c\":{" ANNOTATED("boolean",
                                               "\"C\"") "},\"d\":{" ANNOTATED("string",
                                                                              "\"D\"") "},\"e\":"
                                                                                       "{" ANNOTATED(
                                                                                           "string",
                                                                                           "\"E\"") "},\"f\":{"
                                                                                                    "\"properties\":{\"g\":{" ANNOTATED("integer", "\"G\"") "}}},\"h\":{" ANNOTATED(
                                                                                                        "string",
                                                                                                        "\"H\"") "},\"i\":{" ANNOTATED("integer",
                                                                                                                                       "\"I\"") "}}}"),
            &schema, &problem),
        STATUS_OK);
    assert_int_equal(
        mcp_json_read(BYTES("{\"z\":1,\"a\":\"x\",\"b\":-42,\"c\":false,\"d\":null,\"f\":{\"g\":7."
                            "0},\"h\":[1],\"i\":0.5}"),
                      &arguments, &problem),
        STATUS_OK);
    struct buffer out = buffer_new(SIZE_MAX);
    mirror_each(schema.root, arguments.root, gather, &out);
    assert_true(bytes_equal(buffer_bytes(&out), BYTES("A=x;B=-42;C=false;G=7;")));
    buffer_done(&out);
    json_tree_done(&schema);
    json_tree_done(&arguments);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_value_when_written_for_a_header_then_it_is_plain_or_base64),
        cmocka_unit_test(given_annotations_when_checked_then_wrong_ones_are_named),
        cmocka_unit_test(given_arguments_when_mirrored_then_null_and_absent_ones_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
