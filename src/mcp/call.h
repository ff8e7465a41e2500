/* A message on its way to its reply. Private to mcp. */
#ifndef TANDEM_CALL_H
#define TANDEM_CALL_H

#include "mcp_tool.h"
#include "rpc.h"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define META_SERVER "io.modelcontextprotocol/serverInfo"
#define MODERN_VERSION "2026-07-28"
#define HANDSHAKE_VERSION "2025-11-25" /* what is offered to a client that asks for another */

struct mcp_call {
    const struct mcp_server *server;
    struct bytes message; /* borrowed */
    struct rpc_request request;
    bool is_modern;
    const json_t *capabilities;  /* the client's; NULL in the handshake era */
    const struct mcp_tool *tool; /* with tools/call, from here on */
    const json_t *arguments;
    const json_t *responses;
    const json_t *state;
    mcp_done *done;
    void *context;
};

/* Everything that is wrong with a message before its method is looked at: its era, and what it and
 * HTTP say of it. */
struct mcp_problem {
    unsigned status;
    enum mcp_code code;
    const char *text;
    struct bytes requested; /* with MCP_UNSUPPORTED_VERSION */
};

/* The checks 6 to 10 of the endpoint, in their order. True and the call's era and capabilities, or
 * false and a problem. */
bool call_check(struct mcp_call *call, const struct mcp_headers *headers,
                struct mcp_problem *problem);

/* A handshake era's version that is spoken here, or NULL. Static storage. */
const char *handshake_version_find(struct bytes version);

/* Begin and end the reply's result; between them stand its members, with commas between. */
void result_begin(const struct mcp_call *call, struct buffer *out, const char *type);
void result_end(struct buffer *out);
/* The comma before a member other than the first. In the modern era there is always one before. */
void result_separate(const struct mcp_call *call, struct buffer *out);

/* {"name":…,"version":…} */
void server_info_write(const struct mcp_server *server, struct buffer *out);

/* The array of tools. */
void tools_write(const struct mcp_server *server, struct buffer *out);

/* A code's snake_case name in logs. */
const char *code_label(enum mcp_code code);

#endif
