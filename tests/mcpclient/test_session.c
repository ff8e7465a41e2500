/* The session as a state machine: eras, ids, hostile replies, rounds. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DISCOVERED                                                                                 \
    RESULT("1", "\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"              \
                "\"capabilities\":{},\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{"          \
                "\"name\":\"new\",\"version\":\"2\"}},\"instructions\":\"be kind\"")
#define DONE(id)                                                                                   \
    RESULT(id, "\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]")
#define ERROR(id, code) REPLY(id, "\"error\":{\"code\":" code ",\"message\":\"no\"}")

static bool is(struct bytes bytes, const char *text) {
    return bytes_equal(bytes, bytes_of_text(text));
}

static void expect_done(struct harness *harness) {
    if (session_want(harness->session) != SESSION_DONE)
        harness_expect_problem(harness, "");
}

static void reply(struct harness *harness, bool is_http, const char *json) {
    if (is_http)
        harness_reply(harness, 200, json);
    else
        harness_lines(harness, json);
}

static void
given_protocol_2025_11_25_when_a_tool_is_called_then_initialize_is_1_list_2_call_3(void **state) {
    (void)state;
    struct harness harness;
    for (int is_http = 0; is_http <= 1; is_http++) {
        harness_start(&harness, SESSION_CALL, is_http == 1, "2025-11-25");
        harness_expect_sent(&harness,
                            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
                            "\"params\":{\"protocolVersion\":\"2025-11-25\","
                            "\"capabilities\":{\"elicitation\":{\"form\":{}}},"
                            "\"clientInfo\":{\"name\":\"tandem\",\"version\":\"1.0.0\"}}}");
        reply(&harness, is_http == 1, INITIALIZED);
        harness_expect_sent(&harness,
                            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        if (is_http == 1)
            harness_reply_as(&harness, 202, "", BYTES(""), SESSION_END_WHOLE);
        harness_expect_sent(&harness, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\","
                                      "\"params\":{}}");
        reply(&harness, is_http == 1, "{\"jsonrpc\":\"2.0\",\"id\":2," TOOLS(""));
        harness_expect_sent(&harness,
                            "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{"
                            "\"name\":\"book\",\"arguments\":{\"x\":1}}}");
        reply(&harness, is_http == 1, DONE("3"));
        expect_done(&harness);
        assert_true(is(session_result(harness.session)->say, "ok"));
        assert_true(is(session_result(harness.session)->server_name, "old"));
        assert_int_equal(harness.warnings.size, 0);
        harness_done(&harness);
    }
}

static void given_a_modern_server_when_called_then_each_request_stands_alone(void **state) {
    (void)state;
    struct harness harness;
#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"tandem\",\"version\":\"1.0.0\"},"          \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{\"form\":{}}}}"
    harness_start(&harness, SESSION_CALL, true, NULL);
    assert_true(is(harness_header(&harness, "MCP-Protocol-Version"), "2026-07-28"));
    assert_true(is(harness_header(&harness, "Mcp-Method"), "server/discover"));
    harness_expect_sent(&harness, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\","
                                  "\"params\":{" META "}}");
    harness_reply(&harness, 200, DISCOVERED);
    harness_expect_sent(&harness, "\"id\":2,\"method\":\"tools/list\",\"params\":{" META "}}");
    harness_reply(
        &harness, 200,
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[],\"nextCursor\":\"p\\n2\"}}");
    harness_expect_sent(
        &harness, "\"id\":3,\"method\":\"tools/list\",\"params\":{\"cursor\":\"p\\n2\"," META "}}");
    harness_reply(&harness, 200,
                  "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[{\"name\":\"book\","
                  "\"inputSchema\":{\"properties\":{\"x\":{\"type\":\"integer\",\"x-mcp-header\":"
                  "\"Ex\"}}}}]}}");
    assert_true(is(harness_header(&harness, "Mcp-Method"), "tools/call"));
    assert_true(is(harness_header(&harness, "Mcp-Name"), "book"));
    assert_true(is(harness_header(&harness, "Mcp-Param-Ex"), "1"));
    harness_expect_sent(&harness,
                        "\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"book\","
                        "\"arguments\":{\"x\":1}," META "}}");
    harness_reply(&harness, 200, DONE("4"));
    expect_done(&harness);
    assert_true(is(session_result(harness.session)->server_name, "new"));
    harness_done(&harness);
}

static void
given_arguments_on_several_lines_when_called_then_the_message_is_one_line(void **state) {
    (void)state;
    struct harness harness;
    const struct session_config config = {.operation = SESSION_CALL,
                                          .protocol = "2026-07-28",
                                          .tool = BYTES("book"),
                                          .arguments = BYTES("{\r\n \"n\": 1.50,\n\"s\":\"\\n\"}")};
    harness_configure(&harness, &config);
    harness_expect_sent(&harness, "clientCapabilities\":{}");
    harness_lines(&harness, "{\"jsonrpc\":\"2.0\",\"id\":1," TOOLS(""));
    harness_expect_sent(&harness, "\"arguments\":{   \"n\": 1.50, \"s\":\"\\n\"},");
    harness_done(&harness);
}

/* What the answer to the probe means. */
static void given_an_answer_to_the_probe_when_taken_then_it_tells_the_era(void **state) {
    (void)state;
    static const char modern[] = "\"id\":2,\"method\":\"tools/list\"";
    static const char handshake[] = "\"id\":2,\"method\":\"initialize\"";
    static const char again[] = "\"id\":2,\"method\":\"server/discover\"";
    static const struct {
        unsigned status;
        const char *body;
        const char *sent; /* NULL: it fails */
        const char *problem;
    } rows[] = {
        {200, DISCOVERED, modern, NULL},
        {400,
         REPLY("1", "\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":{\"supported\":["
                    "\"2026-07-28\"]}}"),
         again, NULL},
        {400,
         REPLY("1", "\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":{\"supported\":["
                    "\"2099-01-01\",\"2025-06-18\"]}}"),
         handshake, NULL},
        {400,
         REPLY("1", "\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":{\"supported\":["
                    "\"2099-01-01\"]}}"),
         NULL, "the server answered with error -32022 (400): no; it supports [\"2099-01-01\"]"},
        {400, ERROR("1", "-32020"), NULL, "the server answered with error -32020 (400): no"},
        {400, ERROR("1", "-32021"), NULL, "the server answered with error -32021 (400): no"},
        {400, ERROR("1", "-32601"), handshake, NULL},
        {404, ERROR("1", "-32601"), handshake, NULL},
        {404, "", handshake, NULL},
        {405, "", handshake, NULL},
        {400, ERROR("9", "-32020"), handshake, NULL},
        {400, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":\"no\"}}",
         handshake, NULL},
        {200, ERROR("1", "-32601"), handshake, NULL},
        {200, "{}", handshake, NULL},
        {200, "[]", handshake, NULL},
        {200, RESULT("1", ""), handshake, NULL},
        {200, RESULT("1", "\"supportedVersions\":[]"), handshake, NULL},
        {200, RESULT("1", "\"supportedVersions\":[7]"), handshake, NULL},
        {200, RESULT("1", "\"supportedVersions\":[\"2025-11-25\"]"), handshake, NULL},
        {200, RESULT("1", "\"supportedVersions\":[\"2099-01-01\"]"), NULL,
         "the server speaks none of our versions, but [\"2099-01-01\"]"},
        {202, "", handshake, NULL},
        {200, RESULT("3", "\"supportedVersions\":[\"2026-07-28\"]"), NULL,
         "id mismatch: got 3, expected 1"},
        {401, ERROR("1", "-32601"), NULL, "the server answered with error -32601 (401): no"},
        {401, "", NULL, "the server refused it (401)"},
        {403, "", NULL, "the server refused it (403)"},
        {500, "", NULL, "the server refused it (500)"},
        {503, ERROR("1", "-32022"), NULL, "the server answered with error -32022 (503): no"},
        {307, "", NULL, "the server refused it (307)"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct harness harness;
        harness_start(&harness, SESSION_TOOLS, true, NULL);
        harness_expect_sent(&harness, "server/discover");
        harness_reply(&harness, rows[i].status, rows[i].body);
        if (rows[i].sent == NULL)
            harness_expect_problem(&harness, rows[i].problem);
        else
            harness_expect_sent(&harness, rows[i].sent);
        harness_done(&harness);
    }
}

static void given_a_common_version_when_refused_again_then_it_is_not_tried_for_ever(void **state) {
    (void)state;
    struct harness harness;
    harness_start(&harness, SESSION_TOOLS, true, NULL);
    for (int i = 1; i <= 2; i++) {
        char reply[256];
        snprintf(reply, sizeof reply,
                 "{\"jsonrpc\":\"2.0\",\"id\":%d,\"error\":{\"code\":-32022,\"message\":\"no\","
                 "\"data\":{\"supported\":[\"2026-07-28\"]}}}",
                 i);
        harness_expect_sent(&harness, "server/discover");
        harness_reply(&harness, 400, reply);
    }
    harness_expect_problem(
        &harness, "the server answered with error -32022 (400): no; it supports [\"2026-07-28\"]");
    harness_done(&harness);
}

static void
given_no_answer_to_the_probe_when_time_is_over_then_only_lines_mean_handshake(void **state) {
    (void)state;
    struct harness harness;
    harness_start(&harness, SESSION_TOOLS, false, NULL);
    assert_true(session_outgoing(harness.session).is_probe);
    harness_expect_sent(&harness, "server/discover");
    assert_int_equal(session_take_end(harness.session, SESSION_END_TIMEOUT, true), STATUS_OK);
    harness_expect_sent(&harness, "\"id\":2,\"method\":\"initialize\"");
    harness_done(&harness);
    static const enum session_end ends[] = {SESSION_END_TIMEOUT, SESSION_END_NONE};
    for (size_t i = 0; i < LENGTH_OF(ends); i++) {
        harness_start(&harness, SESSION_TOOLS, true, NULL);
        harness_expect_sent(&harness, "server/discover");
        assert_int_equal(session_take_end(harness.session, ends[i], true), STATUS_OK);
        harness_expect_problem(&harness, ends[i] == SESSION_END_NONE
                                             ? "the server gave no reply"
                                             : "the server gave no reply in time");
        harness_done(&harness);
    }
    harness_start(&harness, SESSION_TOOLS, false, NULL);
    harness_expect_sent(&harness, "server/discover");
    assert_int_equal(session_take_end(harness.session, SESSION_END_NONE, true), STATUS_OK);
    harness_expect_problem(&harness, "the server ended without a reply");
    harness_done(&harness);
}

/* Case I3. */
static void
given_a_request_given_up_when_its_reply_comes_late_then_the_next_one_gets_its_own(void **state) {
    (void)state;
    struct harness harness;
    harness_start(&harness, SESSION_TOOLS, false, NULL);
    harness_expect_sent(&harness, "\"id\":1,");
    assert_int_equal(session_take_end(harness.session, SESSION_END_TIMEOUT, true), STATUS_OK);
    harness_expect_sent(&harness, "\"id\":2,\"method\":\"initialize\"");
    harness_lines(&harness, ERROR("1", "-32601"));
    assert_int_equal(session_want(harness.session), SESSION_READ);
    assert_true(harness_has(&harness.warnings,
                            "a late reply is dropped: to request 1, which was given up\n"));
    harness_lines(&harness, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"protocolVersion\":"
                            "\"2025-06-18\"}}");
    harness_expect_sent(&harness, "notifications/initialized");
    harness_expect_sent(&harness, "\"id\":3,\"method\":\"tools/list\"");
    harness_done(&harness);
}

/* A hostile server's reply to a call: request 2. */
static void given_a_hostile_reply_when_it_comes_then_it_never_reaches_the_caller(void **state) {
    (void)state;
    static const struct {
        const char *body;
        const char *problem;
    } rows[] = {
        {DONE("3"), "id mismatch: got 3, expected 2"},
        {DONE("\"2\""), "id mismatch: got \"2\", expected 2"},
        {DONE("2.0"), "id mismatch: got 2.0, expected 2"},
        {DONE("null"), "id mismatch: got null, expected 2"},
        {DONE("1"), "id mismatch: got 1, expected 2"},
        {DONE("0"), "id mismatch: got 0, expected 2"},
        {DONE("9007199254740993"), "id mismatch: got 9007199254740993, expected 2"},
        {ERROR("3", "-1"), "id mismatch: got 3, expected 2"},
        {"{\"jsonrpc\":\"2.0\",\"result\":{}}", "the reply can't be read: its result has no id"},
        {"[" DONE("2") "]", "the reply can't be read: it is an array, where one reply is due"},
        {"[]", "the reply can't be read: it is an array, where one reply is due"},
        {"null", "the reply can't be read: it is not a JSON object"},
        {DONE("2") DONE("2"), "the reply can't be read: it goes on after its JSON value"},
        {REPLY("2", "\"result\":{},\"result\":{}"),
         "the reply can't be read: it gives a name twice"},
        {REPLY("2", "\"result\":{},\"error\":{\"code\":1,\"message\":\"\"}"),
         "the reply can't be read: it has a result and an error"},
        {REPLY("2", "\"result\":7"), "the reply can't be read: its result is not an object"},
        {"{\"jsonrpc\":\"1.0\",\"id\":2,\"result\":{}}",
         "the reply can't be read: its jsonrpc is not \"2.0\""},
        {"<html>", "the reply can't be read: it is not JSON"},
        {"\xEF\xBB\xBF{}", "the reply can't be read: it is not JSON"},
        {"", "the server took the request and gave no reply"},
        {RESULT("2", "\"resultType\":\"later\""), "the result is of an unknown type: \"later\""},
        {RESULT("2", "\"resultType\":7"), "the result is of an unknown type: 7"},
        {RESULT("2", "\"resultType\":null"), "the result is of an unknown type: null"},
        {RESULT("2", ""), "the result of the tool has no content"},
        {RESULT("2", "\"content\":{}"), "the content of the tool's result is not an array"},
        {RESULT("2", "\"content\":[],\"isError\":1"),
         "isError of the tool's result is neither true nor false"},
        {REPLY("2", "\"method\":\"ping\""), "the server sent a request of its own"},
        {ERROR("2", "-32602"), "the server answered with error -32602: no"},
        {"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"what\"}}",
         "the server answered with error -32700: what"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct harness harness;
        harness_call(&harness, true);
        harness_reply(&harness, 200, rows[i].body);
        harness_expect_problem(&harness, rows[i].problem);
        assert_false(session_problem(harness.session)->outcome_is_unknown);
        assert_true(is(session_problem(harness.session)->method, "tools/call"));
        assert_int_equal(session_problem(harness.session)->id, 2);
        harness_done(&harness);
        /* The same over lines, but for an empty one, which is no message. */
        if (rows[i].body[0] == '\0')
            continue;
        harness_call(&harness, false);
        harness_lines(&harness, rows[i].body);
        harness_expect_problem(&harness, rows[i].problem);
        harness_done(&harness);
    }
}

static void given_a_bad_exchange_when_it_ends_then_the_problem_is_named(void **state) {
    (void)state;
    static const struct {
        unsigned status;
        const char *type;
        const char *body;
        enum session_end end;
        const char *problem;
    } rows[] = {
        {202, "application/json", "", SESSION_END_WHOLE,
         "the server took the request and gave no reply"},
        {200, "text/html", "<p>", SESSION_END_WHOLE,
         "the reply is neither JSON nor an event stream"},
        {200, "application/json", DONE("2"), SESSION_END_CUT, "the reply was cut short"},
        {200, "application/json", "{", SESSION_END_TOO_LONG,
         "the reply is over the limit of 4 MiB"},
        {200, "text/event-stream", "", SESSION_END_WHOLE, "the stream ended without the reply"},
        {200, "text/event-stream", "data: " DONE("2"), SESSION_END_WHOLE,
         "the stream ended without the reply"},
        {200, "text/event-stream", "data: " DONE("2") "\n", SESSION_END_CUT,
         "the reply was cut short"},
        {200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n",
         SESSION_END_WHOLE, "the stream ended without the reply"},
        {200, "text/event-stream", "data: " DONE("3") "\n\n", SESSION_END_WHOLE,
         "id mismatch: got 3, expected 2"},
        {200, "text/event-stream", "data: " DONE("2") "\n\ndata: " DONE("2") "\n\n",
         SESSION_END_WHOLE, "a second reply came"},
        {200, "text/event-stream", "data: " DONE("2") "\n\ndata: " ERROR("7", "1") "\n\n",
         SESSION_END_WHOLE, "a second reply came"},
        {200, "text/event-stream", "data: " DONE("2") "\n\ndata: rubbish\n\n", SESSION_END_WHOLE,
         "the reply can't be read: it is not JSON"},
        {404, "text/html", "<p>", SESSION_END_WHOLE,
         "the server refused it (404): is the path of its URL right, such as /mcp?"},
        {400, "application/json", ERROR("2", "-32020"), SESSION_END_WHOLE,
         "the server answered with error -32020 (400): no"},
        {400, "application/json", "{}", SESSION_END_WHOLE, "the server refused it (400)"},
        {400, "application/json", DONE("2"), SESSION_END_WHOLE, "the server refused it (400)"},
        {500, "application/json", ERROR("2", "-32603"), SESSION_END_WHOLE,
         "the server answered with error -32603 (500): no"},
        {302, "", "", SESSION_END_WHOLE, "the server refused it (302)"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct harness harness;
        harness_call(&harness, true);
        harness_reply_as(&harness, rows[i].status, rows[i].type, bytes_of_text(rows[i].body),
                         rows[i].end);
        harness_expect_problem(&harness, rows[i].problem);
        harness_done(&harness);
    }
}

static void given_notifications_before_the_reply_when_streamed_then_they_are_fine(void **state) {
    (void)state;
    static const char text[] =
        ": hello\r\n\r\nid: 1\r\ndata:\r\n\r\n"
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}\r\n\r\n"
        "event: message\r\ndata: {\"jsonrpc\":\"2.0\",\r\ndata: \"id\":2,\"result\":{\"content\":"
        "[{\"type\":\"text\",\"text\":\"ok\"}]}}\r\n\r\n";
    /* In two pieces, cut at every byte. */
    for (size_t cut = 0; cut < sizeof text; cut++) {
        struct harness harness;
        harness_call(&harness, true);
        const struct session_head head = {.status = 200, .is_stream = true};
        struct bytes first = bytes_up_to(bytes_of_text(text), cut);
        struct bytes second = bytes_from(bytes_of_text(text), cut);
        assert_int_equal(session_take_head(harness.session, &head), STATUS_OK);
        bool is_enough = harness_take(&harness, &first);
        assert_true(harness_take(&harness, &second) || is_enough);
        assert_int_equal(session_take_end(harness.session, SESSION_END_WHOLE, true), STATUS_OK);
        expect_done(&harness);
        assert_true(is(session_result(harness.session)->say, "ok"));
        harness_done(&harness);
    }
}

static void given_an_endless_stream_when_read_then_it_stops_at_the_limit(void **state) {
    (void)state;
    static const struct {
        bool is_http;
        const char *piece;
    } rows[] = {
        {true, ": for ever\n"},
        {true, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n"},
        {true, "data: x\n"},
        {true, "no line end "},
        {false, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct harness harness;
        harness_call(&harness, rows[i].is_http);
        const struct session_head head = {.status = 200, .is_stream = true};
        bool is_enough = false;
        size_t read = 0;
        size_t size = strlen(rows[i].piece);
        if (rows[i].is_http)
            assert_int_equal(session_take_head(harness.session, &head), STATUS_OK);
        for (; !is_enough && read < 2 * (size_t)SESSION_REPLY_SIZE_MAX; read += size) {
            struct bytes piece = bytes_of_text(rows[i].piece);
            is_enough = harness_take(&harness, &piece);
        }
        assert_true(is_enough && read <= SESSION_REPLY_SIZE_MAX + size);
        assert_int_equal(session_take_end(harness.session, SESSION_END_WHOLE, true), STATUS_OK);
        harness_expect_problem(&harness, "the reply is over the limit of 4 MiB");
        harness_done(&harness);
    }
}

/* Answers the form with "a". */
static void accept(struct harness *harness) {
    assert_int_equal(session_want(harness->session), SESSION_ASK);
    struct session_question question = session_question(harness->session);
    assert_true(is(question.message, "Which time?") && question.count == 1);
    assert_true(is(question.form->fields[0].choices[1].value, "b"));
    struct buffer content = buffer_new(SIZE_MAX);
    form_add_answer(&content, &question.form->fields[0], BYTES("\"a\""));
    assert_int_equal(session_answer(harness->session, SESSION_ACCEPT, buffer_bytes(&content)),
                     STATUS_OK);
    buffer_done(&content);
}

#define ACCEPTED                                                                                   \
    "\"inputResponses\":{\"time\":{\"action\":\"accept\",\"content\":{\"time\":\"a\"}}}"

static void given_a_question_when_answered_then_the_state_goes_back_exactly(void **state) {
    (void)state;
    char huge[100000];
    memset(huge, 's', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    char *huge_member = NULL;
    assert_true(asprintf(&huge_member, ",\"requestState\":\"%s\"", huge) > 0);
    const struct {
        const char *member;
        const char *sent;
    } rows[] = {
        {",\"requestState\":\"S1\"", ACCEPTED ",\"requestState\":\"S1\",\"_meta\""},
        {",\"requestState\":\"\"", ACCEPTED ",\"requestState\":\"\",\"_meta\""},
        {",\"requestState\":\"\\u0000\\u001b\\\"\\\\\\/\\u00e9\\ud83d\\ude00\\n\"",
         ACCEPTED ",\"requestState\":\"\\u0000\\u001b\\\"\\\\/\xC3\xA9\xF0\x9F\x98\x80\\n\","},
        {"", ACCEPTED ",\"_meta\""},
        {huge_member, huge},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct harness harness;
        char *reply = NULL;
        assert_true(asprintf(&reply, "%.*s%s}}", (int)(sizeof ASKS("2", "") - 3), ASKS("2", ""),
                             rows[i].member) > 0);
        harness_call(&harness, true);
        harness_reply(&harness, 200, reply);
        accept(&harness);
        assert_false(session_outcome_is_unknown(harness.session));
        harness_expect_sent(&harness, rows[i].sent);
        assert_true(session_outcome_is_unknown(harness.session));
        assert_true(harness_has(&harness.heard, "\"id\":3,\"method\":\"tools/call\",\"params\":{"
                                                "\"name\":\"book\",\"arguments\":{\"x\":1},"));
        harness_reply(&harness, 200, DONE("3"));
        expect_done(&harness);
        assert_false(session_was_declined(harness.session));
        free(reply);
        harness_done(&harness);
    }
    free(huge_member);
}

static void given_several_rounds_when_answered_then_only_the_latest_state_counts(void **state) {
    (void)state;
    struct harness harness;
    harness_call(&harness, false);
    harness_lines(&harness, ASKS("2", ",\"requestState\":\"S1\""));
    accept(&harness);
    harness_expect_sent(&harness, "\"requestState\":\"S1\"");
    harness_lines(&harness,
                  RESULT("3", "\"resultType\":\"input_required\",\"requestState\":\"S2\""));
    harness_expect_sent(&harness, "\"arguments\":{\"x\":1},\"requestState\":\"S2\",\"_meta\"");
    harness_lines(&harness, ASKS("4", ""));
    accept(&harness);
    harness_expect_sent(&harness, ACCEPTED ",\"_meta\"");
    harness_lines(&harness, DONE("5"));
    expect_done(&harness);
    harness_done(&harness);
}

static void given_a_question_when_declined_or_cancelled_then_it_is_said(void **state) {
    (void)state;
    static const enum session_action actions[] = {SESSION_DECLINE, SESSION_CANCEL};
    static const char *const sent[] = {"{\"time\":{\"action\":\"decline\"}}",
                                       "{\"time\":{\"action\":\"cancel\"}}"};
    for (size_t i = 0; i < LENGTH_OF(actions); i++) {
        struct harness harness;
        harness_call(&harness, true);
        harness_reply(&harness, 200, ASKS("2", ""));
        assert_int_equal(session_answer(harness.session, actions[i], BYTES("")), STATUS_OK);
        harness_expect_sent(&harness, sent[i]);
        harness_reply(&harness, 200, DONE("3"));
        expect_done(&harness);
        assert_true(session_was_declined(harness.session));
        harness_done(&harness);
    }
}

static void given_questions_for_ever_when_answered_then_it_stops_after_ten_rounds(void **state) {
    (void)state;
    struct harness harness;
    harness_call(&harness, false);
    for (int i = 2; session_want(harness.session) == SESSION_READ; i++) {
        char reply[1024];
        snprintf(reply, sizeof reply, "{\"jsonrpc\":\"2.0\",\"id\":%d,%s", i,
                 &ASKS("2", "")[sizeof "{\"jsonrpc\":\"2.0\",\"id\":2"]);
        harness_lines(&harness, reply);
        if (session_want(harness.session) != SESSION_ASK) {
            assert_int_equal(i, 12);
            break;
        }
        accept(&harness);
        harness_expect_sent(&harness, ACCEPTED);
    }
    harness_expect_problem(&harness, "the server asked more than 10 times");
    assert_false(session_problem(harness.session)->outcome_is_unknown);
    harness_done(&harness);
}

static void given_a_question_that_must_not_be_when_it_comes_then_it_is_refused(void **state) {
    (void)state;
#define ASKED(request) "\"resultType\":\"input_required\",\"inputRequests\":{\"k\":" request "}"
#define NOT_OFFERED "the server asks for what this client did not offer: "
    static const struct {
        const char *result;
        const char *problem;
    } rows[] = {
        {"\"resultType\":\"input_required\"",
         "the server asks for input, but says neither what nor a state"},
        {"\"resultType\":\"input_required\",\"inputRequests\":{}",
         "the server asks for input, but says neither what nor a state"},
        {"\"resultType\":\"input_required\",\"inputRequests\":[]",
         "the server's inputRequests are not an object"},
        {"\"resultType\":\"input_required\",\"requestState\":7",
         "the server's requestState is not a string"},
        {ASKED("{\"method\":\"sampling/createMessage\",\"params\":{}}"),
         NOT_OFFERED "sampling/createMessage"},
        {ASKED("{\"method\":\"roots/list\"}"), NOT_OFFERED "roots/list"},
        {ASKED("7"), NOT_OFFERED "nothing that has a name"},
        {ASKED(
             "{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"url\",\"message\":\"m\"}}"),
         NOT_OFFERED "elicitation/create"},
        {ASKED("{\"method\":\"elicitation/create\",\"params\":{\"requestedSchema\":{}}}"),
         "the server's form can't be asked: it has no message"},
        {ASKED("{\"method\":\"elicitation/create\",\"params\":{\"message\":\"m\"}}"),
         "the server's form can't be asked: its schema is not an object with properties"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct harness harness;
        char *reply = NULL;
        assert_true(
            asprintf(&reply, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{%s}}", rows[i].result) > 0);
        harness_call(&harness, true);
        harness_reply(&harness, 200, reply);
        harness_expect_problem(&harness, rows[i].problem);
        free(reply);
        harness_done(&harness);
    }
}

static void given_input_required_on_another_method_when_it_comes_then_it_is_refused(void **state) {
    (void)state;
    struct harness harness;
    harness_start(&harness, SESSION_TOOLS, true, "2026-07-28");
    harness_expect_sent(&harness, "tools/list");
    harness_reply(&harness, 200, ASKS("1", ""));
    harness_expect_problem(&harness, "the server asks for input where it must not");
    harness_done(&harness);
    harness_start(&harness, SESSION_DISCOVER, true, "2026-07-28");
    harness_expect_sent(&harness, "server/discover");
    harness_reply(&harness, 200, ASKS("1", ""));
    harness_expect_problem(&harness, "the reply to server/discover lists no versions");
    harness_done(&harness);
}

static void given_a_client_that_cannot_ask_when_asked_then_it_refuses(void **state) {
    (void)state;
    struct harness harness;
    const struct session_config config = {.operation = SESSION_CALL,
                                          .protocol = "2026-07-28",
                                          .tool = BYTES("book"),
                                          .arguments = BYTES("{}")};
    harness_configure(&harness, &config);
    harness_expect_sent(&harness, "tools/list");
    harness_lines(&harness, "{\"jsonrpc\":\"2.0\",\"id\":1," TOOLS(""));
    harness_expect_sent(&harness, "tools/call");
    harness_lines(&harness, ASKS("2", ""));
    harness_expect_problem(
        &harness, "the server asks for what this client did not offer: elicitation/create");
    harness_done(&harness);
}

/* Gets to where an answer was sent, as request 3. */
static void answer(struct harness *harness, bool is_http) {
    harness_call(harness, is_http);
    if (is_http)
        harness_reply(harness, 200, ASKS("2", ""));
    else
        harness_lines(harness, ASKS("2", ""));
    accept(harness);
    harness_expect_sent(harness, ACCEPTED);
}

static void given_an_answer_sent_when_no_reply_is_whole_then_the_outcome_is_unknown(void **state) {
    (void)state;
    static const struct {
        unsigned status; /* 0: no head */
        const char *type;
        const char *body;
        enum session_end end;
        bool may_be_sent;
        bool is_unknown;
    } rows[] = {
        {0, "", "", SESSION_END_NONE, true, true},
        {0, "", "", SESSION_END_NONE, false, false},
        {0, "", "", SESSION_END_TIMEOUT, true, true},
        {200, "application/json", "{", SESSION_END_CUT, true, true},
        {200, "application/json", "", SESSION_END_WHOLE, true, true},
        {200, "application/json", "{}", SESSION_END_WHOLE, true, true},
        {200, "application/json", DONE("4"), SESSION_END_WHOLE, true, true},
        {200, "text/event-stream", ": x\n\n", SESSION_END_WHOLE, true, true},
        {200, "text/event-stream", "data: " DONE("3") "\n\ndata: " DONE("3") "\n\n",
         SESSION_END_WHOLE, true, true},
        {503, "", "", SESSION_END_WHOLE, true, true},
        {500, "application/json", ERROR("3", "-32603"), SESSION_END_WHOLE, true, true},
        {200, "application/json", ERROR("3", "-32603"), SESSION_END_WHOLE, true, false},
        {400, "application/json", ERROR("3", "-32020"), SESSION_END_WHOLE, true, false},
        {404, "", "", SESSION_END_WHOLE, true, false},
        /* The server did something, and only a question says that it isn't done. */
        {200, "application/json", RESULT("3", "\"resultType\":\"x\""), SESSION_END_WHOLE, true,
         true},
        {200, "application/json", RESULT("3", "\"resultType\":\"complete\""), SESSION_END_WHOLE,
         true, true},
        {200, "application/json", RESULT("3", "\"resultType\":\"input_required\""),
         SESSION_END_WHOLE, true, false},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct harness harness;
        answer(&harness, true);
        if (rows[i].status != 0)
            harness_reply_as(&harness, rows[i].status, rows[i].type, bytes_of_text(rows[i].body),
                             rows[i].end);
        else
            assert_int_equal(session_take_end(harness.session, rows[i].end, rows[i].may_be_sent),
                             STATUS_OK);
        harness_expect_problem(&harness, NULL);
        if (session_problem(harness.session)->outcome_is_unknown != rows[i].is_unknown)
            fail_msg("row %zu", i);
        harness_done(&harness);
    }
}

/* Up to the call, which is request 3 of the handshake era. */
static void shake_hands(struct harness *harness, bool is_http) {
    harness_start(harness, SESSION_CALL, is_http, "2025-11-25");
    harness_expect_sent(harness, "initialize");
    reply(harness, is_http, INITIALIZED);
    harness_expect_sent(harness, "notifications/initialized");
    if (is_http)
        harness_reply_as(harness, 202, "", BYTES(""), SESSION_END_WHOLE);
    harness_expect_sent(harness, "tools/list");
    reply(harness, is_http, "{\"jsonrpc\":\"2.0\",\"id\":2," TOOLS(""));
    harness_expect_sent(harness, "tools/call");
}

#define ELICITATION(id)                                                                            \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"elicitation/create\",\"params\":{"            \
    "\"message\":\"Which time?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"        \
    "\"time\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}}}}}"

static void
given_the_handshake_era_when_the_server_asks_then_its_request_is_answered(void **state) {
    (void)state;
    struct harness harness;
    shake_hands(&harness, false);
    harness_lines(&harness, "{\"jsonrpc\":\"2.0\",\"id\":\"p-1\",\"method\":\"ping\"}");
    assert_true(session_awaits(harness.session) && session_outgoing(harness.session).is_aside);
    harness_expect_sent(&harness, "{\"jsonrpc\":\"2.0\",\"id\":\"p-1\",\"result\":{}}");
    harness_lines(&harness, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"roots/list\"}");
    harness_expect_sent(&harness, "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32601,");
    harness_lines(&harness, ELICITATION("9007199254740993"));
    assert_true(is(session_question(harness.session).server, "old"));
    accept(&harness);
    harness_expect_sent(&harness, "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"result\":{"
                                  "\"action\":\"accept\",\"content\":{\"time\":\"a\"}}}");
    assert_true(session_outcome_is_unknown(harness.session));
    harness_lines(&harness, ELICITATION("\"x\""));
    assert_int_equal(session_answer(harness.session, SESSION_DECLINE, BYTES("")), STATUS_OK);
    harness_expect_sent(&harness, "\"id\":\"x\",\"result\":{\"action\":\"decline\"}}");
    assert_int_equal(session_want(harness.session), SESSION_READ);
    harness_lines(&harness, DONE("3"));
    expect_done(&harness);
    assert_true(session_was_declined(harness.session));
    harness_done(&harness);
}

static void given_the_handshake_era_when_asked_for_ever_then_it_stops(void **state) {
    (void)state;
    struct harness harness;
    shake_hands(&harness, false);
    for (int i = 0; i < SESSION_ROUNDS_MOST; i++) {
        harness_lines(&harness, ELICITATION("1"));
        accept(&harness);
        harness_expect_sent(&harness, "accept");
    }
    harness_lines(&harness, ELICITATION("1"));
    harness_expect_problem(&harness, "the server asked more than 10 times");
    /* The call is still under way, and has had answers. */
    assert_true(session_problem(harness.session)->outcome_is_unknown);
    harness_done(&harness);
}

/* A server that pings while a person thinks about its form: all of it is read at once afterwards.
 */
static void given_many_pings_in_one_piece_when_read_then_each_is_answered(void **state) {
    (void)state;
    enum { PINGS = 100 };
    struct harness harness;
    struct buffer stream = buffer_new(SIZE_MAX);
    for (int i = 0; i < PINGS; i++)
        buffer_append_text(&stream, "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n\n");
    buffer_append_text(&stream, "data: " ELICITATION("8") "\n\ndata: " DONE("3") "\n\n");
    shake_hands(&harness, true);
    const struct session_head head = {.status = 200, .is_stream = true};
    assert_int_equal(session_take_head(harness.session, &head), STATUS_OK);
    struct bytes rest = buffer_bytes(&stream);
    for (int i = 0; i < PINGS; i++) {
        assert_false(harness_take(&harness, &rest));
        harness_expect_sent(&harness, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
    }
    assert_false(harness_take(&harness, &rest));
    accept(&harness);
    harness_expect_sent(&harness, "\"id\":8,\"result\":{\"action\":\"accept\"");
    assert_true(harness_take(&harness, &rest));
    assert_int_equal(session_take_end(harness.session, SESSION_END_WHOLE, true), STATUS_OK);
    expect_done(&harness);
    buffer_done(&stream);
    harness_done(&harness);
}

static void
given_the_handshake_era_over_http_when_there_is_a_session_id_then_it_goes_along(void **state) {
    (void)state;
    struct harness harness;
    harness_start(&harness, SESSION_TOOLS, true, "2025-06-18");
    assert_int_equal(session_outgoing(harness.session).header_count, 0);
    harness_expect_sent(&harness, "\"capabilities\":{\"elicitation\":{}}");
    const struct session_head head = {
        .status = 200, .is_json = true, .session_id = BYTES("abc-123")};
    struct bytes body = BYTES(INITIALIZED);
    assert_int_equal(session_take_head(harness.session, &head), STATUS_OK);
    harness_take(&harness, &body);
    assert_int_equal(session_take_end(harness.session, SESSION_END_WHOLE, true), STATUS_OK);
    for (int i = 0; i < 2; i++) {
        assert_true(is(harness_header(&harness, "MCP-Protocol-Version"), "2025-11-25"));
        assert_true(is(harness_header(&harness, "Mcp-Session-Id"), "abc-123"));
        assert_int_equal(session_outgoing(harness.session).header_count, 2);
        harness_expect_sent(&harness, i == 0 ? "notifications/initialized" : "tools/list");
        if (i == 0)
            harness_reply_as(&harness, 202, "", BYTES(""), SESSION_END_WHOLE);
    }
    /* A session that ended (404) is no wrong path. */
    harness_reply_as(&harness, 404, "", BYTES(""), SESSION_END_WHOLE);
    harness_expect_problem(&harness, "the server refused it (404)");
    harness_done(&harness);
}

static void given_a_version_when_the_server_chooses_another_then_it_is_said(void **state) {
    (void)state;
    static const struct {
        const char *protocol;
        const char *warning;
    } rows[] = {
        {"2025-03-26", "the server chose version 2025-11-25 instead of 2025-03-26\n"},
        {"2025-11-25", ""},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct harness harness;
        harness_start(&harness, SESSION_DISCOVER, false, rows[i].protocol);
        harness_expect_sent(&harness, rows[i].protocol);
        harness_lines(&harness, INITIALIZED);
        harness_expect_sent(&harness, "notifications/initialized");
        expect_done(&harness);
        assert_true(is(session_result(harness.session)->protocol, "2025-11-25"));
        assert_true(is(buffer_bytes(&harness.warnings), rows[i].warning));
        harness_done(&harness);
    }
}

static void given_a_session_id_when_it_is_odd_then_it_is_refused(void **state) {
    (void)state;
    static const struct session_head heads[] = {
        {.status = 200, .is_json = true, .session_id = ROW_BYTES("a b")},
        {.status = 200, .is_json = true, .session_id = ROW_BYTES("a\x7F")},
        {.status = 200, .is_json = true, .session_id = ROW_BYTES("\xC3\xA9")},
        {.status = 200, .is_json = true, .session_id = ROW_BYTES("a"), .has_odd_session_id = true},
    };
    for (size_t i = 0; i < LENGTH_OF(heads); i++) {
        struct harness harness;
        harness_start(&harness, SESSION_TOOLS, true, "2025-11-25");
        harness_expect_sent(&harness, "initialize");
        assert_int_equal(session_take_head(harness.session, &heads[i]), STATUS_OK);
        struct bytes body = BYTES(INITIALIZED);
        harness_take(&harness, &body);
        assert_int_equal(session_take_end(harness.session, SESSION_END_WHOLE, true), STATUS_OK);
        harness_expect_problem(&harness, "the server's session id can't be sent back");
        harness_done(&harness);
    }
}

static void given_an_answer_to_initialize_when_it_is_odd_then_it_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *body;
        const char *problem;
    } rows[] = {
        {RESULT("1", "\"protocolVersion\":\"1999-01-01\""),
         "the server speaks version \"1999-01-01\", which this client doesn't"},
        {RESULT("1", "\"protocolVersion\":\"2026-07-28\""),
         "the server speaks version \"2026-07-28\", which this client doesn't"},
        {RESULT("1", ""), "the server speaks version null, which this client doesn't"},
        {DONE("2"), "id mismatch: got 2, expected 1"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct harness harness;
        harness_start(&harness, SESSION_TOOLS, false, "2025-11-25");
        harness_expect_sent(&harness, "initialize");
        harness_lines(&harness, rows[i].body);
        harness_expect_problem(&harness, rows[i].problem);
        harness_done(&harness);
    }
    struct harness harness;
    harness_start(&harness, SESSION_TOOLS, true, "2025-11-25");
    harness_expect_sent(&harness, "initialize");
    harness_reply(&harness, 200, INITIALIZED);
    harness_expect_sent(&harness, "notifications/initialized");
    harness_reply_as(&harness, 400, "", BYTES(""), SESSION_END_WHOLE);
    harness_expect_problem(&harness, "the server did not take notifications/initialized (400)");
    harness_done(&harness);
}

static void
given_tools_with_faults_when_listed_then_they_are_left_out_with_a_warning(void **state) {
    (void)state;
    struct harness harness;
    harness_start(&harness, SESSION_TOOLS, true, "2026-07-28");
    harness_expect_sent(&harness, "tools/list");
    harness_reply(
        &harness, 200,
        RESULT("1", "\"tools\":[{\"name\":\"good\",\"title\":\"Good\",\"description\":\"d\","
                    "\"inputSchema\":{\"n\":1.5}},{\"name\":\"good\",\"inputSchema\":{}},"
                    "{\"inputSchema\":{}},7,{\"name\":\"none\"},{\"name\":\"bad\",\"inputSchema\":{"
                    "\"properties\":{\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}}}}]"));
    expect_done(&harness);
    const struct session_result *result = session_result(harness.session);
    assert_int_equal(result->tool_count, 1);
    assert_true(is(result->tools[0].title, "Good") && is(result->tools[0].description, "d"));
    assert_true(is(result->json, "{\"tools\":[{\"name\":\"good\",\"title\":\"Good\","
                                 "\"description\":\"d\",\"inputSchema\":{\"n\":1.5}}]}"));
    assert_true(harness_has(&harness.warnings, "the tool \"good\" is left out: there is another "));
    assert_true(harness_has(&harness.warnings, "the tool \"none\" is left out: it has no "));
    assert_true(harness_has(&harness.warnings, "the tool \"bad\" is left out: an x-mcp-header"));
    harness_done(&harness);
}

static void given_a_list_when_it_is_odd_then_it_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *body;
        const char *problem;
    } rows[] = {
        {RESULT("1", ""), "the list of tools has no array of tools"},
        {RESULT("1", "\"tools\":{}"), "the list of tools has no array of tools"},
        {RESULT("1", "\"tools\":[],\"nextCursor\":7"),
         "the list of tools has a nextCursor that is not a string"},
        {RESULT("1", "\"tools\":[]"), "the server lists no tool \"book\""},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct harness harness;
        harness_start(&harness, SESSION_CALL, false, "2026-07-28");
        harness_expect_sent(&harness, "tools/list");
        harness_lines(&harness, rows[i].body);
        harness_expect_problem(&harness, rows[i].problem);
        harness_done(&harness);
    }
}

static void given_pages_for_ever_when_listed_then_it_stops(void **state) {
    (void)state;
    for (int repeats = 0; repeats <= 1; repeats++) {
        struct harness harness;
        harness_start(&harness, SESSION_TOOLS, false, "2026-07-28");
        for (int i = 1; session_want(harness.session) == SESSION_SEND; i++) {
            char reply[128];
            snprintf(reply, sizeof reply,
                     "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"tools\":[],\"nextCursor\":"
                     "\"%d\"}}",
                     i, repeats == 1 ? 0 : i);
            harness_expect_sent(&harness, "tools/list");
            harness_lines(&harness, reply);
        }
        harness_expect_problem(&harness, repeats == 1
                                             ? "the list of tools goes on where it was"
                                             : "the list of tools has more than 100 pages");
        harness_done(&harness);
    }
}

static void given_a_result_when_it_is_said_then_each_kind_of_content_is_there(void **state) {
    (void)state;
    static const struct {
        const char *members;
        const char *say;
        bool is_error;
    } rows[] = {
        {"\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]",
         "a\nb", false},
        {"\"content\":[],\"structuredContent\":{\"x\":1}", "{\"x\":1}", false},
        {"\"structuredContent\":[1]", "[1]", false},
        {"\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"isError\":true", "no", true},
        {"\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AAAA\"}]",
         "[image: image/png, 4 characters of base64]", false},
        {"\"content\":[{\"type\":\"resource_link\",\"uri\":\"x:y\"}]", "[resource_link: x:y]",
         false},
        {"\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"x:y\",\"text\":\"t\"}}]", "t",
         false},
        {"\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"x:y\",\"blob\":\"AA\"}}]",
         "[resource: x:y]", false},
        {"\"content\":[7]", "[: ]", false},
        {"\"content\":[]", "", false},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct harness harness;
        char *reply = NULL;
        assert_true(asprintf(&reply, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{%s}}",
                             rows[i].members) > 0);
        harness_call(&harness, false);
        harness_lines(&harness, reply);
        expect_done(&harness);
        const struct session_result *result = session_result(harness.session);
        if (!is(result->say, rows[i].say) || result->is_error != rows[i].is_error)
            fail_msg("row %zu: %.*s", i, (int)result->say.size, result->say.data);
        free(reply);
        harness_done(&harness);
    }
}

static void given_messages_when_shortened_then_their_states_are(void **state) {
    (void)state;
#define LONG "0123456789012345678901234567890123456789012345678901234567890123456789"
    static const struct {
        const char *text;
        const char *shortened;
    } rows[] = {
        {"{\"requestState\":\"" LONG "\",\"a\":1}",
         "{\"requestState\":\"01234567890\xE2\x80\xA6 (70 bytes)\",\"a\":1}"},
        {"{\"request\\u0053tate\" : \"" LONG "\"}",
         "{\"request\\u0053tate\" : \"01234567890\xE2\x80\xA6 (70 bytes)\"}"},
        {"{\"x\":{\"requestState\":\"ab\\\"" LONG "\"}}",
         "{\"x\":{\"requestState\":\"ab\xE2\x80\xA6 (74 bytes)\"}}"},
        {"{\"requestState\":\"short\"}", "{\"requestState\":\"short\"}"},
        {"{\"text\":\"requestState\",\"b\":\"" LONG "\"}",
         "{\"text\":\"requestState\",\"b\":\"" LONG "\"}"},
        {"{\"requestState\":7}", "{\"requestState\":7}"},
        {"{\"requestState\":\"" LONG, "{\"requestState\":\"01234567890\xE2\x80\xA6 (69 bytes)\""},
        {"no JSON \\\"", "no JSON \\\""},
        {"\"requestState", "\"requestState"},
        {"", ""},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct buffer out = buffer_new(SIZE_MAX);
        session_shorten_states(&out, bytes_of_text(rows[i].text));
        if (!is(buffer_bytes(&out), rows[i].shortened))
            fail_msg("%s: %.*s", rows[i].text, (int)out.size, out.data);
        buffer_done(&out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            given_protocol_2025_11_25_when_a_tool_is_called_then_initialize_is_1_list_2_call_3),
        cmocka_unit_test(given_a_modern_server_when_called_then_each_request_stands_alone),
        cmocka_unit_test(given_arguments_on_several_lines_when_called_then_the_message_is_one_line),
        cmocka_unit_test(given_an_answer_to_the_probe_when_taken_then_it_tells_the_era),
        cmocka_unit_test(given_a_common_version_when_refused_again_then_it_is_not_tried_for_ever),
        cmocka_unit_test(
            given_no_answer_to_the_probe_when_time_is_over_then_only_lines_mean_handshake),
        cmocka_unit_test(
            given_a_request_given_up_when_its_reply_comes_late_then_the_next_one_gets_its_own),
        cmocka_unit_test(given_a_hostile_reply_when_it_comes_then_it_never_reaches_the_caller),
        cmocka_unit_test(given_a_bad_exchange_when_it_ends_then_the_problem_is_named),
        cmocka_unit_test(given_notifications_before_the_reply_when_streamed_then_they_are_fine),
        cmocka_unit_test(given_an_endless_stream_when_read_then_it_stops_at_the_limit),
        cmocka_unit_test(given_a_question_when_answered_then_the_state_goes_back_exactly),
        cmocka_unit_test(given_several_rounds_when_answered_then_only_the_latest_state_counts),
        cmocka_unit_test(given_a_question_when_declined_or_cancelled_then_it_is_said),
        cmocka_unit_test(given_questions_for_ever_when_answered_then_it_stops_after_ten_rounds),
        cmocka_unit_test(given_a_question_that_must_not_be_when_it_comes_then_it_is_refused),
        cmocka_unit_test(given_input_required_on_another_method_when_it_comes_then_it_is_refused),
        cmocka_unit_test(given_a_client_that_cannot_ask_when_asked_then_it_refuses),
        cmocka_unit_test(given_an_answer_sent_when_no_reply_is_whole_then_the_outcome_is_unknown),
        cmocka_unit_test(given_the_handshake_era_when_the_server_asks_then_its_request_is_answered),
        cmocka_unit_test(given_the_handshake_era_when_asked_for_ever_then_it_stops),
        cmocka_unit_test(given_many_pings_in_one_piece_when_read_then_each_is_answered),
        cmocka_unit_test(
            given_the_handshake_era_over_http_when_there_is_a_session_id_then_it_goes_along),
        cmocka_unit_test(given_a_version_when_the_server_chooses_another_then_it_is_said),
        cmocka_unit_test(given_a_session_id_when_it_is_odd_then_it_is_refused),
        cmocka_unit_test(given_an_answer_to_initialize_when_it_is_odd_then_it_is_refused),
        cmocka_unit_test(given_tools_with_faults_when_listed_then_they_are_left_out_with_a_warning),
        cmocka_unit_test(given_a_list_when_it_is_odd_then_it_is_refused),
        cmocka_unit_test(given_pages_for_ever_when_listed_then_it_stops),
        cmocka_unit_test(given_a_result_when_it_is_said_then_each_kind_of_content_is_there),
        cmocka_unit_test(given_messages_when_shortened_then_their_states_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
