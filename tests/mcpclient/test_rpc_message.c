/* The check of a JSON-RPC message. */
#include "fixtures.h"

#include "rpc_message.h"

#include <string.h>

static void given_a_message_when_read_then_it_is_one_kind_or_broken(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum rpc_kind kind;
        const char *problem;
    } rows[] = {
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", RPC_RESULT, NULL},
        {" {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"x\":\"\\u0000\"}} ", RPC_RESULT, NULL},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"\"}}", RPC_ERROR,
         NULL},
        {"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-1,\"message\":\"\"}}", RPC_ERROR, NULL},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-1,\"message\":\"\"}}", RPC_ERROR,
         NULL},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"m\"}", RPC_NOTIFICATION, NULL},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":0}", RPC_REQUEST, NULL},
        {"", RPC_BROKEN, "it is empty"},
        {"nonsense", RPC_BROKEN, "it is not JSON"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}", RPC_BROKEN, "its JSON is cut short"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}{}", RPC_BROKEN,
         "it goes on after its JSON value"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":1,\"result\":{}}", RPC_BROKEN,
         "it gives a name twice"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":1,\"\\u0061\":1}}", RPC_BROKEN,
         "it gives a name twice"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xFF\"}}", RPC_BROKEN,
         "it is not UTF-8"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"n\":1e400}}", RPC_BROKEN,
         "it has a number out of range"},
        {"[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]", RPC_BROKEN,
         "it is an array, where one reply is due"},
        {"\"x\"", RPC_BROKEN, "it is not a JSON object"},
        {"{\"id\":1,\"result\":{}}", RPC_BROKEN, "its jsonrpc is not \"2.0\""},
        {"{\"jsonrpc\":2.0,\"id\":1,\"result\":{}}", RPC_BROKEN, "its jsonrpc is not \"2.0\""},
        {"{\"jsonrpc\":\"2.0\",\"id\":1}", RPC_BROKEN, "it has neither a result nor an error"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{\"code\":1,\"message\":\"\"}}",
         RPC_BROKEN, "it has a result and an error"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[]}", RPC_BROKEN, "its result is not an object"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}", RPC_BROKEN,
         "its result is not an object"},
        {"{\"jsonrpc\":\"2.0\",\"result\":{}}", RPC_BROKEN, "its result has no id"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1.0,\"message\":\"\"}}", RPC_BROKEN,
         "its error has no integer code and string message"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":\"no\"}", RPC_BROKEN,
         "its error has no integer code and string message"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"result\":{}}", RPC_BROKEN,
         "it is a request and a reply at once"},
        {"{\"jsonrpc\":\"2.0\",\"method\":7}", RPC_BROKEN, "its method is not a string"},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":null}", RPC_BROKEN,
         "its id is neither a string nor an integer"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct rpc_message message;
        assert_int_equal(rpc_message_read(bytes_of_text(rows[i].text), &message), STATUS_OK);
        if (message.kind != rows[i].kind ||
            (rows[i].problem != NULL && strcmp(message.problem, rows[i].problem) != 0))
            fail_msg("%s: kind %d, %s", rows[i].text, message.kind,
                     message.problem == NULL ? "no problem" : message.problem);
        rpc_message_done(&message);
    }
}

static void given_deep_nesting_when_read_then_it_is_broken(void **state) {
    (void)state;
    char text[4096] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":";
    memset(text + strlen(text), '[', 3000);
    struct rpc_message message;
    assert_int_equal(rpc_message_read(bytes_of_text(text), &message), STATUS_OK);
    assert_int_equal(message.kind, RPC_BROKEN);
    assert_string_equal(message.problem, "it is nested deeper than 64");
    rpc_message_done(&message);
}

/* Case I1, from the client's side. */
static void given_an_id_when_compared_then_type_and_digits_count(void **state) {
    (void)state;
    static const struct {
        const char *id;
        int64_t expected;
        bool is;
        const char *shown;
    } rows[] = {
        {"1", 1, true, "1"},
        {"\"1\"", 1, false, "\"1\""},
        {"1.0", 1, false, "1.0"},
        {"1e0", 1, false, "1.0"},
        {"0", 0, true, "0"},
        {"null", 1, false, "null"},
        {"\"init-a\"", 1, false, "\"init-a\""},
        {"9007199254740993", 9007199254740993, true, "9007199254740993"},
        {"9007199254740992", 9007199254740993, false, "9007199254740992"},
        {"true", 1, false, "true"},
        {"\"0123456789012345678901234567890123456789012345678901234567890123456789\"", 1, false,
         "\"012345678901234567890123456789012345678901234567890123456789012\xE2\x80\xA6"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct json_tree document = {0};
        const char *problem = NULL;
        struct buffer shown = buffer_new(SIZE_MAX);
        assert_int_equal(mcp_json_read(bytes_of_text(rows[i].id), &document, &problem), STATUS_OK);
        rpc_id_show(&shown, document.root);
        if (rpc_id_is(document.root, rows[i].expected) != rows[i].is ||
            !bytes_equal(buffer_bytes(&shown), bytes_of_text(rows[i].shown)))
            fail_msg("%s: shown as %.*s", rows[i].id, (int)shown.size, shown.data);
        buffer_done(&shown);
        json_tree_done(&document);
    }
}

static void given_json_when_written_again_then_it_is_the_same(void **state) {
    (void)state;
    static const char *const rows[] = {
        "{\"b\":1,\"a\":[true,false,null,\"\\u0000\\n\\\"\"],\"c\":{}}",
        "[0,-1,9007199254740993,3.14159,0.1,1e+300,-0.0,100.0,2.5]",
        "[]",
        "\"\xC3\xA9\x7F\"",
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct json_tree document = {0};
        const char *problem = NULL;
        struct buffer out = buffer_new(SIZE_MAX);
        assert_int_equal(mcp_json_read(bytes_of_text(rows[i]), &document, &problem), STATUS_OK);
        json_value_write(&out, document.root);
        if (!bytes_equal(buffer_bytes(&out), bytes_of_text(rows[i])))
            fail_msg("%s: written as %.*s", rows[i], (int)out.size, out.data);
        buffer_done(&out);
        json_tree_done(&document);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_message_when_read_then_it_is_one_kind_or_broken),
        cmocka_unit_test(given_deep_nesting_when_read_then_it_is_broken),
        cmocka_unit_test(given_an_id_when_compared_then_type_and_digits_count),
        cmocka_unit_test(given_json_when_written_again_then_it_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
