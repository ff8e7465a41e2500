/* MCP over JSON-RPC (revision 2026-07-28, and the handshake era before it): one message in, one
 * reply out, nothing kept between them. It knows nothing of sockets: what a transport says beside
 * the message comes in as values, and an HTTP status goes out with the reply. */
#ifndef TANDEM_MCP_H
#define TANDEM_MCP_H

#include "buffer.h"
#include "refusal.h"

/* The error codes of JSON-RPC and MCP. */
enum mcp_code {
    MCP_PARSE_ERROR = -32700,
    MCP_INVALID_REQUEST = -32600,
    MCP_METHOD_NOT_FOUND = -32601,
    MCP_INVALID_PARAMS = -32602,
    MCP_INTERNAL_ERROR = -32603,
    MCP_HEADER_MISMATCH = -32020,
    MCP_MISSING_CAPABILITY = -32021,
    MCP_UNSUPPORTED_VERSION = -32022,
};

enum { MCP_ID_SIZE_MAX = 256 }; /* bytes of an id that is a string */

struct mcp_tool;

/* What is served. Immutable, and borrowed for as long as messages are answered. */
struct mcp_server {
    const char *name;
    const char *version;
    const char *instructions; /* for the agent, of all the tools */
    const struct mcp_tool *tools;
    size_t tool_count;
};

/* What HTTP says of a message: the headers' values without white space around them, each NULL when
 * it isn't there, and empty when it is there more than once. */
struct mcp_headers {
    const struct bytes *version; /* MCP-Protocol-Version */
    const struct bytes *method;  /* Mcp-Method */
    const struct bytes *name;    /* Mcp-Name */
};

struct mcp_reply {
    unsigned status;      /* as HTTP has it */
    struct buffer body;   /* JSON text, owned; empty for a notification; failed without memory */
    const char *note;     /* what came of it, in snake_case; static storage */
    const char *tool;     /* the tool that was called, or NULL; as long as the server */
    enum refusal refusal; /* why a booking was refused, or REFUSAL_NONE */
};

/* Takes the reply, whose body it owns from then on. Called once, in any thread and perhaps before
 * mcp_answer returns. */
typedef void mcp_done(void *context, struct mcp_reply *reply);

/* Answers one message. `message` is borrowed until `done` is called, `headers` for the call only;
 * it is NULL where there is no HTTP. Any thread. */
void mcp_answer(const struct mcp_server *server, struct bytes message,
                const struct mcp_headers *headers, mcp_done *done, void *context);

/* Writes an error of a message whose id nobody knows. */
void mcp_error_write(struct buffer *out, enum mcp_code code, const char *message);

#endif
