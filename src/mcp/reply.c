#include "call.h"
#include "json_text.h"

static void begin(struct buffer *out, struct bytes id) {
    buffer_append(out, BYTES("{\"jsonrpc\":\"2.0\","));
    if (id.size == 0)
        return;
    buffer_append(out, BYTES("\"id\":"));
    buffer_append(out, id);
    buffer_append_byte(out, ',');
}

static void write_error(struct buffer *out, struct bytes id, enum mcp_code code,
                        const char *message, struct bytes data) {
    begin(out, id);
    buffer_append(out, BYTES("\"error\":{\"code\":"));
    buffer_append_integer(out, code);
    buffer_append(out, BYTES(",\"message\":"));
    json_write_string(out, bytes_of_text(message));
    if (data.size > 0) {
        buffer_append(out, BYTES(",\"data\":"));
        buffer_append(out, data);
    }
    buffer_append(out, BYTES("}}"));
}

void mcp_error_write(struct buffer *out, enum mcp_code code, const char *message) {
    write_error(out, BYTES(""), code, message, BYTES(""));
}

void mcp_call_error_write(const struct mcp_call *call, struct buffer *out, enum mcp_code code,
                          const char *message, struct bytes data) {
    write_error(out, call->request.id, code, message, data);
}

void server_info_write(const struct mcp_server *server, struct buffer *out) {
    buffer_append(out, BYTES("{\"name\":"));
    json_write_string(out, bytes_of_text(server->name));
    buffer_append(out, BYTES(",\"version\":"));
    json_write_string(out, bytes_of_text(server->version));
    buffer_append_byte(out, '}');
}

void result_begin(const struct mcp_call *call, struct buffer *out, const char *type) {
    begin(out, call->request.id);
    buffer_append(out, BYTES("\"result\":{"));
    if (!call->is_modern)
        return;
    buffer_append(out, BYTES("\"resultType\":"));
    json_write_string(out, bytes_of_text(type));
    buffer_append(out, BYTES(",\"_meta\":{\"" META_SERVER "\":"));
    server_info_write(call->server, out);
    buffer_append_byte(out, '}');
}

void result_separate(const struct mcp_call *call, struct buffer *out) {
    if (call->is_modern)
        buffer_append_byte(out, ',');
}

void result_end(struct buffer *out) {
    buffer_append(out, BYTES("}}"));
}

static void write_text(struct buffer *out, const struct bytes *texts, size_t count) {
    buffer_append(out, BYTES("\"content\":[{\"type\":\"text\",\"text\":\""));
    for (size_t i = 0; i < count; i++)
        json_write_characters(out, texts[i]);
    buffer_append(out, BYTES("\"}]"));
}

void mcp_complete_write(const struct mcp_call *call, struct buffer *out, struct bytes text,
                        struct bytes structured) {
    result_begin(call, out, "complete");
    result_separate(call, out);
    write_text(out, &text, 1);
    if (structured.size > 0) {
        buffer_append(out, BYTES(",\"structuredContent\":"));
        buffer_append(out, structured);
    }
    result_end(out);
}

void mcp_failure_write(const struct mcp_call *call, struct buffer *out, const struct bytes *texts,
                       size_t count) {
    result_begin(call, out, "complete");
    result_separate(call, out);
    write_text(out, texts, count);
    buffer_append(out, BYTES(",\"isError\":true"));
    result_end(out);
}

void mcp_content_write(const struct mcp_call *call, struct buffer *out, struct bytes content) {
    result_begin(call, out, "complete");
    result_separate(call, out);
    buffer_append(out, BYTES("\"content\":"));
    buffer_append(out, content);
    result_end(out);
}

void mcp_question_write(const struct mcp_call *call, struct buffer *out, struct bytes requests,
                        struct bytes state) {
    result_begin(call, out, "input_required");
    result_separate(call, out);
    buffer_append(out, BYTES("\"inputRequests\":"));
    buffer_append(out, requests);
    if (state.size > 0) {
        buffer_append(out, BYTES(",\"requestState\":"));
        json_write_string(out, state);
    }
    result_end(out);
}

static void write_member(struct buffer *out, const char *name, const char *json) {
    if (json == NULL)
        return;
    buffer_append_byte(out, ',');
    json_write_string(out, bytes_of_text(name));
    buffer_append_byte(out, ':');
    buffer_append_text(out, json);
}

static void write_tool(struct buffer *out, const struct mcp_tool *tool) {
    buffer_append(out, BYTES("{\"name\":"));
    json_write_string(out, bytes_of_text(tool->name));
    buffer_append(out, BYTES(",\"title\":"));
    json_write_string(out, bytes_of_text(tool->title));
    buffer_append(out, BYTES(",\"description\":"));
    json_write_string(out, bytes_of_text(tool->description));
    write_member(out, "inputSchema", tool->input_schema);
    write_member(out, "outputSchema", tool->output_schema);
    write_member(out, "annotations", tool->annotations);
    buffer_append_byte(out, '}');
}

void tools_write(const struct mcp_server *server, struct buffer *out) {
    buffer_append_byte(out, '[');
    for (size_t i = 0; i < server->tool_count; i++) {
        if (i > 0)
            buffer_append_byte(out, ',');
        write_tool(out, &server->tools[i]);
    }
    buffer_append_byte(out, ']');
}

const char *code_label(enum mcp_code code) {
    switch (code) {
    case MCP_PARSE_ERROR:
        return "parse_error";
    case MCP_INVALID_REQUEST:
        return "invalid_request";
    case MCP_METHOD_NOT_FOUND:
        return "method_not_found";
    case MCP_INVALID_PARAMS:
        return "invalid_params";
    case MCP_HEADER_MISMATCH:
        return "header_mismatch";
    case MCP_MISSING_CAPABILITY:
        return "missing_capability";
    case MCP_UNSUPPORTED_VERSION:
        return "unsupported_version";
    case MCP_INTERNAL_ERROR:
        break;
    }
    return "internal_error";
}
