#include "session_state.h"

#include "json_text.h"

/* Copies what is said of the server: in the handshake's result, or in the metadata of any other. */
enum status result_take_server(struct session *session, const json_t *result) {
    const json_t *meta = json_object_get(result, "_meta");
    const json_t *server = json_object_get(meta, "io.modelcontextprotocol/serverInfo");
    if (server == NULL)
        server = json_object_get(result, "serverInfo");
    if (mcp_json_member_text(server, "name").size == 0)
        return STATUS_OK;
    buffer_clear(&session->server_name);
    buffer_clear(&session->server_version);
    buffer_append(&session->server_name, mcp_json_member_text(server, "name"));
    buffer_append(&session->server_version, mcp_json_member_text(server, "version"));
    session->result.server_name = buffer_bytes(&session->server_name);
    session->result.server_version = buffer_bytes(&session->server_version);
    return session->server_name.status == STATUS_OK && session->server_version.status == STATUS_OK
               ? STATUS_OK
               : STATUS_NO_MEMORY;
}

static enum status finish(struct session *session) {
    session->result.protocol = session->protocol;
    session->result.is_modern = session->is_modern;
    session->result.json = buffer_bytes(&session->result_json);
    session->result.say = buffer_bytes(&session->say);
    session->is_done = true;
    return session->result_json.status == STATUS_OK && session->say.status == STATUS_OK
               ? STATUS_OK
               : STATUS_NO_MEMORY;
}

enum status result_take_opened(struct session *session) {
    session->result.instructions = mcp_json_member_text(session->opened.result, "instructions");
    json_value_write(&session->result_json, session->opened.result);
    return finish(session);
}

enum status result_take_tools(struct session *session) {
    struct buffer *out = &session->result_json;
    buffer_append(out, BYTES("{\"tools\":["));
    for (size_t i = 0; i < session->tools.count; i++) {
        if (i > 0)
            buffer_append_byte(out, ',');
        buffer_append(out, session->tools.tools[i].json);
    }
    buffer_append(out, BYTES("]}"));
    session->result.tools = session->tools.tools;
    session->result.tool_count = session->tools.count;
    return finish(session);
}

/* "[image: image/png, 4096 characters of base64]" */
static void say_data(struct buffer *out, const char *what, const json_t *block) {
    buffer_append_byte(out, '[');
    buffer_append_text(out, what);
    buffer_append(out, BYTES(": "));
    buffer_append(out, mcp_json_member_text(block, "mimeType"));
    buffer_append(out, BYTES(", "));
    buffer_append_integer(out, (int64_t)mcp_json_member_text(block, "data").size);
    buffer_append(out, BYTES(" characters of base64]"));
}

static void say_block(struct buffer *out, const json_t *block) {
    struct bytes type = mcp_json_member_text(block, "type");
    const json_t *resource = json_object_get(block, "resource");
    const json_t *text = json_object_get(resource, "text");
    if (bytes_equal(type, BYTES("text"))) {
        buffer_append(out, mcp_json_member_text(block, "text"));
    } else if (bytes_equal(type, BYTES("image"))) {
        say_data(out, "image", block);
    } else if (bytes_equal(type, BYTES("audio"))) {
        say_data(out, "audio", block);
    } else if (json_is_string(text)) {
        buffer_append(out, json_text(text));
    } else {
        buffer_append_byte(out, '[');
        buffer_append(out, type);
        buffer_append(out, BYTES(": "));
        buffer_append(out, mcp_json_member_text(resource == NULL ? block : resource, "uri"));
        buffer_append_byte(out, ']');
    }
}

static const char *fault_of_call(const json_t *result) {
    const json_t *content = json_object_get(result, "content");
    const json_t *is_error = json_object_get(result, "isError");
    if (content == NULL && json_object_get(result, "structuredContent") == NULL)
        return "the result of the tool has no content";
    if (content != NULL && !json_is_array(content))
        return "the content of the tool's result is not an array";
    return is_error != NULL && !json_is_boolean(is_error)
               ? "isError of the tool's result is neither true nor false"
               : NULL;
}

enum status result_take_call(struct session *session, const char **problem) {
    *problem = fault_of_call(session->reply.result);
    if (*problem != NULL)
        return STATUS_OK;
    session->called = session->reply;
    session->reply = (struct rpc_message){.kind = RPC_BROKEN};
    session->has_reply = false;
    const json_t *result = session->called.result;
    const json_t *content = json_object_get(result, "content");
    for (size_t i = 0; i < json_array_size(content); i++) {
        if (i > 0)
            buffer_append_byte(&session->say, '\n');
        say_block(&session->say, json_array_get(content, i));
    }
    const json_t *structured = json_object_get(result, "structuredContent");
    if (json_array_size(content) == 0 && structured != NULL)
        json_value_write(&session->say, structured);
    session->result.is_error = json_is_true(json_object_get(result, "isError"));
    json_value_write(&session->result_json, result);
    return finish(session);
}
