/* Calls of the tool book over HTTP. Messages are written by hand, so that a test sends exactly the
 * bytes that it shows. */
#ifndef TANDEM_TEST_MCP_CALLS_H
#define TANDEM_TEST_MCP_CALLS_H

#include "checked_exchange.h"

#define META_OF(capabilities)                                                                      \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":" capabilities "}"
#define CAN_ASK META_OF("{\"elicitation\":{}}")
#define CANNOT_ASK META_OF("{}")

#define CALL_HEADERS                                                                               \
    "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: book\r\n"

/* The arguments of the usual booking, as agents send it; `more` begins with a comma, or is empty.
 */
#define AGENTS_BOOKING(more)                                                                       \
    "{\"salon\":\"elm-street\",\"message\":\"a trim please\",\"openSlots\":[\"sat-10:30\","        \
    "\"sat-11:30\"]" more "}"

/* A request with these params, JSON text without the braces. */
static inline struct client_request mcp_request(struct arena *arena, const char *params) {
    return (struct client_request){
        .target = "/mcp",
        .headers = CALL_HEADERS,
        .body = bytes_of_text(arena_format(
            arena, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{%s}}",
            params)),
    };
}

/* Round one, or with answers and a state (JSON text each, or NULL) a retry. */
static inline struct client_request mcp_booking(struct arena *arena, const char *arguments,
                                                const char *responses, const char *state,
                                                const char *meta) {
    return mcp_request(
        arena,
        arena_format(
            arena, "\"name\":\"book\",\"arguments\":%s%s%s%s%s,%s", arguments,
            responses == NULL ? "" : ",\"inputResponses\":", responses == NULL ? "" : responses,
            state == NULL ? "" : ",\"requestState\":", state == NULL ? "" : state, meta));
}

#endif
