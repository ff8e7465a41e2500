/* "tandem mcp" over HTTP as a script runs it, against servers that play a script. */
#include "mcp_replies.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define MCP(...) ((const char *const[]){"mcp", __VA_ARGS__, NULL})
#define JSON_STEP(json)                                                                            \
    { .reply = ROW_BYTES(JSON_REPLY(json)) }

static struct scripted_server *serve(const struct script_step *steps, size_t count) {
    struct scripted_server *server = scripted_server_start(steps, count);
    assert_non_null(server);
    return server;
}

/* Fails the test unless a request has this in it, in its head or in its body. */
static void expect_request(const struct scripted_server *server, size_t index, const char *text) {
    struct bytes request = scripted_server_request(server, index);
    if (request.size == 0 || strstr((const char *)request.data, text) == NULL)
        fail_msg("request %zu has no \"%s\":\n%.*s", index, text, (int)request.size, request.data);
}

static void given_a_modern_server_when_asked_what_it_is_then_it_is_shown_safely(void **state) {
    (void)state;
    static const struct script_step steps[] = {JSON_STEP(MCP_DISCOVERED)};
    struct scripted_server *server = serve(steps, 1);
    expect("discover", MCP("discover", scripted_server_url(server)), 0,
           "server: fake\\u001b\nversion: 2\nprotocol: 2026-07-28\nera: requests that stand "
           "alone\ninstructions: one\n    two\n",
           "");
    scripted_server_stop(server);
    expect_request(server, 0, "POST / HTTP/1.1\r\n");
    expect_request(server, 0, "\r\nContent-Type: application/json\r\n");
    expect_request(server, 0, "\r\nAccept: application/json, text/event-stream\r\n");
    expect_request(server, 0, "\r\nMCP-Protocol-Version: 2026-07-28\r\n");
    expect_request(server, 0, "\r\nMcp-Method: server/discover\r\n");
    scripted_server_free(server);
}

static void given_a_server_when_its_tools_are_listed_then_they_are_printed(void **state) {
    (void)state;
    static const struct script_step steps[] = {JSON_STEP(MCP_TOOLS("1"))};
    struct scripted_server *server = serve(steps, 1);
    char url[128];
    snprintf(url, sizeof url, "%s/a/mcp?x=1", scripted_server_url(server));
    expect("tools", MCP("tools", url, "--protocol", "2026-07-28", "--header", "X-Key: secret"), 0,
           "book (Book)\n    Books a visit\n", "");
    scripted_server_stop(server);
    expect_request(server, 0, "POST /a/mcp?x=1 HTTP/1.1\r\n");
    expect_request(server, 0, "\r\nX-Key: secret\r\n");
    scripted_server_free(server);
    server = serve(steps, 1);
    expect("as JSON",
           MCP("tools", scripted_server_url(server), "--protocol", "2026-07-28", "--json"), 0,
           "{\"tools\":[{\"name\":\"book\",\"title\":\"Book\",\"description\":\"Books a visit\","
           "\"inputSchema\":{\"type\":\"object\"}}]}\n",
           "");
    scripted_server_free(server);
}

static void
given_protocol_2025_11_25_when_a_tool_is_called_over_http_then_ids_are_1_2_3(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        {.reply =
             ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                       "Mcp-Session-Id: s-1\r\nConnection: close\r\n\r\n" MCP_INITIALIZED("1"))},
        {.reply = ROW_BYTES("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")},
        {.reply = ROW_BYTES(MCP_STREAM(MCP_EVENT(MCP_TOOLS("2"))))},
        {.reply = ROW_BYTES(MCP_STREAM(": x\n\n" MCP_EVENT(MCP_SAYS("3", "done"))))},
    };
    struct scripted_server *server = serve(steps, 4);
    expect("call",
           MCP("call", scripted_server_url(server), "book", "{}", "--protocol", "2025-11-25"), 0,
           "done\n", "");
    scripted_server_stop(server);
    expect_request(server, 0, "\"id\":1,\"method\":\"initialize\"");
    expect_request(server, 1, "\"method\":\"notifications/initialized\"");
    expect_request(server, 2, "\"id\":2,\"method\":\"tools/list\"");
    expect_request(server, 3, "\"id\":3,\"method\":\"tools/call\"");
    for (size_t i = 1; i < 4; i++) {
        expect_request(server, i, "\r\nMcp-Session-Id: s-1\r\n");
        expect_request(server, i, "\r\nMCP-Protocol-Version: 2025-11-25\r\n");
    }
    scripted_server_free(server);
}

/* The arguments of a call, in the modern era. */
#define CALL(...) MCP("call", url, "book", "{\"n\":1}", "--protocol", "2026-07-28", __VA_ARGS__)

static void expect_call(const char *name, const struct script_step *steps, size_t count,
                        const char *const *more, int exit_code, const char *out,
                        const char *error) {
    struct scripted_server *server = serve(steps, count);
    const char *words[16] = {"mcp",       "call",      scripted_server_url(server),
                             "book",      "{\"n\":1}", "--protocol",
                             "2026-07-28"};
    for (size_t i = 0; more != NULL && more[i] != NULL; i++)
        words[7 + i] = more[i];
    expect(name, words, exit_code, out, error);
    scripted_server_free(server);
}

static void given_a_tool_when_called_then_the_exit_code_says_what_came_of_it(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct script_step reply;
        int exit_code;
        const char *out;
        const char *error;
    } rows[] = {
        {"a result", JSON_STEP(MCP_SAYS("2", "a\\nb\\u001b[2J\xE2\x80\xAE")), 0,
         "a\nb\\u001b[2J\\u202e\n", ""},
        {"isError",
         JSON_STEP(MCP_RESULT("2", "\"content\":[{\"type\":\"text\",\"text\":\"no\"}],"
                                   "\"isError\":true")),
         3, "no\n", ""},
        {"mismatch", JSON_STEP(MCP_SAYS("3", "x")), 1, "",
         "id mismatch: got 3, expected 2\nthat was request 2, tools/call\n"},
        {"an error", JSON_STEP(MCP_ERROR("2", "-32602", "bad\\u0007")), 1, "",
         "the server answered with error -32602: bad\\u0007\nthat was request 2, tools/call\n"},
        {"202",
         {.reply = ROW_BYTES("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")},
         1,
         "",
         "the server took the request and gave no reply\nthat was request 2, tools/call\n"},
        {"a redirect",
         {.reply = ROW_BYTES("HTTP/1.1 307 Temporary Redirect\r\nLocation: "
                             "http://other.example/\r\nContent-Length: 0\r\n\r\n")},
         1,
         "",
         "the server refused it (307)\nit pointed to http://other.example/\nthat was request 2, "
         "tools/call\n"},
        {"two replies",
         {.reply =
              ROW_BYTES(MCP_STREAM(MCP_EVENT(MCP_SAYS("2", "x")) MCP_EVENT(MCP_SAYS("2", "y"))))},
         1,
         "",
         "a second reply came\nthat was request 2, tools/call\n"},
        {"an array", JSON_STEP("[" MCP_SAYS("2", "x") "]"), 1, "",
         "the reply can't be read: it is an array, where one reply is due\nthat was request 2, "
         "tools/call\n"},
        {"a stream without the reply",
         {.reply = ROW_BYTES(MCP_STREAM(": x\n\n"))},
         1,
         "",
         "the stream ended without the reply\nthat was request 2, tools/call\n"},
        {"no reply", {.end = SCRIPT_CLOSE}, 1, "", NULL},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        const struct script_step steps[] = {JSON_STEP(MCP_TOOLS("1")), rows[i].reply};
        expect_call(rows[i].name, steps, 2, NULL, rows[i].exit_code, rows[i].out, rows[i].error);
    }
}

static void given_a_tool_that_is_not_there_when_called_then_nothing_is_called(void **state) {
    (void)state;
    static const struct script_step steps[] = {JSON_STEP(MCP_RESULT("1", "\"tools\":[]"))};
    struct scripted_server *server = serve(steps, 1);
    const char *url = scripted_server_url(server);
    expect("no tool", CALL("--json"), 1,
           "{\"problem\":\"the server lists no tool \\\"book\\\"\"}\n",
           "the server lists no tool \"book\"\nthat was request 1, tools/list\n");
    scripted_server_stop(server);
    assert_int_equal(scripted_server_connections(server), 1);
    scripted_server_free(server);
}

static void given_an_annotated_tool_when_called_then_its_arguments_are_mirrored(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        JSON_STEP(MCP_RESULT("1", "\"tools\":[{\"name\":\"b\xC3\xA9k\",\"inputSchema\":{"
                                  "\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":"
                                  "\"Aa\"},\"b\":{\"type\":\"string\",\"x-mcp-header\":\"Bb\"}}}},"
                                  "{\"name\":\"bad\",\"inputSchema\":{\"x-mcp-header\":\"A\"}}]")),
        JSON_STEP(MCP_SAYS("2", "ok"))};
    struct scripted_server *server = serve(steps, 2);
    expect("call",
           MCP("call", scripted_server_url(server), "b\xC3\xA9k", "{\"a\":\"x y\",\"b\":\"\\n\"}",
               "--protocol", "2026-07-28"),
           0, "ok\n",
           "warning: the tool \"bad\" is left out: an x-mcp-header is not reached by properties "
           "alone\n");
    scripted_server_stop(server);
    expect_request(server, 1, "\r\nMcp-Name: =?base64?YsOpaw==?=\r\n");
    expect_request(server, 1, "\r\nMcp-Param-Aa: x y\r\n");
    expect_request(server, 1, "\r\nMcp-Param-Bb: =?base64?Cg==?=\r\n");
    scripted_server_free(server);
}

static void given_a_form_when_answered_by_options_then_the_answer_is_sent(void **state) {
    (void)state;
#define FIELDS                                                                                     \
    MCP_ELICITATION(                                                                               \
        "Who?",                                                                                    \
        "\"name\":{\"type\":\"string\"},\"age\":{\"type\":\"integer\",\"default\":30},"            \
        "\"hobbies\":{\"type\":\"array\",\"items\":{\"enum\":[\"x\",\"y\"]}},\"note\":"            \
        "{\"type\":\"string\"}",                                                                   \
        "\"name\"")
    static const struct script_step steps[] = {
        JSON_STEP(MCP_TOOLS("1")), JSON_STEP(MCP_ASKS("2", FIELDS, ",\"requestState\":\"s\"")),
        JSON_STEP(MCP_SAYS("3", "ok"))};
    struct scripted_server *server = serve(steps, 3);
    const char *url = scripted_server_url(server);
    expect("answered", CALL("--answer", "name=A=nn", "--answer", "hobbies=y,x", "--answer", "z=1"),
           0, "ok\n", "warning: no form asked for --answer z=1\n");
    scripted_server_stop(server);
    expect_request(server, 1, "clientCapabilities\":{\"elicitation\":{\"form\":{}}}");
    expect_request(server, 2,
                   "\"inputResponses\":{\"q\":{\"action\":\"accept\",\"content\":{"
                   "\"name\":\"A=nn\",\"age\":30,\"hobbies\":[\"x\",\"y\"]}}},"
                   "\"requestState\":\"s\"");
    scripted_server_free(server);
    expect_call("declined", steps, 3, (const char *const[]){"--decline", NULL}, 3, "ok\n", "");
    expect_call("a wrong answer", steps, 3,
                (const char *const[]){"--answer", "name=x", "--answer", "age=old", NULL}, 1, "",
                "age: it must be a whole number\n");
    expect_call("no answer", steps, 3, (const char *const[]){"--answer", "age=1", NULL}, 1, "",
                "name: it needs an answer: give --answer\n");
}

static void given_nobody_to_ask_when_called_then_forms_are_not_offered(void **state) {
    (void)state;
    static const struct script_step steps[] = {JSON_STEP(MCP_TOOLS("1")),
                                               JSON_STEP(MCP_SAYS("2", "ok"))};
    struct scripted_server *server = serve(steps, 2);
    const char *url = scripted_server_url(server);
    expect("call", CALL("--timeout", "60"), 0, "ok\n", "");
    scripted_server_stop(server);
    expect_request(server, 1, "\"io.modelcontextprotocol/clientCapabilities\":{}");
    scripted_server_free(server);
}

#define UNKNOWN                                                                                    \
    "the answer was sent, and nobody can say what became of it; look before you try again\n"

static void given_an_answer_sent_when_no_reply_comes_then_the_outcome_is_unknown(void **state) {
    (void)state;
    static const struct {
        struct script_step reply;
        int exit_code;
        const char *error;
    } rows[] = {
        {{.end = SCRIPT_CLOSE}, 5, NULL},
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                             "Content-Length: 50\r\n\r\n{")},
         5,
         NULL},
        {JSON_STEP(MCP_SAYS("4", "x")), 5,
         "id mismatch: got 4, expected 3\n" UNKNOWN "that was request 3, tools/call\n"},
        {{.reply = ROW_BYTES(WITH_STATUS("503 No", "text/plain", "no"))},
         5,
         "the server refused it (503)\n" UNKNOWN "that was request 3, tools/call\n"},
        {JSON_STEP(MCP_ERROR("3", "-32602", "no")), 1,
         "the server answered with error -32602: no\nthat was request 3, tools/call\n"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        char name[16];
        const struct script_step steps[] = {JSON_STEP(MCP_TOOLS("1")),
                                            JSON_STEP(MCP_ASKS("2", MCP_TIME, "")), rows[i].reply};
        snprintf(name, sizeof name, "row %zu", i);
        expect_call(name, steps, 3, (const char *const[]){"--answer", "time=b", NULL},
                    rows[i].exit_code, "", rows[i].error);
    }
}

static void
given_the_handshake_era_when_a_stream_asks_then_the_answer_goes_beside_it(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        JSON_STEP(MCP_INITIALIZED("1")),
        {.reply = ROW_BYTES("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")},
        JSON_STEP(MCP_TOOLS("2")),
        {.reply =
             ROW_BYTES(MCP_STREAM(MCP_EVENT("{\"jsonrpc\":\"2.0\",\"id\":\"e\",\"method\":"
                                            "\"elicitation/create\",\"params\":" MCP_TIME "}"))),
         .end = SCRIPT_NEST,
         .rest = ROW_BYTES(MCP_EVENT(MCP_SAYS("3", "done")))},
        {.reply = ROW_BYTES("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")},
    };
    struct scripted_server *server = serve(steps, LENGTH_OF(steps));
    expect("call",
           MCP("call", scripted_server_url(server), "book", "{}", "--protocol", "2025-11-25",
               "--answer", "time=b"),
           0, "done\n", "");
    scripted_server_stop(server);
    expect_request(server, 4, "\r\nMCP-Protocol-Version: 2025-11-25\r\n");
    expect_request(server, 4,
                   "\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":\"e\",\"result\":{\"action\":"
                   "\"accept\",\"content\":{\"time\":\"b\"}}}");
    scripted_server_free(server);
}

static void given_a_trace_when_asked_for_then_states_are_shortened(void **state) {
    (void)state;
#define LONG_STATE "0123456789012345678901234567890123456789012345678901234567890123456789"
    static const struct script_step steps[] = {
        JSON_STEP(MCP_TOOLS("1")),
        JSON_STEP(MCP_ASKS("2", MCP_TIME, ",\"requestState\":\"" LONG_STATE "\"")),
        JSON_STEP(MCP_SAYS("3", "\\u001b\xC2\x9B"))};
    struct scripted_server *server = serve(steps, 3);
    const char *url = scripted_server_url(server);
    const char *const *words = CALL("--decline", "--trace", "--json", "--header", "X-Key: secret");
    const struct session_options options = {.words = words};
    struct session session;
    assert_true(session_start(&session, &options));
    struct session_end end = session_wait(&session);
    assert_int_equal(end.exit_code, 3);
    assert_string_equal(end.out,
                        "{\"content\":[{\"type\":\"text\",\"text\":\"\\u001b\\u009b\"}]}\n");
    assert_non_null(strstr(end.error, "> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\""));
    assert_non_null(strstr(end.error, "\n< {\"jsonrpc\":\"2.0\",\"id\":2,\"result\""));
    assert_non_null(strstr(end.error, "\"requestState\":\"01234567890\xE2\x80\xA6 (70 bytes)\""));
    assert_null(strstr(end.error, LONG_STATE));
    assert_null(strstr(end.error, "secret"));
    session_done(&session, &end);
    scripted_server_stop(server);
    expect_request(server, 2, "\"requestState\":\"" LONG_STATE "\"");
    scripted_server_free(server);
}

static void given_a_server_that_never_answers_when_called_then_it_ends_in_time(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        JSON_STEP(MCP_TOOLS("1")), JSON_STEP(MCP_ASKS("2", MCP_TIME, "")), {.end = SCRIPT_HOLD}};
    expect_call("no answer", steps, 3,
                (const char *const[]){"--answer", "time=a", "--timeout", "1", NULL}, 5, "", NULL);
}

static void given_a_call_under_way_when_interrupted_then_it_says_130_or_5(void **state) {
    (void)state;
    static const struct script_step held[] = {JSON_STEP(MCP_TOOLS("1")), {.end = SCRIPT_HOLD}};
    static const struct script_step answered[] = {
        JSON_STEP(MCP_TOOLS("1")), JSON_STEP(MCP_ASKS("2", MCP_TIME, "")), {.end = SCRIPT_HOLD}};
    for (int is_answered = 0; is_answered <= 1; is_answered++) {
        struct scripted_server *server = is_answered == 1 ? serve(answered, 3) : serve(held, 2);
        const char *url = scripted_server_url(server);
        const struct session_options options = {.words = CALL("--answer", "time=a")};
        struct session session;
        assert_true(session_start(&session, &options));
        assert_true(scripted_server_wait(server, is_answered == 1 ? 3 : 2));
        kill(session.pid, SIGINT);
        struct session_end end = session_wait(&session);
        assert_int_equal(end.exit_code, is_answered == 1 ? 5 : 130);
        assert_string_equal(end.error,
                            is_answered == 1 ? "interrupted before the reply came\n" UNKNOWN : "");
        session_done(&session, &end);
        scripted_server_free(server);
    }
}

/* It is a variable of "tandem serve". */
static void given_a_variable_stdio_when_a_server_is_called_then_it_is_not_read(void **state) {
    (void)state;
    static const struct script_step steps[] = {JSON_STEP(MCP_DISCOVERED),
                                               JSON_STEP(MCP_TOOLS("2"))};
    struct scripted_server *server = serve(steps, 2);
    struct session session;
    const struct session_options options = {
        .words = MCP("tools", scripted_server_url(server)),
        .environment = (const char *const[]){"TANDEM_STDIO=1", NULL},
    };
    assert_true(session_start(&session, &options));
    struct session_end end = session_wait(&session);
    assert_int_equal(end.exit_code, 0);
    session_done(&session, &end);
    scripted_server_free(server);
}

static void given_a_wrong_command_line_when_run_then_nothing_is_sent(void **state) {
    (void)state;
    static const struct script_step steps[] = {JSON_STEP(MCP_TOOLS("1"))};
    struct scripted_server *server = serve(steps, 1);
    const char *url = scripted_server_url(server);
    const struct {
        const char *const *words;
        const char *error; /* its beginning, after the command's name */
    } rows[] = {
        {MCP("tools"), "it takes the server's URL"},
        {((const char *const[]){"mcp", NULL}), "it takes discover, tools or call first"},
        {MCP("list", url), "it takes discover, tools or call first"},
        {MCP("call", url, "book"), "call takes TOOL and JSON"},
        {MCP("tools", url, "x"), "there are words too many"},
        {MCP("call", url, "book", "7"), "JSON is not the object that a tool takes: it is not an "},
        {MCP("call", url, "book", "{\"a\":1,\"a\":1}"),
         "JSON is not the object that a tool takes: it gives a name twice"},
        {MCP("call", url, "\xFF", "{}"), "TOOL is not UTF-8"},
        {MCP("tools", "ftp://x/"), "URL is the server's, such as "},
        {MCP("tools", "http://me@x/"), "URL is the server's, such as "},
        {MCP("tools", url, "--protocol", "2024-01-01"), "--protocol is a version that it doesn't"},
        {MCP("tools", url, "--header", "X"), "--header: number 1 is no header such as"},
        {MCP("tools", url, "--header", "X: a\nb"), "--header: number 1 is no header such as"},
        {MCP("tools", url, "--header", "X Y: a"), "--header: number 1 is no header such as"},
        {MCP("tools", url, "--header", "mcp-NAME: a"),
         "--header: number 1 is a header that is not"},
        {MCP("tools", url, "--header", "Mcp-Param-X: a"), "--header: number 1 is a header that is"},
        {MCP("tools", url, "--answer", "x"), "--answer: \"x\" is not FIELD=VALUE"},
        {MCP("tools", url, "--answer", "x=1", "--answer", "x=2"), "--answer: a field is answered "},
        {MCP("tools", url, "--answer", "x=1", "--decline"), "--answer and --decline exclude"},
        {MCP("tools", url, "--timeout", "0"), "--timeout: \"0\" is not a whole number"},
        {MCP("tools", url, "--cacert", "/nowhere"), "/nowhere can't be read"},
        {MCP("tools", "--stdio"), "--stdio takes the server's COMMAND, after --"},
        {MCP("call", "--stdio", "book", "{}"), "--stdio takes the server's COMMAND, after --"},
        {MCP("tools", "--stdio", "x"), "put -- before the server's COMMAND"},
        {MCP("tools", "--stdio", "x", "--json", "--", "y"), "put -- before the server's COMMAND"},
        {MCP("call", "--stdio", "book", "{}", "x"), "put -- before the server's COMMAND"},
        {MCP("tools", "--stdio", "--header", "X: y", "--", "x"), "--header is for HTTP"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct session session;
        const struct session_options options = {.words = rows[i].words};
        assert_true(session_start(&session, &options));
        struct session_end end = session_wait(&session);
        char begins[160];
        snprintf(begins, sizeof begins, "tandem mcp: %s", rows[i].error);
        if (end.exit_code != 2 || strncmp(end.error, begins, strlen(begins)) != 0)
            fail_msg("row %zu: exit code %d\n%s", i, end.exit_code, end.error);
        session_done(&session, &end);
    }
    scripted_server_stop(server);
    assert_int_equal(scripted_server_connections(server), 0);
    scripted_server_free(server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_modern_server_when_asked_what_it_is_then_it_is_shown_safely),
        cmocka_unit_test(given_a_server_when_its_tools_are_listed_then_they_are_printed),
        cmocka_unit_test(
            given_protocol_2025_11_25_when_a_tool_is_called_over_http_then_ids_are_1_2_3),
        cmocka_unit_test(given_a_tool_when_called_then_the_exit_code_says_what_came_of_it),
        cmocka_unit_test(given_a_tool_that_is_not_there_when_called_then_nothing_is_called),
        cmocka_unit_test(given_an_annotated_tool_when_called_then_its_arguments_are_mirrored),
        cmocka_unit_test(given_a_form_when_answered_by_options_then_the_answer_is_sent),
        cmocka_unit_test(given_nobody_to_ask_when_called_then_forms_are_not_offered),
        cmocka_unit_test(given_an_answer_sent_when_no_reply_comes_then_the_outcome_is_unknown),
        cmocka_unit_test(given_the_handshake_era_when_a_stream_asks_then_the_answer_goes_beside_it),
        cmocka_unit_test(given_a_trace_when_asked_for_then_states_are_shortened),
        cmocka_unit_test(given_a_server_that_never_answers_when_called_then_it_ends_in_time),
        cmocka_unit_test(given_a_call_under_way_when_interrupted_then_it_says_130_or_5),
        cmocka_unit_test(given_a_variable_stdio_when_a_server_is_called_then_it_is_not_read),
        cmocka_unit_test(given_a_wrong_command_line_when_run_then_nothing_is_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
