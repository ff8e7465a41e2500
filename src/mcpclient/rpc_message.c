#include "rpc_message.h"

enum { SHOWN_ID_SIZE_MAX = 64, ID_JSON_SIZE_MAX = 16777216 };

static enum status broken(struct rpc_message *message, const char *problem) {
    message->kind = RPC_BROKEN;
    message->problem = problem;
    return STATUS_OK;
}

static bool is_id(const json_t *id) {
    return json_is_string(id) || json_is_integer(id);
}

static enum status read_call(const json_t *root, struct rpc_message *out) {
    const json_t *method = json_object_get(root, "method");
    if (!json_is_string(method))
        return broken(out, "its method is not a string");
    if (json_object_get(root, "result") != NULL || json_object_get(root, "error") != NULL)
        return broken(out, "it is a request and a reply at once");
    if (out->id != NULL && !is_id(out->id))
        return broken(out, "its id is neither a string nor an integer");
    out->kind = out->id == NULL ? RPC_NOTIFICATION : RPC_REQUEST;
    out->method = json_text(method);
    out->params = json_object_get(root, "params");
    return STATUS_OK;
}

static enum status read_error(const json_t *error, struct rpc_message *out) {
    const json_t *code = json_object_get(error, "code");
    const json_t *text = json_object_get(error, "message");
    if (!json_is_integer(code) || !json_is_string(text))
        return broken(out, "its error has no integer code and string message");
    /* JSON-RPC's way to say that it could not tell the id. */
    if (json_is_null(out->id))
        out->id = NULL;
    out->kind = RPC_ERROR;
    out->code = json_integer_value(code);
    out->text = json_text(text);
    out->data = json_object_get(error, "data");
    return STATUS_OK;
}

static enum status read_reply(const json_t *root, struct rpc_message *out) {
    const json_t *result = json_object_get(root, "result");
    const json_t *error = json_object_get(root, "error");
    if ((result == NULL) == (error == NULL))
        return broken(out, result == NULL ? "it has neither a result nor an error"
                                          : "it has a result and an error");
    if (error != NULL)
        return read_error(error, out);
    if (!json_is_object(result))
        return broken(out, "its result is not an object");
    if (out->id == NULL)
        return broken(out, "its result has no id");
    out->kind = RPC_RESULT;
    out->result = result;
    return STATUS_OK;
}

static enum status read_root(const json_t *root, struct rpc_message *out) {
    if (json_is_array(root))
        return broken(out, "it is an array, where one reply is due");
    if (!json_is_object(root))
        return broken(out, "it is not a JSON object");
    if (!mcp_json_is(json_object_get(root, "jsonrpc"), BYTES("2.0")))
        return broken(out, "its jsonrpc is not \"2.0\"");
    out->id = json_object_get(root, "id");
    return json_object_get(root, "method") != NULL ? read_call(root, out) : read_reply(root, out);
}

enum status rpc_message_read(struct bytes text, struct rpc_message *out) {
    *out = (struct rpc_message){.kind = RPC_BROKEN};
    const char *problem = NULL;
    enum status status = mcp_json_read(text, &out->document, &problem);
    if (status == STATUS_OK)
        return read_root(out->document.root, out);
    return status == STATUS_INVALID ? broken(out, problem) : status;
}

void rpc_message_done(struct rpc_message *message) {
    json_tree_done(&message->document);
    *message = (struct rpc_message){.kind = RPC_BROKEN};
}

bool rpc_id_is(const json_t *id, int64_t expected) {
    return json_is_integer(id) && json_integer_value(id) == expected;
}

void rpc_id_show(struct buffer *out, const json_t *id) {
    if (id == NULL) {
        buffer_append(out, BYTES("none"));
        return;
    }
    struct buffer json = buffer_new(ID_JSON_SIZE_MAX);
    json_value_write(&json, id);
    struct bytes text = buffer_bytes(&json);
    size_t size = text.size;
    if (size > SHOWN_ID_SIZE_MAX)
        for (size = SHOWN_ID_SIZE_MAX; size > 0 && (text.data[size] & 0xC0) == 0x80;)
            size--;
    buffer_append(out, bytes_up_to(text, size));
    if (size < text.size)
        buffer_append(out, BYTES("\xE2\x80\xA6"));
    if (json.status != STATUS_OK)
        out->status = json.status;
    buffer_done(&json);
}
