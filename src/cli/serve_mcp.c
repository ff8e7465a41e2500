#include "serve_mcp.h"

const char *const loopback_names[LOOPBACK_NAME_COUNT] = {"localhost", "127.0.0.1", "[::1]"};

static void take_reply(void *context, struct mcp_reply *answered) {
    struct http_reply *reply = context;
    reply->status = answered->status;
    reply->body = answered->body;
    reply->note = answered->note;
    reply->tool = answered->tool;
    reply->refusal = answered->refusal;
    if (reply->body.status == STATUS_OK && reply->body.size == 0)
        reply->content_type = NULL;
    http_reply_done(reply);
}

/* A header's value, into `room`; NULL when it isn't there. */
static const struct bytes *read_header(const struct http_request *request, const char *name,
                                       struct bytes *room) {
    size_t count = http_request_header(request, name, room);
    if (count > 1)
        *room = BYTES("");
    return count == 0 ? NULL : room;
}

static enum http_when answer(void *context, const struct http_request *request,
                             struct http_reply *reply) {
    struct bytes version;
    struct bytes method;
    struct bytes name;
    const struct mcp_headers headers = {
        .version = read_header(request, "MCP-Protocol-Version", &version),
        .method = read_header(request, "Mcp-Method", &method),
        .name = read_header(request, "Mcp-Name", &name),
    };
    mcp_answer(context, request->body, &headers, take_reply, reply);
    return HTTP_LATER;
}

static void refuse(struct http_reply *reply, enum refusal refusal, const char *text) {
    const struct refusal_row *row = refusal_row(refusal);
    reply->status = row->status;
    reply->refusal = refusal;
    mcp_error_write(&reply->body,
                    refusal == REFUSAL_UNAVAILABLE ? MCP_INTERNAL_ERROR : MCP_INVALID_REQUEST,
                    text == NULL ? row->reason : text);
}

struct http_route mcp_route(const struct mcp_server *server, const struct http_hosts *hosts) {
    return (struct http_route){.method = "POST",
                               .path = "/mcp",
                               .handle = answer,
                               .context = (void *)(uintptr_t)server,
                               .refuse = refuse,
                               .hosts = hosts};
}
