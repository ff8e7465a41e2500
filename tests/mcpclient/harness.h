/* A session and a server that says what a test wants said. */
#ifndef TANDEM_TEST_MCP_HARNESS_H
#define TANDEM_TEST_MCP_HARNESS_H

#include "fixtures.h"

#include "mcp_session.h"

struct harness {
    struct session *session;
    struct buffer heard;    /* messages, each with "> " or "< " before and a newline behind */
    struct buffer warnings; /* each with a newline behind */
};

/* A session over HTTP or lines. `protocol` NULL: it finds out. The tool of a call is "book". */
void harness_start(struct harness *harness, enum session_operation operation, bool is_http,
                   const char *protocol);
void harness_configure(struct harness *harness, const struct session_config *config);
void harness_done(struct harness *harness);

/* Sends what the session wants sent, and expects a text in it. */
void harness_expect_sent(struct harness *harness, const char *text);

/* Gives a piece of a reply, and goes on with it while nothing is wanted. True when it is enough. */
bool harness_take(struct harness *harness, struct bytes *piece);

/* The whole exchange of a reply over HTTP: head, body in one piece, end. */
void harness_reply_as(struct harness *harness, unsigned status, const char *type, struct bytes body,
                      enum session_end end);
void harness_reply(struct harness *harness, unsigned status, const char *json);

/* Lines, and the end of the exchange when one of them was enough. */
void harness_lines(struct harness *harness, const char *lines);

/* Expects the session to have failed with this text; NULL: any. */
void harness_expect_problem(struct harness *harness, const char *text);

/* Gets a session over lines, or HTTP, to where the call was sent: with --protocol 2026-07-28 that
 * is request 2. */
void harness_call(struct harness *harness, bool is_http);

/* The value of a header of what waits to be sent; empty when it isn't there. */
struct bytes harness_header(const struct harness *harness, const char *name);

bool harness_has(const struct buffer *buffer, const char *text);

#define TOOLS(rest)                                                                                \
    "\"result\":{\"resultType\":\"complete\",\"tools\":[{\"name\":\"book\",\"inputSchema\":{"      \
    "\"type\":\"object\"}}" rest "]}}"
#define REPLY(id, members) "{\"jsonrpc\":\"2.0\",\"id\":" id "," members "}"
#define RESULT(id, members) REPLY(id, "\"result\":{" members "}")
#define ASKS(id, state)                                                                            \
    RESULT(id,                                                                                     \
           "\"resultType\":\"input_required\",\"inputRequests\":{\"time\":{\"method\":"            \
           "\"elicitation/create\",\"params\":{\"message\":\"Which time?\",\"requestedSchema\":"   \
           "{\"type\":\"object\",\"properties\":{\"time\":{\"type\":\"string\",\"enum\":"          \
           "[\"a\",\"b\"]}},\"required\":[\"time\"]}}}}" state)
#define INITIALIZED                                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","                \
    "\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"old\",\"version\":\"1\"}}}"

#endif
