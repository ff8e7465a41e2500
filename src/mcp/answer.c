#include "call.h"
#include "json_text.h"

#include <stdlib.h>

enum {
    STATUS_GOOD = 200,
    STATUS_ACCEPTED = 202,
    STATUS_NOT_FOUND = 404,
    STATUS_UNAVAILABLE = 503,
    REPLY_ROOM = 131072, /* bytes, beside what is repeated of the message */
};

/* Tools change with the program only; an hour keeps a client from asking all the time. */
#define CACHE_HINTS "\"ttlMs\":3600000,\"cacheScope\":\"public\""

static struct mcp_reply empty_reply(struct bytes message) {
    return (struct mcp_reply){.status = STATUS_GOOD,
                              .refusal = REFUSAL_NONE,
                              .body = buffer_new(message.size + REPLY_ROOM)};
}

void mcp_call_done(struct mcp_call *call, struct mcp_reply *reply) {
    reply->tool = call->tool == NULL ? NULL : call->tool->name;
    call->done(call->context, reply);
    rpc_request_done(&call->request);
    free(call);
}

const json_t *mcp_call_arguments(const struct mcp_call *call) {
    return call->arguments;
}

const json_t *mcp_call_responses(const struct mcp_call *call) {
    return call->responses;
}

const json_t *mcp_call_state(const struct mcp_call *call) {
    return call->state;
}

size_t mcp_call_size(const struct mcp_call *call) {
    return call->message.size;
}

bool mcp_call_has_capability(const struct mcp_call *call, const char *name) {
    return json_is_object(json_object_get(call->capabilities, name));
}

/* An elicitation without a mode is one of forms (client/elicitation, Capabilities). */
bool mcp_call_can_ask(const struct mcp_call *call) {
    const json_t *elicitation = json_object_get(call->capabilities, "elicitation");
    return json_is_object(elicitation) && (json_object_size(elicitation) == 0 ||
                                           json_is_object(json_object_get(elicitation, "form")));
}

static void end_with_error(struct mcp_call *call, unsigned status, enum mcp_code code,
                           const char *text) {
    struct mcp_reply reply = empty_reply(call->message);
    reply.status = status;
    reply.note = code_label(code);
    mcp_call_error_write(call, &reply.body, code, text, BYTES(""));
    mcp_call_done(call, &reply);
}

static void refuse_params(struct mcp_call *call, const char *text) {
    end_with_error(call, STATUS_GOOD, MCP_INVALID_PARAMS, text);
}

static void write_about(const struct mcp_call *call, struct buffer *out) {
    buffer_append(out, BYTES("\"capabilities\":{\"tools\":{}},\"instructions\":"));
    json_write_string(out, bytes_of_text(call->server->instructions));
}

static void discover(struct mcp_call *call) {
    struct mcp_reply reply = empty_reply(call->message);
    reply.note = "discovered";
    result_begin(call, &reply.body, "complete");
    buffer_append(&reply.body, BYTES(",\"supportedVersions\":[\"" MODERN_VERSION "\"],"));
    write_about(call, &reply.body);
    buffer_append(&reply.body, BYTES("," CACHE_HINTS));
    result_end(&reply.body);
    mcp_call_done(call, &reply);
}

static void initialize(struct mcp_call *call) {
    const json_t *asked = json_object_get(call->request.params, "protocolVersion");
    if (!json_is_string(asked))
        return refuse_params(call, "params.protocolVersion is missing, or not a string");
    const char *version = handshake_version_find(json_text(asked));
    struct mcp_reply reply = empty_reply(call->message);
    reply.note = "initialized";
    result_begin(call, &reply.body, "complete");
    buffer_append(&reply.body, BYTES("\"protocolVersion\":"));
    json_write_string(&reply.body, bytes_of_text(version == NULL ? HANDSHAKE_VERSION : version));
    buffer_append(&reply.body, BYTES(",\"serverInfo\":"));
    server_info_write(call->server, &reply.body);
    buffer_append_byte(&reply.body, ',');
    write_about(call, &reply.body);
    result_end(&reply.body);
    mcp_call_done(call, &reply);
}

static void ping(struct mcp_call *call) {
    struct mcp_reply reply = empty_reply(call->message);
    reply.note = "pinged";
    result_begin(call, &reply.body, "complete");
    result_end(&reply.body);
    mcp_call_done(call, &reply);
}

/* A member that may be absent; null counts as absent. */
static const json_t *optional_member(const json_t *object, const char *name) {
    const json_t *member = json_object_get(object, name);
    return json_is_null(member) ? NULL : member;
}

static void list_tools(struct mcp_call *call) {
    if (optional_member(call->request.params, "cursor") != NULL)
        return refuse_params(call, "params.cursor is none of ours: there is one page");
    struct mcp_reply reply = empty_reply(call->message);
    reply.note = "listed";
    result_begin(call, &reply.body, "complete");
    result_separate(call, &reply.body);
    buffer_append(&reply.body, BYTES("\"tools\":"));
    tools_write(call->server, &reply.body);
    if (call->is_modern)
        buffer_append(&reply.body, BYTES("," CACHE_HINTS));
    result_end(&reply.body);
    mcp_call_done(call, &reply);
}

static const struct mcp_tool *find_tool(const struct mcp_server *server, struct bytes name) {
    for (size_t i = 0; i < server->tool_count; i++)
        if (bytes_equal(bytes_of_text(server->tools[i].name), name))
            return &server->tools[i];
    return NULL;
}

/* What is wrong with the params of tools/call, or NULL. The retry of a call is known to the modern
 * era only. */
static const char *read_params(struct mcp_call *call) {
    const json_t *params = call->request.params;
    const json_t *name = json_object_get(params, "name");
    const json_t *arguments = optional_member(params, "arguments");
    if (!json_is_string(name))
        return "params.name is missing, or not a string";
    call->tool = find_tool(call->server, json_text(name));
    if (call->tool == NULL)
        return "Unknown tool: tools/list names those there are";
    if (arguments != NULL && !json_is_object(arguments))
        return "params.arguments is not an object";
    call->arguments = arguments;
    if (!call->is_modern)
        return NULL;
    call->responses = optional_member(params, "inputResponses");
    call->state = optional_member(params, "requestState");
    if (call->responses != NULL && !json_is_object(call->responses))
        return "params.inputResponses is not an object";
    if (call->state != NULL && !json_is_string(call->state))
        return "params.requestState is not a string";
    return NULL;
}

static void call_tool(struct mcp_call *call) {
    const char *problem = read_params(call);
    if (problem != NULL)
        return refuse_params(call, problem);
    call->tool->handle(call->tool->context, call);
}

/* The methods of both eras. */
static const struct method {
    const char *name;
    bool is_modern, is_of_handshake;
    void (*answer)(struct mcp_call *call);
} methods[] = {
    {"server/discover", true, false, discover},
    {"tools/list", true, true, list_tools},
    {"tools/call", true, true, call_tool},
    {"initialize", false, true, initialize},
    {"ping", false, true, ping},
};

static void dispatch(struct mcp_call *call) {
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if ((call->is_modern ? methods[i].is_modern : methods[i].is_of_handshake) &&
            bytes_equal(bytes_of_text(methods[i].name), call->request.method))
            return methods[i].answer(call);
    end_with_error(call, call->is_modern ? STATUS_NOT_FOUND : STATUS_GOOD, MCP_METHOD_NOT_FOUND,
                   "Method not found");
}

static void end_with_problem(struct mcp_call *call, const struct mcp_problem *problem) {
    if (problem->code != MCP_UNSUPPORTED_VERSION)
        return end_with_error(call, problem->status, problem->code, problem->text);
    struct mcp_reply reply = empty_reply(call->message);
    struct buffer data = buffer_new(reply.body.ceiling);
    buffer_append(&data, BYTES("{\"supported\":[\"" MODERN_VERSION "\"],\"requested\":"));
    json_write_string(&data, problem->requested);
    buffer_append_byte(&data, '}');
    reply.status = problem->status;
    reply.note = code_label(problem->code);
    mcp_call_error_write(call, &reply.body, problem->code, problem->text, buffer_bytes(&data));
    if (data.status != STATUS_OK)
        reply.body.status = data.status;
    buffer_done(&data);
    mcp_call_done(call, &reply);
}

/* Nothing is said of a message that couldn't be read for want of memory. */
static struct mcp_reply reply_without_memory(void) {
    struct mcp_reply reply = empty_reply(BYTES(""));
    reply.status = STATUS_UNAVAILABLE;
    reply.note = code_label(MCP_INTERNAL_ERROR);
    reply.body.status = STATUS_NO_MEMORY;
    return reply;
}

static void end_notification(struct mcp_call *call) {
    struct mcp_reply reply = empty_reply(call->message);
    reply.status = STATUS_ACCEPTED;
    reply.note = "notified";
    mcp_call_done(call, &reply);
}

void mcp_answer(const struct mcp_server *server, struct bytes message,
                const struct mcp_headers *headers, mcp_done *done, void *context) {
    struct rpc_problem unreadable;
    struct mcp_problem problem;
    struct mcp_reply without_memory = reply_without_memory();
    struct mcp_call *call = calloc(1, sizeof *call);
    if (call == NULL)
        return done(context, &without_memory);
    *call =
        (struct mcp_call){.server = server, .message = message, .done = done, .context = context};
    enum status status = rpc_request_parse(message, &call->request, &unreadable);
    if (status == STATUS_NO_MEMORY)
        return mcp_call_done(call, &without_memory);
    if (status != STATUS_OK)
        return end_with_error(call, 400, unreadable.code, unreadable.text);
    if (call->request.is_notification)
        return end_notification(call);
    if (!call_check(call, headers, &problem))
        return end_with_problem(call, &problem);
    dispatch(call);
}
