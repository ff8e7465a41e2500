/* Any bytes as what a server says, over HTTP as JSON and as a stream, and over lines, at each
 * moment of a call: the session never crashes, never goes on for ever, and gives a result only of a
 * reply with the right id. The first byte chooses how. */
#include "mcp_session.h"

#include "mcp_json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS_MOST = 64 };

static void require(bool condition) {
    if (!condition)
        abort();
}

/* Answers whatever is asked, and sends whatever is to be sent. */
static void see_to_wants(struct session *session) {
    for (int i = 0; i < STEPS_MOST; i++) {
        if (session_want(session) == SESSION_ASK) {
            struct session_question question = session_question(session);
            require(question.form->field_count <= FORM_FIELDS_MOST);
            require(session_answer(session, SESSION_DECLINE, BYTES("")) == STATUS_OK);
        } else if (session_want(session) == SESSION_SEND) {
            struct json_tree body = {0};
            const char *problem = NULL;
            struct session_outgoing outgoing = session_outgoing(session);
            require(bytes_find(outgoing.body, '\n') == outgoing.body.size);
            require(mcp_json_read(outgoing.body, &body, &problem) == STATUS_OK);
            json_tree_done(&body);
            require(session_sent(session) == STATUS_OK);
        } else {
            return;
        }
    }
    abort();
}

static void end(struct session *session) {
    require(session_take_end(session, SESSION_END_WHOLE, true) == STATUS_OK);
    see_to_wants(session);
}

static void check(const struct session *session) {
    const struct session_result *result = session_result(session);
    const struct session_problem *problem = session_problem(session);
    require(result == NULL || problem == NULL);
    require(result == NULL || bytes_are_utf8(result->say));
    require(problem == NULL || problem->text.size > 0);
}

/* Over HTTP: what is given to each request is cut off the input at a NUL. */
static void talk(struct session *session, bool is_http, bool is_stream, struct bytes input) {
    see_to_wants(session);
    while (input.size > 0 && session_want(session) == SESSION_READ) {
        size_t size = bytes_find(input, is_http ? '\0' : '\n');
        bool is_enough = false;
        const struct session_head head = {
            .status = 200, .is_json = !is_stream, .is_stream = is_stream};
        if (is_http)
            require(session_take_head(session, &head) == STATUS_OK);
        struct bytes piece = bytes_up_to(input, size);
        do {
            size_t given = piece.size;
            require(session_take(session, &piece, &is_enough) == STATUS_OK);
            require(is_enough || piece.size < given || given == 0);
            see_to_wants(session);
        } while (!is_enough && piece.size > 0 && session_want(session) == SESSION_READ);
        input = bytes_from(input, size + 1);
        if (is_http || is_enough)
            end(session);
    }
    check(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const protocols[] = {NULL, "2026-07-28", "2025-11-25", "2025-06-18"};
    if (size == 0)
        return 0;
    bool is_http = (data[0] & 1) != 0;
    const struct session_config config = {
        .operation = (data[0] & 8) != 0 ? SESSION_TOOLS : SESSION_CALL,
        .is_http = is_http,
        .protocol = protocols[data[0] >> 4 & 3],
        .client_version = "1",
        .can_ask = true,
        .tool = BYTES("book"),
        .arguments = BYTES("{\"x\":\"y\"}"),
    };
    struct session *session = NULL;
    require(session_new(&config, &session) == STATUS_OK);
    talk(session, is_http, (data[0] & 2) != 0, (struct bytes){data + 1, size - 1});
    session_free(session);
    struct buffer shortened = buffer_new(SIZE_MAX);
    session_shorten_states(&shortened, (struct bytes){data, size});
    require(shortened.size <= 2 * size);
    buffer_done(&shortened);
    return 0;
}
