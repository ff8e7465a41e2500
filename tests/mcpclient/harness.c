#include "harness.h"

#include <stdio.h>
#include <string.h>

static void on_message(void *context, bool is_ours, struct bytes message) {
    struct harness *harness = context;
    buffer_append_text(&harness->heard, is_ours ? "> " : "< ");
    buffer_append(&harness->heard, message);
    buffer_append_byte(&harness->heard, '\n');
}

static void on_warning(void *context, struct bytes text) {
    struct harness *harness = context;
    buffer_append(&harness->warnings, text);
    buffer_append_byte(&harness->warnings, '\n');
}

void harness_configure(struct harness *harness, const struct session_config *config) {
    *harness = (struct harness){.heard = buffer_new(SIZE_MAX), .warnings = buffer_new(SIZE_MAX)};
    struct session_config heard = *config;
    heard.on_message = on_message;
    heard.on_warning = on_warning;
    heard.context = harness;
    heard.client_version = "1.0.0";
    assert_int_equal(session_new(&heard, &harness->session), STATUS_OK);
}

void harness_start(struct harness *harness, enum session_operation operation, bool is_http,
                   const char *protocol) {
    const struct session_config config = {.operation = operation,
                                          .is_http = is_http,
                                          .protocol = protocol,
                                          .can_ask = true,
                                          .tool = BYTES("book"),
                                          .arguments = BYTES("{\"x\":1}")};
    harness_configure(harness, &config);
}

void harness_done(struct harness *harness) {
    session_free(harness->session);
    buffer_done(&harness->heard);
    buffer_done(&harness->warnings);
}

bool harness_has(const struct buffer *buffer, const char *text) {
    struct bytes bytes = buffer_bytes(buffer);
    return bytes.size > 0 && memmem(bytes.data, bytes.size, text, strlen(text)) != NULL;
}

void harness_expect_sent(struct harness *harness, const char *text) {
    if (session_want(harness->session) != SESSION_SEND) {
        const struct session_problem *problem = session_problem(harness->session);
        fail_msg("nothing is to be sent, so not \"%s\": %.*s", text,
                 problem == NULL ? 0 : (int)problem->text.size,
                 problem == NULL ? NULL : (const char *)problem->text.data);
    }
    struct bytes body = session_outgoing(harness->session).body;
    if (memmem(body.data, body.size, text, strlen(text)) == NULL)
        fail_msg("\"%s\" is not in: %.*s", text, (int)body.size, body.data);
    assert_int_equal(session_sent(harness->session), STATUS_OK);
}

struct bytes harness_header(const struct harness *harness, const char *name) {
    struct session_outgoing outgoing = session_outgoing(harness->session);
    for (size_t i = 0; i < outgoing.header_count; i++)
        if (bytes_equal(outgoing.headers[i].name, bytes_of_text(name)))
            return outgoing.headers[i].value;
    return BYTES("");
}

bool harness_take(struct harness *harness, struct bytes *piece) {
    bool is_enough = false;
    do {
        assert_int_equal(session_take(harness->session, piece, &is_enough), STATUS_OK);
    } while (!is_enough && piece->size > 0 && session_want(harness->session) == SESSION_READ);
    return is_enough;
}

void harness_reply_as(struct harness *harness, unsigned status, const char *type, struct bytes body,
                      enum session_end end) {
    const struct session_head head = {.status = status,
                                      .is_json = strcmp(type, "application/json") == 0,
                                      .is_stream = strcmp(type, "text/event-stream") == 0};
    assert_int_equal(session_take_head(harness->session, &head), STATUS_OK);
    if (body.size > 0)
        harness_take(harness, &body);
    assert_int_equal(session_take_end(harness->session, end, true), STATUS_OK);
}

void harness_reply(struct harness *harness, unsigned status, const char *json) {
    harness_reply_as(harness, status, "application/json", bytes_of_text(json), SESSION_END_WHOLE);
}

void harness_lines(struct harness *harness, const char *lines) {
    bool was_enough = false;
    for (struct bytes rest = bytes_of_text(lines); rest.size > 0;) {
        size_t size = bytes_find(rest, '\n');
        struct bytes line = bytes_up_to(rest, size);
        was_enough = harness_take(harness, &line) || was_enough;
        rest = bytes_from(rest, size + 1);
    }
    if (was_enough)
        assert_int_equal(session_take_end(harness->session, SESSION_END_WHOLE, true), STATUS_OK);
}

void harness_expect_problem(struct harness *harness, const char *text) {
    const struct session_problem *problem = session_problem(harness->session);
    if (problem == NULL)
        fail_msg("no problem, where there should be: %s", text == NULL ? "one" : text);
    if (text != NULL && !bytes_equal(problem->text, bytes_of_text(text)))
        fail_msg("\"%.*s\" instead of \"%s\"", (int)problem->text.size, problem->text.data, text);
    assert_null(session_result(harness->session));
}

void harness_call(struct harness *harness, bool is_http) {
    harness_start(harness, SESSION_CALL, is_http, "2026-07-28");
    harness_expect_sent(harness, "\"id\":1,\"method\":\"tools/list\"");
    if (is_http)
        harness_reply(harness, 200, "{\"jsonrpc\":\"2.0\",\"id\":1," TOOLS(""));
    else
        harness_lines(harness, "{\"jsonrpc\":\"2.0\",\"id\":1," TOOLS(""));
    harness_expect_sent(harness, "\"id\":2,\"method\":\"tools/call\"");
}
