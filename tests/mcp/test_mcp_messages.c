/* Each row of the endpoint's check table from the JSON on, ids as they come and go, the two eras'
 * methods: messages in, replies out, without HTTP. Cases I1 and I2. */
#include "fixtures.h"
#include "header_value.h"
#include "json_member.h"
#include "mcp_tool.h"

#include <stdlib.h>
#include <string.h>

#define META(version)                                                                              \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":" version                              \
    ",\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define MODERN META("\"2026-07-28\"")
#define MESSAGE(id, method, params)                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"
#define CALL(params) MESSAGE("1", "tools/call", params "," MODERN)

/* A tool that says what it was called with. */
static void echo(void *context, struct mcp_call *call) {
    struct mcp_reply reply = {.status = 200, .refusal = REFUSAL_NONE, .body = buffer_new(4096)};
    const char *text = mcp_call_can_ask(call) ? "can ask" : "cannot ask";
    (void)context;
    reply.note = mcp_call_responses(call) == NULL ? "plain" : "retried";
    mcp_complete_write(call, &reply.body, bytes_of_text(text), BYTES("{\"a\":1}"));
    mcp_call_done(call, &reply);
}

static const struct mcp_tool tools[] = {{.name = "echo",
                                         .title = "Echo",
                                         .description = "Says \"it\" again.",
                                         .input_schema = "{\"type\":\"object\"}",
                                         .handle = echo}};
static const struct mcp_server server = {
    .name = "unit", .version = "7", .instructions = "Call echo.", .tools = tools, .tool_count = 1};

/* A reply with a NUL behind its body. */
struct answered {
    struct mcp_reply reply;
    const char *text;
};

static void take(void *context, struct mcp_reply *reply) {
    struct answered *answered = context;
    buffer_append_byte(&reply->body, '\0');
    answered->reply = *reply;
    answered->text = (const char *)reply->body.data;
}

static struct answered answer(const char *message, const struct mcp_headers *headers) {
    struct answered answered = {.text = NULL};
    mcp_answer(&server, bytes_of_text(message), headers, take, &answered);
    assert_non_null(answered.text);
    return answered;
}

/* The headers of a row; NULL where there is none. */
struct row_headers {
    const char *version, *method, *name;
};

static struct answered answer_row(const char *message, const struct row_headers *row) {
    struct bytes version, method, name;
    struct mcp_headers headers = {0};
    if (row->version != NULL)
        headers.version = (version = bytes_of_text(row->version), &version);
    if (row->method != NULL)
        headers.method = (method = bytes_of_text(row->method), &method);
    if (row->name != NULL)
        headers.name = (name = bytes_of_text(row->name), &name);
    return answer(message, &headers);
}

#define LIST                                                                                       \
    { "2026-07-28", "tools/list", NULL }
#define NAMED(name)                                                                                \
    { "2026-07-28", "tools/call", name }
#define NONE                                                                                       \
    { NULL, NULL, NULL }

/* Code 0 stands for a result. */
static const struct {
    const char *name;
    const char *message;
    struct row_headers headers;
    unsigned status;
    int code;
} rows[] = {
    {"3 empty", "", NONE, 400, -32700},
    {"3 no JSON", "{", NONE, 400, -32700},
    {"3 more behind", "{} {}", NONE, 400, -32700},
    {"3 a member twice", "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":1,\"method\":\"ping\"}", NONE, 400,
     -32700},
    {"3 a member twice, escaped", "{\"jsonrpc\":\"2.0\",\"id\":1,\"\\u0069d\":1}", NONE, 400,
     -32700},
    {"3 a NUL", MESSAGE("\"a\\u0000\"", "ping", ""), NONE, 400, -32700},
    {"3 a large number elsewhere", MESSAGE("1", "ping", "\"n\":17000000000000000000"), NONE, 400,
     -32700},
    {"4 an array", "[" MESSAGE("1", "ping", "") "]", NONE, 400, -32600},
    {"4 an empty array", "[]", NONE, 400, -32600},
    {"4 a string", "\"ping\"", NONE, 400, -32600},
    {"4 no jsonrpc", "{\"id\":1,\"method\":\"ping\"}", NONE, 400, -32600},
    {"4 jsonrpc 1.0", "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", NONE, 400, -32600},
    {"4 jsonrpc a number", "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}", NONE, 400, -32600},
    {"4 no method", "{\"jsonrpc\":\"2.0\",\"id\":1}", NONE, 400, -32600},
    {"4 a reply", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", NONE, 400, -32600},
    {"4 method null", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":null}", NONE, 400, -32600},
    {"5 a notification", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}", LIST, 202,
     0},
    {"5 a request without its id", "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\"}", NONE, 202, 0},
    {"6 a header and no claim", MESSAGE("1", "tools/list", ""), LIST, 400, -32602},
    {"6 a later header and no claim",
     MESSAGE("1", "tools/list", ""),
     {"2027-01-01", NULL, NULL},
     400,
     -32602},
    {"6 an old header", MESSAGE("1", "tools/list", ""), {"2025-06-18", NULL, NULL}, 200, 0},
    {"6 an unknown old header",
     MESSAGE("1", "tools/list", ""),
     {"2024-11-05", NULL, NULL},
     400,
     -32600},
    {"6 a header twice", MESSAGE("1", "tools/list", ""), {"", NULL, NULL}, 400, -32600},
    {"6 no header", MESSAGE("1", "tools/list", ""), NONE, 200, 0},
    {"7 a claim that is no string", MESSAGE("1", "tools/list", META("7")), LIST, 400, -32602},
    {"7 a claim that is null", MESSAGE("1", "tools/list", META("null")), LIST, 400, -32602},
    {"7 no capabilities",
     MESSAGE("1", "tools/list",
             "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}"),
     LIST, 400, -32602},
    {"8 no header", MESSAGE("1", "tools/list", MODERN), NONE, 400, -32020},
    {"8 another header",
     MESSAGE("1", "tools/list", MODERN),
     {"2025-11-25", "tools/list", NULL},
     400,
     -32020},
    {"8 before the version", MESSAGE("1", "tools/list", META("\"2027-01-01\"")), LIST, 400, -32020},
    {"9 another version",
     MESSAGE("1", "tools/list", META("\"2027-01-01\"")),
     {"2027-01-01", "tools/list", NULL},
     400,
     -32022},
    {"9 before the method's header",
     MESSAGE("1", "tools/list", META("\"2027-01-01\"")),
     {"2027-01-01", "ping", NULL},
     400,
     -32022},
    {"10 no method header",
     MESSAGE("1", "tools/list", MODERN),
     {"2026-07-28", NULL, NULL},
     400,
     -32020},
    {"10 another method",
     MESSAGE("1", "tools/list", MODERN),
     {"2026-07-28", "ping", NULL},
     400,
     -32020},
    {"10 another case",
     MESSAGE("1", "tools/list", MODERN),
     {"2026-07-28", "Tools/list", NULL},
     400,
     -32020},
    {"10 no name", CALL("\"name\":\"echo\""), NAMED(NULL), 400, -32020},
    {"10 another name", CALL("\"name\":\"echo\""), NAMED("ech"), 400, -32020},
    {"10 a name that is in the header only", CALL("\"x\":1"), NAMED("echo"), 400, -32020},
    {"10 a name in base64", CALL("\"name\":\"echo\""), NAMED("=?base64?ZWNobw==?="), 200, 0},
    {"10 broken base64", CALL("\"name\":\"echo\""), NAMED("=?base64?ZWNobw=?="), 400, -32020},
    {"10 before the method", MESSAGE("1", "no/such", MODERN), LIST, 400, -32020},
    {"11 an unknown method",
     MESSAGE("1", "no/such", MODERN),
     {"2026-07-28", "no/such", NULL},
     404,
     -32601},
    {"11 initialize in the modern era",
     MESSAGE("1", "initialize", MODERN),
     {"2026-07-28", "initialize", NULL},
     404,
     -32601},
    {"11 ping in the modern era",
     MESSAGE("1", "ping", MODERN),
     {"2026-07-28", "ping", NULL},
     404,
     -32601},
    {"11 an unknown method of the handshake era", MESSAGE("1", "no/such", ""), NONE, 200, -32601},
    {"11 discover in the handshake era", MESSAGE("1", "server/discover", ""), NONE, 200, -32601},
    {"12 no name", CALL("\"x\":1"), NAMED(NULL), 200, -32602},
    {"12 a name that is a number", CALL("\"name\":7"), NAMED(NULL), 200, -32602},
    {"12 an unknown tool", CALL("\"name\":\"ech\""), NAMED("ech"), 200, -32602},
    {"12 arguments an array", CALL("\"name\":\"echo\",\"arguments\":[]"), NAMED("echo"), 200,
     -32602},
    {"12 answers an array", CALL("\"name\":\"echo\",\"inputResponses\":[]"), NAMED("echo"), 200,
     -32602},
    {"12 a state that is a number", CALL("\"name\":\"echo\",\"requestState\":7"), NAMED("echo"),
     200, -32602},
    {"12 a cursor", MESSAGE("1", "tools/list", "\"cursor\":\"x\"," MODERN), LIST, 200, -32602},
    {"12 initialize without a version", MESSAGE("1", "initialize", ""), NONE, 200, -32602},
    {"good: null is absent",
     CALL("\"name\":\"echo\",\"arguments\":null,\"inputResponses\":null,\"requestState\":null"),
     NAMED("echo"), 200, 0},
    {"good: a null cursor", MESSAGE("1", "tools/list", "\"cursor\":null," MODERN), LIST, 200, 0},
    {"good: answers of the handshake era are ignored",
     MESSAGE("1", "tools/call", "\"name\":\"echo\",\"inputResponses\":[],\"requestState\":7"), NONE,
     200, 0},
};

static int code_of(const char *text) {
    const char *code = strstr(text, "\"error\":{\"code\":");
    return code == NULL ? 0 : atoi(code + strlen("\"error\":{\"code\":"));
}

static void given_each_row_of_the_check_table_when_it_comes_then_it_answers_so(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct answered answered = answer_row(rows[i].message, &rows[i].headers);
        assert_row_number(rows[i].name, answered.reply.status, rows[i].status);
        assert_row_number(rows[i].name, code_of(answered.text), rows[i].code);
        assert_row(rows[i].name, strstr(answered.text, "\"id\":null") == NULL);
        bool is_silent = rows[i].status == 202;
        assert_row(rows[i].name, is_silent == (answered.text[0] == '\0'));
        assert_row(rows[i].name,
                   is_silent || strstr(answered.text, "\"result\":{") != NULL || rows[i].code != 0);
        buffer_done(&answered.reply.body);
    }
}

/* Without HTTP the checks of headers don't apply. */
static void given_no_headers_at_all_when_a_message_comes_then_its_claim_counts(void **state) {
    (void)state;
    static const struct {
        const char *message;
        int code;
    } messages[] = {
        {MESSAGE("1", "tools/list", MODERN), 0},
        {CALL("\"name\":\"echo\""), 0},
        {MESSAGE("1", "tools/list", ""), 0},
        {MESSAGE("1", "tools/list", META("\"2027-01-01\"")), -32022},
        {MESSAGE("1", "no/such", MODERN), -32601},
    };
    for (size_t i = 0; i < LENGTH_OF(messages); i++) {
        struct answered answered = answer(messages[i].message, NULL);
        assert_row_number(messages[i].message, code_of(answered.text), messages[i].code);
        buffer_done(&answered.reply.body);
    }
}

#define LONG_256                                                                                   \
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"                             \
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"                             \
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"                             \
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* Cases I1 and I2: in type and digits. */
static void given_an_id_when_it_is_one_then_it_goes_back_as_it_came(void **state) {
    (void)state;
    static const char *const ids[] = {"1",
                                      "\"1\"",
                                      "\"init-a\"",
                                      "0",
                                      "-0",
                                      "-7",
                                      "9007199254740993",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "\"\"",
                                      "\"\\u0041\\n\\\"}\"",
                                      "\"é😀\"",
                                      "\"" LONG_256 "\""};
    static const char *const wholes[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":%,\"method\":\"ping\"}",
        "{ \"params\" : {\"id\":3,\"a\":{\"id\":4}} , \"jsonrpc\":\"2.0\",\"method\":\"x\" , "
        "\"id\" :\t% }",
        "{\"a\":[{\"id\":5},\"id\\\\\",6],\"jsonrpc\":\"2.0\",\"\\u0069\\u0064\":%,\"method\":"
        "\"x\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":%,\"method\":\"no/such\"}",
    };
    for (size_t i = 0; i < LENGTH_OF(ids); i++)
        for (size_t j = 0; j < LENGTH_OF(wholes); j++) {
            struct buffer message = buffer_new(4096), expected = buffer_new(4096);
            const char *place = strchr(wholes[j], '%');
            buffer_append(&message,
                          bytes_up_to(bytes_of_text(wholes[j]), (size_t)(place - wholes[j])));
            buffer_append_text(&message, ids[i]);
            buffer_append_text(&message, place + 1);
            buffer_append_byte(&message, '\0');
            buffer_append_text(&expected, "{\"jsonrpc\":\"2.0\",\"id\":");
            buffer_append_text(&expected, ids[i]);
            buffer_append_byte(&expected, ',');
            struct answered answered = answer((const char *)message.data, NULL);
            assert_row_bytes(ids[i], bytes_up_to(bytes_of_text(answered.text), expected.size),
                             buffer_bytes(&expected));
            buffer_done(&answered.reply.body);
            buffer_done(&message);
            buffer_done(&expected);
        }
}

static void given_an_id_when_it_is_none_then_it_is_refused_without_one(void **state) {
    (void)state;
    static const char *const messages[] = {
        MESSAGE("null", "ping", ""),
        MESSAGE("1.0", "ping", ""),
        MESSAGE("1e2", "ping", ""),
        MESSAGE("true", "ping", ""),
        MESSAGE("{}", "ping", ""),
        MESSAGE("[1]", "ping", ""),
        MESSAGE("9223372036854775808", "ping", ""),
        MESSAGE("-9223372036854775809", "ping", ""),
        MESSAGE("123456789012345678901234567890123456789012345678901234567890", "ping", ""),
        MESSAGE("\"" LONG_256 "x\"", "ping", ""),
        "{\"jsonrpc\":\"2.0\",\"id\":17000000000000000000}",
    };
    for (size_t i = 0; i < LENGTH_OF(messages); i++) {
        struct answered answered = answer(messages[i], NULL);
        assert_row_number(messages[i], answered.reply.status, 400);
        assert_row_number(messages[i], code_of(answered.text), -32600);
        assert_row(messages[i], strstr(answered.text, "\"id\"") == NULL);
        buffer_done(&answered.reply.body);
    }
    /* What isn't JSON beside its id is no JSON. */
    static const char *const others[] = {
        "{\"id\":17000000000000000000",
        "{\"id\":17000000000000000000,\"n\":17000000000000000000}",
        "{\"id\":17000000000000000000,\"a\":1,\"a\":1}",
    };
    for (size_t i = 0; i < LENGTH_OF(others); i++) {
        struct answered answered = answer(others[i], NULL);
        assert_row_number(others[i], code_of(answered.text), -32700);
        buffer_done(&answered.reply.body);
    }
}

static void given_deep_nesting_when_it_comes_then_it_is_no_json(void **state) {
    (void)state;
    struct buffer message = buffer_new(65536);
    buffer_append_text(&message,
                       "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":");
    append_repeated(&message, "[", 3000);
    append_repeated(&message, "]", 3000);
    buffer_append_text(&message, "}}");
    buffer_append_byte(&message, '\0');
    struct answered answered = answer((const char *)message.data, NULL);
    assert_int_equal(code_of(answered.text), -32700);
    buffer_done(&answered.reply.body);
    buffer_done(&message);
}

static void given_the_modern_era_when_asked_then_results_are_its_own(void **state) {
    (void)state;
    static const struct {
        const char *message;
        const char *reply;
        const char *note;
    } table[] = {
        {MESSAGE("1", "server/discover", MODERN),
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"_meta\":{\"io."
         "modelcontextprotocol/serverInfo\":{\"name\":\"unit\",\"version\":\"7\"}},"
         "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}},\"instructions\":"
         "\"Call echo.\",\"ttlMs\":3600000,\"cacheScope\":\"public\"}}",
         "discovered"},
        {MESSAGE("1", "tools/list", MODERN),
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"_meta\":{\"io."
         "modelcontextprotocol/serverInfo\":{\"name\":\"unit\",\"version\":\"7\"}},\"tools\":[{"
         "\"name\":\"echo\",\"title\":\"Echo\",\"description\":\"Says \\\"it\\\" again.\","
         "\"inputSchema\":{\"type\":\"object\"}}],\"ttlMs\":3600000,\"cacheScope\":\"public\"}}",
         "listed"},
        {CALL("\"name\":\"echo\",\"inputResponses\":{}"),
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"_meta\":{\"io."
         "modelcontextprotocol/serverInfo\":{\"name\":\"unit\",\"version\":\"7\"}},\"content\":[{"
         "\"type\":\"text\",\"text\":\"cannot ask\"}],\"structuredContent\":{\"a\":1}}}",
         "retried"},
        {MESSAGE("\"x\"", "tools/list", META("\"2027\\n\"")),
         "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-32022,\"message\":\"Unsupported "
         "protocol version\",\"data\":{\"supported\":[\"2026-07-28\"],\"requested\":\"2027\\n\"}}}",
         "unsupported_version"},
    };
    for (size_t i = 0; i < LENGTH_OF(table); i++) {
        struct answered answered = answer(table[i].message, NULL);
        assert_string_equal(answered.text, table[i].reply);
        assert_string_equal(answered.reply.note, table[i].note);
        buffer_done(&answered.reply.body);
    }
}

static void given_the_handshake_era_when_asked_then_results_are_its_own(void **state) {
    (void)state;
#define INITIALIZED(version)                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"" version                     \
    "\",\"serverInfo\":{\"name\":\"unit\",\"version\":\"7\"},\"capabilities\":{\"tools\":{}},"     \
    "\"instructions\":\"Call echo.\"}}"
    static const struct {
        const char *message;
        const char *reply;
    } table[] = {
        {MESSAGE("1", "initialize", "\"protocolVersion\":\"2025-06-18\""),
         INITIALIZED("2025-06-18")},
        {MESSAGE("1", "initialize", "\"protocolVersion\":\"2025-11-25\""),
         INITIALIZED("2025-11-25")},
        {MESSAGE("1", "initialize", "\"protocolVersion\":\"2024-11-05\""),
         INITIALIZED("2025-11-25")},
        {MESSAGE("1", "initialize", "\"protocolVersion\":\"2026-07-28\""),
         INITIALIZED("2025-11-25")},
        {MESSAGE("1", "ping", ""), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[1]}",
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"},
        {MESSAGE("1", "tools/list", ""),
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{\"name\":\"echo\",\"title\":"
         "\"Echo\",\"description\":\"Says \\\"it\\\" again.\",\"inputSchema\":{\"type\":"
         "\"object\"}}]}}"},
        {MESSAGE("1", "tools/call", "\"name\":\"echo\""),
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
         "\"cannot ask\"}],\"structuredContent\":{\"a\":1}}}"},
    };
    for (size_t i = 0; i < LENGTH_OF(table); i++) {
        struct answered answered = answer(table[i].message, NULL);
        assert_string_equal(answered.text, table[i].reply);
        buffer_done(&answered.reply.body);
    }
}

static void given_capabilities_when_declared_then_only_forms_can_be_asked(void **state) {
    (void)state;
    static const struct {
        const char *elicitation;
        bool can_ask;
    } table[] = {
        {"{}", true},
        {"{\"form\":{}}", true},
        {"{\"form\":{},\"url\":{}}", true},
        {"{\"url\":{}}", false},
        {"null", false},
        {"true", false},
        {"[]", false},
        {"{\"form\":null}", false},
    };
    for (size_t i = 0; i < LENGTH_OF(table); i++) {
        struct buffer message = buffer_new(4096);
        buffer_append_text(
            &message,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
            "\"echo\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":");
        buffer_append_text(&message, table[i].elicitation);
        buffer_append_text(&message, "}}}}");
        buffer_append_byte(&message, '\0');
        struct answered answered = answer((const char *)message.data, NULL);
        assert_row(table[i].elicitation,
                   (strstr(answered.text, "\"can ask\"") != NULL) == table[i].can_ask);
        buffer_done(&answered.reply.body);
        buffer_done(&message);
    }
}

static void given_a_header_value_when_compared_then_base64_is_decoded(void **state) {
    (void)state;
    static const struct {
        const char *value, *expected;
        bool is;
    } table[] = {
        {"book", "book", true},
        {"Book", "book", false},
        {"=?base64?Ym9vaw==?=", "book", true},
        {"=?base64?Ym9va3M=?=", "books", true},
        {"=?base64?Ym9va3NZ?=", "booksY", true},
        {"=?base64?w6nDqQ==?=", "éé", true},
        {"=?base64?"
         "?=",
         "", true},
        {"=?base64?Ym9vaw?=", "book", false},
        {"=?base64?Ym9vax==?=", "book", false},
        {"=?base64?Ym9vaw===?=", "book", false},
        {"=?base64?Ym9v aw==?=", "book", false},
        {"=?BASE64?Ym9vaw==?=", "book", false},
        {"=?base64?Ym9vaw==", "book", false},
        {"=?base64?=", "=?base64?=", true},
        {"Ym9vaw==", "book", false},
    };
    for (size_t i = 0; i < LENGTH_OF(table); i++)
        assert_row(table[i].value,
                   header_value_is(bytes_of_text(table[i].value),
                                   bytes_of_text(table[i].expected)) == table[i].is);
}

static void given_any_bytes_when_a_member_is_looked_for_then_it_stays_within(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "{",
        "{\"id",
        "{\"id\"",
        "{\"id\":",
        "{\"id\":\"",
        "{\"id\":\"\\",
        "{\"id\":[",
        "{\"id\":[\"",
        "{\"a\":1,",
        "{\"a\":1 \"id\":2}",
        "}",
        "{}",
        "{\"\\u00",
    };
    for (size_t i = 0; i < LENGTH_OF(texts); i++) {
        size_t size = strlen(texts[i]);
        unsigned char *exact = malloc(size > 0 ? size : 1); /* so that a sanitizer sees its end */
        assert_non_null(exact);
        memcpy(exact, texts[i], size);
        struct bytes value;
        assert_row(texts[i], !json_member_find((struct bytes){exact, size}, BYTES("id"), &value));
        free(exact);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_each_row_of_the_check_table_when_it_comes_then_it_answers_so),
        cmocka_unit_test(given_no_headers_at_all_when_a_message_comes_then_its_claim_counts),
        cmocka_unit_test(given_an_id_when_it_is_one_then_it_goes_back_as_it_came),
        cmocka_unit_test(given_an_id_when_it_is_none_then_it_is_refused_without_one),
        cmocka_unit_test(given_deep_nesting_when_it_comes_then_it_is_no_json),
        cmocka_unit_test(given_the_modern_era_when_asked_then_results_are_its_own),
        cmocka_unit_test(given_the_handshake_era_when_asked_then_results_are_its_own),
        cmocka_unit_test(given_capabilities_when_declared_then_only_forms_can_be_asked),
        cmocka_unit_test(given_a_header_value_when_compared_then_base64_is_decoded),
        cmocka_unit_test(given_any_bytes_when_a_member_is_looked_for_then_it_stays_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
