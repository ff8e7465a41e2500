/* One tool of an MCP server: a row of a table. What it is called with, and how it says what came of
 * it. */
#ifndef TANDEM_MCP_TOOL_H
#define TANDEM_MCP_TOOL_H

#include "mcp.h"

#include <jansson.h>

struct mcp_call;

/* Answers a call with mcp_call_done, once, in any thread, now or later. */
typedef void mcp_handler(void *context, struct mcp_call *call);

struct mcp_tool {
    const char *name;
    const char *title;
    const char *description;
    const char *input_schema;  /* JSON text of an object */
    const char *output_schema; /* the same, or NULL */
    const char *annotations;   /* the same, or NULL */
    mcp_handler *handle;
    void *context;
};

/* What it is called with; all of it lives until mcp_call_done. The JSON is read by one thread at a
 * time. */
const json_t *mcp_call_arguments(const struct mcp_call *call); /* an object, or NULL for none */
const json_t *mcp_call_responses(const struct mcp_call *call); /* an object, or NULL */
const json_t *mcp_call_state(const struct mcp_call *call);     /* a string, or NULL */
size_t mcp_call_size(const struct mcp_call *call);             /* of the whole message, in bytes */

/* True when the client declared this capability. */
bool mcp_call_has_capability(const struct mcp_call *call, const char *name);

/* True when the client declared that it can show a form to its user. */
bool mcp_call_can_ask(const struct mcp_call *call);

/* Write a reply into `out`, which is empty. `structured` is the JSON text of an object, or empty.
 * `text` comes in parts, which are joined. */
void mcp_complete_write(const struct mcp_call *call, struct buffer *out, struct bytes text,
                        struct bytes structured);
void mcp_failure_write(const struct mcp_call *call, struct buffer *out, const struct bytes *texts,
                       size_t count);

/* Complete, with `content` as the JSON text of an array. */
void mcp_content_write(const struct mcp_call *call, struct buffer *out, struct bytes content);

/* Input required: `requests` is the JSON text of an object; without a state it is empty. */
void mcp_question_write(const struct mcp_call *call, struct buffer *out, struct bytes requests,
                        struct bytes state);

/* An error; `data` is JSON text, or empty. */
void mcp_call_error_write(const struct mcp_call *call, struct buffer *out, enum mcp_code code,
                          const char *message, struct bytes data);

/* Ends the call. The reply's tool is filled in. */
void mcp_call_done(struct mcp_call *call, struct mcp_reply *reply);

#endif
