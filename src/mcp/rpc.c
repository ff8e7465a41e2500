#include "rpc.h"

#include "json_member.h"

#include <stdio.h>

static enum status refuse(struct rpc_problem *problem, enum mcp_code code, const char *text) {
    problem->code = code;
    snprintf(problem->text, sizeof problem->text, "%s", text);
    return STATUS_INVALID;
}

static bool is_integer_text(struct bytes text) {
    text = bytes_from(text, text.size > 0 && text.data[0] == '-');
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return text.size > 0;
}

/* True when a message is JSON but for an id of more than 64 bits. */
static enum status check_without_id(struct bytes message, bool *is_json) {
    struct bytes id;
    *is_json = false;
    if (!json_member_find(message, BYTES("id"), &id) || !is_integer_text(id))
        return STATUS_OK;
    size_t before = (size_t)(id.data - message.data);
    struct buffer other = buffer_new(message.size);
    struct json_tree document = {0};
    buffer_append(&other, bytes_up_to(message, before));
    buffer_append_byte(&other, '0');
    buffer_append(&other, bytes_from(message, before + id.size));
    enum status status = other.status;
    if (status == STATUS_OK)
        status = json_read(buffer_bytes(&other), &document, NULL);
    *is_json = status == STATUS_OK;
    json_tree_done(&document);
    buffer_done(&other);
    return status == STATUS_NO_MEMORY ? status : STATUS_OK;
}

static enum status read_json(struct bytes message, struct json_tree *document,
                             struct rpc_problem *problem) {
    struct json_problem unreadable;
    enum status status = json_read(message, document, &unreadable);
    if (status != STATUS_INVALID)
        return status;
    bool is_json = false;
    if (unreadable.code == json_error_numeric_overflow)
        status = check_without_id(message, &is_json);
    if (status == STATUS_NO_MEMORY)
        return status;
    return is_json ? refuse(problem, MCP_INVALID_REQUEST, "the id is an integer over 64 bits")
                   : refuse(problem, MCP_PARSE_ERROR, unreadable.text);
}

static bool id_is_good(const json_t *id) {
    return json_is_integer(id) || (json_is_string(id) && json_string_length(id) <= MCP_ID_SIZE_MAX);
}

static enum status read_members(struct bytes message, struct rpc_request *request,
                                struct rpc_problem *problem) {
    const json_t *root = request->document.root;
    if (!json_is_object(root))
        return refuse(problem, MCP_INVALID_REQUEST,
                      "a message is one JSON object, never an array of them");
    const json_t *id = json_object_get(root, "id");
    const json_t *version = json_object_get(root, "jsonrpc");
    const json_t *method = json_object_get(root, "method");
    const json_t *params = json_object_get(root, "params");
    request->is_notification = id == NULL;
    if (id_is_good(id))
        json_member_find(message, BYTES("id"), &request->id);
    if (!json_is_string(version) || !bytes_equal(json_text(version), BYTES("2.0")))
        return refuse(problem, MCP_INVALID_REQUEST, "jsonrpc is not \"2.0\"");
    if (!json_is_string(method))
        return refuse(problem, MCP_INVALID_REQUEST, "method is missing, or not a string");
    if (id != NULL && !id_is_good(id))
        return refuse(problem, MCP_INVALID_REQUEST,
                      "the id is neither an integer nor a string of up to 256 bytes");
    request->method = json_text(method);
    request->params = json_is_object(params) ? params : NULL;
    return STATUS_OK;
}

enum status rpc_request_parse(struct bytes message, struct rpc_request *request,
                              struct rpc_problem *problem) {
    *request = (struct rpc_request){0};
    enum status status = read_json(message, &request->document, problem);
    return status == STATUS_OK ? read_members(message, request, problem) : status;
}

void rpc_request_done(struct rpc_request *request) {
    json_tree_done(&request->document);
}
